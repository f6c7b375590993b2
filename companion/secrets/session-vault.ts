import type { Vault, VaultMode } from './vault.ts'

/** A vault in memory. `test` checks the keychain now. */
export function sessionVault(
  mode: VaultMode & { kind: 'session' },
  test = (): Promise<VaultMode> => Promise.resolve(mode),
): Vault {
  const held = new Map<string, string>()
  return {
    mode,
    get: (account) => Promise.resolve(held.get(account)),
    set: (account, secret) => {
      held.set(account, secret)
      return Promise.resolve()
    },
    delete: (account) => {
      held.delete(account)
      return Promise.resolve()
    },
    names: () => Promise.resolve([...held.keys()]),
    test,
  }
}
