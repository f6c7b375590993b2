import type { WebSocket } from 'ws'
import type { Clock } from '../../platform/clock.ts'
import { maxBacklog, backlogPause, type Line, maxMessage, refused } from '../lines/connection.ts'
import { createInflow } from '../lines/inflow.ts'

const maxWaiting = 64
const waitingChars = 4 * maxMessage
/** Rate limit of the host; the rest waits on its side. */
const burst = { frames: 2_000, bytes: 16 * 1024 * 1024 }
const perSecond = { frames: 500, bytes: 4 * 1024 * 1024 }
/** In ms. */
const lookEvery = 50
const aliveEvery = 10_000

/** Forwards text frames unread. A fast host is slowed down; binary frames and a dead host end the line. */
export function bridgeLines(page: Line, open: () => Promise<WebSocket>, clock: Clock): { end(): void } {
  const gone = new AbortController()
  let host: WebSocket | undefined
  let waiting: string[] = []
  let chars = 0
  let stopLooking: (() => void) | undefined
  let stopAsking: (() => void) | undefined

  const inflow = createInflow(clock)
  const end = (code?: number): void => {
    if (gone.signal.aborted) return
    gone.abort()
    waiting = []
    stopLooking?.()
    stopAsking?.()
    host?.terminate()
    page.close(code)
  }
  page.onClose(() => end())
  page.onMessage((text) => {
    if (gone.signal.aborted) return
    if (text === undefined || text.length > maxMessage || !inflow.take(text.length)) return end(refused)
    if (host) {
      if (host.bufferedAmount > maxBacklog) return end()
      return host.send(text, () => undefined)
    }
    chars += text.length
    if (waiting.push(text) > maxWaiting || chars > waitingChars) end()
  })

  const follow = (opened: WebSocket): void => {
    const left = { ...burst }
    let at = clock.monotonic()
    let alive = true
    const refill = (): void => {
      const seconds = (clock.monotonic() - at) / 1000
      at = clock.monotonic()
      left.frames = Math.min(burst.frames, left.frames + seconds * perSecond.frames)
      left.bytes = Math.min(burst.bytes, left.bytes + seconds * perSecond.bytes)
    }
    const look = (): void => {
      stopLooking = undefined
      if (gone.signal.aborted) return
      refill()
      if (left.frames >= 1 && left.bytes > 0 && page.backlog() <= backlogPause) opened.resume()
      else stopLooking = clock.after(lookEvery, look)
    }
    const ask = (): void => {
      if (!alive) return end()
      // A paused host answers later.
      alive = opened.isPaused
      opened.ping()
      stopAsking = clock.after(aliveEvery, ask)
    }
    opened.on('pong', () => {
      alive = true
    })
    opened.on('message', (data, binary) => {
      if (gone.signal.aborted) return
      if (binary || !Buffer.isBuffer(data)) return end()
      alive = true
      refill()
      left.frames -= 1
      left.bytes -= data.length
      page.send(data.toString('utf8'))
      if (left.frames >= 1 && left.bytes > 0 && page.backlog() <= backlogPause) return
      opened.pause()
      stopLooking ??= clock.after(lookEvery, look)
    })
    opened.on('close', () => end())
    for (const text of waiting) opened.send(text, () => undefined)
    waiting = []
    stopAsking = clock.after(aliveEvery, ask)
    opened.resume()
  }
  open().then(
    (opened) => {
      if (gone.signal.aborted) return opened.terminate()
      host = opened
      // It may have closed meanwhile.
      if (opened.readyState === opened.OPEN) follow(opened)
      else end()
    },
    () => end(),
  )
  return { end: () => end() }
}
