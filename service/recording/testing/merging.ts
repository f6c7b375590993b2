import { systemClock } from '../../../platform/clock.ts'
import type { MediaPacket } from '../../timeline/packet.ts'
import { until } from '../../testing/condition.ts'
import { diskFiles } from '../file-system.ts'
import { createMerges, type Merges, type MergesOptions } from '../merges.ts'
import { createMergesStore } from '../merges-store.ts'
import type { RecordedFile } from '../recorded-file.ts'
import { createRecordingFolder } from '../recording-folder.ts'
import { feed, rigUid, type RecordingRig } from './rig.ts'

/** What a test chooses of merges. */
export interface MergingOptions {
  readonly workers: MergesOptions['workers']
  /** Bytes available; by default practically unlimited. */
  readonly room?: number
  readonly disk?: MergesOptions['disk']
  /** Receives the callbacks. */
  readonly merged?: RecordedFile[]
}

/** Merges over the store and folder of a rig. */
export const mergesOf = (
  rig: RecordingRig,
  { workers, room = 1e12, disk = diskFiles, merged = [] }: MergingOptions,
): Merges =>
  createMerges({
    files: rig.files,
    tasks: createMergesStore(rig.store),
    disk,
    folder: createRecordingFolder(rig.dataDir),
    workers,
    space: () => room,
    clock: { ...systemClock, now: () => rig.now },
    listener: { enqueue: () => Promise.resolve(), onFile: (file) => void merged.push(file) },
    log: { info: () => undefined, warn: () => undefined },
  })

/** Records packets as one file; returns its vid. */
export async function recordFile(rig: RecordingRig, packets: readonly MediaPacket[], format = 0): Promise<number> {
  const count = (await rig.rows()).length
  rig.choice = { format, duration: 3_600_000, filename: '' }
  const publication = rig.publish()
  feed(publication, packets)
  publication.end('closed')
  const row = await until('a file', async () => {
    const rows = await rig.rows()
    return rows.length > count && rows.at(-1)!.state === 'ready' ? rows.at(-1) : undefined
  })
  return row.vid
}

/** States of the application's tasks, newest first. */
export const taskStates = async (merges: Merges): Promise<string[]> =>
  (await merges.list(rigUid)).map(({ state }) => state)

/** Waits for so many finished merges. */
export const mergesDone = (merges: Merges, count = 1) =>
  until('merged', async () => (await taskStates(merges)).filter((state) => state === 'done').length >= count)
