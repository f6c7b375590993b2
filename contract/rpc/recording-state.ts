import { z } from 'zod'
import { recordings } from '../operations/recordings.ts'
import { reasonSchema } from './reason.ts'

const cid = z.string()

/** Recording of a channel, from the embedded service. */
export const RecordingState = z.object({
  /** `asked`: begins with the next push or key frame. `stopped`: blocked, see `reason`. */
  state: z.enum(['off', 'asked', 'recording', 'stopped']),
  reason: z.enum(['space', 'readonly', 'folder', 'slow', 'error']).nullable(),
  /** Begin of the recording in ms. */
  since: z.number().nullable(),
  /** Recorded media since then, in ms; absent if unknown. */
  recorded: z.number().optional(),
  /** Size of the current slice. */
  bytes: z.number(),
  /** Earliest begin of the next slice, in ms; null if unknown. */
  cut: z.number().nullable(),
})

const { min, max } = recordings.setAlwaysRecord.parameters.duration
/** Default recording settings of the app. */
export const RecordingDefaults = z.strictObject({
  /** New channels record every push. */
  everyPush: z.boolean(),
  format: z.enum(['flv', 'mp4']),
  /** Length of a slice. */
  minutes: z.number().int().min(min).max(max),
  /** Files are named by their channel; otherwise by its id. */
  named: z.boolean(),
})
export type RecordingDefaults = z.infer<typeof RecordingDefaults>

/** What a clip is of. */
export const Clip = z.object({
  /** Files that it was cut out of, in order; none of a clip of what was on air. */
  vids: z.array(z.number()),
  /** In ms of the first and of the last of them. */
  from: z.number(),
  to: z.number(),
  /** By how many ms a player that ignores edit lists begins earlier. */
  early: z.number(),
  /** When its first picture was recorded, in ms; absent if unknown. */
  begin: z.number().optional(),
})

/** A clip that was just taken. */
export const TakenClip = z.object({
  vid: z.number(),
  name: z.string(),
  /** When its first picture came, and its length; in ms. */
  begin: z.number(),
  duration: z.number(),
  bytes: z.number(),
})

/** A recorded file. Members beyond 1-live are null for a hosted service. */
export const RecordedFile = z.object({
  vid: z.number(),
  cid,
  name: z.string(),
  /** Storage path. */
  key: z.string(),
  /** In ms; both are the completion for a merged file. */
  begin: z.number().nullable(),
  end: z.number().nullable(),
  format: z.enum(['flv', 'mp4']).nullable(),
  bytes: z.number().nullable(),
  /** In ms. */
  duration: z.number().nullable(),
  /** Equal for files that can be merged. */
  codecs: z.string().nullable(),
  merged: z.boolean().nullable(),
  /** Absent for a file that is no clip. */
  clip: Clip.optional(),
  /** Its file is not in its place on the disk; absent where it is, or where nobody looked. */
  missing: z.boolean().optional(),
})

/** A recorded file with its channel, which may be deleted. */
export const ListedFile = RecordedFile.extend({
  /** Last name of the channel; null if unknown. */
  channel: z.string().nullable(),
  deleted: z.boolean(),
})

/** A deleted channel with recorded files. */
export const DeletedChannel = z.object({
  cid,
  /** Last name; null if unknown. */
  name: z.string().nullable(),
  /** In ms. */
  deleted: z.number(),
})

/** A marked moment. */
export const Marker = z.object({ markerId: z.number(), cid, at: z.number(), label: z.string() })

/** A running merge; sizes in bytes. */
export const MergeTask = z.object({
  taskId: z.number(),
  outputName: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  reason: reasonSchema('merge').nullable(),
  done: z.number(),
  total: z.number(),
})

/** State for the next merge, besides its files. */
export const MergeBoard = z.object({
  /** Newest first; null if the service does not tell. */
  tasks: z.array(MergeTask).nullable(),
  /** Times of merge requests from here within the last minute, in ms. */
  calls: z.array(z.number()),
})

/** A callback in the embedded service's log. */
export const OutgoingCallback = z.object({
  nId: z.string(),
  /** Its file. */
  vid: z.number().nullable(),
  url: z.string(),
  state: z.enum(['waiting', 'delivered', 'failed']),
  attempts: z.number(),
  at: z.number(),
  /** Next attempt, while waiting. */
  due: z.number().nullable(),
  /** What the last attempt came to. */
  result: reasonSchema('delivery').nullable(),
})

/** Newest callbacks of the embedded service, and the number waiting. */
export const OutgoingCallbacks = z.object({ list: z.array(OutgoingCallback), waiting: z.number() })

/** Retention of recordings: days, and gigabytes of 10^9 bytes; 0 without a limit. */
export const Retention = z.object({
  days: z.number().int().min(0).max(36_500),
  gigabytes: z.number().int().min(0).max(1_000_000),
})

export type RecordingState = z.infer<typeof RecordingState>
export type RecordedFile = z.infer<typeof RecordedFile>
export type ListedFile = z.infer<typeof ListedFile>
export type DeletedChannel = z.infer<typeof DeletedChannel>
export type Marker = z.infer<typeof Marker>
export type TakenClip = z.infer<typeof TakenClip>
export type MergeTask = z.infer<typeof MergeTask>
export type MergeBoard = z.infer<typeof MergeBoard>
export type OutgoingCallback = z.infer<typeof OutgoingCallback>
export type OutgoingCallbacks = z.infer<typeof OutgoingCallbacks>
export type Retention = z.infer<typeof Retention>
