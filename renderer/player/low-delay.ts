import { inBackground } from '../background.ts'
import type { TransportKind } from './transport.ts'

/** Failures in a row. */
const patience = 2
/** In ms. */
const waits = [5_000, 10_000, 20_000, 40_000, 60_000]
/** How long it must play until the waits start anew, in ms. */
const heldAfter = 30_000

/** Provided by the page. */
export interface LowDelayPorts {
  after(milliseconds: number, action: () => void): () => void
  /** 0 to 1; spreads the attempts of viewers who lost the stream at the same time. */
  random(): number
  look(): Promise<boolean>
  use(kind: TransportKind): void
}

/** Starts with low delay, switches to HLS after failures, and back once it plays again. */
export function createLowDelay(ports: LowDelayPorts) {
  let kind: TransportKind = 'flv'
  let broken = 0
  let tries = 0
  let turn = 0
  let callOff: (() => void) | undefined
  let isSteady = false

  const take = (next: TransportKind): void => {
    turn += 1
    callOff?.()
    callOff = undefined
    broken = 0
    if (next === kind) return
    kind = next
    ports.use(kind)
  }
  const lookLater = (): void => {
    const wait = waits[Math.min(tries, waits.length - 1)] ?? 0
    tries += 1
    callOff = ports.after(wait * (1 + ports.random() / 4), () => inBackground(lookAgain()))
  }
  const lookAgain = async (): Promise<void> => {
    const mine = turn
    const plays = await ports.look().catch(() => false)
    if (mine !== turn) return
    if (plays) take('flv')
    else lookLater()
  }

  return {
    get kind() {
      return kind
    },
    playing(): void {
      broken = 0
      if (kind !== 'flv') return
      callOff?.()
      callOff = ports.after(heldAfter, () => {
        tries = 0
      })
    },
    broke(): void {
      broken += 1
      if (kind !== 'flv') return
      callOff?.()
      callOff = undefined
      if (broken < patience) return
      take('hls')
      lookLater()
    },
    /** The line is too slow for it: HLS has what it needs in store, and low delay is tried again after a while. */
    tooSlow(): void {
      if (kind !== 'flv') return
      take('hls')
      tries = waits.length - 1
      lookLater()
    },
    /** A publisher came or went; earlier failures do not count. */
    renew(): void {
      tries = 0
      take(isSteady ? 'hls' : 'flv')
    },
    /** The viewer prefers HLS for good, or low delay again. */
    steady(next: boolean): void {
      isSteady = next
      tries = 0
      take(isSteady ? 'hls' : 'flv')
    },
  }
}
