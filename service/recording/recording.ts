import { inBackground } from '../background.ts'
import { createUndoStack, undoneOnFailure, type UndoStack } from '../../platform/undo-stack.ts'
import { serviceKey } from '../storage/service-key.ts'
import { openClips } from './clips.ts'
import { createDiskGuard } from './disk-guard.ts'
import { createFileNodes } from './file-nodes.ts'
import { createFilesStore } from './files-store.ts'
import { createFormerChannels } from './former-channels.ts'
import { createFinisher } from './finisher.ts'
import { removeLeftFiles } from './left-files.ts'
import { createMarkersStore } from './markers-store.ts'
import { createMerges } from './merges.ts'
import { createMergesStore } from './merges-store.ts'
import { createFarMerges } from './far-merges.ts'
import { createFarRecordings, type FarRecordings } from './far-recordings.ts'
import { maxStoredBytes } from './storing.ts'
import { createPlaybackTickets, playbackPrefix, playbackRoutes } from './playback.ts'
import { createOtherNodes } from './other-nodes.ts'
import { createRecordNames } from './record-names.ts'
import type { FileListener } from './recorded-file.ts'
import { createRecorder } from './recorder.ts'
import { recordingProgressOf } from './recorder-session.ts'
import { createRecordingFolder } from './recording-folder.ts'
import { defaultLimits } from './recording-limits.ts'
import { recordingOperationsLocal } from './recording-operations-local.ts'
import { recordingOperations } from './recording-operations.ts'
import type { RecordingOptions } from './recording-options.ts'
import { createRecovery } from './recovery.ts'
import { createRemoval } from './removal.ts'
import { createSharedMerges } from './shared-merges.ts'
import { createUnknownFiles, setUnknownAside } from './unknown-files.ts'
import { createWorkers } from './workers.ts'

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
    mediaRoot,
    clock,
    random,
    log,
    limits = {},
  } = options
  const { reserve, lookEvery, minute, closePatience, files } = { ...defaultLimits, ...limits }
  const folder = createRecordingFolder(dataDir)
  const node = options.cluster?.node
  const database = { ...options, node: node ?? '' }
  const far: FarRecordings | undefined =
    options.blobs &&
    createFarRecordings({
      ...database,
      blobs: options.blobs,
      lostAfter: limits.lostAfter,
      folder,
      files,
      listener: () => heard,
      space: () => guard.free - reserve,
      recover: (row) => recovery.start([{ ...row, state: 'writing' }]),
      forget: (vid) => store.forget(vid),
    })
  undo.push(() => far?.close(closePatience))
  const store = createFilesStore(database, far)
  const { quarantine } = options
  await setUnknownAside({ store: options.store, folder, quarantine, files: store, node: database.node })
  const left = await store.unfinished()
  const uploading = (await far?.left()) ?? []
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
      const { uid, cid, vid, name, bytes, clip } = file
      tell(uid, {
        type: 'recording',
        at: clock.now(),
        cid,
        state: 'fileReady',
        vid,
        name,
        bytes,
        merged,
        ...(clip !== undefined && { clip: true }),
        diskFree: guard.free,
      })
      listener.onFile(file, merged)
      inBackground(removal.sweep(), log, 'removing old recordings')
    },
  }
  const gone = (uid: number, vids: readonly number[]): void =>
    tell(uid, { type: 'unrecorded', at: clock.now(), vids: [...vids] })
  const names = createRecordNames(timeZone)
  const finisher = createFinisher({
    store,
    folder,
    files,
    workers,
    names,
    clock,
    listener: heard,
    storing: far?.finished,
  })
  const recovery = createRecovery({
    store,
    folder,
    files,
    finisher,
    far,
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
    sliceBytes: limits.sliceBytes ?? (far && maxStoredBytes),
  })
  undo.push(() => recorder.close(closePatience))
  const clips = await openClips({ dataDir, reserve, hub, store, folder, finisher, workers, names, files, clock, log })
  undo.push(() => clips.close())
  const { commands, bus } = options
  const others =
    node !== undefined && commands && bus
      ? createOtherNodes({
          commands,
          bus,
          async look() {
            await recovery.start((await store.unfinished()).filter(({ state }) => state === 'removing'))
            await merges.look()
          },
          clock,
          log,
        })
      : undefined
  const nodes = options.presence && createFileNodes(options.presence, () => options.cluster?.media ?? mediaRoot())
  const tasks = createMergesStore(database)
  const merges = createMerges({
    files: store,
    tasks,
    disk: files,
    others,
    shared: others || options.blobs ? createSharedMerges(database) : undefined,
    far: options.blobs && createFarMerges({ ...database, blobs: options.blobs, folder, workers, others }),
    folder,
    workers,
    space: () => guard.free - reserve,
    clock,
    listener: heard,
    log,
    spans: options.spans,
  })
  undo.push(() => merges.close())
  undo.push(() => others?.close())
  const removal = createRemoval({
    store,
    folder,
    files,
    far,
    inUse: (vid) => merges.uses(vid),
    others,
    jobs: options.jobs,
    retention,
    gone,
    clock,
    log,
  })
  undo.push(() => removal.close())
  undo.push(() => recovery.close())
  undo.push(guard.begin())
  const tickets = createPlaybackTickets(
    node === undefined
      ? { clock, key: random(32), expireBy: 'monotonic' }
      : { clock, key: await serviceKey(options.db, 'playback', random), expireBy: 'now' },
  )
  const routes = (...kinds: (typeof tickets)[]) =>
    playbackRoutes(kinds, store, folder, options.fileReads, node, far, nodes)
  const unknown = createUnknownFiles({
    ...database,
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
        clips,
        tickets,
        folder,
        node,
        mediaRoot,
        diskFree: () => guard.free,
        clock,
      }),
    ],
    /** Checks the disk: bytes until recording stops, or to be freed before it resumes. */
    async space() {
      await guard.look()
      return { space: guard.space, needs: guard.needs, reserve }
    },
    totals: () => ({
      ...recorder.totals(),
      merges: merges.count(),
      storing: far?.waiting(),
      isBlocked: guard.blocked !== undefined,
    }),
    /** Lists a quarantined file again. */
    adopt: (uid: number, path: string) => unknown.adopt(uid, path),
    /** Playback by ticket at the api listener too: the app of this computer reaches it there. */
    routes: { prefix: playbackPrefix, plugin: routes(tickets) },
    /** Files at the addresses that callers get, for the media listener. */
    fileRoutes: routes(options.fileTickets, tickets),
    /** Finishes files and continues merges of an earlier process; resolves when done. */
    start: () =>
      (starting = (async () => {
        try {
          nodes?.start()
          await guard.look()
          await tasks.takeOver()
          await merges.start()
          await recovery.start(left.filter((row) => !uploading.some(({ vid }) => vid === row.vid)))
          others?.start()
          if (far) await removeLeftFiles({ store, folder, files, quarantine })
          await far?.start(uploading)
          await removal.sweep()
        } catch (error) {
          log.warn({ err: error }, 'recordings of an earlier run could not be finished')
        }
      })()),
    close: () => undo.close(),
  }
}
