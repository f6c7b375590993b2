import { defineStore } from 'pinia'
import { ref, toRaw, watch } from 'vue'
import type { Failure } from './failure.ts'
import { useCompanion } from './companion.ts'

/** A cause that lasts and whose end this page is told of. */
const none = { offline: 0, down: 0, full: 0, readOnly: 0, broken: 0, unreachable: 0, refused: 0 } as const
type Cause = keyof typeof none

/** Room that has to be there, and to have come, for a disk that was full to count as having room again, in bytes. */
const enough = 8 * 1024 * 1024
const more = 1024 * 1024

/** Which failures are over because their cause is, as when the page is connected again or the disk has room. */
export const useStandingCauses = defineStore('standingCauses', () => {
  const companion = useCompanion()
  /** How often each cause came to its end. */
  const ends = ref<Readonly<Record<Cause, number>>>(none)
  const ended = (...over: Cause[]): void => {
    ends.value = { ...ends.value, ...Object.fromEntries(over.map((cause) => [cause, ends.value[cause] + 1])) }
  }
  /** The least room since the disk had room last. */
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

  /** How many ends there were of its cause when a failure was first asked about. */
  const known = new WeakMap<Failure, number>()
  return {
    /** Tells that these causes have come to their end: of what this page hears of elsewhere. */
    ended,
    /** Whether a failure's cause has ended since this was first asked; other kinds stay until something is done. */
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
