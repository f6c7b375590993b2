import type { Clock } from '../../platform/clock.ts'
import { recordings } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Channels } from '../channels/channels.ts'
import { ownChannel } from '../channels/live-operations.ts'
import type { FilesStore } from './files-store.ts'
import type { Merges } from './merges.ts'
import type { Recorder } from './recorder.ts'

/** Period of `videolist`, and longest range of `vodvideolist` (1-live Limits), in ms. */
const week = 7 * 24 * 3600 * 1000

/** Default page size of `videolist`, as in the channel list. */
const pageSize = 10

/** Handlers of setAlwaysRecord, the two lists and merge (1-live Endpoints). */
export function recordingOperations(options: {
  readonly channels: Pick<Channels, 'get' | 'setRecording'>
  readonly recorder: Pick<Recorder, 'changed'>
  readonly store: FilesStore
  readonly merges: Pick<Merges, 'begin'>
  readonly clock: Clock
}): Served[] {
  const { channels, recorder, store, merges, clock } = options
  return [
    serve(recordings.setAlwaysRecord, async ({ cid, needRecord, format, duration, filename }, { application }) => {
      ownChannel(channels, recordings.setAlwaysRecord, application, cid)
      if (needRecord === 1 && !application.settings.vodEnabled)
        throw new Refused(723, 'on-demand video is not activated for this application')
      const values = {
        needRecord,
        ...(format !== undefined && { format }),
        ...(duration !== undefined && { duration }),
        ...(filename !== undefined && { filename }),
      }
      if ((await channels.setRecording(cid, values)) === 'gone')
        throw new Refused(recordings.setAlwaysRecord.unknown, 'there is no such channel')
      recorder.changed(cid)
      return {}
    }),
    serve(recordings.videoList, async ({ cid, records, pnum }, { application }) => {
      ownChannel(channels, recordings.videoList, application, cid)
      const rows = await store.completedSince(cid, clock.now() - week)
      const all = rows.map(({ name, fileKey, uid, vid }) => ({ video_name: name, orig_video_key: fileKey, uid, vid }))
      if (records === undefined && pnum === undefined) return { ret: { videoList: all } }
      const [size, page] = [records ?? pageSize, pnum ?? 1]
      const videoList = all.slice((page - 1) * size, page * size)
      return {
        ret: {
          videoList,
          pnum: page,
          records: size,
          totalPnum: Math.ceil(all.length / size),
          totalRecords: all.length,
        },
      }
    }),
    serve(recordings.videoListInRange, async ({ cid, beginTime, endTime }, { application }) => {
      ownChannel(channels, recordings.videoListInRange, application, cid)
      if (beginTime > endTime) throw new Refused(631, 'beginTime is after endTime')
      if (endTime - beginTime > week) throw new Refused(631, 'the range is longer than a week')
      const rows = await store.begunWithin(cid, beginTime, endTime)
      return { ret: { videoList: rows.map(({ name, fileKey, vid }) => ({ name, url: fileKey, vid })) } }
    }),
    serve(recordings.merge, async ({ outputName, vidList }, { application }) => {
      const refusal = await merges.begin(application.uid, outputName, vidList)
      if (refusal)
        throw new Refused(
          { missing: recordings.merge.unknown, unfit: recordings.merge.invalid, busy: 639 }[refusal.kind],
          refusal.reason,
        )
      return { ret: { result: true } }
    }),
  ]
}
