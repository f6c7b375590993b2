import type { Timers } from './connection.ts'

const askEvery = 5_000
const answerWithin = 8_000

/** Reports a connection without an answer in 8 s: a lost network does not close it. Refusals are answers. */
export function watchLine(ask: () => Promise<unknown>, signal: AbortSignal, timers: Timers, dead: () => void): void {
  let stop = (): void => undefined
  const wait = (): void => {
    if (!signal.aborted) stop = timers.after(askEvery, question)
  }
  const question = (): void => {
    let answered = false
    const callOff = timers.after(answerWithin, () => {
      answered = true
      if (!signal.aborted) dead()
    })
    stop = callOff
    const came = (): void => {
      if (answered) return
      answered = true
      callOff()
      wait()
    }
    ask().then(came, came)
  }
  signal.addEventListener('abort', () => stop(), { once: true })
  wait()
}
