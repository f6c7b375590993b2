import type { VisitReason } from '../../contract/watch.ts'

/** What came of a step. */
export interface StepOutcome {
  readonly state: 'passed' | 'failed'
  readonly milliseconds?: number
  readonly reason?: VisitReason
}

/** How long a step may take until something comes, in ms. */
const patience = 10_000
/** How long a picture has to last: longer than the silence after which proxies cut by default; ms. */
export const lasts = 65_000

const failed = (reason: VisitReason): StepOutcome => ({ state: 'failed', reason })
const since = (start: number): number => Math.round(performance.now() - start)

/** Opens the client link. */
export const checkChat = (url: string): Promise<StepOutcome> =>
  new Promise((resolve) => {
    const start = performance.now()
    const socket = new WebSocket(url)
    const settle = (outcome: StepOutcome): void => {
      clearTimeout(timer)
      resolve(outcome)
      socket.close()
    }
    const timer = setTimeout(() => settle(failed('timeout')), patience)
    socket.addEventListener('open', () => settle({ state: 'passed', milliseconds: since(start) }))
    socket.addEventListener('error', () => settle(failed('refused')))
  })

/** Last segment of a media playlist, and when its media ended, in ms. */
export function newestSegment(text: string): { readonly path: string; readonly end: number } | undefined {
  let at = Number.NaN
  let length = 0
  let found: { path: string; end: number } | undefined
  for (const line of text.split('\n')) {
    const time = /^#EXT-X-PROGRAM-DATE-TIME:(.+)$/.exec(line)?.[1]
    const duration = /^#EXTINF:([\d.]+)/.exec(line)?.[1]
    if (time !== undefined) at = Date.parse(time)
    else if (duration !== undefined) length = Number(duration) * 1000
    else if (line !== '' && !line.startsWith('#')) {
      at += length
      found = { path: line.trim(), end: at }
    }
  }
  return found
}

/** Loads a playlist and its newest segment; `clock` is the service's time. */
export async function checkHls(url: string, clock: () => number): Promise<StepOutcome> {
  const signal = AbortSignal.timeout(patience)
  try {
    const playlist = await fetch(url, { signal, cache: 'no-store' })
    const newest = playlist.ok ? newestSegment(await playlist.text()) : undefined
    if (!newest) return failed('refused')
    const segment = await fetch(new URL(newest.path, new URL(url, location.href)), { signal, cache: 'no-store' })
    if (!segment.ok || (await segment.arrayBuffer()).byteLength === 0) return failed('refused')
    const behind = Math.round(clock() - newest.end)
    return { state: 'passed', ...(behind >= 0 && { milliseconds: behind }) }
  } catch {
    return failed(signal.aborted ? 'timeout' : 'refused')
  }
}

/** Reads a stream for longer than a minute. */
export async function checkFlv(url: string, length: number = lasts): Promise<StepOutcome> {
  const start = performance.now()
  const abort = new AbortController()
  let timer = setTimeout(() => abort.abort(), patience)
  let first: number | undefined
  try {
    const answer = await fetch(url, { signal: abort.signal, cache: 'no-store' })
    if (!answer.ok || !answer.body) return failed('refused')
    const reader = answer.body.getReader()
    while (since(start) < length) {
      const { done } = await reader.read()
      if (done) return failed('cutOff')
      first ??= since(start)
      clearTimeout(timer)
      timer = setTimeout(() => abort.abort(), patience)
    }
    return { state: 'passed', milliseconds: first ?? since(start) }
  } catch {
    return failed(first === undefined ? (abort.signal.aborted ? 'timeout' : 'refused') : 'cutOff')
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}
