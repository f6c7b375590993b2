import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { callbackSign, resendAfter, signHeader, type RecordingCallback } from '../../contract/callbacks/recording.ts'
import type { RecordedFile } from '../recording/recorded-file.ts'
import type { Store } from '../storage/store.ts'
import type { CallbackTable, Tables } from '../storage/schema.ts'
import type { Outbox } from './outbox.ts'
import type { DeliveryKind } from './outbox-options.ts'

/** A finished file for a callback (1-live Events); begin and end of a merged one are not sent. */
export type CallbackFile = Pick<RecordedFile, 'uid' | 'cid' | 'vid' | 'name' | 'key' | 'begin' | 'end' | 'merged'>

/** Callback address and signing key of each application. */
export type Callbacks = ReturnType<typeof createCallbacks>

/** Kind of these deliveries in the log. */
export const recordingKind = 'recording'
/** Kind of live callbacks in the log. */
export const liveKind = 'live'

const md5 = (text: string): string => hash('md5', text, 'hex')
const bodyOf = (nId: string, { uid, cid, vid, name, key, begin, end, merged }: CallbackFile): RecordingCallback => ({
  video_name: name,
  orig_video_key: key,
  uid: String(uid),
  vid: String(vid),
  cid,
  ...(!merged && { beginTime: String(begin), endTime: String(end) }),
  nId,
})

/** The file of a callback's body. */
export const fileOf = (body: string): number => Number((JSON.parse(body) as RecordingCallback).vid)

/** What an application has set; undefined before it has set or asked anything. */
export const callbackOf = (db: Kysely<Tables>, uid: number): Promise<CallbackTable | undefined> =>
  db.selectFrom('callback').selectAll().where('uid', '=', uid).executeTakeFirst()

/** Reads an application's row; creates it with a random key. */
async function rowOf(db: Kysely<Tables>, uid: number, random: (bytes: number) => Buffer): Promise<CallbackTable> {
  const row = await callbackOf(db, uid)
  if (row) return row
  await db
    .insertInto('callback')
    .values({ uid, url: null, signKey: random(16).toString('hex'), liveUrl: null })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .execute()
  return db.selectFrom('callback').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow()
}

/** Headers of a callback: its fields, signed with the current key. */
const signedBy =
  (db: Kysely<Tables>, random: (bytes: number) => Buffer): DeliveryKind['headers'] =>
  async (uid, body) => {
    const { signKey } = await rowOf(db, uid, random)
    return { [signHeader]: callbackSign(md5, JSON.parse(body) as Record<string, string>, signKey) }
  }

/** Live callbacks: resent and signed as recording callbacks. */
export const liveCallbackKind = ({ db }: Pick<Store, 'db'>, random: (bytes: number) => Buffer): DeliveryKind => ({
  resendAfter,
  headers: signedBy(db, random),
})

/** Signed with the current key; the file's address is made per attempt and not logged. */
export const recordingCallbacks = (
  { db }: Pick<Store, 'db'>,
  random: (bytes: number) => Buffer,
  /** Current address of a file; omitted when absent. */
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
  headers: signedBy(db, random),
})

/** Makes the callbacks. */
export function createCallbacks(options: {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
  readonly random: (bytes: number) => Buffer
}) {
  const {
    store: { db, durable },
    outbox,
    random,
  } = options
  const change = (
    uid: number,
    values: Partial<Pick<CallbackTable, 'url' | 'signKey' | 'liveUrl'>>,
    more?: (transaction: Kysely<Tables>) => Promise<void>,
  ): Promise<void> =>
    durable(async (transaction) => {
      await rowOf(transaction, uid, random)
      await transaction.updateTable('callback').set(values).where('uid', '=', uid).execute()
      await more?.(transaction)
    })
  return {
    /** The address if set, and the signing key, random by default (behaviour.md#recording-callbacks). */
    read: (uid: number): Promise<CallbackTable> => rowOf(db, uid, random),
    /** Sets the address; waiting callbacks go there at once (docs/decisions/003-callbacks.md). */
    setAddress: (uid: number, url: string) =>
      change(uid, { url }, (transaction) => outbox.redirect(transaction, { uid, kind: recordingKind, url })),
    /** Sets the address of live callbacks, where waiting ones go at once; without one they end. */
    setLiveAddress: (uid: number, url: string | undefined) =>
      change(uid, { liveUrl: url ?? null }, (transaction) =>
        url === undefined
          ? outbox.drop(transaction, { uid, kind: liveKind })
          : outbox.redirect(transaction, { uid, kind: liveKind, url }),
      ),
    setSignKey: (uid: number, signKey: string) => change(uid, { signKey }),
    /** Queues a file's callback in the caller's transaction. Does nothing without an address. */
    async enqueueCallback(transaction: Kysely<Tables>, file: CallbackFile) {
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
