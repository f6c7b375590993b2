import type { clientTypes } from '../link/frames.ts'
import type { messageTypes } from '../operations/messages.ts'
import type { ConversationCopy, RoomCopy, SessionCopy } from './copy.ts'

/** A kind of client, or the API. */
export type ClientKind = (typeof clientTypes)[number] | 'REST'

/** Message types in copies (3-chatrooms eventType 1 fields); 10 and 5 occur in rooms and teams. */
export const copyTypeNames = {
  0: 'TEXT',
  1: 'PICTURE',
  2: 'AUDIO',
  3: 'VIDEO',
  4: 'LOCATION',
  5: 'NOTIFICATION',
  6: 'FILE',
  10: 'TIPS',
  100: 'CUSTOM',
} as const

/** Common members of a conversation's copy. */
interface Sent {
  readonly to: string
  readonly from: string
  readonly clientType: ClientKind
  readonly device?: string | undefined
  readonly nick?: string | undefined
  /** In ms. */
  readonly at: number
  readonly msgid: number
}

/** A list in copies. */
const bracketed = (members: Iterable<string>): string => `[${[...members].join(', ')}]`

const members = (of: Iterable<string> | undefined) => (of === undefined ? {} : { tMembers: bracketed(of) })
const given = (
  name: keyof ConversationCopy | keyof SessionCopy | keyof RoomCopy,
  value: string | undefined,
): Record<string, string> => (value === undefined ? {} : { [name]: value })
const sent = ({ to, from, clientType, device, nick, at, msgid }: Sent) => ({
  eventType: '1',
  to,
  fromAccount: from,
  fromClientType: clientType,
  ...given('fromDeviceId', device),
  ...given('fromNick', nick),
  msgTimestamp: String(at),
  msgidServer: String(msgid),
})

/** Text of a TEXT message; empty for other kinds and without `msg`. */
function textOf(body: string): string {
  const { msg } = JSON.parse(body) as { msg?: unknown }
  return typeof msg === 'string' ? msg : ''
}

/** Copy of a message (3-chatrooms); `members`: the team's valid ones except the sender; `body` is JSON. */
export const messageCopy = (
  message: Sent & {
    readonly scene: 'p2p' | 'team'
    readonly type: (typeof messageTypes)[number]
    readonly body: string
    readonly clientId?: string | undefined
    readonly resend?: number | undefined
    readonly members?: Iterable<string> | undefined
    readonly ext?: string | undefined
    readonly antispam?: boolean
  },
): ConversationCopy => ({
  ...sent(message),
  convType: message.scene === 'team' ? 'TEAM' : 'PERSON',
  msgType: copyTypeNames[message.type],
  ...(message.type === 0 ? { body: textOf(message.body) } : { attach: message.body }),
  // Signed calls give no id, but receivers expect one.
  msgidClient: message.clientId ?? String(message.msgid),
  resendFlag: message.resend === 1 ? '1' : '0',
  ...members(message.members),
  ...given('ext', message.ext),
  ...(message.antispam && { antispam: 'true' }),
})

/** Copy of a team event; `id`, `data` and `members` are those of the operation (3-chatrooms Group notifications). */
export const teamNoticeCopy = (
  notice: Sent & {
    readonly id: number
    readonly data: object
    readonly members: Iterable<string>
    readonly ext?: string | undefined
  },
): ConversationCopy => ({
  ...sent(notice),
  convType: 'TEAM',
  msgType: copyTypeNames[5],
  attach: JSON.stringify({ data: notice.data, id: notice.id }),
  resendFlag: '0',
  ...members(notice.members),
  ...given('ext', notice.ext),
})

