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

async function askForGuest(cid: string, name: string): Promise<Person> {
  const address = `${root}${watchPath}${cid}/guest${framedQuery()}`
  const answer = await fetch(address, { method: 'POST', headers: { [pageHeader]: pageId } }).catch(() => undefined)
  if (answer?.status !== 201) throw new GuestRefused(answer?.status ?? 0)
  const guest = (await answer.json()) as WatchGuest
  if (chosenNick() === undefined) chooseNick(name)
  return { accid: guest.accid, token: guest.token, isGuest: true }
}
/**
 * Identified by a cookie that scripts cannot read; throws `GuestRefused`. A browser without a name has `name` then. Its
 * tabs ask one after the other until it has one: each that asks without the cookie is made a guest of its own.
 */
export async function guestOf(cid: string, name: string): Promise<Person> {
  // Where the page is not secure the browser has no locks.
  const locks = 'locks' in navigator && chosenNick() === undefined ? navigator.locks : undefined
  return locks ? await locks.request('sidestage-guest', () => askForGuest(cid, name)) : await askForGuest(cid, name)
}

/** The name chosen in this browser. */
export const chosenNick = (): string | undefined => stored(keptNick)
/** Keeps the name for other tabs and days; without storage, the service has it while the cookie lasts. */
export const chooseNick = (nick: string): void => store(keptNick, nick)
/** Calls when another tab of this browser keeps another name. */
export const onNickChosen = (chosen: (nick: string) => void): void =>
  addEventListener('storage', ({ key, newValue }) => {
    if (key === keptNick && newValue !== null) chosen(newValue)
  })
