import { createBoundedLines, type BoundedLines } from '../platform/bounded-lines.ts'
import type { Log } from './log.ts'

/** Lines with the same sentence: more at once than encoders that all come back after a restart, and more a second than a person reads. */
export const sentenceRate = { perSecond: 10, atOnce: 300 } as const
/** Sentences that are told apart; all further ones share one rate. */
const maxSentences = 500

/**
 * A log with a bound for each sentence, for what callers, encoders and viewers can make the service say again and again: lines beyond it are left
 * out, and the next one with the same sentence has their number as `leftOut`. `monotonic` is in ms. Lines of the level `debug` are not bounded.
 */
export function createBoundedLog(log: Log, monotonic: () => number): Log {
  const sentences = new Map<string, BoundedLines>()
  const others = createBoundedLines(monotonic, sentenceRate)
  const linesOf = (sentence: string): BoundedLines => {
    const present = sentences.get(sentence)
    if (present) return present
    if (sentences.size >= maxSentences) return others
    const lines = createBoundedLines(monotonic, sentenceRate)
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
