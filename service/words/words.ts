import type { Kysely } from 'kysely'
import type { Journal } from '../journal/journal.ts'
import type { Tables } from '../storage/schema.ts'
import { buildWordMatcher, type WordMatcher } from './word-matcher.ts'
import { createSerial } from '../../platform/serial.ts'

/** The word list of an application. */
export interface WordList {
  readonly words: readonly string[]
  /** Caught lines of rooms are held for a moderator. */
  readonly hold: boolean
}

/** Word lists of all applications, in memory (behaviour.md#word-list). */
export type Words = Awaited<ReturnType<typeof createWords>>

const none: WordList = { words: [], hold: false }

/** Loads the lists. `turn` yields while a long list is built; by default an event-loop turn. */
export async function createWords(
  db: Kysely<Tables>,
  journal: Journal,
  turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve)),
) {
  const lists = new Map<number, { readonly list: WordList; readonly holdsOne: WordMatcher }>()
  const keep = async (uid: number, list: WordList): Promise<void> =>
    void lists.set(uid, { list, holdsOne: await buildWordMatcher(list.words, turn) })
  for (const { uid, words, hold } of await db.selectFrom('wordList').selectAll().execute())
    await keep(uid, { words: JSON.parse(words) as string[], hold: hold === 1 })
  /** Lists are built one at a time, as each may need much memory. */
  const inTurn = createSerial()
  let built = Promise.resolve()
  const changes = journal.kind<{ readonly uid: number; readonly list: WordList }>('words', {
    async store(transaction, { uid, list }) {
      const row = { words: JSON.stringify(list.words), hold: Number(list.hold) }
      await transaction
        .insertInto('wordList')
        .values({ uid, ...row })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(row))
        .execute()
    },
    apply({ uid, list }) {
      built = inTurn(() => keep(uid, list))
      // Who replaced the list hears of it; where two came at once, nobody may wait for the first.
      built.catch(() => undefined)
    },
  })
  return {
    catches: (uid: number, text: string) => lists.get(uid)?.holdsOne(text) ?? false,
    read: (uid: number): WordList => lists.get(uid)?.list ?? none,
    /** Replaces the list; stored before it takes effect. */
    async replace(uid: number, list: WordList): Promise<void> {
      await changes.commit({ uid, list })
      await built
    },
  }
}
