import type http from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isOfAnotherUser } from './peer-user.ts'

/** Makes it for a listener. */
export function createRequestGuard(options: {
  readonly scheme: 'http' | 'https'
  /** In lower case, without the port. */
  readonly names: () => readonly string[]
  readonly port: () => number
  readonly ownUserOnly: boolean
}) {
  // Cookies are sent to every port, and arguments are visible: neither may admit another user.
  const foreign = new WeakMap<Duplex, Promise<boolean>>()
  const isForeign = (socket: Socket): Promise<boolean> => {
    let known = foreign.get(socket)
    if (!known) foreign.set(socket, (known = options.ownUserOnly ? isOfAnotherUser(socket) : Promise.resolve(false)))
    return known
  }
  // Against DNS rebinding and foreign pages: Host and Origin must match exactly.
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
  return { isForeign, isOurHost, isOurOrigin /** As far as the browser tells. */, isElsewhere }
}
