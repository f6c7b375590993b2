import type { Clock } from '../../platform/clock.ts'
import type { Operation } from '../../contract/operation.ts'
import { local } from '../../contract/operations/index.ts'
import type { Application } from '../applications.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Channels } from '../channels/channels.ts'
import { ownChannel } from '../channels/live-operations.ts'
import { readClip } from './clip.ts'
import type { Clips } from './clips.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { FormerChannels } from './former-channels.ts'
import type { MarkersStore } from './markers-store.ts'
import type { Merges } from './merges.ts'
import type { PlaybackTickets } from './playback.ts'
import type { Recorder } from './recorder.ts'
import { missingFiles } from './missing-files.ts'
import { recordingProgressOf } from './recorder-session.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { Removal } from './removal.ts'

const untaken = {
  offAir: 'nothing of the channel is kept: it is not on air, or too many are',
  short: 'there is less than a second of it yet',
  busy: 'other clips are being made',
} as const
const clipOf = (row: RecordingRow) => {
  const clip = readClip(row)
  return clip && { clip: { ...clip, vids: [...clip.vids] } }
}
const described = (row: RecordingRow) => ({
  vid: row.vid,
  name: row.name,
  key: row.fileKey,
  begin: row.beginTime,
  end: row.endTime,
  completed: row.completed,
  format: row.format,
  bytes: row.bytes,
  duration: row.duration,
  codecs: row.codecs,
  merged: row.merged === 1,
  ...clipOf(row),
})

