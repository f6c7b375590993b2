import http from 'node:http'
import { addressGroup } from '../../platform/address-group.ts'
import { createBodyBudget } from '../../platform/body-budget.ts'
import { createHttpListener, type ListenerBounds } from '../../platform/bounded-listener.ts'
import { listenOn } from '../../platform/listen.ts'
import { signHeader } from '../../contract/callbacks/recording.ts'

/** A received message. */
export interface Incoming {
  readonly body: Buffer
  readonly sign: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly from: string
  readonly test: string | undefined
}

/** A running listener. */
export type CallbackListener = Readonly<Awaited<ReturnType<typeof listenForCallbacks>>>

/** Path of callbacks. */
export const callbackPath = '/callback'
/** Marks the app's own tests; other values are ignored. */
const testHeader = 'x-sidestage-test'
const requestTime = 10_000
/** Largest bodies held at once; half of them from one address. */
const maxBodies = 16

const answer = (response: http.ServerResponse, status: number): void => {
  const text = JSON.stringify({ code: status })
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    })
    .end(text)
}

/** Listens for POSTs to a path. `most`: bytes of a body. Rejects when the port cannot be had. */
export async function listenForCallbacks(
  host: string,
  port: number,
  receive: (incoming: Incoming) => Promise<number>,
  { path: served, most, bounds }: { readonly path: string; readonly most: number; readonly bounds: ListenerBounds },
) {
  const bodies = createBodyBudget({ all: maxBodies * most, perAddress: (maxBodies / 2) * most })
  const server = createHttpListener(
    bounds,
    (request, response) => {
      const path = (request.url ?? '').split('?')[0]
      const refuse = (status: number): void => {
        answer(response, status)
        request.resume()
      }
      if (path !== served) return refuse(404)
      if (request.method !== 'POST') return refuse(405)
      // The sender is known only from the whole body.
      bodies.collect(request, response, { group: addressGroup(request.socket.remoteAddress ?? ''), most }, (body) => {
        if (body === 'gone') return
        if (body === 'long') return refuse(413)
        if (body === 'budget') {
          bounds.refused('bodies')
          return refuse(503)
        }
        const header = (name: string): string | undefined => {
          const value = request.headers[name]
          return typeof value === 'string' ? value : undefined
        }
        const incoming = {
          body,
          headers: request.headers,
          sign: header(signHeader),
          from: request.socket.remoteAddress ?? '',
          test: header(testHeader),
        }
        receive(incoming).then(
          (status) => answer(response, status),
          () => answer(response, 500),
        )
      })
    },
    { times: { request: requestTime, headers: requestTime, check: 1000 }, headerBytes: 8192 },
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  const used = await listenOn(server, host, port)
  return {
    port: used,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** POSTs a message to this computer; resolves with the status. */
export const postMessage = (
  target: { readonly host: string; readonly port: number; readonly path: string },
  {
    body,
    headers: own,
    test,
  }: { readonly body: string; readonly headers: Readonly<Record<string, string>>; readonly test: string },
): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json;charset=utf-8',
      'content-length': Buffer.byteLength(body),
      ...own,
      [testHeader]: test,
    }
    const request = http.request(
      { ...target, method: 'POST', headers, agent: false, timeout: requestTime },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', reject)
      },
    )
    request.on('timeout', () => request.destroy(new Error('no answer in time')))
    request.on('error', reject)
    request.end(body)
  })
