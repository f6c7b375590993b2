import { inBackground } from '../background.ts'
import { Unauthorized, type Line, type LineOpener, type RpcClient } from './client.ts'

/** State of the connection to the companion. */
export type LineState = 'connecting' | 'open' | 'lost' | 'unauthorized'

/** Timers; tests pass their own. */
export interface Timers {
  after(milliseconds: number, action: () => void): () => void
}

/** Called on changes of a connection. */
export interface ConnectionEvents {
  state(state: LineState): void
  /** Called for each new connection; the signal aborts when it is lost. */
  opened(client: RpcClient, signal: AbortSignal): void
}

/** The page's one connection. */
export type Connection = ReturnType<typeof createConnection>

/** In ms. */
const steadyAfter = 5_000
/** Unsteady connections in a row after which the pauses grow. */
const maxBrief = 3
const delays = [250, 500, 1_000, 2_000, 4_000]

/** Keeps one connection open: reopens after 250 ms, then after growing pauses of up to 4 s. */
export function createConnection(opener: LineOpener, timers: Timers, events: ConnectionEvents) {
  let line: Line | undefined
  let gone: AbortController | undefined
  let stopTimer: (() => void) | undefined
  let failures = 0
  let brief = 0
  let closed = false
  let opening = false

  const dropped = (): void => {
    line = undefined
    gone?.abort()
    if (closed) return
    events.state('lost')
    again()
  }
  const again = (): void => {
    stopTimer?.()
    stopTimer = timers.after(delays[Math.min(failures, delays.length - 1)] ?? 4_000, () => inBackground(attempt()))
    failures += 1
  }
  const attempt = async (): Promise<void> => {
    if (opening || line || closed) return
    opening = true
    try {
      let lostEarly = false
      let fresh: Line | undefined
      fresh = await opener.open(() => {
        if (fresh !== undefined && line === fresh) dropped()
        else lostEarly = true
      })
      if (closed) return fresh.close()
      if (lostEarly) throw new Error('lost while opening')
      line = fresh
      stopTimer?.()
      if (brief++ < maxBrief) failures = 0
      stopTimer = timers.after(steadyAfter, () => {
        failures = 0
        brief = 0
      })
      gone = new AbortController()
      events.state('open')
      events.opened(fresh.client, gone.signal)
    } catch (error) {
      if (closed) return
      if (error instanceof Unauthorized) events.state('unauthorized')
      else {
        events.state('lost')
        again()
      }
    } finally {
      opening = false
    }
  }

  return {
    get client() {
      return line?.client
    },
    start: (): void => {
      events.state('connecting')
      inBackground(attempt())
    },
    retry: (): void => {
      stopTimer?.()
      inBackground(attempt())
    },
    restart: (): void => {
      line?.close()
      if (line) dropped()
    },
    close: (): void => {
      closed = true
      stopTimer?.()
      gone?.abort()
      line?.close()
      line = undefined
    },
  }
}
