import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** Bytes of a key. */
const length = 32

/** Reads a key of the service's own by its name, making it with random bytes when it is not there: for signatures that must outlive a restart. */
export async function serviceKey(db: Kysely<Tables>, name: string, random: (bytes: number) => Buffer): Promise<Buffer> {
  await db
    .insertInto('serviceKey')
    .values({ name, key: random(length).toString('hex') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { key } = await db.selectFrom('serviceKey').select('key').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(key, 'hex')
}
