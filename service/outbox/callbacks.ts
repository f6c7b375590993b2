import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { callbackSign, resendAfter, signHeader, type RecordingCallback } from '../../contract/callbacks/recording.ts'
import type { Store } from '../storage/store.ts'
import type { CallbackTable, Tables } from '../storage/schema.ts'
import type { Outbox } from './outbox.ts'
import type { DeliveryKind } from './outbox-options.ts'

/** A finished file that its owner is told of: the row's own values (1-live Events). */
export interface RecordedFile {
  readonly uid: number
  readonly cid: string
  readonly vid: number
  /** `video_name`. */
  readonly name: string
  /** `orig_video_key`. */
  readonly key: string
  /** Times in ms; a merged file's are not told. */
  readonly begin: number
  readonly end: number
  readonly merged: boolean
}

/** Where the callbacks of each application go, and what signs them. */
export interface Callbacks {
  /** The address, when one is set, and the signing key; a random key is made for an application that has none (behaviour.md#recording-callbacks). */
  read(uid: number): Promise<{ readonly url: string | null; readonly signKey: string }>
  /** Sets the address; what still waits goes there from now on, at once (docs/decisions/003-callbacks.md). */
  setAddress(uid: number, url: string): Promise<void>
  /** Sets the key; what still waits is signed with it from now on. */
  setSignKey(uid: number, signKey: string): Promise<void>
  /** Puts the callback of a file into the outbox, in the caller's transaction, so that row and message are there together or not at all. Without an address nothing is put in. */
  enqueueCallback(transaction: Kysely<Tables>, file: RecordedFile): Promise<void>
}

/** Name of this kind of delivery in the log. */
export const recordingKind = 'recording'

const md5 = (text: string): string => hash('md5', text, 'hex')
const bodyOf = (nId: string, { uid, cid, vid, name, key, begin, end, merged }: RecordedFile): RecordingCallback => ({
  video_name: name,
  orig_video_key: key,
  uid: String(uid),
  vid: String(vid),
  cid,
  ...(!merged && { beginTime: String(begin), endTime: String(end) }),
  nId,
})

/** The file that the body of a recording callback tells of. */
export const fileOf = (body: string): number => Number((JSON.parse(body) as RecordingCallback).vid)

/** Reads an application's row, making it with a random key when it is not there. */
async function rowOf(db: Kysely<Tables>, uid: number, random: (bytes: number) => Buffer): Promise<CallbackTable> {
  const find = () => db.selectFrom('callback').selectAll().where('uid', '=', uid)
  const row = await find().executeTakeFirst()
  if (row) return row
  await db
    .insertInto('callback')
    .values({ uid, url: null, signKey: random(16).toString('hex') })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .execute()
  return find().executeTakeFirstOrThrow()
}

/** How recording callbacks are signed and resent: with the key in force and a fresh address of the file at each attempt, of which none is kept in the log. */
export const recordingCallbacks = (
  { db }: Pick<Store, 'db'>,
  random: (bytes: number) => Buffer,
  /** Address of a file as it is reached now; none is told when absent. */
  fileUrl?: (uid: number, file: { readonly vid: number; readonly format: number }) => string,
): DeliveryKind => ({
  resendAfter,
  ...(fileUrl && {
    body(uid: number, logged: string) {
      const fields = JSON.parse(logged) as RecordingCallback
      const origUrl = fileUrl(uid, { vid: Number(fields.vid), format: fields.orig_video_key.endsWith('.flv') ? 1 : 0 })
      return JSON.stringify({ ...fields, origUrl })
    },
  }),
  async headers(uid, body) {
    const { signKey } = await rowOf(db, uid, random)
    return { [signHeader]: callbackSign(md5, JSON.parse(body) as Record<string, string>, signKey) }
  },
})

/** Makes the callbacks over a store and the outbox that carries them. */
export function createCallbacks({
  store: { db, durable },
  outbox,
  random,
}: {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly outbox: Pick<Outbox, 'put' | 'redirect'>
  readonly random: (bytes: number) => Buffer
}): Callbacks {
  const change = (
    uid: number,
    values: Partial<Pick<CallbackTable, 'url' | 'signKey'>>,
    more?: (transaction: Kysely<Tables>) => Promise<void>,
  ): Promise<void> =>
    durable(async (transaction) => {
      await rowOf(transaction, uid, random)
      await transaction.updateTable('callback').set(values).where('uid', '=', uid).execute()
      await more?.(transaction)
    })
  return {
    read: (uid) => rowOf(db, uid, random),
    setAddress: (uid, url) =>
      change(uid, { url }, (transaction) => outbox.redirect(transaction, { uid, kind: recordingKind, url })),
    setSignKey: (uid, signKey) => change(uid, { signKey }),
    async enqueueCallback(transaction, file) {
      const { url } = await rowOf(transaction, file.uid, random)
      if (url === null) return
      await outbox.put(transaction, {
        uid: file.uid,
        kind: recordingKind,
        url,
        body: (nId) => JSON.stringify(bodyOf(nId, file)),
      })
    },
  }
}
