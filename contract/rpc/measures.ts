import { z } from 'zod'
import { accid, profileId, roomid } from './ids.ts'
import { maxMute } from '../operations/limits.ts'
import { isNoneOrSeen, unseen } from './named.ts'
import { FailureData } from './procedure.ts'

const on = z.boolean()
/** A moderator's measure. `on: false` lifts it. */
export const Measure = z.discriminatedUnion('kind', [
  /** `seconds` 0 lifts a temporary mute, nothing else. */
  z.strictObject({ kind: z.literal('temporaryMute'), target: accid, seconds: z.number().int().min(0).max(maxMute) }),
  z.strictObject({ kind: z.literal('mute'), target: accid, on }),
  z.strictObject({ kind: z.literal('blacklist'), target: accid, on }),
  z.strictObject({ kind: z.literal('admin'), target: accid, on }),
  z.strictObject({ kind: z.literal('ordinary'), target: accid, on }),
  /** Embedded service only; irreversible. */
  z.strictObject({ kind: z.literal('removeLine'), target: accid, msgid: z.string().min(1).max(64) }),
  /** Releases or drops a held line; extended services only. */
  z.strictObject({
    kind: z.literal('decideHeld'),
    target: accid,
    msgid: z.string().min(1).max(64),
    allow: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('muteRoom'), on }),
  z.strictObject({ kind: z.literal('openRoom'), on }),
  /** `was` is the text that was read; if it is another now, the call fails with `changed`. */
  z.strictObject({ kind: z.literal('announce'), text: z.string().max(4096), was: z.string().max(4096).optional() }),
  z.strictObject({ kind: z.literal('rename'), text: z.string().min(1).max(128) }),
  /** Extended services only. */
  z.strictObject({ kind: z.literal('slowMode'), seconds: z.number().int().min(0).max(3600) }),
  /** Takes the first element, or the one with `key`. */
  z.strictObject({ kind: z.literal('queueTake'), key: z.string().max(128).optional() }),
  /** Replaces the element with the key; with `fresh` that is `changed` instead. */
  z.strictObject({
    kind: z.literal('queueAdd'),
    key: z.string().min(1).max(128),
    value: z.string().min(1).max(4096),
    fresh: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('queueClear') }),
  z.strictObject({ kind: z.literal('robots'), accids: z.array(accid).min(1).max(100), on }),
])
export type Measure = z.infer<typeof Measure>

/** An entry of the log: a measure, or a change of who moderates from elsewhere. */
export const LoggedAction = z.discriminatedUnion('kind', [
  ...Measure.options,
  z.strictObject({ kind: z.literal('invite'), target: accid }),
  z.strictObject({ kind: z.literal('revoke'), target: accid }),
  /** The rest of a revocation was completed automatically. */
  z.strictObject({ kind: z.literal('finishRevoke'), target: accid }),
])
export type LoggedAction = z.infer<typeof LoggedAction>

/** Texts that others read; entries from before visibility was required may be invisible. */
const textsOf = (measure: Measure): string[] =>
  measure.kind === 'announce' || measure.kind === 'rename'
    ? [measure.text]
    : measure.kind === 'queueAdd'
      ? [measure.key, measure.value]
      : []
const SeenMeasure = Measure.refine((measure) => textsOf(measure).every(isNoneOrSeen), unseen)
/** A call for a measure. */
export const MeasureCall = z.strictObject({
  profileId,
  roomid,
  measure: SeenMeasure,
  why: z.string().max(200),
  undoes: z.number().int().min(1).optional(),
  /** `msgid` of the target's line that is the reason; its text is logged. Extended services only. */
  upon: z.string().min(1).max(64).optional(),
  /** Confirms ending an earlier measure sooner; without it a timed mute shorter than the current one is `outlasted`. */
  shortens: z.boolean().optional(),
})
export type MeasureCall = z.infer<typeof MeasureCall>

/** An entry of the log of moderator actions. */
export const RoomAction = z.object({
  /** Number in the log, ascending. */
  id: z.number(),
  roomid: z.number(),
  at: z.number(),
  /** Who acted. */
  operator: z.string(),
  what: LoggedAction,
  /** The given reason; visible to the room (`notifyExt`). */
  why: z.string(),
  /** The entry that this one undoes. */
  undoes: z.number().nullable(),
  /** `partly`: incomplete; `unknown`: the app ended before the answer. */
  result: z.enum(['done', 'partly', 'failed', 'unknown']),
  /** Code of a refusal, or another result. */
  code: z.number().nullable(),
  detail: z.string(),
  /** Why it was refused; null if it was not, and in entries of earlier versions. */
  failure: FailureData.shape.kind.nullable(),
  /** Names of operator and target at that time; empty if unknown. */
  operatorName: z.string(),
  targetName: z.string(),
  /** Text of the line concerned; null if none or not available. */
  line: z.string().nullable(),
})
export type RoomAction = z.infer<typeof RoomAction>
