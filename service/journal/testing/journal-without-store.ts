import type { Kysely } from 'kysely'
import { createKeyedSerial, createSerial } from '../../../platform/serial.ts'
import type { Tables } from '../../storage/schema.ts'
import type { ChangeKind, ChangeRules, Journal } from '../journal.ts'

const noTransaction = undefined as unknown as Kysely<Tables>

/** A journal for tests that store nothing: changes are stored without a transaction, one after the other. */
export function journalWithoutStore(): Journal {
  const inOrder = createSerial()
  return {
    kind<Change>(_name: string, { store, apply }: ChangeRules<Change>): ChangeKind<Change> {
      const commit: ChangeKind<Change>['commit'] = (change, also) =>
        inOrder(async () => {
          await store(noTransaction, change)
          await also?.(noTransaction)
          apply(change)
        })
      const inTurn = createKeyedSerial<string | number>()
      return {
        commit,
        commitDurably: commit,
        ofEvent: (change) => ({ store: () => store(noTransaction, change), apply: () => apply(change) }),
        inTurn,
        idle: inTurn.idle,
      }
    },
  }
}
