import { isIP } from 'node:net'
import type { LocalEvent } from '../../contract/local-events.ts'
import { maxTargets } from '../../contract/operations/targets.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Channels } from '../channels/channels.ts'
import type { Served } from '../http/dispatch.ts'
import type { Hub } from '../hub/hub.ts'
import type { Journal } from '../journal/journal.ts'
import type { MediaCounts } from '../hub/media-counts.ts'
import type { Log } from '../log.ts'
import type { Resolve } from '../outbox/address-guard.ts'
import { interfaceAddresses } from '../outbox/system-resolve.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import type { ServiceOptions } from '../service.ts'
import type { Store } from '../storage/store.ts'
import { version } from '../version.ts'
import { isLoopback } from '../public-addresses.ts'
import type { TargetAddress } from './target-address.ts'
import { shareKeys } from './shared-keys.ts'
import { fileKeys, memoryKeys, wasReplaced } from './target-keys.ts'
import { targetOperations, type TargetOperationOptions } from './target-operations.ts'
import { createTargetsStore } from './targets-store.ts'
import { createTargets, type TargetSource } from './targets.ts'

/** How long a new address may take to be resolved, in ms. */
const resolvePatience = 2000

/** Wires the targets with their keys, events and operations. */
export async function createTargetService(options: {
  readonly store: Pick<Store, 'db' | 'newNumber'>
  readonly journal: Journal
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
  readonly mediaCounts?: Pick<MediaCounts, 'target'> | undefined
  readonly bus: Bus
  readonly commands: NodeCommands
  /** In a cluster. */
  readonly redis: object | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Pick<Log, 'info' | 'warn'>
}) {
  const { journal, dataDir, channels, hub, lines, tell, choices, quarantine, resolve, ownPorts, ca } = options
  const { clock, random, log } = options
  const uidOf = (cid: string): number | undefined => channels.get(cid)?.row.uid
  const store = createTargetsStore(options.store)
  const isReplaced = (): boolean => choices.recovery !== undefined || wasReplaced(quarantine)
  const fromFile = async () => fileKeys(dataDir, { targets: await store.load(), isReplaced, quarantine, log })
  const own = choices.targetKeysInFile === true ? await fromFile() : memoryKeys()
  const shared = options.redis && shareKeys({ ...options, keys: own })
  const targets = await createTargets({
    store,
    journal,
    keys: shared?.keys ?? own,
    source: { hub: lines, on: hub.on },
    connection: { resolve, ownPorts, ownAddresses: interfaceAddresses, program: `Sidestage/${version}`, ca },
    clock,
    random,
    maxTargets,
    outdated: shared?.outdated,
    counts: options.mediaCounts?.target,
    log,
    changed(cid, targetId, progress) {
      const uid = uidOf(cid)
      // The node that has the push tells of its targets.
      const isElsewhere = channels.get(cid)?.since !== undefined && !hub.stream(cid)
      if (uid !== undefined && !isElsewhere) tell(uid, { type: 'target', at: clock.now(), cid, targetId, ...progress })
    },
  })
  shared?.start(targets)
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
    totals: targets.totals,
    operations: (viewers: Pick<TargetOperationOptions, 'budget' | 'waiting'>): Served[] =>
      targetOperations({ targets, channels, pushKbps, budget: viewers.budget, waiting: viewers.waiting, isOwn }),
    async close(): Promise<void> {
      leave()
      shared?.close()
      await targets.close()
    },
  }
}
