import type { Clock } from '../platform/clock.ts'
import type { Client } from './client/client.ts'
import type { IsExtended } from './profiles/profiles.ts'
import type { Vault } from './secrets/vault.ts'

/** What many parts of the companion are given; each names what it uses. */
export interface PartPorts {
  readonly dataDir: string
  readonly vault: Vault
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly client: (profileId: string) => Promise<Client>
  /** Whether the service of a profile answers the extension operations. */
  readonly isExtended: IsExtended
  readonly entryName: (name: string) => string
  readonly log: (line: string) => void
}
