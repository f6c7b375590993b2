import { inBackground } from '../background.ts'
import type { TransportKind } from './transport.ts'

/** Attempts with the low delay stream that break in a row before HLS is taken instead. */
const patience = 2
/** Milliseconds until the low delay stream is looked at again: longer each time, until it has held. */
const waits = [5_000, 10_000, 20_000, 40_000, 60_000]
/** Milliseconds for which it must have played to count as held. */
const heldAfter = 30_000

/** What the choice needs from its page. */
export interface LowDelayPorts {
  /** Runs something later; the returned function calls it off. */
  after(milliseconds: number, action: () => void): () => void
  /** From 0 to 1: viewers who lost the stream in the same moment do not all look again in one. */
  random(): number
  /** Whether the low delay stream gives pictures now. */
  look(): Promise<boolean>
  use(kind: TransportKind): void
}

/** Begins with the low delay stream, takes HLS when that breaks, and returns when a look shows that it plays. */
export function createLowDelay(ports: LowDelayPorts) {
  let kind: TransportKind = 'flv'
  let broken = 0
  let tries = 0
  /** Counts changes: what an older look finds is not listened to. */
  let turn = 0
  let callOff: (() => void) | undefined

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
    /** The picture shows. */
    playing(): void {
      broken = 0
      if (kind !== 'flv') return
      callOff?.()
      callOff = ports.after(heldAfter, () => {
        tries = 0
      })
    },
    /** An attempt broke. */
    broke(): void {
      broken += 1
      if (kind !== 'flv') return
      callOff?.()
      callOff = undefined
      if (broken < patience) return
      take('hls')
      lookLater()
    },
    /** A publisher came or went: what broke before says nothing of the next one. */
    renew(): void {
      tries = 0
      take('flv')
    },
  }
}
