import { type InvitationLink, readInvitation, writeInvitation } from '../contract/invitation.ts'

/** The screen that a deep link opens. A link can only navigate; it carries no action. */
type DeepLink =
  | { readonly kind: 'channel'; readonly cid: string }
  | { readonly kind: 'room'; readonly roomid: number }
  | { readonly kind: 'join'; readonly invitation: InvitationLink }

/** Longest link that is parsed, in characters. */
const most = 2048

const channel = /^sidestage:\/\/channel\/([0-9a-f]{32})\/?$/
const room = /^sidestage:\/\/room\/([1-9]\d{0,15})\/?$/

/** Whether a command-line argument is meant as a deep link, valid or not. */
export const isLinkLike = (part: string): boolean => /^\s*"?sidestage:/i.test(part)

/** Parses an untrusted link: one of three exact forms, or undefined. */
export function readDeepLink(text: unknown): DeepLink | undefined {
  if (typeof text !== 'string' || text.length > most) return undefined
  const cid = channel.exec(text)?.[1]
  if (cid !== undefined) return { kind: 'channel', cid }
  const roomid = Number(room.exec(text)?.[1])
  if (Number.isSafeInteger(roomid)) return { kind: 'room', roomid }
  const invitation = text.startsWith('sidestage:') ? readInvitation(text) : undefined
  return invitation && { kind: 'join', invitation }
}

/** The page's route for a deep link. An invitation is built from its parsed parts, never passed on as given. */
export function routeOf(link: DeepLink): string {
  if (link.kind === 'channel') return `/studio/${link.cid}`
  if (link.kind === 'room') return `/room?open=${link.roomid}`
  return `/join?${writeInvitation(link.invitation).split('?')[1] ?? ''}`
}
