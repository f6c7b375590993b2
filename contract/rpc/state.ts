import { z } from 'zod'
import { maxMute } from '../operations/chatrooms.ts'
import { desktopSettings } from './desktop.ts'
import { RecordingDefaults } from './recording-state.ts'
import { reasonSchema } from './reason.ts'

/** What a shell can do that another cannot; the interface shows only what is there. */
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

/** Why the embedded service is not running: how its process ended, what was missed of it, or in its own words (English, without secrets). */
export const ServiceEnd = z.discriminatedUnion('code', [
  z.object({ code: z.literal('exited'), status: z.number() }),
  z.object({ code: z.literal('killed'), signal: z.string() }),
  /** It did not answer any more. */
  z.object({ code: z.literal('silent') }),
  z.object({ code: z.literal('notReady'), seconds: z.number() }),
  /** Its data folder is being moved. */
  z.object({ code: z.literal('moving') }),
  z.object({ code: z.literal('said'), text: z.string() }),
])
/** Why the embedded service is not running. */
export type ServiceEnd = z.infer<typeof ServiceEnd>

/** How far the embedded service is. */
export const ServiceState = z.object({
  phase: z.enum(['starting', 'running', 'restarting', 'stopped']),
  /** Time of the fault in ms, while it is not running. */
  since: z.number().nullable(),
  /** Restart attempt in progress or next, from 1, and how many there are before it stays stopped. */
  attempt: z.number(),
  attempts: z.number(),
  /** Time of the next attempt in ms. */
  nextAttempt: z.number().nullable(),
  /** Since when it answers too late although it is there, in ms; null when it does not. */
  busySince: z.number().nullable(),
  reason: ServiceEnd.nullable(),
  addresses: z
    .object({
      api: z.string(),
      media: z.string(),
      rtmp: z.string(),
      /** The media side as others reach it, where that was set; `media` is the listener's own. */
      publicMedia: z.string().nullable(),
    })
    .nullable(),
  /** Ports that were taken, and what was used instead. */
  notes: z.array(
    z.object({
      listener: z.enum(['api', 'media', 'rtmp']),
      wanted: z.number(),
      used: z.number(),
      holder: z.string().nullable(),
    }),
  ),
  diskFree: z.number().nullable(),
  /** Bytes until recording stops, which is before the disk is full; null while that is not known. */
  recordingRoom: z.number().nullable(),
  /** Bytes that must become free until recording goes on, while it is stopped for want of room; what recording leaves free, while it is known. */
  recordingNeeds: z.number().optional(),
  recordingReserve: z.number().optional(),
  timeZone: z.string(),
  /** Why its main database cannot be used, and the copies that can take its place; null while that is not the reason. */
  database: z
    .object({
      kind: z.enum(['missing', 'damaged', 'newer', 'notAFile', 'unreadable']),
      detail: z.string(),
      copies: z.array(z.object({ name: z.string(), at: z.number(), bytes: z.number() })),
    })
    .nullable(),
})

/** A service that the app can drive. */
export const Profile = z.object({
  id: z.string(),
  kind: z.enum(['local', 'hosted']),
  name: z.string(),
  liveUrl: z.string(),
  messagingUrl: z.string(),
  appKey: z.string(),
  /** `session`: kept in memory only; `missing`: must be entered again. */
  secret: z.enum(['keychain', 'session', 'missing']),
})

/** What the app knows of a tally. */
export const Tally = z.object({
  cid: z.string(),
  status: z.number().int(),
  since: z.number().nullable(),
  viewers: z.number().nullable(),
  keyExpires: z.number().nullable(),
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

/** What the ingest measures; null where this profile does not give it. */
export const Figures = z.object({
  kbps: z.number().nullable(),
  fps: z.number().nullable(),
  keyFrameGap: z.number().nullable(),
  /** Longest gap between key frames of the last minute in ms. */
  keyFrameGapMax: z.number().nullable(),
  /** Standard deviation of the bitrate. */
  kbpsDeviation: z.number().nullable(),
  /** Frames per second that the encoder says it sends. */
  fpsDeclared: z.number().nullable(),
  /** By how much media time fell behind the clock within the last minute, in ms. */
  drift: z.number().nullable(),
  /** Longest time without sound of the last 10 s in ms. */
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

/** How the fetch of the desktop window's binary goes. */
export const Download = z.object({
  phase: z.enum(['none', 'connecting', 'downloading', 'done', 'failed', 'cancelled']),
  received: z.number(),
  total: z.number().nullable(),
  reason: z.string().nullable(),
})

/** Newer versions of the app. */
export const Update = z.object({
  /** `waiting`: there is one, which is fetched when nothing is on air or recorded; `never`: this build does not update itself, `reason` is why. */
  phase: z.enum(['never', 'idle', 'checking', 'waiting', 'fetching', 'ready', 'failed']),
  /** The newer version, where one is offered. */
  version: z.string().nullable(),
  percent: z.number().nullable(),
  /** `development`, `unsigned` or `feed` of a build that never updates; the text of a failure. */
  reason: z.string().nullable(),
  /** When it was last looked, in ms. */
  checked: z.number().nullable(),
})

/** The app's receiver of recording callbacks of one profile. */
export const Receiver = z.object({
  profileId: z.string(),
  /** `failed`: it should listen and cannot, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  /** Where it listens or was last told to. */
  host: z.string(),
  port: z.number(),
  /** Its address on this computer, while it listens. */
  url: z.string().nullable(),
  reason: z.string().nullable(),
  /** The service is on another computer: it must be able to reach this one, by a public name or a tunnel that ends here. */
  mustBeReachable: z.boolean(),
  /** It listens beyond this computer. */
  open: z.boolean(),
  /** A signing key is known; without one every message is turned away and comes again later. */
  keyKnown: z.boolean(),
})

/** One message that the receiver got. */
export const Delivery = z.object({
  /** Number in the receiver's log, ascending. */
  id: z.number(),
  at: z.number(),
  /** `forged`: the signature is not right; `unreadable`: the body is no callback; `duplicate`: genuine, with an nId that came before. */
  verdict: z.enum(['accepted', 'duplicate', 'forged', 'unreadable']),
  /** Genuine, but later than every resend of it: a recording that was finished late, or a replay. */
  stale: z.boolean(),
  /** Sent by the app itself to try the receiver out. */
  test: z.enum(['replay', 'tamper']).nullable(),
  /** Address that it came from. */
  from: z.string(),
  /** What is wrong with it. */
  why: reasonSchema('callback').nullable(),
  /** Fields of the message as it was received; none of an unreadable one. */
  fields: z.record(z.string(), z.string()),
})

/** Settings of the app itself, the same in all its windows and shells. */
export const Settings = z.object({
  theme: z.enum(['dark', 'light', 'system']),
  language: z.enum(['en', 'zh', 'system']),
  /** Presets of a mute in the Room in seconds, in the order of their keys; 0 is until lifted; null for the usual ones. */
  mutePresets: z
    .array(z.number().int().min(0).max(maxMute))
    .min(1)
    .max(6)
    .refine((presets) => new Set(presets).size === presets.length, 'each once')
    .nullable(),
  /** Keys of the Room that are not the usual ones, by command; what is not known there is passed over. */
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
/** Newer versions of the app. */
export type Update = z.infer<typeof Update>
export type Receiver = z.infer<typeof Receiver>
export type Delivery = z.infer<typeof Delivery>
export type Settings = z.infer<typeof Settings>
export type Capability = z.infer<typeof Capability>
