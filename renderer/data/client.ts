import type { ContractRouterClient } from '@orpc/contract'
import type { Rpc } from '../../contract/rpc/index.ts'

/** The companion's procedures; a type only, so that no validator is bundled. */
export type RpcClient = ContractRouterClient<Rpc>

/** One open connection to the companion. */
export interface Line {
  readonly client: RpcClient
  /** Does not call `onLost`. */
  close(): void
}

/** Opens connections, over the desktop shell's port or the browser shell's socket. */
export interface LineOpener {
  /** Rejects with `Unauthorized` without a session. */
  open(onLost: () => void): Promise<Line>
}

/** How people sign in: with the link that the start command prints, or with a moderator's account and token. */
export type Door = 'link' | 'account'

/** The page has no session. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
  readonly door: Door
  constructor(message: string, door: Door) {
    super(message)
    this.door = door
  }
}
