import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import {
  copyCheckSum,
  copyHeaders,
  copyLine,
  copyResendAfter,
  type MessageCopy,
} from '../../../contract/callbacks/copy.ts'
import { copyKindsAtFirst } from '../../../contract/operations/copy-kinds.ts'
import type { CopyKind } from '../../../contract/operations/copy-kinds.ts'
import type { Application } from '../../applications.ts'
import type { Outbox } from '../../outbox/outbox.ts'
import type { DeliveryKind } from '../../outbox/outbox-options.ts'
import type { Tables } from '../../storage/schema.ts'
import type { Store } from '../../storage/store.ts'

/** Name of this kind of delivery in the log. */
export const copyKind = 'copy'

/** Where copies go, and which kinds are active. Without an address nothing is copied. */
export interface CopyTarget {
  readonly url?: string
  readonly kinds: readonly CopyKind[]
}

/** Message copies (3-chatrooms Events): what goes to the developer's address, and when. */
export interface Copies {
  /** Whether events of a kind are copied; from memory. */
  wants(uid: number, eventType: CopyKind): boolean
  /** Puts a copy into the outbox, in the caller's transaction, where its kind is active. Those that are put in at once, without waiting for each other, are written together. */
  enqueue(transaction: Kysely<Tables>, uid: number, copy: MessageCopy): Promise<void>
  /** The receive address and the active kinds; from memory. */
  target(uid: number): CopyTarget
  /** Sets them. What still waits goes to the new address from now on, at once; without an address it ends as failed. */
  set(uid: number, target: CopyTarget): Promise<void>
}

const sha1 = (text: string): string => hash('sha1', text, 'hex')

/** How copies are signed and resent: with the time and the key pair of each attempt (behaviour.md#message-copies). */
export const copyDelivery = ({
  byUid,
  clock,
}: {
  readonly byUid: (uid: number) => Pick<Application, 'appKey' | 'appSecret'> | undefined
  readonly clock: () => number
}): DeliveryKind => ({
  resendAfter: copyResendAfter,
  headers(uid, body) {
    const application = byUid(uid)
    if (!application) return Promise.reject(new Error('the key pair of this application is not known'))
    const md5 = hash('md5', body, 'hex')
    const curTime = String(clock())
    return Promise.resolve({
      [copyHeaders.appKey]: application.appKey,
      [copyHeaders.curTime]: curTime,
      [copyHeaders.md5]: md5,
      [copyHeaders.checkSum]: copyCheckSum(sha1, application.appSecret, md5, curTime),
    })
  },
})

/** Makes the copies over the store and the outbox that carries them; every application's target is in memory. */
export async function createCopies({
  store: { db, durable },
  outbox,
}: {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
}): Promise<Copies> {
  const none: CopyTarget = { kinds: copyKindsAtFirst }
  const targets = new Map<number, CopyTarget>()
  for (const { uid, url, kinds } of await db.selectFrom('copyTarget').selectAll().execute())
    targets.set(uid, { ...(url !== null && { url }), kinds: JSON.parse(kinds) as CopyKind[] })
  const wants = (uid: number, eventType: CopyKind): boolean => {
    const target = targets.get(uid)
    return target?.url !== undefined && target.kinds.includes(eventType)
  }

  return {
    wants,
    async enqueue(transaction, uid, copy) {
      const url = targets.get(uid)?.url
      if (url === undefined || !wants(uid, Number(copy.eventType) as CopyKind)) return
      await outbox.put(transaction, {
        uid,
        kind: copyKind,
        url,
        line: copyLine(copy),
        body: () => JSON.stringify(copy),
      })
    },
    target: (uid) => targets.get(uid) ?? none,
    async set(uid, target) {
      const before = targets.get(uid)
      try {
        await durable(async (transaction) => {
          // From here on: nobody else has a transaction until this one ends, and copies of later ones must not go to the old address.
          targets.set(uid, target)
          const values = { url: target.url ?? null, kinds: JSON.stringify(target.kinds) }
          await transaction
            .insertInto('copyTarget')
            .values({ uid, ...values })
            .onConflict((conflict) => conflict.column('uid').doUpdateSet(values))
            .execute()
          if (target.url === undefined) await outbox.drop(transaction, { uid, kind: copyKind })
          else await outbox.redirect(transaction, { uid, kind: copyKind, url: target.url })
        })
      } catch (error) {
        if (before) targets.set(uid, before)
        else targets.delete(uid)
        throw error
      }
    },
  }
}
