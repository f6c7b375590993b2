import { type Capability, type Settings } from '../../contract/rpc/index.ts'
import type { SecretPlaces } from '../../contract/rpc/secret.ts'
import type { PushAddresses } from '../channels/push-addresses.ts'
import type { Client } from '../client/client.ts'
import { type Clock } from '../../platform/clock.ts'
import type { ApiConsole } from '../console/console.ts'
import { type HostedEntry, type Profiles } from '../profiles/profiles.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Joining } from '../remote-rooms/joining.ts'
import type { Moderators } from '../moderators/moderators.ts'
import type { Obs } from '../obs/obs.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { TicketOwner } from '../relay/tickets.ts'
import type { RoomMedia } from '../rooms/room-media.ts'
import type { Rooms } from '../rooms/rooms.ts'
import type { CopyReceivers } from '../receivers/copy-receivers.ts'
import type { Receivers } from '../receivers/receivers.ts'
import type { SettingsFile } from '../settings-file/settings-file.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { Keeping } from '../keeping/keeping.ts'
import type { Support } from '../support/support.ts'
import type { EventHub } from '../hub/event-hub.ts'
import type { PushHistory } from '../channel-status/push-history.ts'
import type { Computer } from '../this-computer/this-computer.ts'

/** Gives a path at which an uploaded file is shown until the page of `owner` is gone. Throws Failure. */
export type ShowFile = (profileId: string, url: string, owner: TicketOwner) => Promise<{ path: string }>

/** What the procedures act on. */
export interface RouterPorts {
  readonly clock: Clock
  readonly about: {
    readonly version: string
    readonly shell: 'electron' | 'browser'
    readonly platform: string
    readonly capabilities: readonly Capability[]
    readonly shellReason: () => string | null
  }
  readonly hub: EventHub
  readonly profiles: Profiles
  readonly supervisor: Supervisor
  readonly keeping: Keeping
  readonly addresses: PushAddresses
  /** Signed calls of a stored profile. Failures are Failure. */
  readonly client: (profileId: string) => Promise<Client>
  /** Signed calls of a service that is not stored. */
  readonly clientOf: (entry: HostedEntry) => Client
  /** Something of a polled profile was changed from here. */
  readonly pollNow: (profileId: string) => void
  readonly settings: {
    value(): Settings
    change(change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings>
  }
  readonly preview: (
    profileId: string,
    cid: string,
    owner: TicketOwner,
  ) => Promise<{ flv: string | null; hls: string | null }>
  readonly recordings: Recordings
  /** A path at which a recorded file plays until the owner's page is gone. */
  readonly play: (profileId: string, vid: number, owner: TicketOwner) => Promise<{ path: string }>
  /** A path at which an uploaded file of the embedded service is shown until the owner's page is gone. */
  readonly showFile: ShowFile
  readonly receivers: Receivers
  readonly copies: CopyReceivers
  readonly console: ApiConsole
  readonly messaging: Messaging
  readonly rooms: Rooms
  readonly moderators: Moderators
  readonly joining: Joining
  readonly obs: Obs
  readonly computer: Computer
  readonly settingsFile: SettingsFile
  readonly support: Support
  readonly roomMedia: RoomMedia
  readonly pushHistory: PushHistory
  readonly openLink: (url: string) => Promise<void>
  readonly cancelDownload: () => void
  readonly checkUpdate: () => void
  readonly installUpdate: () => boolean
  /** Puts text on the system's clipboard; absent in a shell that cannot. */
  readonly clipboard?: (text: string) => Promise<void>
  /** Told what pages hand in and are given, and where secrets stand in it. */
  readonly heard: (places: SecretPlaces, said: unknown) => void
  /** The error of a small write into the app's folder; undefined when it can be written. */
  readonly tryDisk: () => unknown
  readonly diskRefused: () => void
  readonly log: (line: string) => void
}
