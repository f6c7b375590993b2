import { watchPath, type WatchGuest } from '../../contract/watch.ts'
import { root } from './place.ts'

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

const keptNick = 'sidestage-nick'

/** Identified by a cookie that scripts cannot read; throws `GuestRefused`. */
export async function guestOf(cid: string): Promise<Person> {
  const answer = await fetch(`${root}${watchPath}${cid}/guest`, { method: 'POST' }).catch(() => undefined)
  if (answer?.status !== 201) throw new GuestRefused(answer?.status ?? 0)
  const guest = (await answer.json()) as WatchGuest
  return { accid: guest.accid, token: guest.token, isGuest: true }
}

/** The name chosen in this browser. */
export const chosenNick = (): string | undefined => {
  try {
    return localStorage.getItem(keptNick) ?? undefined
  } catch {
    return undefined
  }
}
/** Keeps the name for other tabs and days. */
export const chooseNick = (nick: string): void => {
  try {
    localStorage.setItem(keptNick, nick)
  } catch {
    // Without storage, the service keeps the name as long as the browser keeps the cookie.
  }
}
