import type { Store } from '../storage/store.ts'
import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import { createUndoStack, undoneOnFailure, type UndoStack } from '../../platform/undo-stack.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { Channels } from '../channels/channels.ts'
import { createDiskGuard } from './disk-guard.ts'
import { diskFiles, type FileSystem } from './file-system.ts'
import { createFilesStore, type FilesDatabase } from './files-store.ts'
import { createFormerChannels } from './former-channels.ts'
import { createFinisher } from './finisher.ts'
import { createMarkersStore } from './markers-store.ts'
import { createMerges } from './merges.ts'
import { createMergesStore } from './merges-store.ts'
import type { FileReads } from '../http/file-reads.ts'
import { createPlaybackTickets, playbackPrefix, playbackRoutes, type PlaybackTickets } from './playback.ts'
import { createRecordNames } from './record-names.ts'
import type { FileListener } from './recorded-file.ts'
import { createRecorder, type RecorderHub } from './recorder.ts'
import { recordingProgressOf } from './recorder-session.ts'
import { createRecordingFolder } from './recording-folder.ts'
import { recordingOperationsLocal } from './recording-operations-local.ts'
import { recordingOperations } from './recording-operations.ts'
import { createRecovery } from './recovery.ts'
import { createRemoval, type Retention } from './removal.ts'
import { createUnknownFiles, setUnknownAside } from './unknown-files.ts'
import { createWorkers } from './workers.ts'

/** Limits of recording in bytes and ms, for tests and small disks. */
export interface RecordingLimits {
  readonly reserve?: number
  readonly lookEvery?: number
  /** Length of a "minute" of a slice, in ms; shorter in tests. */
  readonly minute?: number
  readonly queueBound?: number
  readonly sliceBytes?: number
  /** How long closing waits for files to be finished, in ms; the next start finishes the rest. */
  readonly closePatience?: number
  readonly files?: FileSystem
}

/** Options of recording. */
export interface RecordingOptions extends FilesDatabase {
  readonly store: Pick<Store, 'db' | 'numberAbove'>
  readonly dataDir: string
  readonly timeZone: string
  readonly hub: RecorderHub
  readonly channels: Pick<Channels, 'get' | 'setRecording' | 'recording'>
  /** Whether an application may record (1-live, 723), from memory. */
  readonly mayRecord: (uid: number) => boolean
  readonly retention: () => readonly Retention[]
  readonly tell: (uid: number, event: LocalEvent) => void
  readonly listener: FileListener
  readonly apiRoot: () => string
  /** Tickets for the media listener, valid across restarts. */
  readonly fileTickets: PlaybackTickets
  readonly fileReads: FileReads
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  readonly limits?: RecordingLimits | undefined
  readonly quarantine: Pick<Quarantine, 'setAside' | 'putBack'>
}

/** Free bytes at which recording stops: enough to finish every open slice. */
const defaultReserve = 512 * 1024 * 1024
const defaultLook = 2000
const defaultMinute = 60_000
const defaultClosePatience = 2500

/** Makes recording, for pushes that begin later. Rejects when the folder cannot be made or the store is broken. */
export function createRecording(options: RecordingOptions) {
  const { log } = options
  const undo = createUndoStack((error) => log.warn({ err: error }, 'a part of recording did not close cleanly'))
  return undoneOnFailure(undo, () => compose(options, undo))
}

