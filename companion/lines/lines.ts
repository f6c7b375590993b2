import type { Line } from './connection.ts'

/** The used part of a `ws` socket. */
interface SocketLike {
  readonly bufferedAmount: number
  send(text: string, done: () => void): void
  close(code?: number): void
  terminate(): void
  on(event: 'message', listener: (data: Buffer | ArrayBuffer | Buffer[], binary: boolean) => void): unknown
  on(event: 'close' | 'error', listener: () => void): unknown
}

/** A line over a WebSocket. */
export const socketLine = (socket: SocketLike): Line => ({
  send: (text) => socket.send(text, () => undefined),
  onMessage: (listener) => {
    socket.on('message', (data, binary) => {
      listener(binary || !Buffer.isBuffer(data) ? undefined : data.toString('utf8'))
    })
  },
  onClose: (listener) => {
    socket.on('close', listener)
    socket.on('error', listener)
  },
  backlog: () => socket.bufferedAmount,
  close: (code) => socket.close(code),
})

/** The used part of a message port of Electron or Node. */
export interface PortLike {
  postMessage(message: string): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'close', listener: () => void): unknown
  start(): void
  close(): void
}

/** A line over a message port; Electron wraps messages in an event. */
export function portLine(port: PortLike): Line {
  return {
    send: (text) => port.postMessage(text),
    onMessage: (listener) => {
      port.on('message', (message) => {
        const data: unknown =
          typeof message === 'object' && message !== null && 'data' in message ? message.data : message
        listener(typeof data === 'string' ? data : undefined)
      })
      port.start()
    },
    onClose: (listener) => port.on('close', listener),
    backlog: () => 0,
    close: () => port.close(),
  }
}
