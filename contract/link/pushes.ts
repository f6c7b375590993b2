import { flag, integer, list, object, text, type Fields } from '../field.ts'
import { roomPushes } from './rooms.ts'

/** Place of an event. */
export const seq = integer({ summary: 'Place in the stream of the application: later is greater.' })
const common = {
  seq: integer({ summary: 'Place in the stream; absent for what is not kept.', optional: true }),
  at: integer({ summary: 'In ms.' }),
} as const

/** Pushes by `t`. Those with a seq are kept for offline receivers. */
export const linkPushes = {
  /** Type 5 is a team notification with the body of 2-messaging History. `seq` is the msgid, `at` the timetag. */
  message: {
    ...common,
    scene: text(),
    from: text(),
    to: text(),
    type: integer(),
    body: text({ summary: 'JSON.' }),
    ext: text({ optional: true }),
    clientId: text({ optional: true }),
    resend: integer({ optional: true }),
    fromNick: text({ optional: true }),
    fromClientType: text({ summary: 'A client type or REST.' }),
    msgid: integer({ summary: 'Id of a message that is not kept and so has no seq.', optional: true }),
    push: flag({ summary: 'A phone may be notified.' }),
    badge: flag({ summary: 'It counts as unread.' }),
    needPushNick: flag({ optional: true }),
    pushcontent: text({ optional: true }),
    payload: text({ optional: true }),
    forcePush: object({ all: flag(), accids: list(text()), content: text({ optional: true }) }, { optional: true }),
    recalled: flag({ summary: 'It was taken back; body is empty.', optional: true }),
    tinfo: object({}, { optional: true }),
    uinfos: list(object({}), { optional: true }),
  },
  /** A custom system notification. */
  notification: {
    ...common,
    msgid: integer(),
    scene: text(),
    from: text(),
    to: text(),
    attach: text(),
    push: flag(),
    badge: flag(),
    needPushNick: flag({ optional: true }),
    pushcontent: text({ optional: true }),
    payload: text({ optional: true }),
    sound: text({ optional: true }),
  },
  recall: {
    ...common,
    msgid: integer(),
    scene: text(),
    from: text(),
    to: text(),
    timetag: integer(),
    msg: text({ optional: true }),
  },
  /** 1 added, 2 asks, 3 accepted, 4 rejected, 5 ended. */
  friend: { ...common, from: text(), to: text(), type: integer(), msg: text({ optional: true }) },
  /** An own list was changed by another device or the API. */
  relation: { ...common, accid: text(), relation: integer(), value: integer() },
  teamInvite: {
    ...common,
    tid: text(),
    tname: text(),
    from: text(),
    to: list(text()),
    msg: text({ optional: true }),
    attach: text({ optional: true }),
  },
  teamApply: { ...common, tid: text(), tname: text(), from: text(), msg: text({ optional: true }) },
  /** An invitation or an application was refused. */
  teamRefused: {
    ...common,
    tid: text(),
    tname: text(),
    from: text(),
    to: text(),
    what: text({ summary: 'invitation or application.' }),
    msg: text({ optional: true }),
  },
  /** Unread counts, after a `read` on any device. Clients count new messages themselves, by `badge`. */
  unread: { scene: text(), with: text(), unread: integer(), total: integer() },
  presence: { accid: text(), online: flag(), clientTypes: list(text()) },
  /** Changed settings of the own account. */
  settings: {
    donnop: flag({ optional: true }),
    tid: text({ optional: true }),
    quiet: flag({ optional: true }),
    muted: flag({ summary: 'One may not send to the team.', optional: true }),
  },
  ...roomPushes,
  /** Too much is pending: request it with `sync`. */
  more: { seq },
  /** The session ends: blocked, elsewhere (a newer session of this kind of client), ended or closing. */
  kicked: { reason: text() },
} as const satisfies Record<string, Fields>
