import { WebSocketServer, type WebSocket } from 'ws'

/** A bare broadcast: what one client sends goes to all others of the same path as it is. Prints `{"event":"ready","url":…}`. */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
const rooms = new Map<string, Set<WebSocket>>()
server.on('connection', (socket, { url = '/' }) => {
  const clients = rooms.get(url) ?? new Set()
  rooms.set(url, clients.add(socket))
  socket.on('close', () => clients.delete(socket))
  socket.on('message', (data) => {
    for (const other of clients) if (other !== socket) other.send(data as Buffer, { binary: false })
  })
})
server.on('listening', () => {
  const { port } = server.address() as { port: number }
  console.log(JSON.stringify({ event: 'ready', url: `ws://127.0.0.1:${port}/link` }))
})
