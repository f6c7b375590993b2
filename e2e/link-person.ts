import { WebSocket } from 'ws'
import { createLinkClient, type LinkClient, type LinkClientOptions } from '../contract/link/client.ts'
import type { LinkPush, LinkPushKind } from '../contract/link/frames.ts'
import type { ServiceReady } from '../contract/service-process.ts'

/** Somebody at a client of the link besides the app, with all that came. */
export interface LinkPerson extends Pick<LinkClient, 'send' | 'request' | 'close'> {
  readonly online: () => boolean
  readonly of: <K extends LinkPushKind>(kind: K) => LinkPush<K>[]
  /** Texts of the messages so far. */
  readonly texts: () => string[]
}

/** What a client of the link needs of Node. */
export const linkPlatform: Pick<LinkClientOptions, 'open' | 'later' | 'random'> = {
  open: (url, events) => {
    const socket = new WebSocket(url)
    socket.on('open', () => events.opened())
    socket.on('message', (data) => events.text((data as Buffer).toString('utf8')))
    // A failure is followed by the close.
    socket.on('error', () => undefined)
    socket.on('close', (code) => events.closed(code))
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      close: () => socket.close(),
    }
  },
  later: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** Signs an account in on the link, as a program of somebody else would. */
export function signInPerson(
  service: Pick<ServiceReady, 'linkUrl' | 'appKey'>,
  accid: string,
  token: string,
  clientType: 'WEB' | 'IOS' = 'WEB',
): LinkPerson {
  const pushes: LinkPush[] = []
  const client = createLinkClient({
    url: service.linkUrl,
    credentials: () => ({
      appKey: service.appKey,
      accid,
      token,
      device: `${accid}-e2e-${clientType}`,
      clientType,
      sdkVersion: 'e2e',
    }),
    ...linkPlatform,
    onPush: (push) => pushes.push(push),
  })
  const of = <K extends LinkPushKind>(kind: K): LinkPush<K>[] =>
    pushes.filter((push): push is LinkPush<K> => push.t === kind)
  return {
    send: (message) => client.send(message),
    request: (kind, members) => client.request(kind, members),
    close: () => client.close(),
    online: () => client.state.at === 'online',
    of,
    texts: () =>
      of('message').flatMap(({ type, body }) => (type === 0 ? [(JSON.parse(body) as { msg: string }).msg] : [])),
  }
}
