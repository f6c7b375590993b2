import { z } from 'zod'
import { accid, cid, onProfile, profileId, roomid } from './ids.ts'
import { pushFault } from '../link/faults.ts'
import type { LinkPush } from '../link/frames.ts'
import { roomPushes } from '../link/rooms.ts'
import { local } from '../operations/index.ts'
import { RecordedFile } from './recording-state.ts'
import { MeasureCall, RoomAction } from './measures.ts'
import { isNoneOrSeen, named, unseen } from './named.ts'
import { procedureOf } from './operations.ts'
import { forModerators, forPage, seatFacts } from './procedure.ts'
import { reasonSchema } from './reason.ts'

const onRoom = z.strictObject({ profileId, roomid })

const ListedRoom = z.object({
  roomid: z.number(),
  name: z.string(),
  creator: z.string(),
  valid: z.boolean().nullable(),
  online: z.number().nullable(),
  /** Its channel; null for none. */
  cid: z.string().nullable(),
})
/** A room in lists; null: not available on this profile. */
export type ListedRoom = z.infer<typeof ListedRoom>

const ViewerChat = z.object({
  on: z.boolean(),
  /** Its room, also while it is closed. */
  roomid: z.number().nullable(),
  /** Who is inside, without the app's own account. */
  people: z.number(),
})
/** Chat for viewers of a channel: on while the channel has a room that is open. */
export type ViewerChat = z.infer<typeof ViewerChat>

/** Source of lines of a hosted profile's room: message copies at the app's receiver (3-chatrooms eventType 4). */
export const RoomCopies = z.object({
  /** The profile's receiver; `failed`: it cannot listen. */
  receiver: z.enum(['off', 'listening', 'failed']),
  /** Its local address, while it listens. */
  url: z.string().nullable(),
  /** Time of this room's last copy in ms; null before the first. */
  lastAt: z.number().nullable(),
  /** Whether the last copy's CheckSum was right; false: only its MD5 is verified. Null before the first. */
  verified: z.boolean().nullable(),
  /** Copies of this profile's rooms without room or content, or with too long a line, since the app started. */
  dropped: z.number(),
  /** Copies of rooms not added here, since the app started. */
  elsewhere: z.number(),
  /** Last read of name, announcement, mute and count, in ms. */
  readAt: z.number().nullable(),
})
export type RoomCopies = z.infer<typeof RoomCopies>

/** A room where the app acts as creator; with `copies`, a hosted one. */
export const RoomPanel = z.object({
  profileId: z.string(),
  roomid: z.number(),
  /** `refused`: not admitted, or removed; see `reason`. */
  phase: z.enum(['connecting', 'inside', 'waiting', 'refused', 'off']),
  reason: reasonSchema('link').nullable(),
  accid: z.string(),
  name: z.string(),
  announcement: z.string(),
  muted: z.boolean(),
  /** Who muted the room and when (ms), if seen. */
  mutedBy: z.string().nullable(),
  mutedAt: z.number().nullable(),
  /** Seconds between two lines of an ordinary member; 0 for none. */
  slow: z.number(),
  /** Online count of the service: accounts inside, and robots. */
  online: z.number().nullable(),
  /** Further figures of the service, from the same count; null on a hosted one. */
  counts: z.object({ people: z.number(), robots: z.number(), muted: z.number(), blacklisted: z.number() }).nullable(),
  /** Hosted profile only: `inside` then means that the room was read and is open. */
  copies: RoomCopies.optional(),
})
export type RoomPanel = z.infer<typeof RoomPanel>

/** A push of a room. */
export type RoomPush = LinkPush<keyof typeof roomPushes>
/** A push of a room, for pages. */
export const RoomPushed = z.object({
  profileId: z.string(),
  roomid: z.number(),
  push: z.custom<RoomPush>((value) => pushFault(value, roomPushes) === undefined),
})

/** What was recorded of a room's channel at a moment. */
export const RecordingPosition = z.discriminatedUnion('found', [
  /** The room has no channel now. */
  z.object({ found: z.literal('unlinked') }),
  /** `seconds` from the begin of the file. */
  z.object({ found: z.literal('file'), cid: z.string(), file: RecordedFile, seconds: z.number() }),
  /** In the current slice; `cut`: earliest begin of the next one, in ms. */
  z.object({ found: z.literal('running'), cid: z.string(), cut: z.number().nullable() }),
  /** Nothing was recorded then; the nearest files within half a week. */
  z.object({
    found: z.literal('none'),
    cid: z.string(),
    before: RecordedFile.nullable(),
    after: RecordedFile.nullable(),
  }),
])
export type RecordingPosition = z.infer<typeof RecordingPosition>

const kindOf = (measure: unknown): unknown =>
  typeof measure === 'object' && measure !== null && 'kind' in measure ? measure.kind : undefined

