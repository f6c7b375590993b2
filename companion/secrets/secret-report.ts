import type { SecretReport } from '../../contract/rpc/index.ts'
import { probeStart } from './keychain-vault.ts'
import { fromVault, type Vault, type VaultMode } from './vault.ts'

type Kind = NonNullable<SecretReport['entries']>[number]['kind']
const kinds: readonly Kind[] = [
  'own',
  'profiles',
  'signingKeys',
  'tokens',
  'targets',
  'obs',
  'certificate',
  'joined',
  'left',
  'others',
]

/** What the report needs. */
export interface SecretPorts {
  readonly vault: Vault
  readonly platform: string
  /** With an empty name, the common prefix. */
  readonly entryName: (name: string) => string
  readonly profiles: () => readonly string[]
}

/** A vault's mode for pages. */
export const shownMode = (mode: VaultMode): SecretReport['mode'] =>
  mode.kind === 'keychain'
    ? { kind: 'keychain', reason: null, detail: null }
    : { kind: 'session', reason: mode.reason, detail: mode.detail.slice(0, 300) }

/** What an entry is for, by its name. */
function kindOf(name: string, ports: SecretPorts): Kind {
  const known = new Set(ports.profiles())
  const ours = ports.entryName('')
  // Signing keys name only the profile; profile ids are random.
  const signing = /^callback:(.+)$/.exec(name)?.[1]
  if (signing !== undefined) return known.has(signing) ? 'signingKeys' : 'others'
  if (name.startsWith(probeStart)) return 'left'
  if (!name.startsWith(ours)) return 'others'
  const what = name.slice(ours.length)
  if (what === 'local') return 'own'
  if (what === 'obs') return 'obs'
  if (what === 'seats-certificate-key') return 'certificate'
  if (what.startsWith('joined')) return 'joined'
  if (what.startsWith('target:')) return 'targets'
  const [, token, profile] = /^(token:)?([0-9a-f]{16}|local)(?::.*)?$/s.exec(what) ?? []
  // Unknown names are not ours to remove.
  if (profile === undefined) return 'others'
  if (!known.has(profile)) return 'left'
  return token === undefined ? 'profiles' : 'tokens'
}

/** Counts entries by kind; null if the keychain does not answer. */
export async function reportSecrets(ports: SecretPorts): Promise<SecretReport> {
  const store =
    ports.platform === 'darwin' ? 'keychain' : ports.platform === 'win32' ? 'credentialManager' : 'secretService'
  const names = await ports.vault.names().catch(() => undefined)
  const counts = new Map<Kind, number>()
  for (const name of names ?? []) {
    const kind = kindOf(name, ports)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const entries = kinds.flatMap((kind) => {
    const count = counts.get(kind)
    return count === undefined ? [] : [{ kind, count }]
  })
  return { mode: shownMode(ports.vault.mode), store, entries: names === undefined ? null : entries }
}

/** Removes entries of removed profiles. Throws Failure `keychain`. */
export async function removeLeft(ports: SecretPorts): Promise<void> {
  for (const name of await fromVault(ports.vault.names()))
    if (kindOf(name, ports) === 'left') await fromVault(ports.vault.delete(name))
}
