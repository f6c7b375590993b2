import {
  linkClose,
  linkLimits,
  type LinkAnswer,
  type LinkArguments,
  type LinkPush,
  type LinkRequestKind,
} from './frames.ts'
import { createCalls, LinkFailure, type Calls } from './client-calls.ts'
import { createReading, type Reading } from './client-reading.ts'
import { createOutgoing, type Outgoing } from './client-outgoing.ts'

/** A WebSocket as the client needs it. */
export interface LinkSocket {
  send(text: string): void
  close(): void
}
/** Opens a WebSocket; calls `closed` exactly once, also when it could not be opened. */
export type OpenLinkSocket = (
  url: string,
  events: { opened(): void; text(text: string): void; closed(code: number): void },
) => LinkSocket

/** Where a client stands. `out` is final: it was refused, kicked or closed, and `reason` says why. */
export type LinkState =
  | { readonly at: 'connecting' | 'syncing' | 'online' }
  | { readonly at: 'waiting'; readonly retryIn: number }
  | { readonly at: 'out'; readonly code: number; readonly reason: string }

/** What a client is made of; sockets, timers and randomness come from the platform. */
export interface LinkClientOptions {
  /** `linkUrl` of the service. */
  readonly url: string
  /** Asked for before every log-in, so that a token may change. */
  readonly credentials: () => Pick<
    LinkArguments<'login'>,
    'appKey' | 'accid' | 'token' | 'device' | 'clientType' | 'sdkVersion'
  >
  /** Seq behind which to go on, where one was kept from an earlier run of this device. */
  readonly after?: number
  readonly open: OpenLinkSocket
  /** Calls after a while in ms; returns what takes it back. */
  readonly later: (ms: number, call: () => void) => () => void
  /** Between 0 and 1. */
  readonly random: () => number
  /** Every push once, those with a seq in their order. */
  readonly onPush: (push: LinkPush) => void
  readonly onState?: (state: LinkState) => void
}

/** A link that comes back by itself. */
export interface LinkClient {
  readonly state: LinkState
  /** Seq up to which everything was handed to `onPush`; to be kept for the next run. */
  readonly seq: number | undefined
  /** The answer to the last log-in. */
  readonly account: LinkAnswer<'login'> | undefined
  /** Asks; rejects with `LinkFailure` when it is refused, when there is no answer in time, or when the connection drops meanwhile. */
  request<K extends Exclude<LinkRequestKind, 'login' | 'sync' | 'received' | 'logout'>>(
    kind: K,
    members: LinkArguments<K>,
  ): Promise<LinkAnswer<K>>
  /** Sends a message, however often the connection drops meanwhile: at most 100 wait, and the service takes each once. */
  send(message: Omit<LinkArguments<'send'>, 'resend'>): Promise<LinkAnswer<'send'>>
  /** Logs out and ends for good; what still waits is rejected. */
  close(): void
}

/** Times of the client in ms. */
const times = {
  /** For an answer; then the connection counts as dead. */
  answer: 15_000,
  /** The first wait before connecting again; it doubles up to the longest, and each is between half and the whole of it. */
  firstRetry: 500,
  longestRetry: 30_000,
  /** Without a frame for this long the service is asked for a sign of life. */
  idle: 25_000,
  /** What was received is told at most this often. */
  received: 15_000,
}

/** Answer to a log-in that has come too often, from here or from the address: it is tried again after a pause. */
const tooMany = 416

/** Codes after which coming back would change nothing. */
const isFinal = (code: number): boolean => code === linkClose.login || code === linkClose.kicked

/** Opens a link and keeps it open until it is closed, kicked or refused. */
export function createLinkClient(options: LinkClientOptions): LinkClient {
  const { url, credentials, open, later, random, onPush, onState } = options
  let state: LinkState = { at: 'connecting' }
  let account: LinkAnswer<'login'> | undefined
  let connection: { readonly calls: Calls; drop(): void } | undefined
  let retries = 0
  let stopRetry = (): void => undefined
  const outgoing: Outgoing = createOutgoing(random)
  const reading: Reading = createReading(options.after, (push) => {
    // Stored before the connection dropped, and coming by in the stream before it is sent again and acknowledged.
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
  const leave = (code: number, reason: string): void => {
    if (state.at === 'out') return
    stopRetry()
    outgoing.end(new LinkFailure(code, reason))
    enter({ at: 'out', code, reason })
  }

  const connect = (): void => {
    enter({ at: 'connecting' })
    let kicked: string | undefined
    let stopIdle = (): void => undefined
    let stopReceived: (() => void) | undefined
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
      // A dead connection may take minutes to say so.
      over(1006)
    }
    const listen = (): void => {
      stopIdle()
      stopIdle = later(times.idle, () => {
        // A connection that is dead ends by its own time limit.
        calls.call('ping', {}).catch(() => undefined)
      })
    }
    let catching: Promise<void> | undefined
    /** Pushes of the stream that came while a part of it was asked for: they may come in one piece with the answer, whose part is before them. */
    let behind: LinkPush[] = []
    const catchUp = (): Promise<void> =>
      (catching ??= (async () => {
        for (let more = true; more;) {
          const part = await calls.call('sync', { after: reading.seq ?? 0 })
          reading.take(part.events as LinkPush[], part.seq)
          more = part.more
        }
        catching = undefined
        const late = behind
        behind = []
        for (const push of late) reading.push(push)
        afterPushes()
      })())
    const begin = async (): Promise<void> => {
      const after = reading.seq
      account = await calls.call('login', { ...credentials(), ...(after !== undefined && { after }) })
      reading.startAt(account.seq)
      enter({ at: 'syncing' })
      await catchUp()
      retries = 0
      enter({ at: 'online' })
      outgoing.attach(calls, (seq) => reading.own(seq))
    }
    const failed = (error: unknown): void => {
      if (isOver) return
      const isRefused = error instanceof LinkFailure && error.code >= 400 && error.code < 500 && error.code !== tooMany
      if (state.at === 'connecting' && isRefused) leave(linkClose.login, error.message)
      drop()
    }

    const socket = open(url, {
      opened() {
        if (!isOver) begin().catch(failed)
      },
      text(text) {
        if (isOver) return
        listen()
        const frame = JSON.parse(text) as { readonly t: string; readonly id?: number }
        if (frame.t === 'ok' || frame.t === 'error') return calls.answered(frame)
        const push = frame as LinkPush
        if (push.t === 'more') {
          catchUp().catch(failed)
          return
        }
        if (push.t === 'kicked') kicked = push.reason
        if (catching && 'seq' in push) return void behind.push(push)
        reading.push(push)
        afterPushes()
        if (reading.ownWaiting > linkLimits.page) catchUp().catch(failed)
      },
      closed: over,
    })
    const calls = createCalls({ send: (text) => socket.send(text), later, patience: times.answer, lost: drop })
    connection = { calls, drop }
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
    close() {
      const open = connection
      leave(1000, 'closed')
      if (!open) return
      open.calls.call('logout', {}).catch(() => undefined)
      open.drop()
    },
  }
}