/** Copy of a custom system notification; `stored`: kept for offline receivers; `apns`: its push text. */
export const customNoticeCopy = (
  notice: Sent & {
    readonly scene: 'p2p' | 'team'
    readonly attach: string
    readonly stored: boolean
    readonly apns?: string | undefined
    readonly members?: Iterable<string> | undefined
    readonly antispam?: boolean
  },
): ConversationCopy => ({
  ...sent(notice),
  convType: notice.scene === 'team' ? 'CUSTOM_TEAM' : 'CUSTOM_PERSON',
  msgType: notice.scene === 'team' ? 'CUSTOM_TEAM_MSG' : 'CUSTOM_P2P_MSG',
  attach: notice.attach,
  customSafeFlag: notice.stored ? '1' : '0',
  ...given('customApnsText', notice.apns),
  ...members(notice.members),
  ...(notice.antispam && { antispam: 'true' }),
})

/** Copy of a friend notice: 1 direct, 2 request, 3 accept, 4 reject are FRIEND_ADD with `vt`; 5 is FRIEND_DELETE. */
export const friendCopy = (
  notice: Sent & { readonly type: 1 | 2 | 3 | 4 | 5; readonly text?: string | undefined },
): ConversationCopy => ({
  ...sent(notice),
  convType: 'CUSTOM_PERSON',
  msgType: notice.type === 5 ? 'FRIEND_DELETE' : 'FRIEND_ADD',
  ...given('body', notice.text),
  ...(notice.type !== 5 && { attach: JSON.stringify({ vt: notice.type }) }),
  customSafeFlag: '1',
})

/** Copy of an invitation, application or refusal (3-chatrooms, CUSTOM_TEAM); tinfo is placed as in the sample. */
export const teamRequestCopy = (
  notice: Sent & {
    readonly kind: 'TEAM_INVITE' | 'TEAM_INVITE_REJECT' | 'TEAM_APPLY' | 'TEAM_APPLY_REJECT'
    readonly text?: string | undefined
    readonly tinfo?: object | undefined
    readonly members?: Iterable<string> | undefined
    readonly stored?: boolean
  },
): ConversationCopy => ({
  ...sent(notice),
  convType: 'CUSTOM_TEAM',
  msgType: notice.kind,
  body: notice.text ?? '',
  ...(notice.tinfo && { attach: JSON.stringify({ tinfo: notice.tinfo }) }),
  customSafeFlag: notice.stored === false ? '0' : '1',
  ...members(notice.members),
})

/** Copy of a log-in or log-out; `code` is its result, times in ms. */
export const loginCopy = (event: {
  readonly login: boolean
  readonly accid: string
  readonly clientIp?: string | undefined
  readonly clientType: ClientKind
  readonly code: number
  readonly sdkVersion?: string | undefined
  readonly at: number
}): SessionCopy => ({
  eventType: event.login ? '2' : '3',
  accid: event.accid,
  ...given('clientIp', event.clientIp),
  clientType: event.clientType,
  code: String(event.code),
  ...given('sdkVersion', event.sdkVersion),
  timestamp: String(event.at),
})

/** Copy of a chatroom message; times in ms (3-chatrooms Chatroom message events). */
export const roomMessageCopy = (message: {
  readonly roomid: number
  readonly from: string
  readonly nick?: string | undefined
  readonly avatar?: string | undefined
  readonly fromExt?: string | undefined
  readonly clientType: ClientKind
  readonly at: number
  readonly type: keyof typeof copyTypeNames
  readonly attach: string
  readonly clientId: string
  readonly resend?: number | undefined
  readonly cardChanged?: number | undefined
  readonly ext?: string | undefined
  readonly antispam?: boolean
}): RoomCopy => ({
  eventType: '4',
  roomId: String(message.roomid),
  fromAccount: message.from,
  ...given('fromAvator', message.avatar),
  fromClientType: message.clientType,
  ...given('fromExt', message.fromExt),
  ...given('fromNick', message.nick),
  msgTimestamp: String(message.at),
  msgType: copyTypeNames[message.type],
  attach: message.attach,
  msgidClient: message.clientId,
  resendFlag: message.resend === 1 ? '1' : '0',
  ...given('roleInfoTimetag', message.cardChanged === undefined ? undefined : String(message.cardChanged)),
  ...given('ext', message.ext),
  ...(message.antispam && { antispam: 'true' }),
})
