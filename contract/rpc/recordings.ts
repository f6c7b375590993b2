import { z } from 'zod'
import { clipOperations } from '../operations/clips.ts'
import { clipNamePattern, clipSeconds, maxMarkerLabel } from '../operations/limits.ts'
import { cid, newest, onChannel, onProfile, profileId } from './ids.ts'
import { recordings } from '../operations/recordings.ts'
import { isNoneOrSeen, unseen } from './named.ts'
import { forPage } from './procedure.ts'
import {
  DeletedChannel,
  ListedFile,
  Marker,
  MergeBoard,
  OutgoingCallbacks,
  RecordedFile,
  RecordingState,
  Retention,
  TakenClip,
} from './recording-state.ts'

const vid = z.number().int().min(1)
/** Channels per request of files or markers: the lanes of one screen. */
const lanes = z.array(cid).min(1).max(200)
const time = z.number().int().min(0)
const range = z.strictObject({ profileId, cids: lanes, beginTime: time, endTime: time })
const { setAlwaysRecord, merge } = recordings
const { trim } = clipOperations
const clipName = z.string().regex(new RegExp(clipNamePattern, 'u'))

const markerLabel = z.string().max(maxMarkerLabel).refine(isNoneOrSeen, unseen)

/** Procedures of recordings, their merges and callbacks. */
export const recordingProcedures = {
  state: forPage('Null if the service does not tell.').input(onChannel).output(RecordingState.nullable()),
  configure: forPage('Recording of the current and future pushes (`/app/channel/setAlwaysRecord`).')
    .input(
      z.strictObject({
        profileId,
        cid,
        needRecord: z.boolean(),
        format: z.enum(['flv', 'mp4']),
        /** Minutes. */
        duration: z
          .number()
          .int()
          .min(setAlwaysRecord.parameters.duration.min)
          .max(setAlwaysRecord.parameters.duration.max),
        filename: z.string().max(64),
      }),
    )
    .output(z.void()),
  list: forPage(
    'Files of channels within a range of at most a week, newest first; on the embedded service also ' +
      'of deleted channels.',
  )
    .input(range)
    .output(z.object({ files: z.array(RecordedFile) })),
  all: forPage(
    'Files of all channels whose recording overlaps a range, with deleted channels, newest first; ' +
      '`before` is the last entry of the previous page. Extended services only.',
  )
    .input(
      z.strictObject({
        profileId,
        beginTime: time,
        endTime: time,
        deletedOnly: z.boolean(),
        limit: z.number().int().min(1).max(1000),
        before: z.strictObject({ begin: time, vid }).nullable(),
      }),
    )
    .output(z.object({ files: z.array(ListedFile), more: z.boolean() })),
  deletedChannels: forPage('Deleted channels with files, last deleted first; empty if the service does not tell.')
    .input(onProfile)
    .output(z.array(DeletedChannel)),
  ticket: forPage(
    "A path on the page's origin that plays a file, with ranges, for this connection; extended services only.",
  )
    .input(z.strictObject({ profileId, vid }))
    .output(z.object({ path: z.string() })),
  show: forPage("Shows a file in the system's file manager; only with `showInFolder` and the embedded service.")
    .input(z.strictObject({ profileId, vid }))
    .output(z.void()),
  remove: forPage('Deletes files; returns the deleted ones. Extended services only.')
    .input(z.strictObject({ profileId, vids: z.array(vid).min(1).max(1000) }))
    .output(z.object({ removed: z.array(z.number()) })),
  merge: forPage('Merges files in the order given into one of a name.')
    .input(
      z.strictObject({
        profileId,
        outputName: z.string().regex(new RegExp(merge.parameters.outputName.pattern, 'u')),
        vids: z.array(vid).min(merge.parameters.vidList.min).max(merge.parameters.vidList.max),
      }),
    )
    .output(z.void()),
  merges: forPage('Merges of the service, and when some were asked for from here.').input(onProfile).output(MergeBoard),
  cancelMerge: forPage('Stops a merge that runs; the extended services only.')
    .input(z.strictObject({ profileId, taskId: z.number().int().min(1) }))
    .output(z.void()),
  takeClip: forPage('Saves the last seconds of a channel on air as a clip; extended services only.')
    .input(
      z.strictObject({
        profileId,
        cid,
        seconds: z.number().int().min(clipSeconds.min).max(clipSeconds.max),
        /** Named by its time when null. */
        name: clipName.nullable(),
      }),
    )
    .output(TakenClip),
  trim: forPage('Cuts a range out of files, in a task of `merges`; extended services only.')
    .input(
      z.strictObject({
        profileId,
        vids: z.array(vid).min(trim.parameters.vidList.min).max(trim.parameters.vidList.max),
        /** In ms of the first and of the last file. */
        from: time,
        to: time,
        name: clipName,
      }),
    )
    .output(z.object({ taskId: z.number(), vid: z.number() })),
  renameClip: forPage('Gives a clip another name; extended services only.')
    .input(z.strictObject({ profileId, vid, name: clipName }))
    .output(z.void()),
  mark: forPage('Adds a marker now; extended services only.')
    .input(z.strictObject({ profileId, cid, label: markerLabel }))
    .output(Marker),
  markers: forPage('Markers of channels within a range, oldest first; empty if the service has none.')
    .input(range)
    .output(z.array(Marker)),
  renameMarker: forPage("Changes a marker's label, empty for none; extended services only.")
    .input(z.strictObject({ profileId, markerId: vid, label: markerLabel }))
    .output(z.void()),
  removeMarker: forPage('Deletes a marker; the extended services only.')
    .input(z.strictObject({ profileId, markerId: vid }))
    .output(z.void()),
  retention: forPage('Retention of recordings; extended services only.').input(onProfile).output(Retention),
  setRetention: forPage('Limits how long recordings are kept; the extended services only.')
    .input(z.strictObject({ profileId, ...Retention.shape }))
    .output(Retention),
  callbacks: forPage("The embedded service's log of callbacks, newest first.").input(newest).output(OutgoingCallbacks),
  resend: forPage('Delivers an entry again, to the current address.')
    .input(z.strictObject({ profileId, nId: z.string().min(1).max(64) }))
    .output(z.void()),
}
