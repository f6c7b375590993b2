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

const kept = 'sidestage-guest'
const keptNick = 'sidestage-nick'

const read = (key: string): string | undefined => {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
const keep = (key: string, value: string | undefined): void => {
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
  } catch {
    // A browser that keeps nothing gets a new guest after a reload.
  }
}

/** The guest of this tab and channel, as it was before a reload, else a new one; throws `GuestRefused`. */
export async function guestOf(cid: string): Promise<Person> {
  const before = read(`${kept}-${cid}`)
  if (before !== undefined) {
    const { accid, token, expires } = JSON.parse(before) as WatchGuest
    if (expires > Date.now()) return { accid, token, isGuest: true }
  }
  const answer = await fetch(`${root}${watchPath}${cid}/guest`, { method: 'POST' }).catch(() => undefined)
  if (answer?.status !== 201) throw new GuestRefused(answer?.status ?? 0)
  const guest = (await answer.json()) as WatchGuest
  keep(`${kept}-${cid}`, JSON.stringify(guest))
  return { accid: guest.accid, token: guest.token, isGuest: true }
}

/** Forgets a guest that the service knows no more. */
export const forgetGuest = (cid: string): void => keep(`${kept}-${cid}`, undefined)
/** The name that a guest has chosen in this tab. */
export const chosenNick = (): string | undefined => read(keptNick)
/** Keeps it over a reload. */
export const chooseNick = (nick: string): void => keep(keptNick, nick)
