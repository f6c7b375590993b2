/**
 * Runs `body`, which starts writes of its transaction that need not be awaited one by one. Resolves when all have
 * ended, also if `body` fails, as none may outlast the transaction; rejects with the first failure. A write may fail
 * while `body` awaits something else.
 */
export async function writeTogether(body: (start: (write: Promise<void>) => void) => Promise<void>): Promise<void> {
  const writing: Promise<void>[] = []
  const failures: unknown[] = []
  const fail = (error: unknown): void => void failures.push(error)
  await body((write) => void writing.push(write.catch(fail))).catch(fail)
  await Promise.all(writing)
  if (failures.length > 0) throw failures[0]
}
