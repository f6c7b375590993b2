import { z } from 'zod'
import { maxMute } from '../operations/limits.ts'
import { desktopSettings } from './desktop.ts'
import { RecordingDefaults } from './recording-state.ts'
import { reasonSchema } from './reason.ts'

/** Capabilities of a shell; the interface shows only what is available. */
export const Capability = z.enum([
  'clipboard',
  'windowControls',
  'desktopDownload',
  'openLog',
  'showInFolder',
  'stayOnTop',
  'updates',
  'tray',
  'globalKeys',
  'notifications',
  'startAtLogin',
  'chooseFolder',
])

/** Which app, shell and seat a page belongs to. */
export const About = z.object({
  version: z.string(),
  shell: z.enum(['electron', 'browser']),
  platform: z.string(),
  capabilities: z.array(Capability),
  /** Why this shell was chosen over the desktop window, if it was not the first choice. */
  shellReason: z.string().nullable(),
  /** The moderator's seat of the page; null for the user of this computer. */
  seat: z
    .object({
      profileId: z.string(),
      roomid: z.number(),
      cid: z.string().nullable(),
      accid: z.string(),
      name: z.string(),
    })
    .nullable(),
})
export type About = z.infer<typeof About>

/** State of the embedded service. */
export const ServiceState = z.object({
  phase: z.enum(['starting', 'running', 'restarting', 'stopped']),
  /** Time of the fault in ms, while it is not running. */
  since: z.number().nullable(),
  /** Current or next restart attempt, from 1, and their maximum. */
  attempt: z.number(),
  attempts: z.number(),
  /** Time of the next attempt in ms. */
  nextAttempt: z.number().nullable(),
  /** Since when it answers late, in ms; null if it does not. */
  busySince: z.number().nullable(),
  reason: reasonSchema('service').nullable(),
  addresses: z
    .object({
      api: z.string(),
      media: z.string(),
      rtmp: z.string(),
      /** Root of the media side as others reach it, where it is not that of `media`, the listener. */
      publicMedia: z.string().nullable(),
    })
    .nullable(),
  /** Taken ports, and those used instead. */
  notes: z.array(
    z.object({
      listener: z.enum(['api', 'media', 'rtmp']),
      wanted: z.number(),
      used: z.number(),
      holder: z.string().nullable(),
    }),
  ),
  diskFree: z.number().nullable(),
  /** Bytes until recording stops, before the disk is full; null while unknown. */
  recordingRoom: z.number().nullable(),
  /** To be freed before recording resumes, while the disk is full; and the reserve, if known. */
  recordingNeeds: z.number().optional(),
  recordingReserve: z.number().optional(),
  timeZone: z.string(),
  /** Why the main database is unusable, and usable copies; null otherwise. */
  database: z
    .object({
      kind: z.enum(['missing', 'damaged', 'newer', 'notAFile', 'unreadable']),
      detail: z.string(),
      copies: z.array(z.object({ name: z.string(), at: z.number(), bytes: z.number() })),
    })
    .nullable(),
})

/** A service that the app controls. */
export const Profile = z.object({
  id: z.string(),
  kind: z.enum(['local', 'hosted']),
  /** Its service answers the extension operations. */
  extended: z.boolean(),
  /** Root of the media side as an extended hosted service tells it; null otherwise. */
  media: z.string().nullable(),
  name: z.string(),
  liveUrl: z.string(),
  messagingUrl: z.string(),
  appKey: z.string(),
  /** `session`: in memory only; `missing`: must be entered again. */
  secret: z.enum(['keychain', 'session', 'missing']),
})

/** The tally of a channel. */
export const Tally = z.object({
  cid: z.string(),
  status: z.number().int(),
  since: z.number().nullable(),
  viewers: z.number().nullable(),
  keyExpires: z.number().nullable(),
  /** The broadcast on air; extended services only. */
  broadcastId: z.string().optional(),
  /** Its title; absent without one. */
  broadcastTitle: z.string().optional(),
  /** The title that the next broadcast takes; extended services only. */
  nextTitle: z.string().optional(),
})

/** A channel as listed. */
export const Channel = z.object({
  cid: z.string(),
  name: z.string(),
  status: z.number().int(),
  created: z.number(),
  needRecord: z.boolean(),
  format: z.enum(['flv', 'mp4']),
  duration: z.number(),
  filename: z.string(),
})

/** Measurements of the ingest; null if not available. */
export const Figures = z.object({
  kbps: z.number().nullable(),
  fps: z.number().nullable(),
  keyFrameGap: z.number().nullable(),
  /** Longest key frame interval of the last minute in ms. */
  keyFrameGapMax: z.number().nullable(),
  /** Standard deviation of the bitrate. */
  kbpsDeviation: z.number().nullable(),
  /** Frames per second declared by the encoder. */
  fpsDeclared: z.number().nullable(),
  /** Lag of media time behind the clock within the last minute, in ms. */
  drift: z.number().nullable(),
  /** Longest audio gap of the last 10 s in ms. */
  audioGap: z.number().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  videoCodec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  sampleRate: z.number().nullable(),
  audioChannels: z.number().nullable(),
  encoder: z.string().nullable(),
  viewers: z.number().nullable(),
})

/** Download of the desktop window's binary. */
export const Download = z.object({
  phase: z.enum(['none', 'connecting', 'downloading', 'done', 'failed', 'cancelled']),
  received: z.number(),
  total: z.number().nullable(),
  reason: reasonSchema('download').nullable(),
})

/** Updates of the app. */
export const Update = z.object({
  /** `waiting`: until nothing is on air or recorded; `never`: this build does not update, see `reason`. */
  phase: z.enum(['never', 'idle', 'checking', 'waiting', 'fetching', 'ready', 'failed']),
  /** The offered version. */
  version: z.string().nullable(),
  percent: z.number().nullable(),
  reason: reasonSchema('update').nullable(),
  /** Last check, in ms. */
  checked: z.number().nullable(),
})

/** Settings of the app, common to all windows and shells. */
export const Settings = z.object({
  theme: z.enum(['dark', 'light', 'system']),
  language: z.enum(['en', 'zh', 'system']),
  /** Presets of a mute in seconds, in order of their keys; 0: until lifted; null: defaults. */
  mutePresets: z
    .array(z.number().int().min(0).max(maxMute))
    .min(1)
    .max(6)
    .refine((presets) => new Set(presets).size === presets.length, 'each once')
    .nullable(),
  /** Changed keys of the Room by command; unknown ones are ignored. */
  roomKeys: z
    .record(z.string().max(32), z.array(z.string().min(1).max(32)).min(1).max(2))
    .refine((keys) => Object.keys(keys).length <= 64, 'at most 64'),
  recording: RecordingDefaults,
  ...desktopSettings,
})

export type ServiceState = z.infer<typeof ServiceState>
export type Profile = z.infer<typeof Profile>
export type Tally = z.infer<typeof Tally>
export type Channel = z.infer<typeof Channel>
export type Figures = z.infer<typeof Figures>
export type Download = z.infer<typeof Download>
export type Update = z.infer<typeof Update>
export type Settings = z.infer<typeof Settings>
export type Capability = z.infer<typeof Capability>
