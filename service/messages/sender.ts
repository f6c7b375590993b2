import { customNoticeCopy, messageCopy, type ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { ConversationCopy } from '../../contract/callbacks/copy.ts'
import { messageTypes } from '../../contract/operations/messages.ts'
import { Refused } from '../refusal.ts'
import type { ConversationCopies, SequencePosition, EventStream, NewEvent } from '../events/event.ts'
import { readAntispamCustom, readBody } from './body.ts'
import { readMessageOptions, readNotificationOptions } from './message-options.ts'
import { findRecipient, othersIn, type Recipient, type Scene } from './recipient.ts'
import type { SenderAccounts, SenderRelations, SenderTeams, SenderWords } from './sources.ts'

/** Common members of what is sent. */
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

/** Sends for API and link. Throws `Refused`: 414 if invalid or not found, 403 if not allowed in the team. */
export interface Sender {
  send(message: OutgoingMessage): Promise<Receipt>
  notify(notification: OutgoingNotification): Promise<Receipt>
}

/** What sending uses. */
export interface SenderOptions {
  readonly stream: Pick<EventStream, 'publish'>
  readonly accounts: SenderAccounts
  readonly relations: SenderRelations
  readonly teams: SenderTeams
  readonly copies: ConversationCopies
  readonly words: SenderWords
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
export function createSender(options: SenderOptions): Sender {
  const { stream, accounts, relations, copies, words } = options

  const isBlocked = (uid: number, from: string, recipient: Recipient): boolean =>
    recipient.scene === 'p2p' && relations.hasBlacklisted(uid, recipient.accid, from)
  /** Stored, as it affects the unread count; the push preference is looked up at delivery. */
  const noBadgeFor = (uid: number, from: string, recipient: Recipient): Pick<NewEvent, 'noBadgeFor'> =>
    recipient.scene === 'p2p' && relations.hasQuieted(uid, recipient.accid, from)
      ? { noBadgeFor: [recipient.accid] }
      : {}
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
    async send(message) {
      const { uid, from, clientType, device, session, body, ext, pushcontent, payload, clientId, resend } = message
      const type = typeOf(message.type)
      const read = readBody(type, body)
      const option = readMessageOptions(message.option)
      const recipient = findRecipient(options, message)
      const { scene } = recipient
      const { to, receivers } = addressed(recipient)
      const nick = accounts.find(uid, from)?.name
      const antispam = words.catches(
        uid,
        message.antispam && message.antispamCustom !== undefined
          ? readAntispamCustom(message.antispamCustom)
          : seenTexts(read, ext, pushcontent, payload, message.forcePush?.content),
      )
      const place = await stream.publish({
        uid,
        from,
        to: receivers,
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
        ...((antispam || isBlocked(uid, from, recipient)) && { hidden: true }),
        ...(!option.sendersync && { sync: false }),
        ...noBadgeFor(uid, from, recipient),
        ...(clientId !== undefined && { idempotencyKey: clientId }),
        ...(session !== undefined && { origin: session }),
        ...withCopy(uid, option.route, ({ seq, at }) =>
          messageCopy({
            scene,
            to,
            from,
            clientType,
            device,
            nick: nick || undefined,
            at,
            msgid: seq,
            type,
            body,
            clientId,
            resend,
            ...(recipient.scene === 'team' && { members: othersIn(recipient.team, from) }),
            ext,
            antispam,
          }),
        ),
      })
      return { msgid: place.seq, timetag: place.at, antispam }
    },
    async notify(notification) {
      const { uid, from, clientType, device, session, attach, sound, stored, pushcontent, payload } = notification
      const option = readNotificationOptions(notification.option)
      const recipient = findRecipient(options, notification)
      const { scene } = recipient
      const { to, receivers } = addressed(recipient)
      const nick = accounts.find(uid, from)?.name
      // Signed calls come from the developer's server; on the link anybody writes anything.
      const antispam =
        session !== undefined && words.catches(uid, seenTexts(readAntispamCustom(attach), pushcontent, payload))
      const place = await stream.publish({
        uid,
        from,
        to: receivers,
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
        ...((antispam || isBlocked(uid, from, recipient)) && { hidden: true }),
        // It belongs to no conversation of the sender.
        sync: false,
        ...noBadgeFor(uid, from, recipient),
        ...(session !== undefined && { origin: session }),
        ...withCopy(uid, option.route, ({ seq, at }) =>
          customNoticeCopy({
            scene,
            to,
            from,
            clientType,
            device,
            nick: nick || undefined,
            at,
            msgid: seq,
            attach,
            stored,
            apns: pushcontent,
            antispam,
            ...(recipient.scene === 'team' && { members: othersIn(recipient.team, from) }),
          }),
        ),
      })
      return { msgid: place.seq, timetag: place.at, antispam }
    },
  }
}
