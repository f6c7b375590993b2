import http from 'node:http'
import { isIP } from 'node:net'
import { WebSocket } from 'ws'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { type Clock, pause } from '../../platform/clock.ts'
import { openPinned, partsOf, type Place } from './pinned-socket.ts'
import { JoinError } from './join-error.ts'

/** What is asked of a streamer's Sidestage. */
interface HostRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** A streamer's Sidestage; every connection checks the certificate. */
export type Host = ReturnType<typeof createHost>

interface HostPorts {
  readonly place: Place
  readonly clock: Clock
  /** User-Agent. */
  readonly agent: string
  /** Not counted when absent. */
  readonly descriptors?: DescriptorShare | undefined
}

/** Until the headers, and between two parts, in ms. */
const headPatience = 10_000
const silence = 30_000
const headBytes = 16 * 1024
/** In bytes: a page of history with its longest lines. */
const maxFrame = 8 * 1024 * 1024

/** Makes an unconnected host. */
export function createHost({ place, clock, agent, descriptors }: HostPorts) {
  const { name, port } = partsOf(place.host)
  const origin = `${place.secured ? 'https' : 'http'}://${place.host}`
  const connection: Pick<http.RequestOptions, 'createConnection' | 'host' | 'port'> = {
    host: isIP(name) === 6 ? `[${name}]` : name,
    port,
    createConnection: (_options, created) => {
      openPinned(place, clock, descriptors).then(
        (socket) => created(null, socket),
        (error: unknown) => {
          // The type requires a socket beside an error.
          created(error as Error, undefined as never)
        },
      )
      return undefined
    },
  }
  const headers = { host: place.host, origin, 'user-agent': agent }
  const joinErrorOf = (error: unknown): JoinError => (error instanceof JoinError ? error : new JoinError('offline'))

  return {
    /** The body must be read or destroyed. Redirects are not followed. Rejects with JoinError. */
    ask: ({ method, path, body, signal, headers: more }: HostRequest): Promise<http.IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = http.request({
          ...connection,
          method,
          path,
          setHost: false,
          maxHeaderSize: headBytes,
          headers: {
            ...headers,
            accept: '*/*',
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
            ...more,
          },
          ...(signal ? { signal } : {}),
        })
        const late = clock.after(headPatience, () => sent.destroy(new JoinError('offline')))
        sent.once('response', (answer) => {
          late()
          answer.setTimeout(silence, () => answer.destroy())
          // Errors while nobody reads.
          answer.on('error', () => undefined)
          resolve(answer)
        })
        sent.once('error', (error) => {
          late()
          // Not HTTP.
          reject(
            error.name !== 'JoinError' && 'code' in error && String(error.code).startsWith('HPE_')
              ? new JoinError('notOurs')
              : joinErrorOf(error),
          )
        })
        sent.once('close', () => {
          late()
          reject(new JoinError('offline'))
        })
        sent.end(body)
      }),
    /** Paused until somebody listens. Rejects with JoinError. */
    line: async (cookie: string): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://${place.host}/rpc`, {
        ...connection,
        headers: { ...headers, cookie },
        maxPayload: maxFrame,
        perMessageDeflate: false,
        followRedirects: false,
      } as ConstructorParameters<typeof WebSocket>[2])
      socket.on('error', () => undefined)
      const opened = new Promise<void>((resolve, reject) => {
        socket.once('open', () => {
          // Until somebody listens.
          socket.pause()
          resolve()
        })
        socket.once('unexpected-response', (request, answer) => {
          request.destroy()
          reject(
            new JoinError(answer.statusCode === 401 ? 'refused' : answer.statusCode === 421 ? 'elsewhere' : 'offline'),
          )
        })
        socket.once('error', (error) => reject(joinErrorOf(error)))
      })
      const over = new AbortController()
      try {
        await Promise.race([
          opened,
          pause(clock, headPatience, over.signal).then(() => {
            throw new JoinError('offline')
          }),
        ])
      } catch (error) {
        socket.terminate()
        throw error
      } finally {
        over.abort()
      }
      return socket
    },
  }
}
