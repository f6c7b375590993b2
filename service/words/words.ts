import type { Kysely } from 'kysely'
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
  turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve)),
) {
  const lists = new Map<number, { readonly list: WordList; readonly holdsOne: WordMatcher }>()
  const keep = async (uid: number, list: WordList): Promise<void> =>
    void lists.set(uid, { list, holdsOne: await buildWordMatcher(list.words, turn) })
  for (const { uid, words, hold } of await db.selectFrom('wordList').selectAll().execute())
    await keep(uid, { words: JSON.parse(words) as string[], hold: hold === 1 })
  /** Lists are built one at a time, as each may need much memory. */
  const inTurn = createSerial()
  return {
    catches: (uid: number, text: string) => lists.get(uid)?.holdsOne(text) ?? false,
    read: (uid: number): WordList => lists.get(uid)?.list ?? none,
    /** Replaces the list; stored before it takes effect. */
    replace: (uid: number, list: WordList) => inTurn(() => store(uid, list)),
  }
  async function store(uid: number, list: WordList): Promise<void> {
    const row = { words: JSON.stringify(list.words), hold: Number(list.hold) }
    await db
      .insertInto('wordList')
      .values({ uid, ...row })
      .onConflict((conflict) => conflict.column('uid').doUpdateSet(row))
      .execute()
    await keep(uid, list)
  }
}
