import { createORPCClient } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import { Unauthorized, type AuthMethod, type Line, type LineOpener, type RpcClient } from './client.ts'
import { signIn } from './session.ts'
import { portMessage, type DesktopShell } from './shell.ts'

const openWithin = 5_000

const within = <T>(promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the companion did not answer')), openWithin)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** Over a WebSocket of the page's own origin. */
export async function openSocket(page: Window, path: string, onLost: () => void): Promise<Line> {
  const socket = new WebSocket(new URL(path, page.location.href.replace(/^http/, 'ws')))
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('close', () => reject(new Error('the connection was closed')), { once: true })
  })
  try {
    await within(opened)
  } catch (error) {
    socket.close()
    throw error
  }
  socket.addEventListener('close', onLost, { once: true })
  return {
    client: createORPCClient<RpcClient>(new SocketLink({ websocket: socket })),
    close: () => {
      socket.removeEventListener('close', onLost)
      socket.close()
    },
  }
}

/** Over a port that the desktop shell sends after `ask`. */
export async function openPort(page: Window, ask: () => void, onLost: () => void): Promise<Line> {
  const port = await within(
    new Promise<MessagePort>((resolve) => {
      const listen = (event: MessageEvent<unknown>): void => {
        const data = event.data as { type?: unknown } | null
        const [first] = event.ports
        if (event.source !== page || data?.type !== portMessage || !first) return
        page.removeEventListener('message', listen)
        resolve(first)
      }
      page.addEventListener('message', listen)
      ask()
    }),
  )
  port.addEventListener('close', onLost, { once: true })
  const client = createORPCClient<RpcClient>(new PortLink({ port }))
  port.start()
  return {
    client,
    close: () => {
      port.removeEventListener('close', onLost)
      port.close()
    },
  }
}

/** Signs in first; calls `at` with how people sign in once known. */
export const socketOpener = (page: Window, at: (authMethod: AuthMethod) => void): LineOpener => ({
  open: async (onLost) => {
    try {
      at(
        await signIn({ location: page.location, history: page.history, fetch: (path, init) => page.fetch(path, init) }),
      )
    } catch (error) {
      if (error instanceof Unauthorized) at(error.authMethod)
      throw error
    }
    return openSocket(page, '/rpc', onLost)
  },
})

/** Connects over ports of the desktop shell. */
export const portOpener = (page: Window, shell: DesktopShell): LineOpener => ({
  open: (onLost) => openPort(page, () => shell.connect(), onLost),
})
