import type { Kysely } from 'kysely'
import type { GuestTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A viewer without an account, known to the link and one room only. */
export type Guest = Readonly<Omit<GuestTable, 'kept'>>

/** Which guest. */
export type GuestId = Pick<Guest, 'uid' | 'accid'>

/** A change of guests, for database and memory. */
export type GuestEdit =
  /** One has logged in. `gone` lost their places; `before`, in ms: those created until then have expired. */
  | {
      readonly kind: 'enter'
      readonly guest: Readonly<GuestTable>
      readonly gone: readonly GuestId[]
      readonly before: number | null
    }
  | ({ readonly kind: 'end' } & GuestId)
  | { readonly kind: 'allow' | 'refuse'; readonly roomid: number }

const removeOne = async (transaction: Kysely<Tables>, { uid, accid }: GuestId): Promise<void> => {
  await transaction.deleteFrom('guest').where('uid', '=', uid).where('accid', '=', accid).execute()
}
/** Deletes those created until then, in ms. */
export const removeExpired = async (executor: Kysely<Tables>, before: number): Promise<void> => {
  await executor.deleteFrom('guest').where('created', '<=', before).execute()
}

/** Writes a change in the caller's transaction. */
export async function writeGuests(transaction: Kysely<Tables>, edit: GuestEdit): Promise<void> {
  switch (edit.kind) {
    case 'enter': {
      const { accid: _accid, ...values } = edit.guest
      if (edit.before !== null) await removeExpired(transaction, edit.before)
      for (const guest of edit.gone) await removeOne(transaction, guest)
      await transaction
        .insertInto('guest')
        .values(edit.guest)
        .onConflict((conflict) => conflict.column('accid').doUpdateSet(values))
        .execute()
      return
    }
    case 'end':
      return removeOne(transaction, edit)
    case 'allow':
      await transaction.deleteFrom('guestRefusal').where('roomid', '=', edit.roomid).execute()
      return
    case 'refuse':
      await transaction
        .insertInto('guestRefusal')
        .values({ roomid: edit.roomid })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await transaction.deleteFrom('guest').where('roomid', '=', edit.roomid).execute()
  }
}