async function compose(options: RecordingOptions, undo: UndoStack) {
  const {
    dataDir,
    timeZone,
    hub,
    channels,
    mayRecord,
    retention,
    tell,
    listener,
    apiRoot,
    clock,
    random,
    log,
    limits = {},
  } = options
  const {
    reserve = defaultReserve,
    lookEvery = defaultLook,
    minute = defaultMinute,
    closePatience = defaultClosePatience,
    files = diskFiles,
  } = limits
  const folder = createRecordingFolder(dataDir)
  const store = createFilesStore(options)
  await setUnknownAside({ store: options.store, folder, quarantine: options.quarantine })
  const left = await store.unfinished()
  let starting = Promise.resolve()
  undo.push(() => starting)
  const workers = createWorkers()
  undo.push(() => workers.close())

  const guard = createDiskGuard({
    files,
    folder: folder.root,
    reserve,
    every: lookEvery,
    changed(reason) {
      log.warn(
        { reason: reason ?? 'none', free: guard.free },
        reason ? 'recording is not possible now' : 'recording is possible again',
      )
      recorder.allowed(reason)
      if (!reason) inBackground(recovery.retry(), log, 'finishing recordings of before')
    },
    log,
  })
  const heard: FileListener = {
    enqueue: (transaction, file) => listener.enqueue(transaction, file),
    onFile(file, merged) {
      const { uid, cid, vid, name, bytes } = file
      tell(uid, {
        type: 'recording',
        at: clock.now(),
        cid,
        state: 'fileReady',
        vid,
        name,
        bytes,
        merged,
        diskFree: guard.free,
      })
      listener.onFile(file, merged)
      inBackground(removal.sweep(), log, 'removing old recordings')
    },
  }
  const gone = (uid: number, vids: readonly number[]): void =>
    tell(uid, { type: 'unrecorded', at: clock.now(), vids: [...vids] })
  const finisher = createFinisher({
    store,
    folder,
    files,
    workers,
    names: createRecordNames(timeZone),
    clock,
    listener: heard,
  })
  const recovery = createRecovery({
    store,
    folder,
    files,
    finisher,
    allowed: () => guard.blocked === undefined,
    retryAfter: 5 * lookEvery,
    log,
  })
  const recorder = createRecorder({
    hub,
    parts: {
      store,
      files,
      folder,
      finisher,
      later: (file) => recovery.later(file),
      clock,
      queueBound: limits.queueBound,
      log,
    },
    wants(cid) {
      const row = channels.get(cid)?.row
      if (!row || row.needRecord !== 1 || !mayRecord(row.uid)) return undefined
      return { uid: row.uid, format: row.format, duration: row.duration * minute, filename: row.filename }
    },
    blocked: () => guard.blocked,
    failed: () => guard.failed(),
    report(cid, state) {
      const uid = channels.get(cid)?.row.uid
      if (uid !== undefined)
        tell(uid, {
          type: 'recording',
          at: clock.now(),
          cid,
          state: state.state,
          ...recordingProgressOf(state),
          ...(state.state === 'recording' && { bytes: state.bytes }),
          diskFree: guard.free,
        })
    },
    recording: (cid, on) => channels.recording(cid, on),
    sliceBytes: limits.sliceBytes,
  })
  undo.push(() => recorder.close(closePatience))
  const merges = createMerges({
    files: store,
    tasks: createMergesStore(options),
    disk: files,
    folder,
    workers,
    space: () => guard.free - reserve,
    clock,
    listener: heard,
    log,
  })
  undo.push(() => merges.close())
  const removal = createRemoval({
    store,
    folder,
    files,
    inUse: (vid) => merges.uses(vid),
    retention,
    gone,
    clock,
    log,
  })
  undo.push(() => removal.close())
  undo.push(() => recovery.close())
  undo.push(guard.begin())
  const tickets = createPlaybackTickets({ clock, key: random(32), expireBy: 'monotonic' })
  const unknown = createUnknownFiles({
    ...options,
    numberAbove: (table, number) => options.store.numberAbove(table, number),
    folder,
    finisher,
  })

  return {
    operations: [
      ...recordingOperations({ channels, recorder, store, merges, clock }),
      ...recordingOperationsLocal({
        channels,
        recorder,
        store,
        former: createFormerChannels(options.db),
        merges,
        removal,
        markers: createMarkersStore(options.db),
        tickets,
        folder,
        apiRoot,
        diskFree: () => guard.free,
        clock,
      }),
    ],
    /** Checks the disk: bytes until recording stops, or to be freed before it resumes. */
    async space() {
      await guard.look()
      return { space: guard.space, needs: guard.needs, reserve }
    },
    /** Lists a quarantined file again. */
    adopt: (uid: number, path: string) => unknown.adopt(uid, path),
    /** Playback by ticket, for the api listener. */
    routes: { prefix: playbackPrefix, plugin: playbackRoutes([tickets], store, folder, options.fileReads) },
    /**
     * Files at the addresses that integrations get, for the media listener. It takes the tickets of playback too: where
     * both listeners have one public name, a proxy sends all of `/recordings/` here.
     */
    fileRoutes: playbackRoutes([options.fileTickets, tickets], store, folder, options.fileReads),
    /** Finishes files and continues merges of an earlier process; resolves when done. */
    start: () =>
      (starting = (async () => {
        try {
          await guard.look()
          await merges.start()
          await recovery.start(left)
          await removal.sweep()
        } catch (error) {
          log.warn({ err: error }, 'recordings of an earlier run could not be finished')
        }
      })()),
    close: () => undo.close(),
  }
}
