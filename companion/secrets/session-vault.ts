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
    set: async (account, secret) => void held.set(account, secret),
    delete: async (account) => void held.delete(account),
    names: () => Promise.resolve([...held.keys()]),
    test,
  }
}
