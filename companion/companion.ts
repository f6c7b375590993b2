import type { ServiceChoices, ServiceReady } from '../contract/service-process.ts'
import type { Clock } from '../platform/clock.ts'
import type { DesktopControl, DownloadControl, UpdateControl } from './hub/shell-controls.ts'
import type { NamedChoices } from './instance/launch-options.ts'
import type { JoinedPages } from './remote-rooms/joining.ts'
import type { CompanionBounds } from './listener-bounds.ts'
import type { Relay } from './relay/relay.ts'
import type { Resolve } from './relay/target.ts'
import type { RouterPorts } from './rpc/ports.ts'
import type { RpcServer } from './rpc/server.ts'
import type { Vault } from './secrets/vault.ts'
import type { LaunchService } from './supervisor/launcher.ts'

/** Everything that the companion takes from its shell. */
export interface CompanionPorts {
  /** Folder of profiles.json and settings.json; exists. */
  readonly dataDir: string
  readonly vault: Vault
  readonly launch: LaunchService
  /** Where the embedded service keeps its data and listens. */
  readonly choices: ServiceChoices
  /** Which of these the command line named, so that they win over what is set in the app; none when absent. */
  readonly named?: NamedChoices
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly resolve: Resolve
  readonly openLink: (url: string) => Promise<void>
  /** Folder of the built page, for pages of moderators; absent where none is served. */
  readonly pageDir?: string
  readonly about: RouterPorts['about']
  readonly clipboard?: (text: string) => Promise<void>
  /** Shows a file in the system's folder window; absent in a shell that cannot. */
  readonly showFile?: (file: string) => void
  /** Has a person choose a folder in the system's dialog; absent in a shell without one. */
  readonly chooseFolder?: () => Promise<string | undefined>
  readonly download?: DownloadControl
  /** Makes the shell's updating; `busy` tells whether something is on air or recorded. Absent in a shell that has none. */
  readonly updates?: (busy: () => boolean) => UpdateControl
  /** Absent in a shell that has no tray, keys or notifications of its own. */
  readonly desktop?: DesktopControl
  /** A certificate authority beside the known ones, for hosted services that have their own. */
  readonly ca?: string
  /** One line for the log, without secrets. */
  readonly log: (line: string) => void
}

/** The app's brain, the same in both shells. */
export interface Companion {
  readonly rpc: RpcServer
  readonly relay: Relay
  /** What shells serve of rooms on other computers. */
  readonly joined: JoinedPages
  /** What bounds the listeners of this process, the shell's among them. */
  readonly bounds: CompanionBounds
  /** The service's ready line while it runs. */
  service(): ServiceReady | undefined
  /** The service's ready line, as soon as it runs; undefined when it was given up or `patience` ms have passed. */
  serviceReady(patience: number): Promise<ServiceReady | undefined>
  /** Ends pages, transfers and polls, then the service in order. */
  close(): Promise<void>
}
