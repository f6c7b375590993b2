import { systemClock } from '../../../platform/clock.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalEvent } from '../../../contract/local-events.ts'
import { createDescriptorBudget } from '../../../platform/descriptors.ts'
import { createFileReads } from '../../http/file-reads.ts'
import type { Bus } from '../../bus/bus.ts'
import { createMemoryBus } from '../../bus/memory-bus.ts'
import { createNodeCommands } from '../../bus/node-commands.ts'
import { openQuarantine } from '../../../platform/quarantine.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import { createHub, type Hub, type Publication } from '../../hub/hub.ts'
import type { MediaPacket } from '../../timeline/packet.ts'
import { temporaryFolder } from '../../hub/testing/fixture.ts'
import { silentLog } from '../../log.ts'
import { messagingSettings } from '../../storage/schema.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import type { Store } from '../../storage/store.ts'
import { diskFiles } from '../file-system.ts'
import { createPlaybackTickets } from '../playback.ts'
import { createFilesStore, type FilesStore, type RecordingRow } from '../files-store.ts'
import type { RecordedFile } from '../recorded-file.ts'
import { createRecording } from '../recording.ts'
import type { RecordingLimits } from '../recording-limits.ts'
import type { RecordingChoice } from '../slice.ts'

type Recording = Awaited<ReturnType<typeof createRecording>>

/** Recording over a real hub, store and disk, without listeners. */
export interface RecordingRig {
  readonly dataDir: string
  readonly hub: Hub
  readonly store: Store
  readonly files: FilesStore
  readonly recording: Recording
  readonly events: LocalEvent[]
  /** Files called back, in order, and whether within their transaction. */
  readonly called: RecordedFile[]
  /** Channels that count as recording. */
  readonly on: Map<string, boolean>
  /** Recording settings of the channel; undefined for none. */
  choice: Omit<RecordingChoice, 'uid'> | undefined
  mayRecord: boolean
  retention: { days: number; gigabytes: number }
  now: number
  publish(cid?: string): Publication
  /** Reported states of a channel, without repeats. */
  states(): string[]
  rows(): Promise<RecordingRow[]>
  path(row: { readonly cid: string; readonly vid: number; readonly format: number }): string
  /** Closes recording as the end of the process would; keeps the data. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** The channel of the rig. */
export const rigCid = 'c'.repeat(32)
/** The application of the rig. */
export const rigUid = 4711

/** What a rig shares with others, each with a folder of its own. */
export interface Among {
  /** Name of this one; alone when absent. */
  readonly node?: string
  readonly bus?: Bus
  /** Name of their database. */
  readonly database?: string
  /** Their object store. */
  readonly blobs?: Blobs
}

/** Makes a rig; `dataDir` continues an earlier one. */
export async function createRig(limits: RecordingLimits = {}, dataDir?: string, among?: Among): Promise<RecordingRig> {
  const folder =
    dataDir === undefined
      ? temporaryFolder()
      : { path: dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) }
  const store = await openStore(among?.database ?? folder.path)
  const { node, bus = createMemoryBus({ log: silentLog }), blobs } = among ?? {}
  await store.db
    .insertInto('application')
    .values({
      uid: rigUid,
      name: 'main',
      created: 0,
      ownerPresent: 1,
      liveEnabled: 1,
      vodEnabled: 1,
      frozen: 0,
      oneTimeCheckSum: 0,
      pushLifeDays: 30,
      localTargets: null,
      recordingDays: 0,
      recordingGigabytes: 0,
      recordingLinkHours: 24,
      ...messagingSettings,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const quiet = { info: () => undefined, warn: () => undefined }
  const hub = createHub({ clock: { ...systemClock, now: () => rig.now, monotonic: () => rig.now }, log: quiet })
  const row = (cid: string) => ({
    cid,
    uid: rigUid,
    name: 'n',
    type: 0,
    ctime: 0,
    disabled: 0,
    channelKey: '',
    keyExpires: 0,
    needRecord: rig.choice ? 1 : 0,
    format: rig.choice?.format ?? 0,
    duration: rig.choice?.duration ?? 0,
    filename: rig.choice?.filename ?? '',
  })
  const recordingOf = (): Promise<Recording> =>
    createRecording({
      fileReads: createFileReads({ descriptors: createDescriptorBudget().share(1), refused: () => undefined }),
      quarantine: openQuarantine({ folder: folder.path, now: () => rig.now }),
      ...(node !== undefined && { cluster: { node }, bus, commands: createNodeCommands(bus, node) }),
      store,
      db: store.db,
      durable: (work) => store.durable(work),
      dataDir: folder.path,
      blobs,
      timeZone: 'UTC',
      hub,
      channels: {
        get: (cid) => ({ row: row(cid), since: undefined, recording: false }),
        setRecording: () => Promise.resolve('gone'),
        recording: (cid, on) => void rig.on.set(cid, on),
      },
      mayRecord: () => rig.mayRecord,
      retention: () => [{ uid: rigUid, ...rig.retention }],
      tell: (_uid, event) => void rig.events.push(event),
      listener: {
        enqueue: () => Promise.resolve(),
        onFile: (file) => void rig.called.push(file),
      },
      mediaRoot: () => 'http://127.0.0.1',
      fileTickets: createPlaybackTickets({ clock: systemClock, key: Buffer.alloc(32, 1), expireBy: 'now' }),
      clock: { ...systemClock, now: () => rig.now },
      random: (bytes) => Buffer.alloc(bytes, 7),
      log: quiet,
      // Durations of a choice are ms here.
      limits: { minute: 1, closePatience: 60_000, files: diskFiles, ...limits },
    })
  const rig: Omit<RecordingRig, 'recording'> & { recording: Recording | undefined } = {
    dataDir: folder.path,
    hub,
    store,
    files: createFilesStore(store),
    recording: undefined,
    events: [],
    called: [],
    on: new Map(),
    choice: { format: 0, duration: 3_600_000, filename: '' },
    mayRecord: true,
    retention: { days: 0, gigabytes: 0 },
    now: 1_700_000_000_000,
    publish(cid = rigCid) {
      const publication = hub.publish(cid, { remote: 'test' })
      if (publication === 'busy') throw new Error('busy')
      return publication
    },
    states: () =>
      rig.events
        .flatMap((event) =>
          event.type === 'recording' ? [event.state + (event.reason === undefined ? '' : ` ${event.reason}`)] : [],
        )
        .filter((state, index, all) => state !== all[index - 1]),
    rows: () => store.db.selectFrom('recording').selectAll().orderBy('vid').execute(),
    path: ({ cid, vid, format }) => join(folder.path, 'recordings', cid, `${vid}.${format === 1 ? 'flv' : 'mp4'}`),
    async stop() {
      await rig.recording?.close()
      hub.close()
      await store.close()
    },
    async close() {
      await rig.stop()
      folder.remove()
    },
  }
  rig.recording = await recordingOf()
  return rig as RecordingRig
}

/** Passes packets to a publication, shifted by `shift` ms. */
export function feed(publication: Publication, packets: readonly MediaPacket[], shift = 0): void {
  for (const packet of packets)
    publication.packet(
      shift === 0 ? packet : { ...packet, timestamp: packet.timestamp + shift, arrived: packet.arrived + shift },
    )
}
