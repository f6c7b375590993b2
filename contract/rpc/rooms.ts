import { z } from 'zod'
import type { LinkPush } from '../link/frames.ts'
import { roomPushes } from '../link/rooms.ts'
import { local } from '../operations/index.ts'
import { maxMute } from '../operations/chatrooms.ts'
import { membersFault } from '../validate.ts'
import { RecordedFile } from './recording-state.ts'
import { isNoneOrSeen, named, unseen } from './named.ts'
import { procedureOf } from './operations.ts'
import { FailureData, forModerators, forPage, seatFacts } from './procedure.ts'

const profileId = z.string().min(1).max(64)
const roomid = z.number().int().min(1)
const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)
const cid = z.string().regex(/^[0-9a-f]{32}$/)
const onRoom = z.strictObject({ profileId, roomid })

/** A room as it is listed; null is what this profile does not tell. */
const ListedRoom = z.object({
  roomid: z.number(),
  name: z.string(),
  creator: z.string(),
  valid: z.boolean().nullable(),
  online: z.number().nullable(),
  /** The channel that it is linked to; null for none. */
  cid: z.string().nullable(),
})
/** A room as it is listed. */
export type ListedRoom = z.infer<typeof ListedRoom>

/** Where the lines of a hosted profile's room come from: message copies at the app's receiver (3-chatrooms eventType 4). */
export const RoomCopies = z.object({
  /** The profile's receiver of copies; `failed`: it should listen and cannot. */
  receiver: z.enum(['off', 'listening', 'failed']),
  /** The receiver's address on this computer, while it listens. */
  url: z.string().nullable(),
  /** When the last copy of this room came, in ms; null before the first one. */
  lastAt: z.number().nullable(),
  /** The CheckSum of the last copy follows the embedded service's rule; false: it cannot be verified, only its MD5 is right. Null before the first one. */
  verified: z.boolean().nullable(),
  /** Copies of rooms of this profile that could not be kept since the app began: without a room or content, or longer than a line may be. */
  dropped: z.number(),
  /** Copies of rooms that were not added here, since the app began. */
  elsewhere: z.number(),
  /** When name, announcement, mute and count were read last, in ms. */
  readAt: z.number().nullable(),
})
/** Where the lines of a hosted profile's room come from. */
export type RoomCopies = z.infer<typeof RoomCopies>

/** A room that the app sits in as its creator: on the link of the embedded service, or by copies and signed calls where `copies` is there. */
export const RoomDesk = z.object({
  profileId: z.string(),
  roomid: z.number(),
  /** `refused`: the account, the service or the room did not let it in, or put it out; see `reason`. */
  phase: z.enum(['connecting', 'inside', 'waiting', 'refused', 'off']),
  reason: z.string().nullable(),
  /** The account that is inside. */
  accid: z.string(),
  name: z.string(),
  announcement: z.string(),
  muted: z.boolean(),
  /** Who muted the room and when, in ms, where that was seen. */
  mutedBy: z.string().nullable(),
  mutedAt: z.number().nullable(),
  /** Seconds between two lines of an ordinary person; 0 for none. */
  slow: z.number(),
  /** Those who are inside and the robots, as the service counts them. */
  online: z.number().nullable(),
  /** The service's further figures, from the same count as `online`; null where it gives none, as a hosted one. */
  counts: z.object({ people: z.number(), robots: z.number(), muted: z.number(), blacklisted: z.number() }).nullable(),
  /** Of a hosted profile only: `inside` then means that the room was read and is open. */
  copies: RoomCopies.optional(),
})
/** A room that the app sits in. */
export type RoomDesk = z.infer<typeof RoomDesk>

/** What comes from a room. */
export type RoomPush = LinkPush<keyof typeof roomPushes>
/** Something came from a room that the app sits in. */
export const RoomPushed = z.object({
  profileId: z.string(),
  roomid: z.number(),
  push: z.custom<RoomPush>((value) => {
    const t = typeof value === 'object' && value !== null && 't' in value ? value.t : undefined
    return (
      typeof t === 'string' &&
      Object.hasOwn(roomPushes, t) &&
      membersFault(roomPushes[t as keyof typeof roomPushes], value) === undefined
    )
  }),
})

