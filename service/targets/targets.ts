import { targetStarts, type targetPresets } from '../../contract/operations/targets.ts'
import type { Hub } from '../hub/hub.ts'
import type { Journal } from '../journal/journal.ts'
import type { WayCounts } from '../hub/media-counts.ts'
import type { Log } from '../log.ts'
import type { ReaderQueuesOptions, ReaderSource } from '../hub/reader-queue.ts'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import { createTarget, type Target, type TargetProgress, type TargetSettings, type TargetState } from './target.ts'
import { connectTarget, type ConnectionOptions } from './target-connection.ts'
import { measureEvery } from './target-intake.ts'
import { createTargetLog } from './target-log.ts'
import { createTargetQueues } from './target-queues.ts'
import type { KeyPlace, TargetKeys } from './target-keys.ts'
import type { TargetEdit, TargetRow, TargetsStore } from './targets-store.ts'

/** Which targets a channel has, and where their stream comes from. */
export interface TargetSource {
  readonly hub: ReaderSource & { stream(cid: string): object | undefined }
  /** Begin and end of pushes. */
  readonly on: Hub['on']
}

/** Settings that change; absent ones stay. */
export interface TargetChange {
  readonly name?: string | undefined
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly start?: (typeof targetStarts)[number] | undefined
}

/** Passes pushes on to other servers. */
export type Targets = Awaited<ReturnType<typeof createTargets>>

const settingsOf = ({ url, start }: TargetRow): TargetSettings => ({ url, start: start === 'hand' ? 'hand' : 'push' })

