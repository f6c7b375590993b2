import type { Figures, RecordingState, Seat } from '../../../contract/rpc/index.ts'
import type { TargetBoard } from '../../../contract/rpc/targets.ts'
import type { Failure } from '../../data/failure.ts'
import type { FlvSeen } from '../../player/flv-look.ts'
import type { HlsSeen } from '../../player/hls-look.ts'
import type { PushRefusal } from '../channels/push-refusals.ts'
import type { ChannelAccess, Reach } from '../share/share.ts'

/** Result of a test; null while unknown. */
export type Tried<T> = { readonly value: T } | { readonly failure: Failure } | null

/** A room as the check reads it. */
export interface RoomSeen {
  readonly roomid: number
  readonly name: string
  readonly valid: boolean
  readonly muted: boolean
  readonly online: number | null
}

/** Who can watch, as the check reads it. */
export interface ShareSeen {
  readonly access: ChannelAccess
  readonly reach: Reach
}

/** An action of the check, or a place to go to. */
export type Fix =
  | 'profiles'
  | 'restart'
  | 'renew'
  | 'copy'
  | 'resume'
  | 'again'
  | 'recordings'
  | 'folder'
  | 'room'
  | 'openRoom'
  | 'unmute'
  | 'moderators'
  | 'share'
  | 'target'

/** The lines after `profile`, in order. */
export const linesAfterProfile = [
  'key',
  'ingest',
  'flv',
  'hls',
  'audio',
  'recording',
  'disk',
  'share',
  'targets',
  'room',
  'moderators',
] as const
/** Name of a line. */
export type LineName = 'profile' | (typeof linesAfterProfile)[number]

/** One line of the whole check. */
export interface GoLiveLine {
  readonly name: LineName
  /** `warn` hinders nobody; `wait`: not known yet; `none`: not given by this profile. */
  readonly state: 'ok' | 'warn' | 'fault' | 'wait' | 'none'
  /** Of the locale: `goLive.<says>`, unless there is a failure. */
  readonly says: string
  readonly named: Readonly<Record<string, string | number>>
  readonly count: number | null
  readonly failure: Failure | null
  /** Why, in words of the locale: `<cause>`, as the slot `why`. */
  readonly cause: string | null
  /** Its source: `goLive.from.<from>`. */
  readonly from: LineName | 'polled'
  readonly fix: Fix | null
  /** Of fix `target`. */
  readonly targetId: number | null
}

/** What the whole check knows. */
export interface GoLiveFacts {
  /** The app or the service is out of reach. */
  readonly lost: Failure | null
  readonly local: boolean
  /** The service has the extension operations. */
  readonly extended: boolean
  readonly now: number
  readonly live: boolean
  /** Viewers get the held picture, by hand or as the encoder is lost. */
  readonly held: { readonly lost: boolean } | null
  readonly disabled: boolean
  readonly figures: Figures | null
  readonly rate: number | null
  /** The last refused push, unless another began since. */
  readonly refused: PushRefusal | null
  readonly profile: Tried<{ readonly milliseconds: number }>
  readonly card: Tried<{ readonly expires: number | null }>
  /** Null values: the profile has no such address. */
  readonly flv: Tried<FlvSeen | null>
  readonly hls: Tried<HlsSeen | null>
  /** `wished` is the setting, `running` from the tally, `state` from the service. */
  readonly recording: { readonly wished: boolean; readonly running: boolean; readonly state: RecordingState | null }
  /** Free bytes of the disk, those until recording stops, and the rate of all recordings including this push. */
  readonly diskFree: number | null
  readonly recordingRoom: number | null
  readonly recordedKbps: number | null
  /** A null value: of the embedded service only. */
  readonly share: Tried<ShareSeen | null>
  readonly targets: Tried<TargetBoard | null>
  /** A null value: no room is linked. */
  readonly room: Tried<RoomSeen | null>
  /** The seats of that room that are not revoked. */
  readonly seats: Tried<{ readonly listening: boolean; readonly seats: readonly Seat[] }>
}