const on = z.boolean()
/** What a moderator does. `on: false` takes it back. */
export const Measure = z.discriminatedUnion('kind', [
  /** `seconds` 0 lifts a temporary mute, and that only. */
  z.strictObject({ kind: z.literal('temporaryMute'), target: accid, seconds: z.number().int().min(0).max(maxMute) }),
  z.strictObject({ kind: z.literal('mute'), target: accid, on }),
  z.strictObject({ kind: z.literal('blacklist'), target: accid, on }),
  z.strictObject({ kind: z.literal('admin'), target: accid, on }),
  z.strictObject({ kind: z.literal('ordinary'), target: accid, on }),
  /** The embedded service only. It cannot be taken back. */
  z.strictObject({ kind: z.literal('removeLine'), target: accid, msgid: z.string().min(1).max(64) }),
  /** Lets a held line through or drops it; the embedded service only. */
  z.strictObject({
    kind: z.literal('decideHeld'),
    target: accid,
    msgid: z.string().min(1).max(64),
    allow: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('muteRoom'), on }),
  z.strictObject({ kind: z.literal('openRoom'), on }),
  /** With `was`, the text that was read, only while it is that one: `changed` otherwise. */
  z.strictObject({ kind: z.literal('announce'), text: z.string().max(4096), was: z.string().max(4096).optional() }),
  z.strictObject({ kind: z.literal('rename'), text: z.string().min(1).max(128) }),
  /** The embedded service only. */
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
/** What a moderator does. */
export type Measure = z.infer<typeof Measure>

/** What is done in a room: a measure, or who may moderate from elsewhere. */
export const LoggedDeed = z.discriminatedUnion('kind', [
  ...Measure.options,
  z.strictObject({ kind: z.literal('invite'), target: accid }),
  z.strictObject({ kind: z.literal('revoke'), target: accid }),
  /** What was left of taking a seat back was done by itself. */
  z.strictObject({ kind: z.literal('finishRevoke'), target: accid }),
])
/** What is done in a room: a measure, or who may moderate from elsewhere. */
export type LoggedDeed = z.infer<typeof LoggedDeed>

/** What others read of a measure; entries of the log may have been made before it had to be seen. */
const textsOf = (measure: Measure): string[] =>
  measure.kind === 'announce' || measure.kind === 'rename'
    ? [measure.text]
    : measure.kind === 'queueAdd'
      ? [measure.key, measure.value]
      : []
const SeenMeasure = Measure.refine((measure) => textsOf(measure).every(isNoneOrSeen), unseen)
/** What asks for a measure. */
export const MeasureCall = z.strictObject({
  profileId,
  roomid,
  measure: SeenMeasure,
  why: z.string().max(200),
  undoes: z.number().int().min(1).optional(),
  /** `msgid` of what its target has said, upon which it is taken: the log has the text. The embedded service only. */
  upon: z.string().min(1).max(64).optional(),
  /** Whoever asks knows that this ends an earlier measure sooner. Without it a timed mute that a longer one outlasts is `outlasted`. */
  shortens: z.boolean().optional(),
})
/** What asks for a measure. */
export type MeasureCall = z.infer<typeof MeasureCall>

/** One entry of the log of moderator actions. */
export const RoomAction = z.object({
  /** Number in the log, ascending. */
  id: z.number(),
  roomid: z.number(),
  at: z.number(),
  /** Who acted. */
  operator: z.string(),
  what: LoggedDeed,
  /** Why, as it was given; people in the room may read it (`notifyExt`). */
  why: z.string(),
  /** The entry that this one takes back. */
  undoes: z.number().nullable(),
  /** `partly`: something of it is left to do; `unknown`: the app ended before the answer came. */
  result: z.enum(['done', 'partly', 'failed', 'unknown']),
  /** The code of a refusal, or what else came of it. */
  code: z.number().nullable(),
  detail: z.string(),
  /** Why it was refused, for a sentence; null when it was not, and of entries of earlier versions. */
  failure: FailureData.shape.kind.nullable(),
  /** What operator and target were called then; empty where that is not known. */
  operatorName: z.string(),
  targetName: z.string(),
  /** The text of the line that it was about; null for none, or where the service does not tell it. */
  line: z.string().nullable(),
})
/** One entry of the log of moderator actions. */
export type RoomAction = z.infer<typeof RoomAction>

/** What was recorded of a room's channel at a moment. */
export const RoomSecond = z.discriminatedUnion('found', [
  /** The room is linked to no channel now. */
  z.object({ found: z.literal('unlinked') }),
  /** `seconds` from the begin of the file. */
  z.object({ found: z.literal('file'), cid: z.string(), file: RecordedFile, seconds: z.number() }),
  /** It is in the slice that is being written, or being finished; `cut`: when the next one begins at the earliest, in ms. */
  z.object({ found: z.literal('running'), cid: z.string(), cut: z.number().nullable() }),
  /** Nothing was recorded then; the nearest files within half a week. */
  z.object({
    found: z.literal('none'),
    cid: z.string(),
    before: RecordedFile.nullable(),
    after: RecordedFile.nullable(),
  }),
])
/** What was recorded of a room's channel at a moment. */
export type RoomSecond = z.infer<typeof RoomSecond>

const kindOf = (measure: unknown): unknown =>
  typeof measure === 'object' && measure !== null && 'kind' in measure ? measure.kind : undefined

/** Procedures of the Room. */
export const roomProcedures = {
  /** Rooms, the newest first; of a hosted profile those that were made or added here. */
  list: forModerators({ names: 'profile' })
    .input(z.strictObject({ profileId, before: z.number().int().min(0).optional() }))
    .output(z.object({ complete: z.boolean(), rooms: z.array(ListedRoom), next: z.number().nullable() })),
  /** Makes a room. Its creator is `accid`, on the embedded service made when there is no such account. */
  create: forPage
    .input(
      z.strictObject({
        profileId,
        accid,
        name: named(128),
        announcement: z.string().max(4096).refine(isNoneOrSeen, unseen),
      }),
    )
    .output(z.object({ roomid: z.number() })),
  /** Remembers a room of a hosted profile by its number, after looking it up. */
  add: forPage.input(onRoom).output(ListedRoom),
  /** The room of a channel: on the embedded service kept there, of a hosted profile here. */
  linked: forModerators({ names: 'channel' })
    .input(z.strictObject({ profileId, cid }))
    .output(z.object({ roomid: z.number().nullable() })),
  link: forPage.input(z.strictObject({ profileId, cid, roomid: roomid.nullable() })).output(z.void()),
  /**
   * Sits in a room as its creator, as `room` and `roomPush` events tell, until `leave`. `renew` makes a new token where none is kept: the old one
   * ends. Of a hosted profile: lines come as copies, and the room is read for a minute; who goes on looking asks again.
   */
  // With a new token of the host the one kept would end.
  enter: forModerators({ names: 'room', also: ({ renew }) => renew === false })
    .input(z.strictObject({ profileId, roomid, renew: z.boolean() }))
    .output(RoomDesk),
  leave: forModerators({ names: 'room', isLight: true }).input(onRoom).output(z.void()),
  desks: forModerators({ names: 'profile', isLight: true })
    .input(z.strictObject({ profileId }))
    .output(z.array(RoomDesk)),
  /** Says a text: on the link where the app sits inside, else through the API as the creator. */
  say: forModerators({ names: 'room', isLight: true })
    .input(z.strictObject({ profileId, roomid, text: named(4096) }))
    .output(z.object({ msgid: z.string(), at: z.number() })),
  /**
   * Does one thing and logs it: before the call, and what came of it. A refusal is logged and thrown. `replaced`: seconds that were left of the timed
   * mute that another one took the place of, where that is known.
   */
  // Robots are put into rooms by the developer's server, not by a role of the room.
  act: forModerators({ names: 'room', also: ({ measure }) => kindOf(measure) !== 'robots', isLight: true })
    .input(MeasureCall)
    .output(
      z.object({
        action: RoomAction,
        taken: z.object({ key: z.string(), value: z.string() }).nullable(),
        replaced: z.number().int().min(0).optional(),
      }),
    ),
  /** Entries of the log, the newest first; of one room, and of what was done to `target`, where given. */
  actions: forModerators({ names: 'room', isOfModerators: true })
    .input(
      z.strictObject({
        profileId,
        roomid: roomid.optional(),
        target: accid.optional(),
        before: z.number().int().min(1).optional(),
      }),
    )
    .output(z.array(RoomAction)),
  /**
   * The log of a room as a file, in parts, the newest entries first: CSV in which no cell is a formula, or JSON. `next` is the `before` of the next
   * part, null after the last one. `dropped`: entries that were too old to be kept are not in it; the file says so at its end.
   */
  exportActions: forPage
    .input(
      z.strictObject({
        profileId,
        roomid,
        format: z.enum(['csv', 'json']),
        before: z.number().int().min(1).optional(),
      }),
    )
    .output(
      z.object({
        name: z.string(),
        text: z.string(),
        next: z.number().nullable(),
        dropped: z.object({ entries: z.number(), until: z.number() }).nullable(),
      }),
    ),
  /** Lines of the past; of a hosted profile those that were received here. */
  history: procedureOf(local.roomHistory).meta(seatFacts({ names: 'call', isOfModerators: true })),
  /** Where the second of a line is in the recordings of the channel that the room is linked to now; `at` in ms. */
  second: forPage.input(z.strictObject({ profileId, roomid, at: z.number().int().min(0) })).output(RoomSecond),
  /** Private notes about a person, kept on this computer. */
  note: forPage.input(z.strictObject({ profileId, accid })).output(z.object({ text: z.string() })),
  setNote: forPage.input(z.strictObject({ profileId, accid, text: z.string().max(500) })).output(z.void()),
}
