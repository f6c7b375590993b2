import { isIP } from 'node:net'
import type { Kysely } from 'kysely'
import type { LocalEvent } from '../../contract/local-events.ts'
import { maxTargets } from '../../contract/operations/targets.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Channels } from '../channels/channels.ts'
import type { Served } from '../http/dispatch.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import type { Resolve } from '../outbox/address-guard.ts'
import { interfaceAddresses } from '../outbox/system-resolve.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import type { ServiceOptions } from '../service.ts'
import type { Tables } from '../storage/schema.ts'
import { version } from '../version.ts'
import { isLoopback } from '../public-addresses.ts'
import type { TargetAddress } from './target-address.ts'
import { fileKeys, memoryKeys, wasReplaced } from './target-keys.ts'
import { targetOperations, type TargetOperationOptions } from './target-operations.ts'
import { createTargetsStore } from './targets-store.ts'
import { createTargets, type TargetSource } from './targets.ts'

/** How long a new address may take to be resolved, in ms. */
const resolvePatience = 2000

/** Wires the targets with their keys, events and operations. */
export async function createTargetService(options: {
  readonly db: Kysely<Tables>
  readonly dataDir: string
  readonly channels: Pick<Channels, 'get' | 'on'>
  readonly hub: Pick<Hub, 'on' | 'stream' | 'lastKbps'>
  /** What viewers get of the hub: held and delayed. */
  readonly lines: TargetSource['hub']
  readonly tell: (uid: number, event: LocalEvent) => void
  readonly choices: Pick<ServiceOptions, 'targetKeysInFile' | 'recovery'>
  readonly quarantine: Pick<Quarantine, 'list' | 'files' | 'setAside'>
  readonly resolve: Resolve
  readonly ownPorts: () => readonly number[]
  readonly ca: string | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Pick<Log, 'info' | 'warn'>
}) {
  const { db, dataDir, channels, hub, lines, tell, choices, quarantine, resolve, ownPorts, ca, clock, random, log } =
    options
  const uidOf = (cid: string): number | undefined => channels.get(cid)?.row.uid
  const store = createTargetsStore(db)
  const isReplaced = (): boolean => choices.recovery !== undefined || wasReplaced(quarantine)
  const fromFile = async () => fileKeys(dataDir, { targets: await store.load(), isReplaced, quarantine, log })
  const targets = await createTargets({
    store,
    keys: choices.targetKeysInFile === true ? await fromFile() : memoryKeys(),
    source: { hub: lines, on: hub.on },
    connection: { resolve, ownPorts, ownAddresses: interfaceAddresses, program: `Sidestage/${version}`, ca },
    clock,
    random,
    maxTargets,
    log,
    changed(cid, targetId, progress) {
      const uid = uidOf(cid)
      if (uid !== undefined) tell(uid, { type: 'target', at: clock.now(), cid, targetId, ...progress })
    },
  })
  /** Whether an address leads here, also by a name; one that does not resolve in time is tried as it is. */
  const isOwn = async ({ host, port }: TargetAddress): Promise<boolean> => {
    if (!ownPorts().includes(port)) return false
    const isHere = (one: string): boolean => isLoopback(one) || interfaceAddresses().includes(one)
    if (isHere(host) || isIP(host) !== 0) return isHere(host)
    let cancel = (): void => undefined
    const late = new Promise<readonly string[]>((done) => (cancel = clock.after(resolvePatience, () => done([]))))
    const found = await Promise.race([resolve(host).catch(() => []), late]).finally(() => cancel())
    return found.some(isHere)
  }
  const leave = channels.on(({ row }, change) => {
    if (change !== 'deleted') return
    targets.forget(row.cid).catch((error: unknown) => {
      log.warn({ err: error, cid: row.cid }, 'targets of a deleted channel could not be forgotten')
    })
  })
  const pushKbps = (cid: string): number | undefined => (hub.stream(cid) ? (hub.lastKbps(cid) ?? 0) : undefined)
  return {
    /** Upload to targets of an application, in kbit/s. */
    kbps: (uid: number): number => targets.kbps((cid) => uidOf(cid) === uid),
    operations: (viewers: Pick<TargetOperationOptions, 'budget' | 'waiting'>): Served[] =>
      targetOperations({ targets, channels, pushKbps, budget: viewers.budget, waiting: viewers.waiting, isOwn }),
    async close(): Promise<void> {
      leave()
      await targets.close()
    },
  }
}
