import type { Journal } from '../journal.ts'

/** A journal as other services have it. */
export interface AgainJournal extends Journal {
  /** Another service has stored a change of a kind. */
  byAnother(kind: string, change: object): void
}

const passed = <T>(change: T): T => JSON.parse(JSON.stringify(change)) as T

/**
 * Stores and makes changes from their JSON, and makes each once more, as by a service that has loaded the rows before
 * it is given the change. What is in memory must be as with the journal itself.
 */
export function madeAgain(journal: Journal): AgainJournal {
  const kinds = new Map<string, (change: never) => void>()
  return {
    kind<Change>(name: string, { store, apply }: Parameters<typeof journal.kind<Change>>[1]) {
      kinds.set(name, apply)
      return journal.kind<Change>(name, {
        store: (transaction, change) => store(transaction, passed(change)),
        apply(change) {
          apply(passed(change))
          apply(passed(change))
        },
      })
    },
    byAnother: (kind, change) => kinds.get(kind)!(passed(change) as never),
  }
}
