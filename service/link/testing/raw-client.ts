import { WebSocket } from 'ws'
import type { LinkArguments, LinkRequestKind } from '../../../contract/link/frames.ts'
import { eventually } from '../../testing/eventually.ts'

/** A received frame. */
export type RawFrame = {
  readonly t: string
  readonly id?: number
  readonly code?: number
  readonly seq?: number
} & Readonly<Record<string, unknown>>

/** A plain WebSocket of the link that keeps everything received. */
export interface RawLink {
  readonly socket: WebSocket
  readonly frames: readonly RawFrame[]
  /** Pushes of one kind so far. */
  pushes(kind: string): RawFrame[]
  /** Sends a request and waits for its answer. */
  ask<K extends LinkRequestKind>(kind: K, members: LinkArguments<K>): Promise<RawFrame>
  /** Resolves with close code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Resolves once the WebSocket is open; rejects with the HTTP status. */
export const openRaw = (
  url: string,
  options: { readonly headers?: Record<string, string>; readonly origin?: string; readonly localAddress?: string } = {},
): Promise<RawLink> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { ...options, perMessageDeflate: true })
    const frames: RawFrame[] = []
    let id = 0
    socket.on('message', (data) => frames.push(JSON.parse((data as Buffer).toString('utf8')) as RawFrame))
    const closed = new Promise<{ code: number; reason: string }>((done) =>
      socket.on('close', (code, reason) => done({ code, reason: reason.toString() })),
    )
    socket.on('unexpected-response', (request, response) => {
      reject(new Error(`HTTP ${response.statusCode}`))
      request.destroy()
    })
    socket.on('error', reject)
    socket.on('open', () =>
      resolve({
        socket,
        frames,
        closed,
        pushes: (kind) => frames.filter(({ t }) => t === kind),
        async ask(kind, members) {
          const mine = ++id
          socket.send(JSON.stringify({ t: kind, id: mine, ...members }))
          return await eventually(() => {
            const answer = frames.find((frame) => frame.id === mine && (frame.t === 'ok' || frame.t === 'error'))
            if (!answer) throw new Error(`no answer to ${kind} yet (${socket.readyState})`)
            return answer
          })
        },
      }),
    )
  })
