import { createHmac, timingSafeEqual } from 'node:crypto'
import { createGroupPlaces } from '../../platform/group-places.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Reach } from './target.ts'

/** What one ticket opens: the pull addresses of one channel of one profile. */
export interface Grant {
  readonly profileId: string
  readonly cid: string
  readonly flv: URL | undefined
  readonly hls: URL | undefined
  /** One recorded file instead of a channel. */
  readonly file?: GrantedFile
  /** The mark of the app's own previews, made anew for each request; absent where the service knows none. */
  readonly mark?: (() => string) | undefined
  readonly allowed: ReadonlySet<Reach>
}

/** A recorded file under its name in the path; its address at the service lasts for a while only and is asked for again. */
export interface GrantedFile {
  readonly name: string
  /** The address now. Throws Failure. */
  readonly url: () => Promise<URL>
}

/** The page that a ticket is for. */
export interface TicketOwner {
  /** Aborted when the page is gone. */
  readonly closed: AbortSignal
  /** The moderator whose page it is; undefined for whoever sits at this computer. */
  readonly seat?: { readonly id: string } | undefined
}

/** A ticket in use. */
export interface Ticket extends Grant {
  readonly id: string
  /** Aborted when the ticket ends, and with it every transfer under it. */
  readonly ended: AbortSignal
  /** Path under which an address found in a playlist of this ticket is relayed; unguessable, so that only such addresses are. */
  pathOf(url: URL): string
  /** The address that such a path stands for; undefined for a forged one. */
  urlOf(mac: string, encoded: string): URL | undefined
}

/** Tickets of the relay: unguessable, ended by their owner, by disuse and by number. */
export interface Tickets {
  /** A ticket that ends when its owner's page is gone. */
  issue(grant: Grant, owner: TicketOwner): Ticket
  /** The ticket of an id that has not ended. */
  use(id: string): Ticket | undefined
  /** Counts a transfer under a ticket, which is in use until the returned function is called; undefined when its holder has too many under way. */
  transfer(ticket: Ticket): (() => void) | undefined
  close(): void
}

/** A ticket that nobody asked with for this long has ended, in ms; a running transfer keeps using it. */
const maxIdle = 10 * 60_000
/** Tickets at most of this computer and of each seat, so that no moderator ends what others look at; of a holder's own the one unused for longest ends for a new one. */
export const maxTickets = { here: 64, seat: 8 } as const
/** Transfers at once of this computer and of each seat. */
const maxTransfers = { here: 256, seat: 16 } as const
/** Longest address that is relayed. */
const longest = 2_048

/** Whether the origin of an address is one that the service returned for the channel. */
export const isGranted = (grant: Grant, url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') &&
  !url.username &&
  !url.password &&
  (url.origin === grant.flv?.origin || url.origin === grant.hls?.origin)

interface Held {
  readonly ticket: Ticket
  readonly holder: string
  /** When it was asked with, or a transfer under it ended, last. */
  used: number
  transfers: number
  readonly end: () => void
}

/** The holder of what pages of this computer have; no seat has such an id. */
const here = ''
const kindOf = (holder: string): 'here' | 'seat' => (holder === here ? 'here' : 'seat')

/** Creates an empty set of tickets. */
export function createTickets(ports: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
}): Tickets {
  /** In the order of their use. */
  const held = new Map<string, Held>()
  const transfers = createGroupPlaces((holder) => maxTransfers[kindOf(holder)])
  const isIdle = (one: Held): boolean => one.transfers === 0 && one.used < ports.clock.monotonic() - maxIdle
  const touch = (one: Held): void => {
    one.used = ports.clock.monotonic()
    if (held.delete(one.ticket.id)) held.set(one.ticket.id, one)
  }
  const makeRoom = (holder: string): void => {
    for (const one of held.values()) if (isIdle(one)) one.end()
    const own = [...held.values()].filter((one) => one.holder === holder)
    if (own.length >= maxTickets[kindOf(holder)]) (own.find((one) => one.transfers === 0) ?? own[0])?.end()
  }
  return {
    issue: (grant, { closed, seat }) => {
      const holder = seat?.id ?? here
      makeRoom(holder)
      const id = ports.random(24).toString('base64url')
      const key = ports.random(32)
      const ended = new AbortController()
      const mac = (encoded: string): string =>
        createHmac('sha256', key).update(encoded).digest('base64url').slice(0, 22)
      const ticket: Ticket = {
        ...grant,
        id,
        ended: ended.signal,
        pathOf: (url) => {
          const encoded = Buffer.from(url.href).toString('base64url')
          // The last part keeps the file's name, by which players tell a playlist from a segment.
          const name = /[A-Za-z0-9_.-]{1,64}$/.exec(url.pathname)?.[0] ?? 'media'
          return `/media/${id}/${mac(encoded)}/${encoded}/${name}`
        },
        urlOf: (given, encoded) => {
          const right = Buffer.from(mac(encoded))
          const said = Buffer.from(given)
          if (encoded.length > longest * 2 || right.length !== said.length || !timingSafeEqual(right, said))
            return undefined
          const text = Buffer.from(encoded, 'base64url').toString('utf8')
          return URL.canParse(text) ? new URL(text) : undefined
        },
      }
      const end = (): void => {
        held.delete(id)
        closed.removeEventListener('abort', end)
        ended.abort()
      }
      held.set(id, { ticket, holder, used: ports.clock.monotonic(), transfers: 0, end })
      closed.addEventListener('abort', end)
      if (closed.aborted) end()
      return ticket
    },
    use: (id) => {
      const one = held.get(id)
      if (!one) return undefined
      if (isIdle(one)) {
        one.end()
        return undefined
      }
      touch(one)
      return one.ticket
    },
    transfer: ({ id }) => {
      const one = held.get(id)
      const give = one && transfers.enter(one.holder)
      if (!give) return undefined
      one.transfers++
      let isRunning = true
      return () => {
        if (!isRunning) return
        isRunning = false
        give()
        one.transfers--
        touch(one)
      }
    },
    close: () => {
      for (const [, one] of held) one.end()
    },
  }
}
