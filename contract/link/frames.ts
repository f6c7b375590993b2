import {
  flag,
  integer,
  list,
  object,
  text,
  type AnswerOf,
  type ArgumentsOf,
  type Fields,
  type ParametersOf,
} from '../field.ts'
import { accidElement, accid } from '../operations/messaging.ts'
import { messageTypes } from '../operations/messages.ts'
import { linkPushes, seq } from './pushes.ts'
import { roomRequests } from './rooms.ts'

export { linkPushes } from './pushes.ts'

/**
 * The client link: a WebSocket with one JSON object per text frame (docs/link.md). A client's frame is a request with
 * its kind `t` and a number `id`, answered by `{t:'ok', id, …}` or `{t:'error', id, code, desc}`. All other frames are
 * pushes.
 */

/** Path of the link on the media listener (behaviour.md#base-addresses). */
export const linkPath = '/link'
/** Limits of a connection; beyond them it is closed with the given code. */
export const linkLimits = {
  /** Largest frame in bytes; 1009. */
  frame: 64 * 1024,
  /** Time for a valid login frame in ms; 4401 (behaviour.md#the-link). */
  login: 5_000,
  /** Frames in any 10 s; 4429. */
  framesIn10s: 200,
  /** Unsent bytes. From half of it pushes are held until the rest is sent (`more`); beyond it 4408. */
  queue: 1024 * 1024,
  /** Interval of pings in ms; two without an answer close with 4408. */
  ping: 30_000,
  /** Events per `sync`. */
  page: 100,
} as const
/** Close codes: after 4401 and 4403 clients do not reconnect, after others they do. */
export const linkClose = { login: 4401, kicked: 4403, slow: 4408, flood: 4429 } as const

/** Kinds of client; one session of each per account, a newer one replaces the older (docs/link.md). */
export const clientTypes = ['AOS', 'IOS', 'PC', 'WINPHONE', 'WEB'] as const
/** Kinds of conversation. */
export const scenes = ['p2p', 'team'] as const

const scene = text({ summary: 'p2p or team.', required: true, pattern: '^(p2p|team)$' })
const peer = text({ summary: 'accid or tid.', required: true, max: 128 })
const tid = text({ summary: 'Team.', required: true, max: 128 })
const answered = integer({ summary: 'Seq up to which the client has everything.', required: true, min: 0 })
const clientId = text({
  summary: "The client's own id of the message; a second one of the same sender is not sent again.",
  max: 64,
})
const resend = integer({ summary: '1 when it is sent again.', oneOf: [0, 1], default: 0 })
const sent = { msgid: integer(), timetag: integer({ summary: 'In ms.' }), antispam: flag() } as const

const request = <const P extends Fields, const A extends Fields>(parameters: P, answer: A) => ({ parameters, answer })

