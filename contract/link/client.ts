import {
  linkClose,
  linkLimits,
  type LinkAnswer,
  type LinkArguments,
  type LinkPush,
  type LinkRequestKind,
} from './frames.ts'
import { createCalls, LinkFailure, type Calls } from './client-calls.ts'
import { createCatchUp } from './client-catch-up.ts'
import { createReading, type Reading } from './client-reading.ts'
import { createOutgoing, type Outgoing } from './client-outgoing.ts'

/** What the client uses of a WebSocket. */
export interface LinkSocket {
  send(text: string): void
  close(): void
}
/** Opens a WebSocket; calls `closed` exactly once, also if opening fails. */
export type OpenLinkSocket = (
  url: string,
  events: { opened(): void; text(text: string): void; closed(code: number): void },
) => LinkSocket

/** State of a client. `out` is final: kicked, closed or refused; `refusal` is the code of a refused login. */
export type LinkState =
  | { readonly at: 'connecting' | 'syncing' | 'online' }
  | { readonly at: 'waiting'; readonly retryIn: number }
  | { readonly at: 'out'; readonly code: number; readonly reason: string; readonly refusal?: number }

/** Why a frame is not as the contract has it; undefined for one that is. */
export interface LinkFaults {
  push(push: object): string | undefined
  answer(kind: LinkRequestKind, answer: object): string | undefined
}

/** Options of a client; sockets, timers and randomness are those of the platform. */
export interface LinkClientOptions {
  /** `linkUrl` of the service. */
  readonly url: string
  /** Read before every log-in, as the token may change. */
  readonly credentials: () => Pick<
    LinkArguments<'login'>,
    'appKey' | 'accid' | 'token' | 'device' | 'clientType' | 'sdkVersion'
  >
  /** Seq to continue after, kept from an earlier run of this device. */
  readonly after?: number
  readonly open: OpenLinkSocket
  /** Calls after ms; returns the cancel function. */
  readonly later: (ms: number, call: () => void) => () => void
  /** Between 0 and 1. */
  readonly random: () => number
  /** Leaves out pushes with a fault, and rejects requests whose answer has one; without it frames are taken as read. */
  readonly faults?: LinkFaults
  /** Every push once; those with a seq in order. */
  readonly onPush: (push: LinkPush) => void
  readonly onState?: (state: LinkState) => void
}

/** A link that reconnects by itself. */
export interface LinkClient {
  readonly state: LinkState
  /** Seq up to which everything was given to `onPush`; keep it for the next run. */
  readonly seq: number | undefined
  /** Answer to the last log-in. */
  readonly account: LinkAnswer<'login'> | undefined
  /** Sends a request; rejects with `LinkFailure` on refusal, time-out or disconnection. */
  request<K extends Exclude<LinkRequestKind, 'login' | 'sync' | 'received' | 'logout'>>(
    kind: K,
    members: LinkArguments<K>,
  ): Promise<LinkAnswer<K>>
  /** Sends a message across reconnections, stored once; at most 100 are pending. */
  send(message: Omit<LinkArguments<'send'>, 'resend'>): Promise<LinkAnswer<'send'>>
  /** After a sleep, or with another network: connects now, or gives the connection a few seconds for a sign of life. */
  awake(): void
  /** Logs out for good; rejects what is pending. */
  close(): void
}

/** Times in ms. */
const times = {
  /** For an answer; then the connection counts as dead. */
  answer: 15_000,
  /** First reconnection delay, doubled up to the longest; each random between half and the whole of it. */
  firstRetry: 500,
  longestRetry: 30_000,
  /** Silence after which a ping is sent. */
  idle: 25_000,
  /** For a sign of life after a sleep; then the connection counts as dead. */
  alive: 3_000,
  /** Interval of acks. */
  received: 15_000,
}

/** Too many log-ins from here or the address: retried after a pause. */
const tooMany = 416

/** Codes after which reconnecting is useless. */
const isFinal = (code: number): boolean => code === linkClose.login || code === linkClose.kicked

/** An object of JSON; undefined for any other text. */
function readFrame(text: string): { readonly t: string; readonly id?: number } | undefined {
  try {
    const frame = JSON.parse(text) as { readonly t: string; readonly id?: number } | null
    return typeof frame === 'object' && frame !== null ? frame : undefined
  } catch {
    return undefined
  }
}

