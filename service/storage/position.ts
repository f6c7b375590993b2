import type { Kysely } from 'kysely'
import { afterCommit } from './after-commit.ts'
import { isServer } from './engine.ts'
import type { Tables } from './schema.ts'

/** Tables of one row, which has the last number that was given. */
type PositionTable = 'streamPosition' | 'linePosition'

/**
 * Gives numbers from a row of the database, so that no two processes give the same. `ahead` more are taken at once from
 * a file, where a further page in each commit is what costs: a restart leaves out the rest of them.
 */
export function createPosition(db: Kysely<Tables>, table: PositionTable, { ahead = 0 } = {}) {
  const advance = db
    .updateTable(table)
    .set((row) => ({ value: row('value', '+', 0) }))
    .returning('value')
    .compile()
  const move = db.updateTable(table).set({ value: 0 }).where('value', '=', 0).compile()
  const ofRow = async (transaction: Kysely<Tables>, count: number): Promise<number> => {
    const { rows } = await transaction.executeQuery<{ value: number }>({ ...advance, parameters: [count] })
    return rows[0]!.value - count + 1
  }
  const isShared = isServer(db)
  /** Numbers taken ahead: the next one, and the end. */
  let next = 0
  let end = 0
  /** What the row has, unless a transaction failed or another process took some. */
  let last = -1

  return {
    /**
     * The first of so many new numbers, greater than all before. On a server the row is locked until the transaction
     * ends: numbers are committed in their order, so that who has seen one sees none below it later.
     */
    async take(transaction: Kysely<Tables>, count: number): Promise<number> {
      if (isShared) return ofRow(transaction, count)
      if (ahead > 0) {
        if (end - next < count) {
          const first = await ofRow(transaction, count + ahead)
          await afterCommit(transaction, () => ([next, end] = [first + count, first + count + ahead]))
          return first
        }
        next += count
        return next - count
      }
      // Returning a row costs SQLite as much as the update.
      const first = last + 1
      const { numAffectedRows } = await transaction.executeQuery({ ...move, parameters: [last + count, last] })
      const found = numAffectedRows === 1n ? first : await ofRow(transaction, count)
      last = found + count - 1
      return found
    },
  }
}
