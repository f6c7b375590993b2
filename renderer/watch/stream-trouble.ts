import { later } from '../data/timer.ts'

/** That no stream can be had: `new` until it is known whether the show has ended. */
export type StreamTrouble = 'none' | 'new' | 'lasting'

/** For so many ms after a break, as the next answer of the service tells whether the show has ended. */
const isNewFor = 1500

/** Notes when a stream breaks off; `lasts` is called when it has not come back for a while. */
export function createStreamTrouble(lasts: () => void) {
  let now: StreamTrouble = 'none'
  let cancel: (() => void) | undefined
  return {
    get now(): StreamTrouble {
      return now
    },
    /** Whether it is the first break since it played. */
    begins(): boolean {
      if (now !== 'none') return false
      now = 'new'
      cancel = later(isNewFor, () => {
        now = 'lasting'
        lasts()
      })
      return true
    },
    over(): void {
      cancel?.()
      now = 'none'
    },
  }
}
