import type { Figures, RecordingState, Seat } from '../../../contract/rpc/index.ts'
import type { Failure } from '../../data/failure.ts'
import type { FlvSeen } from '../../player/flv-look.ts'
import type { HlsSeen } from '../../player/hls-look.ts'
import type { PushRefusal } from '../channels/push-refusals.ts'

/** What was tried and what came of it; null while nothing is known yet. */
export type Tried<T> = { readonly value: T } | { readonly failure: Failure } | null

/** A room as the check sees it. */
export interface RoomSeen {
  readonly roomid: number
  readonly name: string
  readonly valid: boolean
  readonly muted: boolean
  readonly online: number | null
}

/** Something that the check does, or the place that it leads to. */
export type Fix =
  | 'profiles'
  | 'restart'
  | 'renew'
  | 'copy'
  | 'resume'
  | 'again'
  | 'recordings'
  | 'room'
  | 'openRoom'
  | 'unmute'
  | 'moderators'

/** The lines after the one of the profile, in their order. */
export const linesAfterProfile = [
  'key',
  'ingest',
  'flv',
  'hls',
  'audio',
  'recording',
  'disk',
  'room',
  'moderators',
] as const
/** The name of a line. */
export type LineName = 'profile' | (typeof linesAfterProfile)[number]

/** One line of the whole check. */
export interface GoLiveLine {
  readonly name: LineName
  /** `warn` does not hinder anybody; `wait`: not known yet; `none`: this profile does not tell. */
  readonly state: 'ok' | 'warn' | 'fault' | 'wait' | 'none'
  /** Which sentence of the locale it says, `goLive.<says>`, unless there is a failure. */
  readonly says: string
  readonly named: Readonly<Record<string, string | number>>
  /** How many the sentence is about, where it has a plural. */
  readonly count: number | null
  readonly failure: Failure | null
  /** Where it was seen: `goLive.from.<from>`. */
  readonly from: LineName | 'polled'
  readonly fix: Fix | null
}

/** What the whole check knows. */
export interface GoLiveFacts {
  /** Why what was found may be stale: no line to the app, or none of the app to the service; null for none. */
  readonly lost: Failure | null
  readonly local: boolean
  readonly now: number
  readonly live: boolean
  readonly disabled: boolean
  readonly figures: Figures | null
  /** The steady frame rate of the push; null while it is not known. */
  readonly rate: number | null
  /** The last push that was refused, when none began since. */
  readonly refused: PushRefusal | null
  readonly profile: Tried<{ readonly milliseconds: number }>
  readonly card: Tried<{ readonly expires: number | null }>
  /** Null values: this profile gives no such address. */
  readonly flv: Tried<FlvSeen | null>
  readonly hls: Tried<HlsSeen | null>
  /** Whether recording is set, whether the tally says that it runs, and what the service tells of it. */
  readonly recording: { readonly wished: boolean; readonly running: boolean; readonly state: RecordingState | null }
  /** Bytes until recording stops, and the rate of all that is recorded with this push. */
  readonly recordingRoom: number | null
  readonly recordedKbps: number | null
  /** A null value: no room is linked. */
  readonly room: Tried<RoomSeen | null>
  /** Seats at that room that were not taken back, and whether anything listens for them. */
  readonly seats: Tried<{ readonly listening: boolean; readonly seats: readonly Seat[] }>
}
