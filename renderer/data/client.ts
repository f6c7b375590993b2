import type { ContractRouterClient } from '@orpc/contract'
import type { Rpc } from '../../contract/rpc/index.ts'

/** The companion's procedures, as a type, without validators. */
export type RpcClient = ContractRouterClient<Rpc>

/** One open connection to the companion. */
export interface Line {
  readonly client: RpcClient
  /** Does not call `onLost`. */
  close(): void
}

/** Over the desktop shell's port or the browser shell's socket. */
export interface LineOpener {
  /** Rejects with `Unauthorized` without a session. */
  open(onLost: () => void): Promise<Line>
}

/** How people sign in: by the start command's link, or as a moderator. */
export type AuthMethod = 'link' | 'account'

/** The page has no session. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
  readonly authMethod: AuthMethod
  constructor(message: string, authMethod: AuthMethod) {
    super(message)
    this.authMethod = authMethod
  }
}