/** Procedures of the Room. */
export const roomProcedures = {
  list: forModerators('Newest first; on a hosted profile those made or added here.', { names: 'profile' })
    .input(z.strictObject({ profileId, before: z.number().int().min(0).optional() }))
    .output(z.object({ complete: z.boolean(), rooms: z.array(ListedRoom), next: z.number().nullable() })),
  create: forPage('Makes a room. Its creator `accid` is registered if missing, on the embedded service.')
    .input(
      z.strictObject({
        profileId,
        accid,
        name: named(128),
        announcement: z.string().max(4096).refine(isNoneOrSeen, unseen),
      }),
    )
    .output(z.object({ roomid: z.number() })),
  add: forPage('Adds a room of a hosted profile by number, after looking it up.').input(onRoom).output(ListedRoom),
  linked: forModerators('The room of a channel: stored by the embedded service, or here for a hosted profile.', {
    names: 'channel',
  })
    .input(z.strictObject({ profileId, cid }))
    .output(z.object({ roomid: z.number().nullable() })),
  link: forPage('Links a channel to a room, null to none.')
    .input(z.strictObject({ profileId, cid, roomid: roomid.nullable() }))
    .output(z.void()),
  chat: forPage('Whether viewers of a channel can chat, and how many are there.')
    .input(z.strictObject({ profileId, cid }))
    .output(ViewerChat),
  switchChat: forPage(
    'Switches chat for viewers. On makes and links a room with an account of its own where the channel has none, ' +
      'and opens it; off closes it, with its lines kept. May be repeated: what was begun is completed.',
  )
    .input(z.strictObject({ profileId, cid, on: z.boolean() }))
    .output(ViewerChat),
  // With a new token of the host the one kept would end.
  enter: forModerators(
    'Enters a room as its creator until `leave`, with `room` and `roomPush` events. `renew` makes a ' +
      'new token if none is kept, which invalidates the old one. Hosted profile: lines come as copies, ' +
      'and the room is read for a minute; call again to continue.',
    { names: 'room', also: ({ renew }) => renew === false },
  )
    .input(z.strictObject({ profileId, roomid, renew: z.boolean() }))
    .output(RoomPanel),
  leave: forModerators("Leaves a room; of a moderator's page nothing, since others look through the app's seat too.", {
    names: 'room',
    isLight: true,
  })
    .input(onRoom)
    .output(z.void()),
  panels: forModerators("Rooms that the app sits in; a moderator's page is told of its own.", {
    names: 'profile',
    isLight: true,
  })
    .input(onProfile)
    .output(z.array(RoomPanel)),
  say: forModerators('Says a text: on the link while inside, else as the creator through the API.', {
    names: 'room',
    isLight: true,
  })
    .input(z.strictObject({ profileId, roomid, text: named(4096) }))
    .output(z.object({ msgid: z.string(), at: z.number() })),
  // Robots are put into rooms by the developer's server, not by a role of the room.
  act: forModerators(
    'Takes a measure and logs it: before the call, and its result. A refusal is logged and thrown. ' +
      '`replaced`: remaining seconds of a replaced timed mute, if known.',
    { names: 'room', also: ({ measure }) => kindOf(measure) !== 'robots', isLight: true },
  )
    .input(MeasureCall)
    .output(
      z.object({
        action: RoomAction,
        taken: z.object({ key: z.string(), value: z.string() }).nullable(),
        replaced: z.number().int().min(0).optional(),
      }),
    ),
  actions: forModerators('Log entries, newest first; optionally of one room and of one `target`.', {
    names: 'room',
    isOfModerators: true,
  })
    .input(
      z.strictObject({
        profileId,
        roomid: roomid.optional(),
        target: accid.optional(),
        before: z.number().int().min(1).optional(),
      }),
    )
    .output(z.array(RoomAction)),
  exportActions: forPage(
    'The log of a room as a file, in parts, newest first: CSV in which no cell is a formula, or JSON. ' +
      '`next` is the `before` of the next part, null after the last. `dropped`: entries too old to be ' +
      'kept, as stated at the end of the file.',
  )
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
  history: procedureOf(local.roomHistory).meta({
    docs: 'Past lines; on a hosted profile those received here.',
    ...seatFacts({ names: 'call', isOfModerators: true }),
  }),
  second: forPage("Position of a line in the recordings of the room's current channel; `at` in ms.")
    .input(z.strictObject({ profileId, roomid, at: z.number().int().min(0) }))
    .output(RecordingPosition),
  note: forPage('Private notes about a person, kept on this computer.')
    .input(z.strictObject({ profileId, accid }))
    .output(z.object({ text: z.string() })),
  setNote: forPage('Keeps private notes about a person on this computer; an empty text removes them.')
    .input(z.strictObject({ profileId, accid, text: z.string().max(500) }))
    .output(z.void()),
}
