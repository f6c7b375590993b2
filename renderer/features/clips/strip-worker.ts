import { canDecode, makeFilm } from './film.ts'
import type { StripAsked, StripTold } from './strip-messages.ts'
import { indexOf, openParts, type StripPart } from './strip-parts.ts'
import { canHear, makeWave } from './wave.ts'

/** What a worker has of its page; the types of pages call it a window. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<StripAsked>) => void) | null
  postMessage(told: StripTold, transfer?: readonly Transferable[]): void
}

let showing = new AbortController()
let opened: Promise<readonly StripPart[]> = Promise.resolve([])
let able = { film: false, wave: false }

async function open(asked: Extract<StripAsked, { type: 'open' }>): Promise<readonly StripPart[]> {
  // The page ends it by ending the worker.
  const parts = await openParts(asked.sources, new AbortController().signal)
  const index = indexOf(parts)
  able = { film: await canDecode(parts).catch(() => false), wave: await canHear(parts).catch(() => false) }
  page.postMessage({ type: 'index', ...index }, [index.pictures.buffer, index.keys.buffer])
  if (!able.film && index.keys.length > 0) page.postMessage({ type: 'none', what: 'film' })
  if (!able.wave && index.sound) page.postMessage({ type: 'none', what: 'wave' })
  return parts
}

async function show({ keys, bars }: Extract<StripAsked, { type: 'show' }>): Promise<void> {
  showing.abort()
  const { signal } = (showing = new AbortController())
  const parts = await opened
  if (signal.aborted) return
  const none = (what: 'film' | 'wave') => () => {
    if (!signal.aborted) page.postMessage({ type: 'none', what })
  }
  await Promise.all([
    able.film &&
      makeFilm(parts, keys, signal, (key, picture) =>
        page.postMessage({ type: 'tile', key, picture }, [picture]),
      ).catch(none('film')),
    able.wave &&
      bars &&
      makeWave(parts, bars, signal, (told) => page.postMessage({ type: 'bars', ...told })).catch(none('wave')),
  ])
}

page.onmessage = ({ data }) => {
  if (data.type === 'open') {
    opened = open(data)
    opened.catch(() => page.postMessage({ type: 'none', what: 'index' }))
  } else show(data).catch(() => undefined)
}
