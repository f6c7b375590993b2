import type { Kysely } from 'kysely'
import type { Tables } from '../../storage/schema.ts'
import { createWordMatcher } from './word-matcher.ts'

/** The word list of an application. */
export interface WordList {
  readonly words: readonly string[]
  /** Caught lines of rooms wait for a moderator. */
  readonly hold: boolean
}

/** What messages must not say, by application, in memory (behaviour.md#word-list). */
export interface Words {
  /** Whether a text holds a word of the list. */
  catches(uid: number, text: string): boolean
  read(uid: number): WordList
  /** Replaces the list; it is stored first and then counts. */
  replace(uid: number, list: WordList): Promise<void>
}

const none: WordList = { words: [], hold: false }

/** Loads the lists and keeps them. */
export async function createWords(db: Kysely<Tables>): Promise<Words> {
  const lists = new Map<number, { readonly list: WordList; readonly holdsOne: (text: string) => boolean }>()
  const keep = (uid: number, list: WordList): void => void lists.set(uid, { list, holdsOne: createWordMatcher(list.words) })
  for (const { uid, words, hold } of await db.selectFrom('wordList').selectAll().execute())
    keep(uid, { words: JSON.parse(words) as string[], hold: hold === 1 })
  return {
    catches: (uid, text) => lists.get(uid)?.holdsOne(text) ?? false,
    read: (uid) => lists.get(uid)?.list ?? none,
    async replace(uid, list) {
      const row = { words: JSON.stringify(list.words), hold: Number(list.hold) }
      await db
        .insertInto('wordList')
        .values({ uid, ...row })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(row))
        .execute()
      keep(uid, list)
    },
  }
}
