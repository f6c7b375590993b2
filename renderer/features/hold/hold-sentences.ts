import type { HoldState } from '../../../contract/rpc/hold.ts'
import type { Say } from '../../ui/service-sentence.ts'

/** What is around a hold. */
export interface HoldAround {
  readonly t: Say
  /** Time of day as text. */
  readonly clock: (at: number) => string
  readonly now: number
  readonly live: boolean
  readonly recording: boolean
  /** A time in s, as "30 s" or "2 min". */
  readonly spanOf: (seconds: number) => string
  /** Between two sentences. */
  readonly gap: string
}

/** Until when a push that begins is held by hand, as the one that was held was lost; null for none. */
export const nextHeldUntil = (state: HoldState | undefined, now: number, live: boolean): number | null =>
  !live && state?.nextHeldUntil != null && state.nextHeldUntil > now ? state.nextHeldUntil : null

/** When viewers see that a hold is over, as they are behind by a delay; null for none. */
const overForViewers = (state: HoldState | undefined, now: number, live: boolean): number | null =>
  live && state?.holding === false && state.goesOn !== null && state.goesOn > now ? state.goesOn : null

/** What is still to come while nothing is held: the next push will be, or viewers will see the end of a hold. */
export function aheadOf(state: HoldState | undefined, now: number, live: boolean): 'nextHeld' | 'over' | null {
  if (nextHeldUntil(state, now, live) !== null) return 'nextHeld'
  return overForViewers(state, now, live) === null ? null : 'over'
}

/** What viewers see, or will see. */
export function holdSentence(state: HoldState, { t, clock, now, live, recording, spanOf, gap }: HoldAround): string {
  const next = nextHeldUntil(state, now, live)
  if (next !== null) return t('hold.nextHeldLead', { time: clock(next) })
  const over = overForViewers(state, now, live)
  if (over !== null) return t('hold.overLater', { time: clock(over) })
  if (!live || !state.holding)
    return state.holdSeconds === 0 ? t('hold.leadOff') : t('hold.lead', { time: spanOf(state.holdSeconds) })
  const { until, since, delayed } = state
  const seen = state.noPicture ? [t('hold.noPictureSeen')] : []
  if (until === null) {
    const by = state.holdSeconds === 0 ? 'hold.byHandOff' : 'hold.byHand'
    return [t(state.noPicture ? 'hold.noPicture' : by), ...seen, ...(recording ? [t('hold.recorded')] : [])].join(gap)
  }
  const time = clock(until)
  if (state.byHand) return [t(state.noPicture ? 'hold.noPictureLost' : 'hold.byHandLost', { time }), ...seen].join(gap)
  // With a delay they first see what was sent before the loss.
  const from = state.delaySeconds > 0 && since !== null ? since + (delayed ?? 0) : now
  return now < from ? t('hold.lostLater', { from: clock(from), time }) : t('hold.lostNow', { time })
}

/** A time in ms as seconds with one decimal. */
export const tenths = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1)

/** The push is over, and viewers still see its rest. */
export const isResting = (state: HoldState | undefined, live: boolean): boolean => !live && (state?.delayed ?? 0) > 0

/** The delay that was chosen is not there any more, as after it was discarded. */
export function isDelayAway(state: HoldState | undefined, live: boolean): boolean {
  const { delaySeconds = 0, delayed = null, delayChanging = false } = state ?? {}
  return live && delayed !== null && !delayChanging && delayed < delaySeconds * 1_000 - 1_000
}

/** How far viewers are behind, and whether that is about to change; null where no delay is chosen. */
export function delayWords(state: HoldState, live: boolean, t: Say): { text: string; grows: boolean } | null {
  const { delaySeconds, delayed } = state
  if (delaySeconds === 0) return null
  if (isResting(state, live)) return { text: t('hold.rest', { n: tenths(delayed ?? 0) }), grows: true }
  if (!live || delayed === null) return { text: t('hold.next'), grows: false }
  if (isDelayAway(state, live)) return { text: t('hold.away'), grows: true }
  // Nothing of what comes meanwhile is shown later.
  if (state.holding && state.byHand) return { text: t('hold.growsLater', { of: delaySeconds }), grows: true }
  if (state.delayChanging) return { text: t('hold.growing', { of: delaySeconds }), grows: true }
  return { text: t('hold.reached', { n: tenths(delayed) }), grows: false }
}
