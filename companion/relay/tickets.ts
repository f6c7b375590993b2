import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
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
  /** A ticket that ends when `owner` aborts. */
  issue(grant: Grant, owner: AbortSignal): Ticket
  /** The ticket of an id that has not ended. */
  use(id: string): Ticket | undefined
  close(): void
}

/** A ticket that nobody asked with for this long has ended, in ms; a running transfer keeps using it. */
const idleMost = 10 * 60_000
/** Tickets at most; the one unused for longest ends for a new one. */
const most = 64
/** Longest address that is relayed. */
const longest = 2_048

/** Whether the origin of an address is one that the service returned for the channel. */
export const isGranted = (grant: Grant, url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') &&
  !url.username &&
  !url.password &&
  (url.origin === grant.flv?.origin || url.origin === grant.hls?.origin)

/** Creates an empty set of tickets. */
export function createTickets(ports: { readonly clock: Clock; readonly random: (bytes: number) => Buffer }): Tickets {
  const held = new Map<string, { ticket: Ticket; used: number; end: () => void }>()
  const sweep = (): void => {
    const oldest = ports.clock.now() - idleMost
    for (const [, one] of held) if (one.used < oldest) one.end()
    while (held.size >= most) held.values().next().value?.end()
  }
  return {
    issue: (grant, owner) => {
      sweep()
      const id = ports.random(24).toString('base64url')
      const key = ports.random(32)
      const ended = new AbortController()
      const mac = (encoded: string): string => createHmac('sha256', key).update(encoded).digest('base64url').slice(0, 22)
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
          if (encoded.length > longest * 2 || right.length !== said.length || !timingSafeEqual(right, said)) return undefined
          const text = Buffer.from(encoded, 'base64url').toString('utf8')
          return URL.canParse(text) ? new URL(text) : undefined
        },
      }
      const end = (): void => {
        held.delete(id)
        owner.removeEventListener('abort', end)
        ended.abort()
      }
      held.set(id, { ticket, used: ports.clock.now(), end })
      owner.addEventListener('abort', end)
      if (owner.aborted) end()
      return ticket
    },
    use: (id) => {
      const one = held.get(id)
      if (!one) return undefined
      const now = ports.clock.now()
      if (one.used < now - idleMost) {
        one.end()
        return undefined
      }
      one.used = now
      // Moved to the end: the map is in order of use.
      held.delete(id)
      held.set(id, one)
      return one.ticket
    },
    close: () => {
      for (const [, one] of held) one.end()
    },
  }
}
