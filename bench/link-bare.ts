import { WebSocketServer } from 'ws'

/** A bare broadcast: what one client sends goes to all others as it is. Prints `{"event":"ready","url":…}`. */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    for (const other of server.clients) if (other !== socket) other.send(data as Buffer, { binary: false })
  })
})
server.on('listening', () => {
  const { port } = server.address() as { port: number }
  console.log(JSON.stringify({ event: 'ready', url: `ws://127.0.0.1:${port}/link` }))
})
