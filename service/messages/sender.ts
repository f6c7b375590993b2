import { customNoticeCopy, messageCopy, type ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { ConversationCopy } from '../../contract/callbacks/copy.ts'
import { messageTypes } from '../../contract/operations/messages.ts'
import { Refused } from '../refusal.ts'
import type { ConversationCopies, SequencePosition, EventStream, NewEvent } from '../events/event.ts'
import type { SpecialLists } from '../relations/special-lists.ts'
import type { Words } from '../words/words.ts'
import { readAntispamCustom, readBody } from './body.ts'
import { readMessageOptions, readNotificationOptions } from './message-options.ts'
import { findRecipient, othersIn, type Recipient, type Scene } from './recipient.ts'
import type { SenderAccounts, SenderTeams } from './sources.ts'

interface Sending {
  readonly uid: number
  /** In lower case. */
  readonly from: string
  readonly clientType: ClientKind
  readonly device?: string | undefined
  /** The sending link session, which gets no push. */
  readonly session?: string | undefined
  readonly scene: Scene
  /** An accid or tid as written. */
  readonly to: string
  /** A JSON object, checked here. */
  readonly option?: string | undefined
  readonly pushcontent?: string | undefined
  readonly payload?: string | undefined
}
/** A message to send (2-messaging sendMsg); `body` is a JSON object as text. */
export interface OutgoingMessage extends Sending {
  readonly type: number
  readonly body: string
  readonly ext?: string | undefined
  /** Apply the word list to `antispamCustom` instead; signed calls only. */
  readonly antispam?: boolean
  readonly antispamCustom?: string | undefined
  readonly forcePush?:
    | { readonly all: boolean; readonly accids: readonly string[]; readonly content?: string | undefined }
    | undefined
  readonly clientId?: string | undefined
  readonly resend?: number | undefined
}
/** A custom system notification to send (2-messaging sendAttachMsg). */
export interface OutgoingNotification extends Sending {
  readonly attach: string
  readonly sound?: string | undefined
  /** Kept for offline receivers. */
  readonly stored: boolean
}
/** Result for the sender. */
export interface Receipt {
  readonly msgid: number
  /** In ms. */
  readonly timetag: number
  /** Caught by the word list: not delivered. */
  readonly antispam: boolean
}

/** What sending uses. */
export interface SenderOptions {
  readonly stream: Pick<EventStream, 'publish'>
  readonly accounts: SenderAccounts
  readonly relations: Pick<SpecialLists, 'hasBlacklisted' | 'hasQuieted'>
  readonly teams: SenderTeams
  readonly copies: ConversationCopies
  readonly words: Pick<Words, 'catches'>
}

function typeOf(number: number): (typeof messageTypes)[number] {
  const type = messageTypes.find((each) => each === number)
  if (type === undefined) throw new Refused(414, `type must be one of ${messageTypes.join(', ')}`)
  return type
}
const addressed = (recipient: Recipient): { to: string; receivers: NewEvent['to'] } =>
  recipient.scene === 'p2p'
    ? { to: recipient.accid, receivers: { accids: [recipient.accid] } }
    : { to: String(recipient.team.row.tid), receivers: { tid: recipient.team.row.tid } }

/** Visible texts of a message: those of its body and of what accompanies it. */
const seenTexts = (read: string, ...more: readonly (string | undefined)[]): string =>
  [read, ...more.flatMap((text) => (text === undefined ? [] : [readAntispamCustom(text)]))].join('\n')

/** Makes the sender. */
export function createSender(options: SenderOptions) {
  const { stream, accounts, relations, copies, words } = options

  /** Members of an event that messages and notifications have in common. */
  const routed = ({ uid, from, session }: Sending, recipient: Recipient, antispam: boolean) => {
    const other = recipient.scene === 'p2p' ? recipient.accid : undefined
    const isBlocked = other !== undefined && relations.hasBlacklisted(uid, other, from)
    // Stored, as it affects the unread count; the push preference is looked up at delivery.
    const isQuieted = other !== undefined && relations.hasQuieted(uid, other, from)
    return {
      uid,
      from,
      to: addressed(recipient).receivers,
      ...((antispam || isBlocked) && { hidden: true }),
      ...(isQuieted && { noBadgeFor: [other] }),
      ...(session !== undefined && { origin: session }),
    }
  }
  const copied = (
    { from, clientType, device }: Sending,
    recipient: Recipient,
    nick: string | undefined,
    { seq, at }: SequencePosition,
  ) => ({
    scene: recipient.scene,
    to: addressed(recipient).to,
    from,
    clientType,
    device,
    nick: nick || undefined,
    at,
    msgid: seq,
    ...(recipient.scene === 'team' && { members: othersIn(recipient.team, from) }),
  })
  const forced = ({ forcePush, from }: OutgoingMessage, recipient: Recipient) => {
    if (!forcePush || recipient.scene === 'p2p') return {}
    const { all, content } = forcePush
    const accids = all
      ? []
      : [...new Set(forcePush.accids)].filter((accid) => accid !== from && recipient.team.members.has(accid))
    return all || accids.length > 0 ? { forcePush: { all, accids, ...(content !== undefined && { content }) } } : {}
  }
  const withCopy = (
    uid: number,
    route: boolean,
    copy: (place: SequencePosition) => ConversationCopy,
  ): Pick<NewEvent, 'inTransaction'> =>
    route && copies.wants(uid, 1)
      ? { inTransaction: (transaction, place) => copies.enqueue(transaction, uid, copy(place)) }
      : {}

  return {
    async send(message: OutgoingMessage): Promise<Receipt> {
      const { uid, from, clientType, body, ext, pushcontent, payload, clientId, resend } = message
      const type = typeOf(message.type)
      const read = readBody(type, body)
      const option = readMessageOptions(message.option)
      const recipient = findRecipient(options, message)
      const { scene } = recipient
      const { to } = addressed(recipient)
      const nick = accounts.find(uid, from)?.name
      const antispam = words.catches(
        uid,
        message.antispam && message.antispamCustom !== undefined
          ? readAntispamCustom(message.antispamCustom)
          : seenTexts(read, ext, pushcontent, payload, message.forcePush?.content),
      )
      const place = await stream.publish({
        ...routed(message, recipient, antispam),
        frame: {
          t: 'message',
          scene,
          from,
          to,
          type,
          body,
          ...(ext !== undefined && { ext }),
          ...(clientId !== undefined && { clientId }),
          ...(resend !== undefined && clientId !== undefined && { resend }),
          ...(nick && { fromNick: nick }),
          fromClientType: clientType,
          push: option.push,
          badge: option.badge,
          needPushNick: option.needPushNick,
          ...(option.push && pushcontent !== undefined && { pushcontent }),
          ...(option.push && payload !== undefined && { payload }),
          ...forced(message, recipient),
        },
        keep: { history: option.history, roam: option.roam, offline: option.persistent },
        ...(!option.sendersync && { sync: false }),
        ...(clientId !== undefined && { idempotencyKey: clientId }),
        ...withCopy(uid, option.route, (position) =>
          messageCopy({ ...copied(message, recipient, nick, position), type, body, clientId, resend, ext, antispam }),
        ),
      })
      return { msgid: place.seq, timetag: place.at, antispam }
    },
    async notify(notification: OutgoingNotification): Promise<Receipt> {
      const { uid, from, session, attach, sound, stored, pushcontent, payload } = notification
      const option = readNotificationOptions(notification.option)
      const recipient = findRecipient(options, notification)
      const { scene } = recipient
      const { to } = addressed(recipient)
      const nick = accounts.find(uid, from)?.name
      // Signed calls come from the developer's server; on the link anybody writes anything.
      const antispam =
        session !== undefined && words.catches(uid, seenTexts(readAntispamCustom(attach), pushcontent, payload))
      const place = await stream.publish({
        ...routed(notification, recipient, antispam),
        frame: {
          t: 'notification',
          scene,
          from,
          to,
          attach,
          push: true,
          badge: option.badge,
          needPushNick: option.needPushNick,
          ...(pushcontent !== undefined && { pushcontent }),
          ...(payload !== undefined && { payload }),
          ...(sound !== undefined && { sound }),
        },
        keep: { history: false, roam: false, offline: stored },
        // It belongs to no conversation of the sender.
        sync: false,
        ...withCopy(uid, option.route, (position) =>
          customNoticeCopy({
            ...copied(notification, recipient, nick, position),
            attach,
            stored,
            apns: pushcontent,
            antispam,
          }),
        ),
      })
      return { msgid: place.seq, timetag: place.at, antispam }
    },
  }
}

/** Sends for API and link. Throws `Refused`: 414 if invalid or not found, 403 if not allowed in the team. */
export type Sender = ReturnType<typeof createSender>
