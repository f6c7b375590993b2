import type { Histogram } from '../../platform/histogram.ts'
import { isUnchanged, presentCall, type PresentCall } from './unchanged.ts'

interface Waiting<T> {
  readonly item: T
  readonly call: PresentCall | undefined
  readonly stored: () => void
  readonly failed: (error: unknown) => void
}

/** Items per write, so that no write blocks the database for long. */
const batchLimit = 200

/**
 * Combines writes of one event-loop turn, or during a running write, into one atomic `write`. If it fails, each item is
 * retried alone, so that a bad one fails only for its caller.
 * `sizes` is told the items of each write.
 */
export function createWriteBatch<T>(
  write: (items: readonly T[]) => Promise<void>,
  sizes?: Histogram,
): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = []
  let writing = false

  const note = (batch: readonly Waiting<T>[]): void => {
    for (const { call } of batch) if (call) call.hasStored = true
  }
  const writeOne = async (one: Waiting<T>): Promise<void> => {
    const { item, stored, failed } = one
    try {
      await write([item])
      note([one])
      stored()
    } catch (error) {
      failed(error)
    }
  }
  const writeAll = async (): Promise<void> => {
    for (let batch = waiting.splice(0, batchLimit); batch.length > 0; batch = waiting.splice(0, batchLimit)) {
      sizes?.add(batch.length)
      try {
        await write(batch.map(({ item }) => item))
        note(batch)
        for (const { stored } of batch) stored()
      } catch (error) {
        if (batch.length === 1) batch[0]!.failed(error)
        else {
          // Its commit may have been made.
          if (!(error instanceof Error && isUnchanged(error))) note(batch)
          for (const one of batch) await writeOne(one)
        }
      }
    }
    writing = false
  }

  return (item) =>
    new Promise((stored, failed) => {
      waiting.push({ item, call: presentCall(), stored, failed })
      if (writing) return
      writing = true
      setImmediate(() => {
        writeAll().catch((error: unknown) => {
          writing = false
          for (const one of waiting.splice(0)) one.failed(error)
        })
      })
    })
}
