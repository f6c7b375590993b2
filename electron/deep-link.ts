import { type InvitationLink, readInvitation, writeInvitation } from '../contract/invitation.ts'

/** A screen that an address of the app asks for. It names what is to be shown and can do nothing. */
export type DeepLink =
  | { readonly kind: 'channel'; readonly cid: string }
  | { readonly kind: 'room'; readonly roomid: number }
  | { readonly kind: 'join'; readonly invitation: InvitationLink }

/** Longest address that is looked at, in characters. */
const most = 2048

const channel = /^sidestage:\/\/channel\/([0-9a-f]{32})\/?$/
const room = /^sidestage:\/\/room\/([1-9]\d{0,15})\/?$/

/** Whether a part of a command line is meant as an address of the app, however it is written. */
export const isLinkLike = (part: string): boolean => /^\s*"?sidestage:/i.test(part)

/** Reads an address that anybody may have written: one of three exact forms, or undefined. */
export function readDeepLink(text: unknown): DeepLink | undefined {
  if (typeof text !== 'string' || text.length > most) return undefined
  const cid = channel.exec(text)?.[1]
  if (cid !== undefined) return { kind: 'channel', cid }
  const roomid = Number(room.exec(text)?.[1])
  if (Number.isSafeInteger(roomid)) return { kind: 'room', roomid }
  const invitation = text.startsWith('sidestage:') ? readInvitation(text) : undefined
  return invitation && { kind: 'join', invitation }
}

/** The route of the page that shows what an address asks for; an invitation is written anew, so that only what was read goes on. */
export function routeOf(link: DeepLink): string {
  if (link.kind === 'channel') return `/studio/${link.cid}`
  if (link.kind === 'room') return `/room?open=${link.roomid}`
  return `/join?${writeInvitation(link.invitation).split('?')[1] ?? ''}`
}