/** The extension operations on recordings, merges and markers (contract/operations/local.ts). */
export function recordingOperationsLocal(options: {
  readonly channels: Pick<Channels, 'get'>
  readonly recorder: Pick<Recorder, 'state'>
  readonly store: FilesStore
  readonly former: FormerChannels
  readonly merges: Pick<Merges, 'list' | 'cancel' | 'trim'>
  readonly clips: Clips
  readonly removal: Pick<Removal, 'remove'>
  readonly markers: MarkersStore
  readonly tickets: PlaybackTickets
  readonly folder: Pick<RecordingFolder, 'root' | 'of' | 'file'>
  /** Name of this service in a cluster. */
  readonly node?: string | undefined
  readonly mediaRoot: () => string
  /** Free bytes on the disk of recordings. */
  readonly diskFree: () => number
  readonly clock: Clock
}): Served[] {
  const { channels, recorder, store, former, merges, clips, removal, markers, tickets, folder, node } = options
  const { mediaRoot, diskFree, clock } = options
  const found = (outcome: 'unknown' | 'foreign' | undefined, what: string): void => {
    if (outcome === 'unknown') throw new Refused(618, `there is no such ${what}`)
    if (outcome === 'foreign') throw new Refused(617, `the ${what} belongs to another application`)
  }
  const isHere = (row: RecordingRow): boolean => row.stored !== 1 && (node === undefined || row.node === node)
  const missing = missingFiles({ folder, isHere })
  /** The channel of a call; it may be deleted if it has files. */
  const presentOrFormer = async (operation: Operation, application: Application, cid: string): Promise<void> => {
    if (!channels.get(cid) && (await former.owner(cid)) === application.uid) return
    ownChannel(channels, operation, application, cid)
  }
  return [
    serve(local.playbackTicket, async ({ vid }, { application }) => {
      const [row] = await store.ready([vid])
      found(!row ? 'unknown' : row.uid === application.uid ? undefined : 'foreign', 'file')
      const { path, expires } = tickets.path(row!)
      return { ret: { url: mediaRoot() + path, expires, ...(isHere(row!) && { file: folder.file(row!) }) } }
    }),
    serve(local.recordedFiles, async ({ cid, beginTime, endTime }, { application }) => {
      await presentOrFormer(local.recordedFiles, application, cid)
      const rows = await store.recordedWithin(cid, beginTime, endTime)
      const gone = await missing(cid, rows)
      return { ret: { list: rows.map((row) => ({ ...described(row), ...(gone.has(row.vid) && { missing: true }) })) } }
    }),
    serve(
      local.allRecordedFiles,
      async ({ beginTime, endTime, deletedOnly, limit, beforeBegin, beforeVid }, { application }) => {
        if ((beforeBegin === undefined) !== (beforeVid === undefined))
          throw new Refused(631, 'beforeBegin and beforeVid must be given together')
        const { files, more } = await former.files({
          uid: application.uid,
          from: beginTime,
          to: endTime ?? Number.MAX_SAFE_INTEGER,
          deletedOnly,
          limit,
          before:
            beforeBegin === undefined || beforeVid === undefined ? undefined : { begin: beforeBegin, vid: beforeVid },
        })
        const entries = files.map(({ channel, deleted, ...row }) => ({
          ...described(row),
          cid: row.cid,
          deleted,
          ...(channel !== '' && { channel }),
        }))
        return { ret: { list: entries, more } }
      },
    ),
    serve(local.deletedChannels, async (_parameters, { application }) => ({
      ret: {
        list: (await former.of(application.uid)).map(({ cid, name, deleted }) => ({
          cid,
          deleted,
          ...(name !== '' && { name }),
        })),
      },
    })),
    serve(local.removeRecordings, async ({ vidList }, { application }) => ({
      ret: { successList: await removal.remove(application.uid, vidList) },
    })),
    serve(local.recordingState, ({ cid }, { application }) => {
      const { row } = ownChannel(channels, local.recordingState, application, cid)
      const state = recorder.state(cid) ?? { state: row.needRecord === 1 ? ('asked' as const) : ('off' as const) }
      return {
        ret: {
          recording: state.state === 'recording',
          state: state.state,
          ...recordingProgressOf(state),
          bytes: state.state === 'recording' ? state.bytes : 0,
          diskFree: diskFree(),
        },
      }
    }),
    serve(local.mergeTasks, async (_parameters, { application }) => ({
      ret: { list: await merges.list(application.uid) },
    })),
    serve(local.cancelMerge, async ({ taskId }, { application }) => {
      found(await merges.cancel(application.uid, taskId), 'task that runs')
      return {}
    }),
    serve(local.takeClip, async ({ cid, seconds, name }, { application }) => {
      const { row } = ownChannel(channels, local.takeClip, application, cid)
      const { uid, filename } = row
      const taken = await clips.take({ cid, uid, filename, ms: seconds * 1000, name })
      if (typeof taken === 'string') throw new Refused(taken === 'busy' ? 639 : 631, untaken[taken])
      return { ret: taken }
    }),
    serve(local.trim, async ({ vidList, from, to, name }, { application }) => {
      const task = await merges.trim(application.uid, name, vidList, { from, to })
      if ('kind' in task) throw new Refused({ missing: 618, unfit: 631, busy: 639 }[task.kind], task.reason)
      return { ret: { taskId: task.taskId, vid: task.vid } }
    }),
    serve(local.renameClip, async ({ vid, name }, { application }) => {
      const [row] = await store.ready([vid])
      found(!row || !readClip(row) ? 'unknown' : row.uid === application.uid ? undefined : 'foreign', 'clip')
      found((await store.rename(vid, name)) ? undefined : 'unknown', 'clip')
      return {}
    }),
    serve(local.addMarker, async ({ cid, at, label }, { application }) => {
      ownChannel(channels, local.addMarker, application, cid)
      const markerId = await markers.add({ cid, uid: application.uid, at: at ?? clock.now(), label: label ?? '' })
      if (markerId === 'full') throw new Refused(631, 'the channel has the maximum number of markers')
      return { ret: { markerId } }
    }),
    serve(local.markers, async ({ cid, beginTime, endTime }, { application }) => {
      await presentOrFormer(local.markers, application, cid)
      return { ret: { list: await markers.within(cid, beginTime, endTime) } }
    }),
    serve(local.renameMarker, async ({ markerId, label }, { application }) => {
      found(await markers.rename(application.uid, markerId, label ?? ''), 'marker')
      return {}
    }),
    serve(local.removeMarker, async ({ markerId }, { application }) => {
      found(await markers.remove(application.uid, markerId), 'marker')
      return {}
    }),
  ]
}
