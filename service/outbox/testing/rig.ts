import { systemClock, type Clock } from '../../../platform/clock.ts'
import { readReason } from '../../../contract/catalogue/reasons.ts'
import { wordsOf } from '../reason-words.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplications } from '../../applications.ts'
import { silentLog, type Log } from '../../log.ts'
import { copyDelivery, copyKind, createCopies, type Copies } from '../../copies/copies.ts'
import type { DeliveryTable } from '../../storage/schema.ts'
import { createMemoryJournal } from '../../journal/memory-journal.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import type { Spans } from '../../tracing/spans.ts'
import type { Store } from '../../storage/store.ts'
import { createAddressGuard, type Resolve } from '../address-guard.ts'
import {
  createCallbacks,
  liveCallbackKind,
  liveKind,
  recordingCallbacks,
  recordingKind,
  type Callbacks,
  type CallbackFile,
} from '../callbacks.ts'
import { createOutbox, type Outbox } from '../outbox.ts'
import { systemResolve } from '../system-resolve.ts'

/** An outbox with its own store, without a service. */
export interface Rig {
  readonly uid: number
  readonly otherUid: number
  readonly dataDir: string
  readonly store: Store
  readonly outbox: Outbox
  readonly callbacks: Callbacks
  readonly copies: Copies
  /** Queues the callback of a file as the recorder does; returns its log entry. */
  enqueue(file?: Partial<CallbackFile>): Promise<DeliveryTable>
  /** An entry of the log, its result in words. */
  entry(nId: string): Promise<DeliveryTable>
  /** Closes outbox and store; keeps the data. */
  stop(): Promise<void>
  /** Closes everything and removes the data. */
  close(): Promise<void>
}

/** What a test chooses. */
export interface RigOptions {
  readonly clock?: Clock
  readonly gatherFor?: number
  readonly dataDir?: string
  readonly resolve?: Resolve
  readonly local?: boolean
  readonly ownPorts?: readonly number[]
  readonly log?: Log
  readonly ca?: string
  readonly spans?: Spans | undefined
}

/** A file as the recorder passes it. */
export const someFile = (uid: number): CallbackFile => ({
  uid,
  cid: '0123456789abcdef0123456789abcdef',
  vid: 4711,
  name: '晚会_20270115-080000_20270115-082000',
  key: '0123456789abcdef0123456789abcdef_1800000000000_1800001200000_4711-00001.mp4',
  begin: 1_800_000_000_000,
  end: 1_800_001_200_000,
  merged: false,
})

/** Opens the store, makes two applications and starts an outbox. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sidestage-outbox-'))
  const { clock = systemClock } = options
  const random = (bytes: number): Buffer => randomBytes(bytes)
  const store = await openStore(dataDir)
  const journal = createMemoryJournal(store)
  const applications = await createApplications(
    store.db,
    [
      { name: 'main', credentials: { appKey: 'a', appSecret: 'a' } },
      { name: 'other', credentials: { appKey: 'b', appSecret: 'b' } },
    ],
    { journal, clock, random, localTargets: options.local ?? true },
  )
  const uid = applications.byKey('a')!.uid
  const outbox = await createOutbox({
    store,
    guard: createAddressGuard({
      resolve: options.resolve ?? systemResolve,
      ownPorts: () => options.ownPorts ?? [],
      ownAddresses: () => [],
    }),
    kinds: {
      [recordingKind]: recordingCallbacks(store, random),
      [liveKind]: liveCallbackKind(store, random),
      [copyKind]: copyDelivery({ byUid: (one) => applications.byUid(one), clock }),
    },
    localAllowed: async (one) => (await applications.readSettings(one)).localTargets,
    clock,
    random,
    log: options.log ?? silentLog,
    gatherFor: options.gatherFor,
    spans: options.spans,
    ...(options.ca !== undefined && { ca: options.ca }),
  })
  const callbacks = createCallbacks({ store, outbox, random })
  const copies = await createCopies({ db: store.db, journal, outbox })
  outbox.start()
  // Rows that a test writes itself come after it, on every database.
  await outbox.looked()
  const stop = async (): Promise<void> => {
    await outbox.close()
    await store.close()
  }
  return {
    uid,
    otherUid: applications.byKey('b')!.uid,
    dataDir,
    store,
    outbox,
    callbacks,
    copies,
    async enqueue(file = {}) {
      await store.durable((transaction) => callbacks.enqueueCallback(transaction, { ...someFile(uid), ...file }))
      return (await outbox.list(file.uid ?? uid, 1, undefined))[0]!
    },
    entry: async (nId) => {
      const row = (await outbox.find(nId))!
      const result = readReason('delivery', row.result)
      return { ...row, result: result ? wordsOf(result) : row.result }
    },
    stop,
    async close() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
