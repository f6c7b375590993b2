import { Failure, reasonOf } from '../failure.ts'

/** Where secrets are kept: in the keychain, or for the session with a reason. */
export type VaultMode =
  | { readonly kind: 'keychain' }
  | {
      readonly kind: 'session'
      /** `locked`: also without an answer; `chosen`: requested. */
      readonly reason: 'noBus' | 'unavailable' | 'locked' | 'denied' | 'chosen'
      /** The system's message, without secrets. */
      readonly detail: string
    }

/** The secret store. Calls may reject with VaultRefused. */
export interface Vault {
  readonly mode: VaultMode
  get(account: string): Promise<string | undefined>
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
  /** Including other data folders' entries. */
  names(): Promise<string[]>
  /** Tests the system's keychain with a temporary entry. */
  test(): Promise<VaultMode>
}

/** The keychain refused or did not answer. */
export class VaultRefused extends Error {
  readonly reason: 'unavailable' | 'locked' | 'denied'

  constructor(reason: 'unavailable' | 'locked' | 'denied', detail: string) {
    super(detail)
    this.name = 'VaultRefused'
    this.reason = reason
  }
}

/** Waits for a call of a vault; what it rejects with becomes Failure `keychain`. */
export async function fromVault<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw error instanceof Failure ? error : new Failure('keychain', reasonOf(error))
  }
}
