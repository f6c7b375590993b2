import { targetStarts, type targetPresets } from '../../contract/operations/targets.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { clientChunkSize } from '../media/rtmp-client.ts'
import { writeMessages, type ChunkedMessage } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import {
  createReaderQueues,
  type ReaderQueues,
  type ReaderQueuesOptions,
  type ReaderSource,
} from '../hub/reader-queue.ts'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { createTarget, type Target, type TargetProgress, type TargetSettings } from './target.ts'
import { connectTarget, type ConnectionOptions } from './target-connection.ts'
import { measureEvery } from './target-intake.ts'
import { createTargetLog } from './target-log.ts'
import type { TargetKeys } from './target-keys.ts'
import type { TargetRow, TargetsStore } from './targets-store.ts'

/** Bounds of a target's queue (behaviour.md#targets). */
const queueLimits = { bytes: 32 * 1024 * 1024, age: 10_000, stuck: 10_000, batchFew: 100, batchMany: 140, direct: 0 }
/** Queues for other message streams than the first that are kept. */
const maxQueues = 16
const mediaChunks = { audio: 4, data: 5, video: 6 } as const
const setDataFrame = writeAmf0('@setDataFrame')

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

/** A packet as it goes to a server: metadata as a publisher sends them. */
const messageOf =
  (streamId: number) =>
  ({ kind, timestamp, body }: MediaPacket): ChunkedMessage => ({
    message: {
      type: rtmpType[kind],
      streamId,
      timestamp,
      body: kind === 'data' ? Buffer.concat([setDataFrame, body]) : body,
    },
    chunkStream: mediaChunks[kind],
  })

const settingsOf = ({ url, start }: TargetRow): TargetSettings => ({ url, start: start === 'hand' ? 'hand' : 'push' })

/** Loads the targets of all channels. */
export async function createTargets(options: {
  readonly store: TargetsStore
  readonly keys: TargetKeys
  readonly source: TargetSource
  readonly connection: Omit<ConnectionOptions, 'clock' | 'random'>
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly limits?: ReaderQueuesOptions['limits']
  readonly maxTargets: number
  /** State of a target changed, or was measured. */
  readonly changed: (cid: string, targetId: number, progress: TargetProgress) => void
  readonly log: Pick<Log, 'info' | 'warn'>
}) {
  const { store, keys, source, connection, clock, random, limits, maxTargets, changed, log } = options
  const lines = createTargetLog(log)
  const channels = new Map<string, Map<number, { row: TargetRow; readonly target: Target }>>()
  const serial = createKeyedSerial<string>()

  /** By message stream: servers with the same number get the same bytes. */
  const queues = new Map<number, ReaderQueues>()
  const queuesOf = (streamId: number): ReaderQueues => {
    let those = queues.get(streamId)
    if (!those) {
      if (queues.size >= maxQueues) queues.delete(queues.keys().next().value!)
      const message = messageOf(streamId)
      those = createReaderQueues({
        // Without `own`: a target is not counted, but gets what viewers get.
        hub: { join: source.hub.join, dropped: source.hub.dropped },
        kind: 'rtmp',
        clock,
        frame: (packet) => writeMessages([message(packet)], clientChunkSize),
        pack: (packets) => writeMessages(packets.map(message), clientChunkSize),
        limits: { ...queueLimits, ...limits },
      })
      queues.set(streamId, those)
    }
    return those
  }
  const make = (row: TargetRow): { row: TargetRow; readonly target: Target } => {
    const { cid, targetId } = row
    const rowNow = (): TargetRow => of(cid)?.get(targetId)?.row ?? row
    const target = createTarget({
      settings: settingsOf(row),
      key: (url) => keys.get({ cid, targetId, url }),
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
  const put = (row: TargetRow): Target => {
    const made = make(row)
    const those = channels.get(row.cid) ?? new Map<number, { row: TargetRow; readonly target: Target }>()
    channels.set(row.cid, those.set(row.targetId, made))
    return made.target
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
      serial(cid, async () => {
        if ((of(cid)?.size ?? 0) >= maxTargets) return 'full'
        const { key, ...values } = given
        const row = { cid, ...values }
        const targetId = await store.add(row)
        try {
          if (key !== undefined) await keys.set({ ...row, targetId }, key)
        } catch (error) {
          // Nothing half done: without its key it is not there after a restart either.
          await store.remove(targetId)
          throw error
        }
        const target = put({ ...row, targetId })
        if (isOnAir(cid)) target.onAir()
        return targetId
      }),
    /** A new address without its key forgets the key: it is of another server. */
    change: (cid: string, targetId: number, { key, ...values }: TargetChange): Promise<'unknown' | undefined> =>
      serial(cid, async () => {
        const entry = of(cid)?.get(targetId)
        if (!entry) return 'unknown'
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
        const { row: before, target } = entry
        const row: TargetRow = { ...before, ...given }
        const keyBefore = keys.get(before)
        // First: wherever this ends, no key is kept for an address that is not its own.
        if (key !== undefined) await keys.set(row, key)
        else if (row.url !== before.url) await keys.remove([targetId])
        try {
          if (Object.keys(given).length > 0) await store.change(targetId, given)
        } catch (error) {
          // Nothing half done. Without its key again it is without one, which its list says.
          const putBack = keyBefore === undefined ? keys.remove([targetId]) : keys.set(before, keyBefore)
          await putBack.catch((err: unknown) => log.warn({ err, cid, targetId }, 'the key of a target is not put back'))
          target.change(settingsOf(before), false)
          throw error
        }
        entry.row = row
        target.change(settingsOf(row), key !== undefined)
        return undefined
      }),
    start: (cid: string, targetId: number) => act(cid, targetId, (target) => target.start()),
    stop: (cid: string, targetId: number) => act(cid, targetId, (target) => target.stop()),
    remove: (cid: string, targetId: number): Promise<'unknown' | undefined> =>
      serial(cid, async () => {
        const entry = of(cid)?.get(targetId)
        if (!entry) return 'unknown'
        // First: a key that cannot be removed must not outlive its target unseen.
        await keys.remove([targetId])
        await store.remove(targetId)
        entry.target.close()
        lines.forget(targetId)
        of(cid)?.delete(targetId)
        return undefined
      }),
    /** Forgets a deleted channel with its keys. */
    forget: (cid: string): Promise<void> =>
      serial(cid, async () => {
        const those = [...(of(cid)?.values() ?? [])]
        if (those.length === 0) return
        channels.delete(cid)
        for (const { target, row } of those) {
          target.close()
          lines.forget(row.targetId)
        }
        await store.removeChannel(cid)
        await keys.remove(those.map(({ row }) => row.targetId))
      }),
    /** Upload to targets of the channels for which `isMine` holds, in kbit/s. */
    kbps(isMine: (cid: string) => boolean): number {
      let sum = 0
      for (const [cid, those] of channels)
        if (isMine(cid)) for (const { target } of those.values()) sum += target.progress().kbps
      return sum
    },
    async close(): Promise<void> {
      leave()
      clearInterval(timer)
      for (const those of channels.values()) for (const { target } of those.values()) target.close()
      await serial.idle()
    },
  }
}
