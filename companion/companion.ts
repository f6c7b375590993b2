import type { ServiceChoices, ServiceReady } from '../contract/service-process.ts'
import type { Clock } from '../platform/clock.ts'
import type { DesktopControl, DownloadControl, UpdateControl } from './hub/shell-controls.ts'
import type { NamedChoices } from './instance/launch-options.ts'
import type { JoinedPages } from './remote-rooms/remote-rooms.ts'
import type { CompanionBounds } from './listener-bounds.ts'
import type { Relay } from './relay/relay.ts'
import type { Resolve } from './relay/target.ts'
import type { RouterPorts } from './rpc/ports.ts'
import type { RpcServer } from './rpc/server.ts'
import type { Vault } from './secrets/vault.ts'
import type { LaunchService } from './supervisor/launcher.ts'

/** What the companion takes from its shell. */
export interface CompanionPorts {
  /** Exists. */
  readonly dataDir: string
  readonly vault: Vault
  readonly launch: LaunchService
  readonly choices: ServiceChoices
  /** Choices of the command line, which override the app's settings. */
  readonly named?: NamedChoices
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly resolve: Resolve
  readonly openLink: (url: string) => Promise<void>
  /** Folder of the built page; absent if moderators' pages are not served. */
  readonly pageDir?: string
  readonly about: RouterPorts['about']
  readonly clipboard?: (text: string) => Promise<void>
  /** Shows a file in the system's file manager. */
  readonly showFile?: (file: string) => void
  /** Shows the system's folder dialog. */
  readonly chooseFolder?: () => Promise<string | undefined>
  readonly download?: DownloadControl
  /** `busy`: whether something is on air or recorded. */
  readonly updates?: (busy: () => boolean) => UpdateControl
  /** Absent in a shell without tray, shortcuts or notifications. */
  readonly desktop?: DesktopControl
  /** Certificate authority for hosted services with their own. */
  readonly ca?: string
  /** Without secrets. */
  readonly log: (line: string) => void
}

/** The app without its windows, the same in both shells. */
export interface Companion {
  readonly rpc: RpcServer
  readonly relay: Relay
  readonly joined: JoinedPages
  /** Limits of this process's listeners. */
  readonly bounds: CompanionBounds
  service(): ServiceReady | undefined
  /** Resolves once the service runs; with undefined when it was given up, or after `patience` ms. */
  serviceReady(patience: number): Promise<ServiceReady | undefined>
  close(): Promise<void>
}
