import { text, type AnswerOf } from '../field.ts'
import type { Digest } from '../signing.ts'

/** Headers of a copy; AppKey is added by the service (behaviour.md#message-copies). */
export const copyHeaders = { appKey: 'AppKey', curTime: 'CurTime', md5: 'MD5', checkSum: 'CheckSum' } as const
/** Delay of each resend in ms; after the last the copy stays in the log (behaviour.md#message-copies). */
export const copyResendAfter: readonly number[] = [5_000, 30_000, 120_000, 600_000]
/** How long a failed copy blocks its conversation, in ms since its first failure (behaviour.md#message-copies). */
export const copyHeadPatience = 60_000
/** Body of the test POST to a new address, which must answer 200 (behaviour.md#message-copies). */
export const copyProbe = '{}'

/** CheckSum of a copy: lowercase SHA1 of AppSecret + MD5 + CurTime (behaviour.md#message-copies). */
export const copyCheckSum = (sha1: Digest, appSecret: string, md5: string, curTime: string): string =>
  sha1(appSecret + md5 + curTime).toLowerCase()

const maybe = (summary: string) => text({ summary, optional: true })
const clientType = 'AOS, IOS, PC, WINPHONE, WEB or REST.'

/** Values are strings (3-chatrooms eventType 1 fields). */
export const conversationCopy = {
  eventType: text({ summary: '1.' }),
  convType: text({ summary: 'PERSON, TEAM, CUSTOM_PERSON or CUSTOM_TEAM.' }),
  to: text({ summary: 'Receiver, or team.' }),
  fromAccount: text({ summary: 'Sender.' }),
  fromClientType: maybe(clientType),
  fromDeviceId: maybe('Device of the sender.'),
  fromNick: maybe('Nickname of the sender.'),
  msgTimestamp: text({ summary: 'When it was sent, in ms.' }),
  msgType: text({ summary: 'TEXT, PICTURE and so on; NOTIFICATION for what happened in a team.' }),
  body: maybe('Text of the message.'),
  attach: maybe('Content of other kinds, JSON.'),
  msgidClient: maybe("The sender's id of the message; of PERSON and TEAM."),
  msgidServer: text({ summary: "The service's id of the message." }),
  resendFlag: maybe('1 when it was sent again, else 0; of PERSON and TEAM.'),
  customSafeFlag: maybe('1 when it is stored for who is offline, else 0; of CUSTOM_PERSON and CUSTOM_TEAM.'),
  customApnsText: maybe('Text of the push; of CUSTOM_PERSON and CUSTOM_TEAM.'),
  tMembers: maybe('Accounts concerned, as a list in brackets.'),
  ext: maybe('Extension.'),
  antispam: maybe('true when the word list caught it.'),
} as const
/** Copy of a conversation message. */
export type ConversationCopy = AnswerOf<typeof conversationCopy>

/** Values are strings (3-chatrooms Login and logout events). */
export const sessionCopy = {
  eventType: text({ summary: '2 login, 3 logout.' }),
  accid: text({ summary: 'Account.' }),
  clientIp: maybe('Address of the client.'),
  clientType: text({ summary: clientType }),
  code: text({ summary: 'Result; 200 for success.' }),
  sdkVersion: maybe('Version of the client.'),
  timestamp: text({ summary: 'When, in ms.' }),
} as const
/** Copy of a log-in or log-out. */
export type SessionCopy = AnswerOf<typeof sessionCopy>

/** Values are strings (3-chatrooms Chatroom message events). */
export const roomCopy = {
  eventType: text({ summary: '4.' }),
  roomId: text({ summary: 'Room.' }),
  fromAccount: text({ summary: 'Sender.' }),
  fromAvator: maybe('Avatar of the sender.'),
  fromClientType: maybe(clientType),
  fromExt: maybe("The developer's extension of the sender's identity."),
  fromNick: maybe('Nickname of the sender.'),
  msgTimestamp: text({ summary: 'When it was sent, in ms.' }),
  msgType: text({ summary: 'TEXT, PICTURE and so on.' }),
  attach: text({ summary: 'Content.' }),
  msgidClient: text({ summary: "The sender's id of the message." }),
  resendFlag: maybe('1 when it was sent again, else 0.'),
  roleInfoTimetag: maybe("When the sender's card last changed, in ms."),
  ext: maybe('Extension.'),
  antispam: maybe('true when the word list caught it.'),
} as const
/** Copy of a chatroom message. */
export type RoomCopy = AnswerOf<typeof roomCopy>

/** A copy of any kind. */
export type MessageCopy = ConversationCopy | SessionCopy | RoomCopy

/** Copies of one line are delivered in order: a conversation, log-ins, a room (behaviour.md#message-copies). */
export function copyLine(copy: MessageCopy): string {
  if ('accid' in copy) return `session:${copy.accid}`
  if ('roomId' in copy) return `room:${copy.roomId}`
  if (copy.convType.endsWith('TEAM')) return `team:${copy.to}`
  return `person:${[copy.fromAccount, copy.to].sort().join(' ')}`
}
