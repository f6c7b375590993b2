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
  let isSlow = false
  let isCrowded = false

  const take = (next: TransportKind): void => {
    turn += 1
    callOff?.()
    callOff = undefined
    broken = 0
    isSlow = false
    isCrowded = false
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
    get isSteady() {
      return isSteady
    },
    get isCrowded() {
      return isCrowded
    },
    playing(): void {
      broken = 0
      if (isSlow) {
        // HLS begins, or had to wait too.
        turn += 1
        callOff?.()
        return lookLater()
      }
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
    /** The line is too slow for it: takes HLS, and looks again once that has played for a while without a stop. */
    tooSlow(): void {
      if (kind !== 'flv') return
      take('hls')
      isSlow = true
      tries = waits.length - 1
      lookLater()
    },
    /** Other players have all that there is of it: takes HLS until `roomy`. */
    crowded(): void {
      take('hls')
      isCrowded = true
    },
    roomy(): void {
      if (isCrowded) take('flv')
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
