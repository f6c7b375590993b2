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

/** What viewers see, or will see. */
export function holdSentence(state: HoldState, { t, clock, now, live, recording, spanOf, gap }: HoldAround): string {
  const next = nextHeldUntil(state, now, live)
  if (next !== null) return t('hold.nextHeldLead', { time: clock(next) })
  if (!live || !state.holding)
    return state.holdSeconds === 0 ? t('hold.leadOff') : t('hold.lead', { time: spanOf(state.holdSeconds) })
  const { until, since, delayed } = state
  if (until === null) {
    const by = state.holdSeconds === 0 ? 'hold.byHandOff' : 'hold.byHand'
    return [t(state.noPicture ? 'hold.noPicture' : by), ...(recording ? [t('hold.recorded')] : [])].join(gap)
  }
  const time = clock(until)
  if (state.byHand) return t(state.noPicture ? 'hold.noPictureLost' : 'hold.byHandLost', { time })
  // With a delay they first see what was sent before the loss.
  const from = state.delaySeconds > 0 && since !== null ? since + (delayed ?? 0) : now
  return now < from ? t('hold.lostLater', { from: clock(from), time }) : t('hold.lostNow', { time })
}
