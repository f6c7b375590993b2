import type { Timers } from './connection.ts'

/** Milliseconds between an answer and the next question, and how long an answer may take. */
const askEvery = 5_000
const answerWithin = 8_000

/**
 * Asks over an open line again and again, for a line whose other end is gone without a word (a network that changed, a computer that
 * sleeps) stays open for many minutes. Says once that it is dead when an answer does not come in 8 s; a refusal is an answer. Ends with the signal.
 */
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
