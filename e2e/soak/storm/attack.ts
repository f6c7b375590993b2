import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as later } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ServiceReady } from '../../../contract/service-process.ts'
import type { WatchGuest } from '../../../contract/watch.ts'

/** An account of the running service. */
export interface StormAccount {
  readonly accid: string
  readonly token: string
}

/** The running product as attacks find it. */
export interface Target {
  readonly service: ServiceReady
  /** Ports of the shell's page and of the moderators' listener. */
  readonly companionPorts: readonly number[]
  /** The channel on air with the room. */
  readonly cid: string
  readonly roomid: number
  /** Push address of a second channel, with its key. */
  readonly otherPush: string
  /** Who tokens are guessed for. */
  readonly moderator: string
  /** Accounts that are muted in the room. */
  readonly muted: readonly StormAccount[]
}

/** How often an attack did what, by name. */
export type Tried = Record<string, number>

/** Something that must hold, beside what the storm judges itself. */
export interface Judgement {
  readonly what: string
  readonly worst: number
  readonly most: number
  readonly unit: string
}

/** One way to disturb a broadcast. It goes on until it is over, within bounds of its own in connections and rate, and counts in `tried`. */
export interface Attack {
  readonly name: string
  run(target: Target, over: AbortSignal, tried: Tried): Promise<void>
  /** What must have held of something that it started itself; nothing when absent. */
  judge?(tried: Tried): readonly Judgement[]
}

/** What muted people try to say; honest guests must never read it. */
export const mutedWords = 'said-while-muted'

/** Counts one. */
export const count = (tried: Tried, what: string, by = 1): void => void (tried[what] = (tried[what] ?? 0) + by)

/** Does something again and again with a pause in ms between, until it is over. */
export async function rounds(over: AbortSignal, every: number, round: (number: number) => unknown): Promise<void> {
  for (let number = 0; !over.aborted; number++) {
    await round(number)
    await later(every, undefined, { signal: over }).catch(() => undefined)
  }
}

/** The port of an address. */
export const portOf = (url: string): number => Number(new URL(url).port)

/** An address of this computer: number `index` of a range of 127.0.0.0/8 that an attack has for itself. */
export const loopback = (range: number, index: number): string =>
  `127.${range}.${Math.floor(index / 254)}.${(index % 254) + 1}`

/** A TCP connection; undefined when it was refused. What comes is dropped unless it is paused. Ends when it is over. */
export function openTcp(port: number, localAddress: string, over: AbortSignal): Promise<Socket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  const end = (): void => void socket.destroy()
  over.addEventListener('abort', end, { once: true })
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket.resume()))
    socket.once('close', () => {
      over.removeEventListener('abort', end)
      resolve(undefined)
    })
  })
}

/** Has a guest made from an address; the HTTP status where it is not. */
export function makeGuest(target: Pick<Target, 'service' | 'cid'>, from: string): Promise<WatchGuest | number> {
  return new Promise((resolve) => {
    const asked = request(
      `${target.service.mediaUrl}/watch/${target.cid}/guest`,
      { method: 'POST', localAddress: from, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('error', () => resolve(0))
        answer.on('end', () =>
          resolve(answer.statusCode === 201 ? (JSON.parse(text) as WatchGuest) : (answer.statusCode ?? 0)),
        )
      },
    )
    asked.on('error', () => resolve(0))
    asked.end()
  })
}

/** A client of the link from an address, logged in. `told` hears every frame; undefined when it was not let in. */
export function openLink(
  { service }: Pick<Target, 'service'>,
  { accid, token }: StormAccount,
  from: string,
  told: (frame: string) => void = () => undefined,
): Promise<WebSocket | undefined> {
  const socket = new WebSocket(service.linkUrl, { localAddress: from })
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('open', () =>
      socket.send(
        JSON.stringify({
          t: 'login',
          id: 1,
          appKey: service.appKey,
          accid,
          token,
          device: `${accid}-storm`,
          clientType: 'WEB',
        }),
      ),
    )
    socket.once('close', () => resolve(undefined))
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('{"t":"ok","id":1,')) resolve(socket)
      told(text)
    })
  })
}
