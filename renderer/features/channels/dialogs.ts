import { defineStore } from 'pinia'
import { ref } from 'vue'

/** A dialog about channels. */
export type ChannelQuestion =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly cid: string }
  | { readonly kind: 'remove' | 'disable'; readonly cids: readonly string[] }
  | { readonly kind: 'report' }

/** What the card of hold and delay opens: its form at a field, or the question before the delay is discarded. */
export type HoldQuestion = 'hold' | 'delay' | 'dump'

/** Where the sheet of who can watch opens: at its begin, or with the focus in a part of it. */
export type SharePart = 'begin' | 'entry' | 'limits' | 'off' | 'next' | 'visit'

/** The open dialog about channels. */
export const useDialogs = defineStore('dialogs', () => {
  const question = ref<ChannelQuestion | null>(null)
  /** A request for the go-live check, which Studio fulfils once. */
  const goLiveAsked = ref(false)
  /** A request for the sheet of who can watch, which Studio fulfils once. */
  const shareAsked = ref<SharePart | null>(null)
  /** A request for the form of a target, which Studio fulfils once. */
  const targetAsked = ref<{ readonly targetId: number } | null>(null)
  /** A request for the targets, which Studio fulfils once. */
  const targetsAsked = ref(false)
  /** A request to the card of hold and delay, which Studio fulfils once. */
  const holdAsked = ref<HoldQuestion | null>(null)
  return {
    question,
    goLiveAsked,
    shareAsked,
    targetAsked,
    targetsAsked,
    holdAsked,
    askCreate: (): void => {
      question.value = { kind: 'create' }
    },
    askRename: (cid: string): void => {
      question.value = { kind: 'rename', cid }
    },
    askRemove: (cids: readonly string[]): void => {
      question.value = { kind: 'remove', cids }
    },
    askDisable: (cids: readonly string[]): void => {
      question.value = { kind: 'disable', cids }
    },
    showReport: (): void => {
      question.value = { kind: 'report' }
    },
    close: (): void => {
      question.value = null
    },
  }
})
