import type http from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isOfAnotherUser } from './peer-user.ts'

/** Tells requests of our own page from those of others. */
export interface RequestGuard {
  /** Whether a connection is of another user of this computer, where that is asked. */
  isForeign(socket: Socket): Promise<boolean>
  /** Whether it was meant for us, by its Host header. */
  isOurHost(request: http.IncomingMessage): boolean
  /** Whether our own page makes it, by its Origin header. */
  isOurOrigin(request: http.IncomingMessage): boolean
  /** Whether another page makes it, as far as a browser says that. */
  isElsewhere(request: http.IncomingMessage): boolean
}

/** Makes it for a listener. */
export function createRequestGuard(options: {
  readonly scheme: 'http' | 'https'
  /** Names in a Host header that are ours, in lower case and without the port. */
  readonly names: () => readonly string[]
  readonly port: () => number
  readonly ownUserOnly: boolean
}): RequestGuard {
  // A browser sends a cookie to every port of a computer, and others may see what a program was started with: neither lets another user in.
  const foreign = new WeakMap<Duplex, Promise<boolean>>()
  const isForeign = (socket: Socket): Promise<boolean> => {
    let known = foreign.get(socket)
    if (!known) foreign.set(socket, (known = options.ownUserOnly ? isOfAnotherUser(socket) : Promise.resolve(false)))
    return known
  }
  // A rebinding page has its own name in Host, and a page elsewhere its own in Origin: both must be ours, letter by letter.
  const isOurHost = (request: http.IncomingMessage): boolean => {
    const asked = (request.headers.host ?? '').toLowerCase()
    return options.names().some((name) => asked === `${name}:${options.port()}`)
  }
  const isOurOrigin = (request: http.IncomingMessage): boolean =>
    request.headers.origin === `${options.scheme}://${request.headers.host}`
  const isElsewhere = (request: http.IncomingMessage): boolean => {
    const site = request.headers['sec-fetch-site']
    return (
      (request.headers.origin !== undefined && !isOurOrigin(request)) ||
      (site !== undefined && site !== 'same-origin' && site !== 'none')
    )
  }
  return { isForeign, isOurHost, isOurOrigin, isElsewhere }
}
