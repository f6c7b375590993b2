import type { Clock } from '../platform/clock.ts'
import { createBoundedLines, type BoundedLines } from '../platform/bounded-lines.ts'
import type { Log } from './log.ts'

/** Lines with one sentence: enough for encoders that all reconnect, more per second than people read. */
export const sentenceRate = { perSecond: 10, atOnce: 300 } as const
/** Distinct sentences; further ones share one rate. */
const maxSentences = 500

/** A log with a rate per sentence, except `debug`; the next line has the number of dropped ones as `leftOut`. */
export function createBoundedLog(log: Log, clock: Pick<Clock, 'monotonic'>): Log {
  const sentences = new Map<string, BoundedLines>()
  const others = createBoundedLines(clock, sentenceRate)
  const linesOf = (sentence: string): BoundedLines => {
    const present = sentences.get(sentence)
    if (present) return present
    if (sentences.size >= maxSentences) return others
    const lines = createBoundedLines(clock, sentenceRate)
    sentences.set(sentence, lines)
    return lines
  }
  const bounded =
    (level: 'info' | 'warn' | 'error') =>
    (fields: object, sentence: string): void =>
      linesOf(sentence).line((leftOut) => log[level]({ ...fields, ...leftOut }, sentence))
  return {
    debug: (fields, sentence) => log.debug(fields, sentence),
    info: bounded('info'),
    warn: bounded('warn'),
    error: bounded('error'),
  }
}
