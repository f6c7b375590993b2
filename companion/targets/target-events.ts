import type { AnswerOf } from '../../contract/field.ts'
import type { holdFacts } from '../../contract/operations/hold.ts'
import { targetPresets, targetStarts, targetStates, type targetProgress } from '../../contract/operations/targets.ts'
import { TargetState, type HoldState } from '../../contract/rpc/index.ts'

/** A member of a closed list; the last resort for one of a later service. */
const among = <T extends string>(known: readonly T[], value: string, other: T): T =>
  known.find((one) => one === value) ?? other

const reasons = TargetState.shape.reason.unwrap().options

/** The service's state of a target, for pages; undefined for an unknown one. */
export function targetStateOf(from: AnswerOf<typeof targetProgress>): TargetState | undefined {
  const state = targetStates.find((one) => one === from.state)
  if (!state) return undefined
  const { since, kbps, dropped, reconnects, tries, nextTry = null, reason, answer = null } = from
  return {
    state,
    since,
    kbps,
    dropped,
    reconnects,
    tries,
    nextTry,
    reason: reason === undefined ? null : among(reasons, reason, 'fault'),
    answer,
  }
}

/** The preset of a target as listed. */
export const presetOf = (preset: string): (typeof targetPresets)[number] => among(targetPresets, preset, 'custom')
/** When a target as listed starts. */
export const startOf = (start: string): (typeof targetStarts)[number] => among(targetStarts, start, 'hand')

/** The service's hold and delay of a channel, for pages. */
export const holdStateOf = (from: AnswerOf<typeof holdFacts>): HoldState => ({
  holdSeconds: from.holdSeconds,
  delaySeconds: from.delaySeconds,
  holding: from.holding,
  byHand: from.byHand ?? false,
  noPicture: from.noPicture ?? false,
  since: from.since ?? null,
  until: from.until ?? null,
  lastHeld: from.lastHeld ?? null,
  lastHeldFor: from.lastHeldFor ?? null,
  goesOn: from.goesOn ?? null,
  nextHeldUntil: from.nextHeldUntil ?? null,
  delayed: from.delayed ?? null,
  delayChanging: from.delayChanging ?? false,
  delayFault: from.delayFault === undefined ? null : 'disk',
})
