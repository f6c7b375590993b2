import type { LinkAnswer } from '../../contract/link/frames.ts'
import { pageHeader, watchPath, type WatchGuest } from '../../contract/watch.ts'
import { framedQuery } from './embed.ts'
import type { RoomLine } from './lines.ts'
import { pageId } from './page-id.ts'
import { root } from './place.ts'
import { store, stored } from './stored.ts'

/** An account or a guest at the link. */
export interface Person {
  readonly accid: string
  readonly token: string
  readonly isGuest: boolean
}

/** `status` is the HTTP status, or 0 without an answer. */
export class GuestRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`no guest: ${status}`)
    this.status = status
  }
}

/** One's own line, which the service does not send back. */
export const spokenLine = (
  { accid, isGuest }: Person,
  nick: string,
  roomid: number,
  { msgid, at }: LinkAnswer<'roomSend'>,
  text: string,
): RoomLine => ({
  roomid,
  msgid,
  at,
  from: accid,
  fromNick: isGuest ? nick : accid,
  fromClientType: 'WEB',
  type: 0,
  attach: text,
})

const keptNick = 'sidestage-nick'

/** Identified by a cookie that scripts cannot read; throws `GuestRefused`. */
export async function guestOf(cid: string): Promise<Person> {
  const address = `${root}${watchPath}${cid}/guest${framedQuery()}`
  const answer = await fetch(address, { method: 'POST', headers: { [pageHeader]: pageId } }).catch(() => undefined)
  if (answer?.status !== 201) throw new GuestRefused(answer?.status ?? 0)
  const guest = (await answer.json()) as WatchGuest
  return { accid: guest.accid, token: guest.token, isGuest: true }
}

/** The name chosen in this browser. */
export const chosenNick = (): string | undefined => stored(keptNick)
/** Keeps the name for other tabs and days; without storage, the service has it while the cookie lasts. */
export const chooseNick = (nick: string): void => store(keptNick, nick)
