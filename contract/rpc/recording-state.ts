import { z } from 'zod'
import { recordings } from '../operations/recordings.ts'
import { reasonSchema } from './reason.ts'

const cid = z.string()

/** What is being recorded of a channel, as the embedded service tells it. */
export const RecordingState = z.object({
  /** `asked`: the next push, or the next key frame, is recorded. `stopped`: it is wanted and cannot be, see `reason`. */
  state: z.enum(['off', 'asked', 'recording', 'stopped']),
  reason: z.enum(['space', 'readonly', 'folder', 'slow', 'error']).nullable(),
  /** Begin of the recording in ms. */
  since: z.number().nullable(),
  /** Length of what was recorded since then, in ms of media; absent where it is not known. */
  recorded: z.number().optional(),
  /** Size of the slice being written. */
  bytes: z.number(),
  /** When the next slice begins at the earliest, in ms; null where it is not known. */
  cut: z.number().nullable(),
})

const { min, max } = recordings.setAlwaysRecord.parameters.duration
/** How the app records channels that nobody has set otherwise. */
export const RecordingDefaults = z.strictObject({
  /** Channels that are created from now on are recorded with every push. */
  everyPush: z.boolean(),
  format: z.enum(['flv', 'mp4']),
  /** Length of a slice. */
  minutes: z.number().int().min(min).max(max),
  /** Files are called like their channel; otherwise by its id. */
  named: z.boolean(),
})
/** How the app records channels that nobody has set otherwise. */
export type RecordingDefaults = z.infer<typeof RecordingDefaults>

/** A recorded file. What the lists of 1-live leave out is null for a hosted service. */
export const RecordedFile = z.object({
  vid: z.number(),
  cid,
  name: z.string(),
  /** Storage path. */
  key: z.string(),
  /** Begin and end of the recording in ms; of a merged file both are its completion. */
  begin: z.number().nullable(),
  end: z.number().nullable(),
  format: z.enum(['flv', 'mp4']).nullable(),
  bytes: z.number().nullable(),
  /** Length of the media in ms. */
  duration: z.number().nullable(),
  /** Files can be merged when these are equal. */
  codecs: z.string().nullable(),
  merged: z.boolean().nullable(),
})

/** A recorded file with its channel, which may have been deleted. */
export const ListedFile = RecordedFile.extend({
  /** Name of the channel, the last one of a deleted channel; null where it is not known. */
  channel: z.string().nullable(),
  /** The channel was deleted. */
  deleted: z.boolean(),
})

/** A deleted channel that has recorded files. */
export const DeletedChannel = z.object({
  cid,
  /** Its last name; null where it is not known. */
  name: z.string().nullable(),
  /** When it was deleted, in ms. */
  deleted: z.number(),
})

/** A moment that somebody marked. */
export const Marker = z.object({ markerId: z.number(), cid, at: z.number(), label: z.string() })

/** A merge as it goes; bytes. */
export const MergeTask = z.object({
  taskId: z.number(),
  outputName: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  reason: reasonSchema('merge').nullable(),
  done: z.number(),
  total: z.number(),
})

/** What the next merge depends on besides its files. */
export const MergeBoard = z.object({
  /** Newest first; null where the service does not tell. */
  tasks: z.array(MergeTask).nullable(),
  /** When merges were asked for from here within the last minute, in ms. */
  calls: z.array(z.number()),
})

/** A callback that the embedded service delivers or delivered. */
export const OutgoingCallback = z.object({
  nId: z.string(),
  /** The file that it tells of. */
  vid: z.number().nullable(),
  url: z.string(),
  state: z.enum(['waiting', 'delivered', 'failed']),
  attempts: z.number(),
  at: z.number(),
  /** When the next attempt is due, while it waits. */
  due: z.number().nullable(),
  /** What the last attempt came to. */
  result: reasonSchema('delivery').nullable(),
})

/** The newest callbacks of the embedded service, and how many wait in all. */
export const OutgoingCallbacks = z.object({ list: z.array(OutgoingCallback), waiting: z.number() })

/** What is kept of recordings: days, and gigabytes of 10^9 bytes; 0 without a limit. */
export const Retention = z.object({
  days: z.number().int().min(0).max(36_500),
  gigabytes: z.number().int().min(0).max(1_000_000),
})

export type RecordingState = z.infer<typeof RecordingState>
export type RecordedFile = z.infer<typeof RecordedFile>
export type ListedFile = z.infer<typeof ListedFile>
export type DeletedChannel = z.infer<typeof DeletedChannel>
export type Marker = z.infer<typeof Marker>
export type MergeTask = z.infer<typeof MergeTask>
export type MergeBoard = z.infer<typeof MergeBoard>
export type OutgoingCallback = z.infer<typeof OutgoingCallback>
export type OutgoingCallbacks = z.infer<typeof OutgoingCallbacks>
export type Retention = z.infer<typeof Retention>
