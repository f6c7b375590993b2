import { manualWallClock, type ManualWallClock } from '../../../platform/testing/manual-clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../log.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import type { Store } from '../../storage/store.ts'

import type { NewEvent, StoredEvent } from '../../events/event.ts'
import { createMessagingStream, type MessagingStream } from '../stream.ts'
import type { KeepDays } from '../keep-days.ts'

/** A stream with its own store, without a service. */
export interface StreamRig {
  readonly store: Store
  readonly stream: MessagingStream
  readonly clock: ManualWallClock
  readonly delivered: StoredEvent[]
  /** Teams of each account (tid and since), filled by a test. */
  readonly teams: Map<string, { tid: number; since: number }[]>
  readonly keep: { -readonly [K in keyof KeepDays]: KeepDays[K] }
  /** Opens another stream over the same database, as another process would. */
  another(): Promise<{ readonly store: Store; readonly stream: MessagingStream }>
  /** Reopens the store. */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** A text message between two accounts; `more` replaces defaults. */
export const message = (from: string, to: string, body: string, more: Partial<NewEvent> = {}): NewEvent => ({
  uid: 1,
  from,
  to: { accids: [to] },
  frame: {
    t: 'message',
    scene: 'p2p',
    from,
    to,
    type: 0,
    body: JSON.stringify({ msg: body }),
    fromClientType: 'REST',
    push: true,
    badge: true,
  },
  keep: { history: true, roam: true, offline: true },
  ...more,
})
/** A text message to a team; `more` replaces defaults. */
export const teamMessage = (from: string, tid: number, body: string, more: Partial<NewEvent> = {}): NewEvent => ({
  ...message(from, String(tid), body),
  to: { tid },
  frame: {
    t: 'message',
    scene: 'team',
    from,
    to: String(tid),
    type: 0,
    body: JSON.stringify({ msg: body }),
    fromClientType: 'REST',
    push: true,
    badge: true,
  },
  ...more,
})
/** Texts of message frames. */
export const textsOf = (events: readonly { readonly frame: object }[]): string[] =>
  events.map(({ frame }) =>
    'body' in frame && typeof frame.body === 'string' ? (JSON.parse(frame.body) as { msg: string }).msg : '?',
  )

/** Opens a stream in its own folder. */
export async function startStream(more: { readonly maxWaiting?: number } = {}): Promise<StreamRig> {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-stream-'))
  const clock = manualWallClock()
  const delivered: StoredEvent[] = []
  const teams: StreamRig['teams'] = new Map()
  const keep = { historyDays: 30, roamingDays: 7, offlineDays: 7 }
  const open = async (): Promise<{ store: Store; stream: MessagingStream }> => {
    const store = await openStore(folder)
    const stream = await createMessagingStream({
      db: store.db,
      clock,
      log: silentLog,
      memberships: { membershipsOf: (_uid, accid) => teams.get(accid) ?? [] },
      keep: () => keep,
      ...more,
    })
    stream.on((event) => void delivered.push(event))
    return { store, stream }
  }
  let opened = await open()
  const others: Store[] = []
  return {
    get store() {
      return opened.store
    },
    get stream() {
      return opened.stream
    },
    clock,
    delivered,
    teams,
    keep,
    async another() {
      const other = await open()
      others.push(other.store)
      return other
    },
    async reopen() {
      await opened.store.close()
      opened = await open()
    },
    async close() {
      for (const store of others) await store.close()
      await opened.store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
