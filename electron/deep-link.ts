/** A screen that an address of the app asks for. It names what is to be shown and can do nothing. */
export type DeepLink = { readonly kind: 'channel'; readonly cid: string } | { readonly kind: 'room'; readonly roomid: number } | { readonly kind: 'join' }

/** Scheme of the addresses that other programs may open the app with. */
export const linkScheme = 'sidestage'
/** Longest address that is looked at, in characters. */
const most = 2048

const channel = /^sidestage:\/\/channel\/([0-9a-f]{32})\/?$/
const room = /^sidestage:\/\/room\/([1-9]\d{0,15})\/?$/
/** An invitation; what it carries is not read here. */
const join = /^sidestage:\/\/join\/?\?[\w.~%&=+:-]+$/

/** Whether a part of a command line is meant as an address of the app, however it is written. */
export const isLinkLike = (part: string): boolean => /^\s*"?sidestage:/i.test(part)

/** Reads an address that anybody may have written: one of three exact forms, or undefined. */
export function readDeepLink(text: unknown): DeepLink | undefined {
  if (typeof text !== 'string' || text.length > most) return undefined
  const cid = channel.exec(text)?.[1]
  if (cid !== undefined) return { kind: 'channel', cid }
  const roomid = Number(room.exec(text)?.[1])
  if (Number.isSafeInteger(roomid)) return { kind: 'room', roomid }
  return join.test(text) ? { kind: 'join' } : undefined
}

/** The route of the page that shows what an address asks for. */
export function routeOf(link: DeepLink): string {
  if (link.kind === 'channel') return `/studio/${link.cid}`
  return link.kind === 'room' ? `/room?open=${link.roomid}` : '/join'
}
