import { watchPath, type WatchGuest } from '../../contract/watch.ts'
import { root } from './place.ts'

/** As whom the page is at the link. */
export interface Person {
  readonly accid: string
  readonly token: string
  readonly isGuest: boolean
}

/** Why no guest was made: by HTTP status, 0 without an answer. */
export class GuestRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`no guest: ${status}`)
    this.status = status
  }
}

const keptNick = 'sidestage-nick'

/** The guest that this browser is on a channel, known to the service by a cookie that no script reads; throws `GuestRefused`. */
export async function guestOf(cid: string): Promise<Person> {
  const answer = await fetch(`${root}${watchPath}${cid}/guest`, { method: 'POST' }).catch(() => undefined)
  if (answer?.status !== 201) throw new GuestRefused(answer?.status ?? 0)
  const guest = (await answer.json()) as WatchGuest
  return { accid: guest.accid, token: guest.token, isGuest: true }
}

/** The name that was chosen in this browser. */
export const chosenNick = (): string | undefined => {
  try {
    return localStorage.getItem(keptNick) ?? undefined
  } catch {
    return undefined
  }
}
/** Keeps it for other tabs and days. */
export const chooseNick = (nick: string): void => {
  try {
    localStorage.setItem(keptNick, nick)
  } catch {
    // A browser that keeps nothing asks again; the service knows the name as long as the browser has its cookie.
  }
}
