import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { WebSocketServer } from 'ws'
import { startRig } from '../../testing/rig.ts'
import { socketLine } from '../../lines/lines.ts'
import type { LaunchService } from '../../supervisor/launcher.ts'

/**
 * A companion in a process of its own, whose RPC is reached over a WebSocket. Tells its port, then its memory
 * whenever it is asked.
 */
const [, , dataDir = ''] = process.argv
mkdirSync(path.join(dataDir), { recursive: true })
const rig = await startRig(dataDir, {
  launch: () => {
    let exited: Parameters<ReturnType<LaunchService>['onExit']>[0] = () => undefined
    return {
      pid: undefined,
      send: ({ type }) => {
        if (type === 'stop') exited({ code: 'exited', params: { status: '0' } })
      },
      onMessage: () => undefined,
      onExit: (listener) => (exited = listener),
      onLine: () => undefined,
      kill: () => exited({ code: 'exited', params: { status: '0' } }),
    }
  },
})
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false }, () => {
  process.send?.({ port: (server.address() as { port: number }).port })
})
server.on('connection', (socket) => {
  socket.on('error', () => undefined)
  rig.companion.rpc.attach(socketLine(socket))
})
process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ memory: process.memoryUsage().rss })
})