/** Loads the targets of all channels. */
export async function createTargets(options: {
  readonly store: TargetsStore
  readonly journal: Journal
  readonly keys: TargetKeys
  readonly source: TargetSource
  readonly connection: Omit<ConnectionOptions, 'clock' | 'random'>
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly limits?: ReaderQueuesOptions['limits']
  readonly maxTargets: number
  /** In a cluster: told of a target whose newest key is not here. Versions are not counted without it. */
  readonly outdated?: (() => void) | undefined
  readonly counts?: WayCounts | undefined
  /** State of a target changed, or was measured. */
  readonly changed: (cid: string, targetId: number, progress: TargetProgress) => void
  readonly log: Pick<Log, 'info' | 'warn'>
}) {
  const { store, journal, keys, source, connection, clock, random, limits, maxTargets, outdated } = options
  const { counts, changed, log } = options
  const lines = createTargetLog(log)
  const channels = new Map<string, Map<number, { row: TargetRow; readonly target: Target }>>()
  /** Here, also of what is not stored. */
  const serial = createKeyedSerial<string>()

  const queuesOf = createTargetQueues({ source: source.hub, clock, limits, counts })
  const make = (row: TargetRow): { row: TargetRow; readonly target: Target } => {
    const { cid, targetId } = row
    const rowNow = (): TargetRow => of(cid)?.get(targetId)?.row ?? row
    const target = createTarget({
      settings: settingsOf(row),
      key: (url) => keys.get({ ...rowNow(), url }),
      join: (streamId, output) => queuesOf(streamId).join(cid, output),
      connect: (address, key, events) => connectTarget(address, key, { ...connection, clock, random }, events),
      clock,
      chance: () => random(4).readUInt32BE() / 2 ** 32,
      changed: (progress) => {
        lines.changed(rowNow(), progress)
        changed(cid, targetId, progress)
      },
    })
    return { row, target }
  }
  const of = (cid: string) => channels.get(cid)
  const put = (row: TargetRow): void => {
    const those = of(row.cid) ?? new Map<number, { row: TargetRow; readonly target: Target }>()
    channels.set(row.cid, those.set(row.targetId, make(row)))
  }
  for (const row of await store.load()) put(row)

  const isOnAir = (cid: string): boolean => source.hub.stream(cid) !== undefined
  const endAll = (cid: string): void => {
    for (const { target } of of(cid)?.values() ?? []) target.offAir()
  }
  /** Pushes that have ended while a rest of them is still sent, with a delay. */
  const ending = new Set<string>()
  const leave = source.on(({ type, cid }) => {
    if (type === 'ended') {
      if (isOnAir(cid)) ending.add(cid)
      else endAll(cid)
    } else if (type === 'started' || type === 'replaced') {
      ending.delete(cid)
      endAll(cid)
      if (type === 'started') for (const { target } of of(cid)?.values() ?? []) target.onAir()
    }
  })
  const timer = setInterval(() => {
    for (const cid of ending)
      if (!isOnAir(cid)) {
        ending.delete(cid)
        endAll(cid)
      }
    for (const those of channels.values()) for (const { target } of those.values()) target.measure()
  }, measureEvery)
  timer.unref()

  /** Targets that have another key once their change is stored. */
  const rekeyed = new Set<number>()
  const drop = (cid: string, targetId: number): void => {
    of(cid)?.get(targetId)?.target.close()
    of(cid)?.delete(targetId)
    lines.forget(targetId)
  }
  const apply = (edit: TargetEdit): void => {
    const { cid } = edit
    switch (edit.kind) {
      case 'add': {
        const { targetId } = edit.row
        if (of(cid)?.has(targetId)) return
        const row = { ...edit.row, keyVersion: edit.row.keyVersion ?? 0 }
        put(row)
        if (row.keyState === 'given' && keys.get(row) === undefined) outdated?.()
        if (isOnAir(cid)) of(cid)?.get(targetId)?.target.onAir()
        return
      }
      case 'change': {
        const entry = of(cid)?.get(edit.targetId)
        if (!entry) return
        entry.row = { ...entry.row, ...edit.values }
        if (edit.values.keyVersion !== undefined && keys.get(entry.row) === undefined) outdated?.()
        return entry.target.change(settingsOf(entry.row), rekeyed.delete(edit.targetId))
      }
      case 'remove':
        return drop(cid, edit.targetId)
      case 'forget':
        for (const targetId of of(cid)?.keys() ?? []) drop(cid, targetId)
        channels.delete(cid)
    }
  }
  const changes = journal.kind<TargetEdit>('target', { store: store.write, apply })
  const inTurn = <T>(cid: string, work: () => Promise<T>): Promise<T> => serial(cid, () => changes.inTurn(cid, work))
  const act = (cid: string, targetId: number, by: (target: Target) => void): Promise<'unknown' | undefined> =>
    serial(cid, async () => {
      const entry = of(cid)?.get(targetId)
      if (!entry) return 'unknown'
      by(entry.target)
      return undefined
    })

  return {
    list: (cid: string) =>
      [...(of(cid)?.values() ?? [])].map(({ row, target }) => ({
        row,
        key: keys.get(row),
        progress: target.progress(),
      })),
    add: (
      cid: string,
      given: {
        readonly name: string
        readonly preset: (typeof targetPresets)[number]
        readonly url: string
        readonly key?: string | undefined
        readonly start: (typeof targetStarts)[number]
      },
    ): Promise<number | 'full'> =>
      inTurn(cid, async () => {
        if ((of(cid)?.size ?? 0) >= maxTargets) return 'full'
        const { key, ...values } = given
        const targetId = await store.newTargetId()
        const row: TargetRow = { targetId, cid, ...values, keyState: key === undefined ? '' : 'given', keyVersion: 0 }
        // First: it may be needed as soon as the target is there.
        if (key !== undefined) await keys.set(row, key)
        try {
          await changes.commit({ kind: 'add', cid, row })
        } catch (error) {
          // Nothing half done.
          if (key !== undefined) await keys.remove([targetId])
          throw error
        }
        return targetId
      }),
    /** A new address without its key forgets the key: it is of another server. */
    change: (cid: string, targetId: number, { key, ...values }: TargetChange): Promise<'unknown' | undefined> =>
      inTurn(cid, async () => {
        const entry = of(cid)?.get(targetId)
        if (!entry) return 'unknown'
        const given: Partial<TargetRow> = Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== undefined),
        )
        const { row: before, target } = entry
        const keyBefore = keys.get(before)
        const isElsewhere = given.url !== undefined && given.url !== before.url
        const hadKey = keyBefore !== undefined || before.keyState !== ''
        const keyState = key !== undefined ? 'given' : isElsewhere && hadKey ? 'forgotten' : before.keyState
        const isNumbered = outdated !== undefined && key !== undefined && key !== keyBefore
        const revised: Partial<TargetRow> = {
          ...given,
          ...(keyState !== before.keyState && { keyState }),
          ...(isNumbered && { keyVersion: before.keyVersion + 1 }),
        }
        const row: TargetRow = { ...before, ...revised }
        // First: wherever this ends, no key is kept for an address that is not its own.
        if (key !== undefined) await keys.set(row, key)
        else if (isElsewhere) await keys.remove([targetId])
        try {
          if (key !== undefined) rekeyed.add(targetId)
          if (Object.keys(revised).length > 0) await changes.commit({ kind: 'change', cid, targetId, values: revised })
          else target.change(settingsOf(row), rekeyed.delete(targetId))
        } catch (error) {
          rekeyed.delete(targetId)
          // Nothing half done. Without its key again it is without one, which its list says.
          const putBack = keyBefore === undefined ? keys.remove([targetId]) : keys.set(before, keyBefore)
          await putBack.catch((err: unknown) => log.warn({ err, cid, targetId }, 'the key of a target is not put back'))
          target.change(settingsOf(before), false)
          throw error
        }
        return undefined
      }),
    /** Another node was given this key. */
    keyCame({ cid, targetId, url }: KeyPlace, isNew: boolean) {
      const { row, target } = of(cid)?.get(targetId) ?? {}
      if (row?.url === url) target?.change(settingsOf(row), isNew)
    },
    keyVersion: ({ cid, targetId }: KeyPlace): number => of(cid)?.get(targetId)?.row.keyVersion ?? 0,
    /** Those that were given a key which is not known here. */
    keyless(): KeyPlace[] {
      const rows = [...channels.values()].flatMap((those) => [...those.values()].map(({ row }) => row))
      return rows.filter((row) => row.keyState === 'given' && keys.get(row) === undefined)
    },
    start: (cid: string, targetId: number) => act(cid, targetId, (target) => target.start()),
    stop: (cid: string, targetId: number) => act(cid, targetId, (target) => target.stop()),
    remove: (cid: string, targetId: number): Promise<'unknown' | undefined> =>
      inTurn(cid, async () => {
        if (!of(cid)?.has(targetId)) return 'unknown'
        // First: a key that cannot be removed must not outlive its target unseen.
        await keys.remove([targetId])
        await changes.commit({ kind: 'remove', cid, targetId })
        return undefined
      }),
    /** Forgets a deleted channel with its keys: in memory at once, so that nothing is sent any more. */
    forget: (cid: string): Promise<void> =>
      inTurn(cid, async () => {
        const those = [...(of(cid)?.keys() ?? [])]
        if (those.length === 0) return
        apply({ kind: 'forget', cid })
        await changes.commit({ kind: 'forget', cid })
        await keys.remove(those)
      }),
    /** Upload to targets of the channels for which `isMine` holds, in kbit/s. */
    kbps(isMine: (cid: string) => boolean): number {
      let sum = 0
      for (const [cid, those] of channels)
        if (isMine(cid)) for (const { target } of those.values()) sum += target.progress().kbps
      return sum
    },
    /** How many there are in each state. */
    totals(): Readonly<Partial<Record<TargetState, number>>> {
      const states: Partial<Record<TargetState, number>> = {}
      for (const those of channels.values())
        for (const { target } of those.values()) {
          const { state } = target.progress()
          states[state] = (states[state] ?? 0) + 1
        }
      return states
    },
    async close(): Promise<void> {
      leave()
      clearInterval(timer)
      for (const those of channels.values()) for (const { target } of those.values()) target.close()
      await serial.idle()
    },
  }
}
