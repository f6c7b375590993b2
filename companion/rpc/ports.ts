import { type Capability, type Settings } from '../../contract/rpc/index.ts'
import type { SecretPlaces } from '../../contract/rpc/secret.ts'
import type { PushAddresses } from '../channels/push-addresses.ts'
import type { Client } from '../client/client.ts'
import { type Clock } from '../../platform/clock.ts'
import type { ApiConsole } from '../console/console.ts'
import type { ExtensionCheck } from '../profiles/extension-check.ts'
import { type HostedEntry, type Profiles } from '../profiles/profiles.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { RemoteRooms } from '../remote-rooms/remote-rooms.ts'
import type { Moderators } from '../moderators/moderators.ts'
import type { Obs } from '../obs/obs.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { TicketOwner } from '../relay/tickets.ts'
import type { RoomMedia } from '../rooms/room-media.ts'
import type { Rooms } from '../rooms/rooms.ts'
import type { CopyReceivers } from '../receivers/copy-receivers.ts'
import type { Receivers } from '../receivers/receivers.ts'
import type { Access } from '../access/access.ts'
import type { Targets } from '../targets/targets.ts'
import type { SettingsFile } from '../settings-file/settings-file.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { Keeping } from '../keeping/keeping.ts'
import type { Support } from '../support/support.ts'
import type { EventHub } from '../hub/event-hub.ts'
import type { PushHistory } from '../channel-status/push-history.ts'
import type { Computer } from '../this-computer/this-computer.ts'

/** Path of an uploaded file until the owner's page is gone. Throws Failure. */
export type ShowFile = (profileId: string, url: string, owner: TicketOwner) => Promise<{ path: string }>

/** What the procedures use. */
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
  readonly extensions: ExtensionCheck
  readonly supervisor: Supervisor
  readonly keeping: Keeping
  readonly addresses: PushAddresses
  /** Throws Failure. */
  readonly client: (profileId: string) => Promise<Client>
  readonly clientOf: (entry: HostedEntry) => Client
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
  /** Path of a recorded file until the owner's page is gone. */
  readonly play: (profileId: string, vid: number, owner: TicketOwner) => Promise<{ path: string }>
  readonly showFile: ShowFile
  readonly receivers: Receivers
  readonly copies: CopyReceivers
  readonly console: ApiConsole
  readonly messaging: Messaging
  readonly rooms: Rooms
  readonly moderators: Moderators
  readonly remoteRooms: RemoteRooms
  readonly obs: Obs
  readonly access: Access
  readonly targets: Targets
  readonly computer: Computer
  readonly settingsFile: SettingsFile
  readonly support: Support
  readonly roomMedia: RoomMedia
  readonly pushHistory: PushHistory
  readonly openLink: (url: string) => Promise<void>
  readonly cancelDownload: () => void
  readonly checkUpdate: () => void
  readonly installUpdate: () => boolean
  readonly clipboard?: (text: string) => Promise<void>
  /** Gets values with secrets, and where those are. */
  readonly heard: (places: SecretPlaces, said: unknown) => void
  /** The error of a small write into the app's folder. */
  readonly tryDisk: () => unknown
  readonly diskRefused: () => void
  readonly log: (line: string) => void
}
