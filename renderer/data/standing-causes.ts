import { defineStore } from 'pinia'
import { ref, toRaw, watch } from 'vue'
import type { Failure } from './failure.ts'
import { useCompanion } from './companion.ts'

const none = { offline: 0, down: 0, full: 0, readOnly: 0, broken: 0, unreachable: 0, refused: 0, away: 0 } as const
type Cause = keyof typeof none

/** A full disk has space again with `enough` bytes, `more` of them new. */
const enough = 8 * 1024 * 1024
const more = 1024 * 1024

/** Tells which failures are over, as of a lost connection or a full disk. */
export const useStandingCauses = defineStore('standingCauses', () => {
  const companion = useCompanion()
  const ends = ref<Readonly<Record<Cause, number>>>(none)
  const ended = (...over: Cause[]): void => {
    ends.value = { ...ends.value, ...Object.fromEntries(over.map((cause) => [cause, ends.value[cause] + 1])) }
  }
  /** Since the disk last had space, in bytes. */
  let least = companion.service?.diskFree ?? null
  watch(
    () => companion.line,
    (now) => now === 'open' && ended('offline'),
    { flush: 'sync' },
  )
  watch(
    () => companion.service?.phase,
    (now) => now === 'running' && ended('down'),
    { flush: 'sync' },
  )
  watch(
    () => companion.service?.diskFree ?? null,
    (now) => {
      if (now === null) return
      if (least !== null && now >= enough && now >= least + more) {
        ended('full')
        least = now
      } else if (least === null || now < least) least = now
    },
    { flush: 'sync' },
  )
  watch(
    () => companion.diskRefuses,
    (now) => now || ended('readOnly', 'broken'),
    { flush: 'sync' },
  )

  /** `ends` at the first call of `isOver`. */
  const known = new WeakMap<Failure, number>()
  return {
    ended,
    /** Whether the cause has ended since the first call; false for causes that do not last. */
    isOver: (failure: Failure): boolean => {
      const { kind } = failure
      if (!Object.hasOwn(none, kind)) return false
      const now = ends.value[kind as Cause]
      const told = toRaw(failure)
      const before = known.get(told)
      if (before === undefined) known.set(told, now)
      return before !== undefined && now > before
    },
  }
})
