import { WebSocket } from 'ws'
import type { OpenLinkSocket } from '../../../contract/link/client.ts'

/** Opens sockets for the typed client with the service's library. */
export const openSocket: OpenLinkSocket = (url, events) => {
  const socket = new WebSocket(url)
  socket.on('open', () => events.opened())
  socket.on('message', (data) => events.text((data as Buffer).toString('utf8')))
  // 'close' follows.
  socket.on('error', () => undefined)
  socket.on('close', (code) => events.closed(code))
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(),
  }
}
