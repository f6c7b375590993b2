import { defineStore } from 'pinia'
import { ref } from 'vue'

/** A question about channels that stands over the screens. */
export type ChannelQuestion =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly cid: string }
  | { readonly kind: 'remove' | 'disable'; readonly cids: readonly string[] }
  | { readonly kind: 'report' }

/** Which dialog about channels is open. */
export const useDialogs = defineStore('dialogs', () => {
  const question = ref<ChannelQuestion | null>(null)
  /** The whole check of the channel in Studio is asked for from elsewhere; the Studio opens it once. */
  const goLiveAsked = ref(false)
  return {
    question,
    goLiveAsked,
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
