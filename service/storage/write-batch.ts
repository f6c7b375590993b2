interface Waiting<T> {
  readonly item: T
  readonly stored: () => void
  readonly failed: (error: unknown) => void
}

/** Items per write, so that no write blocks the database for long. */
const batchLimit = 200

/**
 * Combines writes of one event-loop turn, or during a running write, into one atomic `write`. If it fails, each item is
 * retried alone, so that a bad one fails only for its caller.
 */
export function createWriteBatch<T>(write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = []
  let writing = false

  const writeOne = async ({ item, stored, failed }: Waiting<T>): Promise<void> => {
    try {
      await write([item])
      stored()
    } catch (error) {
      failed(error)
    }
  }
  const writeAll = async (): Promise<void> => {
    for (let batch = waiting.splice(0, batchLimit); batch.length > 0; batch = waiting.splice(0, batchLimit)) {
      try {
        await write(batch.map(({ item }) => item))
        for (const { stored } of batch) stored()
      } catch (error) {
        if (batch.length === 1) batch[0]!.failed(error)
        else for (const one of batch) await writeOne(one)
      }
    }
    writing = false
  }

  return (item) =>
    new Promise((stored, failed) => {
      waiting.push({ item, stored, failed })
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
