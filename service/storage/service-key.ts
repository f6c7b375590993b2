import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

const length = 32

/** Reads a key by name, creating it at random: for signatures that must survive a restart. */
export async function serviceKey(db: Kysely<Tables>, name: string, random: (bytes: number) => Buffer): Promise<Buffer> {
  await db
    .insertInto('serviceKey')
    .values({ name, key: random(length).toString('hex') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { key } = await db.selectFrom('serviceKey').select('key').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(key, 'hex')
}
