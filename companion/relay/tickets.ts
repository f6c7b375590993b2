import { createHmac, timingSafeEqual } from 'node:crypto'
import { createGroupPlaces } from '../../platform/group-places.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Reach } from './target.ts'

/** What a ticket opens. */
export interface Grant {
  readonly profileId: string
  readonly cid: string
  readonly flv: URL | undefined
  readonly hls: URL | undefined
  /** One recorded file instead of a channel. */
  readonly file?: GrantedFile
  /** Mark of own previews, new for each request. */
  readonly mark?: (() => string) | undefined
  readonly allowed: ReadonlySet<Reach>
  /** An own service, which may have several nodes: one leads to another that has the media. */
  readonly isLed?: boolean
}

/** A recorded file; its address expires and is renewed. */
export interface GrantedFile {
  readonly name: string
  readonly url: () => Promise<URL>
}

/** The page of a ticket. */
export interface TicketOwner {
  readonly closed: AbortSignal
  /** Undefined for the person at this computer. */
  readonly seat?: { readonly id: string } | undefined
}

/** A ticket in use. */
export interface Ticket extends Grant {
  readonly id: string
  readonly ended: AbortSignal
  /** Path for an address of a playlist, authenticated by a MAC. */
  pathOf(url: URL): string
  /** Undefined for a forged path. */
  urlOf(mac: string, encoded: string): URL | undefined
}

/** Unguessable tickets of the relay; they end with their owner, when idle, and above a maximum. */
export type Tickets = ReturnType<typeof createTickets>

/** In ms without a request or transfer. */
const maxIdle = 10 * 60_000
/** Per holder, so that a moderator cannot end the tickets of others; the least recently used ends. */
export const maxTickets = { here: 64, seat: 8 } as const
const maxTransfers = { here: 256, seat: 16 } as const
const longest = 2_048

/** Whether the service returned this origin for the channel; `led`: an origin to which it led. */
export const isGranted = (grant: Grant, url: URL, led?: string): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') &&
  !url.username &&
  !url.password &&
  (url.origin === grant.flv?.origin || url.origin === grant.hls?.origin || url.origin === led)

interface Held {
  readonly ticket: Ticket
  readonly holder: string
  /** Last request or end of a transfer. */
  used: number
  transfers: number
  readonly end: () => void
}

const here = ''
const kindOf = (holder: string): 'here' | 'seat' => (holder === here ? 'here' : 'seat')

/** Creates an empty set. */
export function createTickets(ports: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
}) {
  /** By last use. */
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
    /** Ends with its owner's page. */
    issue: (grant: Grant, { closed, seat }: TicketOwner): Ticket => {
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
          // Players tell playlists from segments by the name.
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
    use: (id: string): Ticket | undefined => {
      const one = held.get(id)
      if (!one) return undefined
      if (isIdle(one)) {
        one.end()
        return undefined
      }
      touch(one)
      return one.ticket
    },
    /** Counts a transfer; returns its end, or undefined above the maximum. */
    transfer: ({ id }: Ticket): (() => void) | undefined => {
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
