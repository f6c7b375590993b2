import { flag, integer, list, object, text } from '../field.ts'
import { membersPage, roomMessageTypes, roomTexts } from '../operations/chatrooms.ts'

/** Rooms of one session; 419 beyond (docs/link.md). */
export const maxSessionRooms = 100

/**
 * Rates of lines by the link, over all rooms, except by leaders: burst and per second, per account and per address; 416
 * beyond. Bytes are those of the JSON that every reader gets; those of an address are a fiftieth of a 3 Mbit/s stream.
 */
export const speakingLimits = {
  account: { lines: { atOnce: 30, perSecond: 2 }, bytes: { atOnce: 32 * 1024, perSecond: 2 * 1024 } },
  address: { lines: { atOnce: 150, perSecond: 20 }, bytes: { atOnce: 128 * 1024, perSecond: 8 * 1024 } },
} as const
/** Longest extension of a guest in characters, in lines and on entering; 414 beyond. */
export const maxGuestExt = 512
/** Bytes of JSON of an answer's lines, except a single longer one; `more` then says that there are others. */
export const roomPageBytes = 256 * 1024

/** Own lines that wait for a moderator, in the answer of an entry. */
export const maxOwnHeld = 20

const roomid = integer({ summary: 'Room.', required: true, min: 1 })
const ext = text({ summary: `Extension; of a guest ${maxGuestExt} characters at most.`, max: 4096 })
/** Figures of a room; all but `online` only for creator and admins. */
const counts = {
  online: integer({ summary: 'Those who are inside and the robots.' }),
  people: integer({ summary: 'Those who are inside.', optional: true }),
  robots: integer({ summary: 'Robots that are not inside by themselves too.', optional: true }),
  muted: integer({ summary: 'Muted, for good or for a while.', optional: true }),
  blacklisted: integer({ optional: true }),
} as const

/** A line in pushes and history. Type 5 is a notice with attach `{data, id}` (behaviour.md#notices). */
const line = {
  roomid: integer(),
  msgid: text({ summary: "The service's id of the line." }),
  at: integer({ summary: 'In ms; no two of a room have the same.' }),
  from: text(),
  fromNick: text(),
  fromAvatar: text({ optional: true }),
  fromExt: text({ summary: 'Extension with which the sender entered.', optional: true }),
  fromClientType: text({ summary: 'A client type or REST.' }),
  type: integer(),
  attach: text(),
  ext: text({ optional: true }),
  clientId: text({ optional: true }),
  resend: integer({ optional: true }),
} as const
const lines = {
  lines: list(object(line), {
    summary: `The latest first; as many as were asked for, or fewer with ${roomPageBytes / 1024} KiB together.`,
  }),
  more: flag({ summary: 'There are earlier ones: ask for those before the last one given.' }),
} as const
const notices = flag({
  summary: 'Also what was done there: notifications of measures, roles and the room itself.',
  default: false,
})

/** Requests on rooms by `t`. Pushes during a `roomEnter` may also be among its lines: clients compare msgids. */
export const roomRequests = {
  /** Enters a room: 404 none, 13002 closed, 13003 blacklisted, 416 too often. Inside, changes the appearance. */
  roomEnter: {
    parameters: {
      roomid,
      nick: text({ summary: 'Nickname there; the name of the account when it is absent.', max: 64 }),
      avatar: text({ summary: 'Address of an avatar.', max: 1024 }),
      ext: text({
        summary: `Extension, which everybody inside is told; of a guest ${maxGuestExt} characters at most.`,
        max: 1024,
      }),
      lines: integer({ summary: 'Lines of the history.', min: 0, max: 100, default: 50 }),
      notices,
      held: flag({ summary: 'Also those of one’s own lines that wait for a moderator.', default: false }),
    },
    answer: {
      room: object({
        roomid: integer(),
        name: text(),
        ...roomTexts,
        creator: text(),
        muted: flag({ summary: 'Only creator and admins may speak.' }),
        slow: integer({ summary: 'Seconds between two lines of an ordinary person; 0 for none.' }),
      }),
      type: integer({ summary: '-1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary.' }),
      mutedFor: integer({ summary: 'Seconds for which one is muted temporarily; 0 for not.' }),
      nick: text({ summary: 'What one is called there now.' }),
      note: text({
        summary:
          'Why that is not what was asked for: taken (a number stands behind it), reserved, caught (by the word list), later (muted, slow mode, or too often).',
        optional: true,
      }),
      ...counts,
      ...lines,
      held: list(object(line), {
        summary: `Asked for: own lines that wait for a moderator, the latest first, ${maxOwnHeld} at most.`,
        optional: true,
      }),
    },
  },
  roomLeave: { parameters: { roomid }, answer: {} },
  /**
   * Says a line: 403 may not speak, 414 for an invisible text (0, 10), 416 in slow mode, beyond `speakingLimits`, and
   * when guests' lines exceed their delivery time.
   */
  roomSend: {
    parameters: {
      roomid,
      type: integer({ required: true, oneOf: roomMessageTypes }),
      attach: text({ required: true, max: 4096 }),
      clientId: text({
        summary: "The client's own id of the line; a second one of the same sender is not said again.",
        required: true,
        max: 64,
      }),
      resend: integer({ summary: '1 when it is sent again.', oneOf: [0, 1], default: 0 }),
      ext,
    },
    answer: {
      msgid: text(),
      at: integer(),
      held: flag({ summary: 'It waits for a moderator: nobody else sees it until `roomDecided`.', optional: true }),
    },
  },
  roomHistory: {
    parameters: {
      roomid,
      before: integer({ summary: 'Only lines before this msgid.', min: 1 }),
      limit: integer({ default: 50, min: 1, max: 100 }),
      notices,
    },
    answer: lines,
  },
  roomMembers: {
    parameters: {
      roomid,
      ...membersPage,
      limit: integer({ default: 50, min: 1, max: 100 }),
    },
    answer: { members: list(object({ accid: text(), nick: text(), type: integer(), onlineStat: flag() })) },
  },
  roomQueue: {
    parameters: { roomid },
    answer: { list: list(object({}), { summary: 'Elements in order, each with its key as the only member.' }) },
  },
} as const

/** Pushes to those inside a room; equal for all who get one, and not kept. */
export const roomPushes = {
  roomMessage: line,
  /** A line is held (word list with hold): to creator and admins, except the sender's session. */
  roomHeld: line,
  /** A held line was released, as its own `roomMessage`, or dropped; to creator, admins and who said it. */
  roomDecided: {
    roomid: integer(),
    msgid: text(),
    allow: flag(),
    heldAt: integer({
      summary: 'When a line was said that was let through; its own time is that of the decision.',
      optional: true,
    }),
  },
  /** A line was deleted. */
  roomRecall: {
    roomid: integer(),
    msgid: text(),
    at: integer(),
    from: text({ summary: 'Who had said it.' }),
    clientId: text(),
    operator: text(),
    ext: text({ optional: true }),
  },
  /** At most once a second: to creator and admins on changes; to others in large rooms, which announce no entries. */
  roomCount: { roomid: integer(), ...counts },
  /** The account was removed from the room. */
  roomOut: { roomid: integer(), reason: text({ summary: 'closed or blacklisted.' }) },
} as const