/** Requests of a client by `t`. */
export const linkRequests = {
  /** First. With `after` the stream continues after that seq, else after this device's last ack or with what roams. */
  login: request(
    {
      appKey: text({ required: true, max: 64 }),
      accid: accid('Account.'),
      token: text({ required: true, max: 128, secret: true }),
      device: text({ summary: 'Id of the device.', required: true, max: 64 }),
      clientType: text({ required: true, pattern: `^(${clientTypes.join('|')})$` }),
      sdkVersion: text({ max: 32, default: '1' }),
      after: integer({ min: 0 }),
    },
    {
      accid: text(),
      time: integer({ summary: 'Clock of the service in ms.' }),
      seq,
      unread: integer({ summary: 'The badge: unread of all conversations.' }),
      donnop: flag(),
      others: list(object({ device: text(), clientType: text() })),
    },
  ),
  /** The next part of the stream, on login and after `more`. Pushes with a seq wait for a part without `more`. */
  sync: request({ after: answered }, { events: list(object({})), seq, more: flag() }),
  /** Acknowledges everything up to a seq, where the next login of this device continues. */
  received: request({ upTo: answered }, {}),
  send: request(
    {
      scene,
      to: peer,
      type: integer({ required: true, oneOf: messageTypes }),
      body: text({ required: true, max: 5000, json: 'object' }),
      clientId,
      resend,
      option: text({ max: 1024, json: 'object' }),
      ext: text({ max: 1024 }),
      pushcontent: text({ max: 150 }),
      payload: text({ max: 2048, json: 'object' }),
    },
    sent,
  ),
  notify: request(
    {
      scene,
      to: peer,
      attach: text({ required: true, max: 4096 }),
      save: integer({ oneOf: [1, 2], default: 2 }),
      pushcontent: text({ max: 150 }),
    },
    sent,
  ),
  recall: request(
    {
      scene,
      to: peer,
      msgid: integer({ required: true, min: 1 }),
      timetag: integer({ required: true, min: 0 }),
      msg: text({ max: 1024 }),
    },
    {},
  ),
  /** Marks a conversation read up to a message. */
  read: request({ scene, with: peer, upTo: answered }, { unread: integer(), total: integer() }),
  unread: request(
    {},
    { total: integer(), conversations: list(object({ scene: text(), with: text(), unread: integer() })) },
  ),
  history: request(
    {
      scene,
      with: peer,
      before: integer({ summary: 'Only messages before this seq.', min: 1 }),
      limit: integer({ default: 50, min: 1, max: 100 }),
    },
    { events: list(object({})), more: flag() },
  ),
  friend: request(
    {
      accid: accid('The other.'),
      type: integer({
        summary: '1 at once, 2 request, 3 accept, 4 reject, 5 end.',
        required: true,
        oneOf: [1, 2, 3, 4, 5],
      }),
      msg: text({ max: 256 }),
    },
    {},
  ),
  friends: request({}, { friends: list(object({ accid: text(), alias: text({ optional: true }), at: integer() })) }),
  relation: request(
    {
      accid: accid('The other.'),
      relation: integer({ required: true, oneOf: [1, 2] }),
      value: integer({ required: true, oneOf: [0, 1] }),
    },
    {},
  ),
  cards: request(
    { accids: list(accidElement, { required: true, min: 1, max: 200 }) },
    { cards: list(object({ accid: text(), name: text(), icon: text({ optional: true }) })) },
  ),
  /** Watches whether accounts are online; replaces the earlier list. */
  watch: request(
    { accids: list(accidElement, { required: true, max: 200 }) },
    { presence: list(object({ accid: text(), online: flag(), clientTypes: list(text()) })) },
  ),
  teams: request(
    {},
    {
      teams: list(
        object({
          tid: text(),
          tname: text(),
          owner: text(),
          size: integer(),
          role: text({ summary: 'owner, admin or member.' }),
        }),
      ),
    },
  ),
  teamInvite: request(
    { tid, accids: list(accidElement, { required: true, min: 1, max: 200 }), msg: text({ max: 150 }) },
    {},
  ),
  /** Asks to join (joinmode 0 at once, 1 by owner and admins, 2 refuses). */
  teamApply: request({ tid, msg: text({ max: 150 }) }, { joined: flag() }),
  /** Answers an invitation (without accid), or as owner or admin an application of accid. */
  teamAnswer: request(
    { tid, accid: text({ max: 32, fold: true }), accept: flag({ required: true }), msg: text({ max: 150 }) },
    {},
  ),
  teamLeave: request({ tid }, {}),
  ...roomRequests,
  ping: request({}, { time: integer() }),
  logout: request({}, {}),
} as const

/** Kinds of requests. */
export type LinkRequestKind = keyof typeof linkRequests
/** Kinds of pushes. */
export type LinkPushKind = keyof typeof linkPushes
/** A client's members of a request. */
export type LinkArguments<K extends LinkRequestKind> = ArgumentsOf<(typeof linkRequests)[K]['parameters']>
/** Validated members of a request. */
export type LinkParameters<K extends LinkRequestKind> = ParametersOf<(typeof linkRequests)[K]['parameters']>
/** Answer to a request. */
export type LinkAnswer<K extends LinkRequestKind> = AnswerOf<(typeof linkRequests)[K]['answer']>
/** A push of a kind. */
export type LinkPush<K extends LinkPushKind = LinkPushKind> = {
  [P in LinkPushKind]: { t: P } & AnswerOf<(typeof linkPushes)[P]>
}[K]
