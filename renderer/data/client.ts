import type { ContractRouterClient } from '@orpc/contract'
import type { Rpc } from '../../contract/rpc/index.ts'

/** The companion as the page calls it; from the contract's type alone, so that no validator is bundled. */
export type RpcClient = ContractRouterClient<Rpc>

/** One open line to the companion. */
export interface Line {
  readonly client: RpcClient
  /** Closes the line; `onLost` is then not called. */
  close(): void
}

/** How a line is opened: over the desktop shell's port or the browser shell's socket. */
export interface LineOpener {
  /** Resolves when calls can be made; rejects with `Unauthorized` when the page is not signed in. */
  open(onLost: () => void): Promise<Line>
}

/** How people sign in: by the link that the start command prints, or by the account and token of a moderator. */
export type Door = 'link' | 'account'

/** The page has no session; its door gives one. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
  readonly door: Door
  constructor(message: string, door: Door) {
    super(message)
    this.door = door
  }
}