/** Opens a link and keeps it open until closed, kicked or refused. */
export function createLinkClient(options: LinkClientOptions): LinkClient {
  const { url, credentials, open, later, random, faults, onPush, onState } = options
  const fits = (push: object): boolean => faults?.push(push) === undefined
  let state: LinkState = { at: 'connecting' }
  let account: LinkAnswer<'login'> | undefined
  let connection: { readonly calls: Calls; drop(): void; ask(): void } | undefined
  let retries = 0
  let stopRetry = (): void => undefined
  const outgoing: Outgoing = createOutgoing(random)
  const reading: Reading = createReading(options.after, (push) => {
    // Stored before the disconnection, and read from the stream before its acknowledgement.
    const isOwn =
      push.t === 'message' &&
      push.from === account?.accid &&
      push.clientId !== undefined &&
      outgoing.waits(push.clientId)
    if (!isOwn) onPush(push)
  })

  const enter = (next: LinkState): void => {
    state = next
    onState?.(next)
  }
  const leave = (code: number, reason: string, refusal?: number): void => {
    if (state.at === 'out') return
    stopRetry()
    outgoing.end(new LinkFailure(code, reason))
    enter({ at: 'out', code, reason, ...(refusal !== undefined && { refusal }) })
  }

  const connect = (): void => {
    enter({ at: 'connecting' })
    let kicked: string | undefined
    let stopIdle = (): void => undefined
    let stopReceived: (() => void) | undefined
    let stopAlive = (): void => undefined
    let told = reading.seq ?? 0
    let isOver = false

    const tellReceived = (): void => {
      stopReceived = undefined
      const upTo = reading.seq ?? 0
      if (upTo <= told) return
      told = upTo
      calls.call('received', { upTo }).catch(() => undefined)
    }
    const afterPushes = (): void => {
      if ((reading.seq ?? 0) > told) stopReceived ??= later(times.received, tellReceived)
    }
    const over = (code: number): void => {
      if (isOver) return
      isOver = true
      connection = undefined
      stopIdle()
      stopAlive()
      stopReceived?.()
      calls.end(new LinkFailure(0, 'the connection dropped'))
      outgoing.dropped()
      if (state.at === 'out') return
      if (isFinal(code)) return leave(code, kicked ?? 'refused')
      const whole = Math.min(times.longestRetry, times.firstRetry * 2 ** Math.min(retries++, 10))
      const retryIn = Math.round(whole * (0.5 + random() / 2))
      enter({ at: 'waiting', retryIn })
      stopRetry = later(retryIn, connect)
    }
    const drop = (): void => {
      socket.close()
      // A dead connection may take minutes to be reported.
      over(1006)
    }
    const listen = (): void => {
      stopIdle()
      stopIdle = later(times.idle, () => {
        // A dead connection ends by its own time-out.
        calls.call('ping', {}).catch(() => undefined)
      })
    }
    const catchUp = createCatchUp({
      reading,
      ask: (after) => calls.call('sync', { after }),
      fits,
      done: afterPushes,
    })
    const begin = async (): Promise<void> => {
      const after = reading.seq
      account = await calls.call('login', { ...credentials(), ...(after !== undefined && { after }) })
      reading.startAt(account.seq)
      enter({ at: 'syncing' })
      await catchUp.run()
      retries = 0
      enter({ at: 'online' })
      outgoing.attach(calls, (seq) => reading.own(seq))
    }
    const failed = (error: unknown): void => {
      if (isOver) return
      const isRefused = error instanceof LinkFailure && error.code >= 400 && error.code < 500 && error.code !== tooMany
      if (state.at === 'connecting' && isRefused) leave(linkClose.login, error.message, error.code)
      drop()
    }

    const socket = open(url, {
      opened() {
        if (!isOver) begin().catch(failed)
      },
      text(text) {
        if (isOver) return
        stopAlive()
        listen()
        const frame = readFrame(text)
        if (!frame) return drop()
        if (frame.t === 'ok' || frame.t === 'error') return calls.answered(frame)
        if (!fits(frame)) return
        const push = frame as LinkPush
        if (push.t === 'more') {
          catchUp.run().catch(failed)
          return
        }
        if (push.t === 'kicked') kicked = push.reason
        if (catchUp.isUnderWay && 'seq' in push) return catchUp.hold(push, text.length)
        reading.push(push)
        afterPushes()
        if (reading.ownWaiting > linkLimits.page) catchUp.run().catch(failed)
      },
      closed: over,
    })
    const calls = createCalls({
      send: (text) => socket.send(text),
      later,
      patience: times.answer,
      lost: drop,
      faultOf: (kind, answer) => faults?.answer(kind, answer),
    })
    const ask = (): void => {
      stopAlive()
      stopAlive = later(times.alive, drop)
      if (state.at === 'online') calls.call('ping', {}).catch(() => undefined)
    }
    connection = { calls, drop, ask }
  }

  connect()
  return {
    get state() {
      return state
    },
    get seq() {
      return reading.seq
    },
    get account() {
      return account
    },
    request: (kind, members) =>
      connection && (state.at === 'online' || state.at === 'syncing')
        ? connection.calls.call(kind, members)
        : Promise.reject(new LinkFailure(0, 'the link is not open')),
    send: (message) =>
      state.at === 'out' ? Promise.reject(new LinkFailure(state.code, state.reason)) : outgoing.send(message),
    awake() {
      if (state.at === 'waiting') {
        stopRetry()
        connect()
      } else connection?.ask()
    },
    close() {
      const open = connection
      leave(1000, 'closed')
      if (!open) return
      open.calls.call('logout', {}).catch(() => undefined)
      open.drop()
    },
  }
}
