/**
 * Where secrets are kept, with an explicit mode. `session` is memory only and always carries the reason; nothing falls back
 * silently, every profile shows the mode that its secret has.
 */
export type VaultMode =
  | { readonly kind: 'keychain' }
  | {
      readonly kind: 'session'
      /** `noBus`: no session bus; `unavailable`: no library or no secret service; `locked`: locked or unanswered; `denied`: refused; `chosen`: asked for. */
      readonly reason: 'noBus' | 'unavailable' | 'locked' | 'denied' | 'chosen'
      /** In words of the system, without secrets. */
      readonly detail: string
    }

/** The companion's secret store. Every call may reject with VaultRefused. */
export interface Vault {
  readonly mode: VaultMode
  get(account: string): Promise<string | undefined>
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
  /** Names of all entries that the app has there, of other data folders too; never their secrets. */
  names(): Promise<string[]>
  /** Writes, reads and deletes an entry of no worth in the system's keychain and answers what works now, whatever this session uses. */
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
