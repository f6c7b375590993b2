import type { Clock } from '../../platform/clock.ts'
import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import {
  copyCheckSum,
  copyHeaders,
  copyLine,
  copyResendAfter,
  type MessageCopy,
} from '../../contract/callbacks/copy.ts'
import { copyKindsAtFirst } from '../../contract/operations/copy-kinds.ts'
import type { CopyKind } from '../../contract/operations/copy-kinds.ts'
import type { Application } from '../applications.ts'
import type { Journal } from '../journal/journal.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { DeliveryKind } from '../outbox/outbox-options.ts'
import type { Tables } from '../storage/schema.ts'

/** Kind of these deliveries in the log. */
export const copyKind = 'copy'

/** Address and active kinds of copies; without address nothing is copied. */
export interface CopyTarget {
  readonly url?: string
  readonly kinds: readonly CopyKind[]
}

/** Message copies to the developer's address (3-chatrooms Events). */
export type Copies = Awaited<ReturnType<typeof createCopies>>

const sha1 = (text: string): string => hash('sha1', text, 'hex')

/** Copies are signed with the time and key pair of each attempt (behaviour.md#message-copies). */
export const copyDelivery = ({
  byUid,
  clock,
}: {
  readonly byUid: (uid: number) => Pick<Application, 'appKey' | 'appSecret'> | undefined
  readonly clock: Clock
}): DeliveryKind => ({
  resendAfter: copyResendAfter,
  headers(uid, body) {
    const application = byUid(uid)
    if (!application) return Promise.reject(new Error('the key pair of this application is not known'))
    const md5 = hash('md5', body, 'hex')
    const curTime = String(clock.now())
    return Promise.resolve({
      [copyHeaders.appKey]: application.appKey,
      [copyHeaders.curTime]: curTime,
      [copyHeaders.md5]: md5,
      [copyHeaders.checkSum]: copyCheckSum(sha1, application.appSecret, md5, curTime),
    })
  },
})

/** Makes the copies over store and outbox; targets are kept in memory. */
export async function createCopies(options: {
  readonly db: Kysely<Tables>
  readonly journal: Journal
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
}) {
  const { db, journal, outbox } = options
  const none: CopyTarget = { kinds: copyKindsAtFirst }
  const targets = new Map<number, CopyTarget>()
  for (const { uid, url, kinds } of await db.selectFrom('copyTarget').selectAll().execute())
    targets.set(uid, { ...(url !== null && { url }), kinds: JSON.parse(kinds) as CopyKind[] })
  const changes = journal.kind<{ readonly uid: number; readonly target: CopyTarget }>('copyTarget', {
    async store(transaction, { uid, target: { url, kinds } }) {
      const values = { url: url ?? null, kinds: JSON.stringify(kinds) }
      await transaction
        .insertInto('copyTarget')
        .values({ uid, ...values })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(values))
        .execute()
    },
    apply: ({ uid, target }) => void targets.set(uid, target),
  })
  const wants = (uid: number, eventType: CopyKind): boolean => {
    const target = targets.get(uid)
    return target?.url !== undefined && target.kinds.includes(eventType)
  }

  return {
    /** Whether a kind of event is copied; from memory. */
    wants,
    /** Queues a copy of an active kind in the caller's transaction. Concurrent ones are written together. */
    async enqueue(transaction: Kysely<Tables>, uid: number, copy: MessageCopy) {
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
    target: (uid: number): CopyTarget => targets.get(uid) ?? none,
    /** Waiting copies go to the new address at once; without one they fail. */
    set: (uid: number, target: CopyTarget): Promise<void> =>
      changes.commitDurably({ uid, target }, (transaction) =>
        target.url === undefined
          ? outbox.drop(transaction, { uid, kind: copyKind })
          : outbox.redirect(transaction, { uid, kind: copyKind, url: target.url }),
      ),
  }
}
