import { WebSocket } from 'ws'
import { linkLimits } from '../../contract/link/frames.ts'
import type { OpenLinkSocket } from '../../contract/link/client.ts'

/** Link sockets of Node: no compression, bounded frames. */
export const openLinkSocket: OpenLinkSocket = (url, events) => {
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    maxPayload: linkLimits.page * linkLimits.frame,
    handshakeTimeout: 10_000,
  })
  socket.on('open', () => events.opened())
  socket.on('message', (data, binary) => {
    if (!binary) events.text((data as Buffer).toString('utf8'))
  })
  // A close event follows.
  socket.on('error', () => undefined)
  socket.on('close', (code) => events.closed(code))
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(),
  }
}
