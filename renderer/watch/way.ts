import { lookAtFlv } from '../player/flv-look.ts'
import { createLowDelay } from '../player/low-delay.ts'
import { loadFlv } from '../player/flv-transport.ts'
import type { LoadTransport, PlaybackFigures, TransportKind } from '../player/transport.ts'
import { later } from '../data/timer.ts'
import { createPlace } from './places.ts'
import { createSlowLine } from './slow-line.ts'
import type { Word } from './words.ts'

/** In ms: without an answer of the service for so long, a stream that fails does so with the line. */
const heardWithin = 5_000

/** What the page provides. */
export interface WayPorts {
  /** Address by low delay; null while it is not to be had, or not wanted. */
  flv(): string | null
  figures(): PlaybackFigures | undefined
  use(kind: TransportKind): void
  /** What is said of it. */
  changed(): void
}

/** By which way the picture comes: low delay where the browser can, unless that or the line fails. */
export function createWay(canLowDelay: boolean, ports: WayPorts) {
  let heardAt = -Infinity
  let received: number | undefined
  const lowDelay = canLowDelay
    ? createLowDelay({
        after: later,
        random: Math.random,
        async look() {
          const address = ports.flv()
          if (address === null || !(await place.take())) return false
          try {
            const { keyFrame, media } = await lookAtFlv(address, new AbortController().signal)
            return keyFrame && media > 0 && ports.flv() !== null
          } finally {
            if (kindOf() === 'hls') place.leave()
          }
        },
        use(kind) {
          if (kind === 'hls' && place.has()) place.leave()
          ports.use(kind)
        },
      })
    : undefined
  const place = createPlace({
    taken() {
      lowDelay?.crowded()
      ports.changed()
    },
    free: () => lowDelay?.roomy(),
  })
  const kindOf = (): TransportKind => lowDelay?.kind ?? 'hls'
  const slowLine = createSlowLine(() => lowDelay?.tooSlow())
  return {
    kind: kindOf,
    isSlow: slowLine.isSlow,
    /** Why there is more delay than the viewer chose; empty where there is not. */
    note(): Word | '' {
      if (!lowDelay || lowDelay.isSteady || lowDelay.kind === 'flv') return ''
      return slowLine.isSlow() ? 'lineSlow' : lowDelay.isCrowded ? 'otherTabs' : 'fellBack'
    },
    /** Once this tab has a place among those that play by low delay. */
    loadFlv: (async () => {
      if (!(await place.take())) throw new Error('other tabs have low delay')
      return loadFlv()
    }) satisfies LoadTransport as LoadTransport,
    /** The stream was closed, and is not opened again for now. */
    closed(): void {
      place.leave()
      lowDelay?.roomy()
    },
    playing: (): void => lowDelay?.playing(),
    broke(): void {
      if (performance.now() - heardAt < heardWithin) lowDelay?.broke()
    },
    /** The service answered. */
    heard(): void {
      heardAt = performance.now()
    },
    /** The line is back. */
    back(): void {
      if (!slowLine.isSlow()) lowDelay?.renew()
    },
    /** A picture of now is wanted. */
    renew: (): void => lowDelay?.renew(),
    /** Another push, or none. */
    anew(): void {
      lowDelay?.renew()
      slowLine.forget()
    },
    steady(isSteady: boolean): void {
      if (isSteady) place.leave()
      lowDelay?.steady(isSteady)
      slowLine.forget()
    },
    /** Each second: how old the picture by low delay is beyond the delay of the channel, in s, if known. */
    look(age: number | undefined): void {
      const before = received
      received = ports.figures()?.received
      slowLine.look(age, received !== before)
    },
  }
}
