import { existsSync } from 'node:fs'
import path from 'node:path'
import { cutText } from '../../platform/cut-text.ts'
import { type Clock, within } from '../../platform/clock.ts'
import { reasonOf } from '../failure.ts'
import { sessionVault } from './session-vault.ts'
import { type Vault, type VaultMode, VaultRefused } from './vault.ts'

/** The used calls of keytar. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
  findCredentials(service: string): Promise<{ account: string }[]>
}

/** What opening the keychain needs. */
export interface KeychainPorts {
  readonly clock: Clock
  /** Loads the native module, only if a keychain can exist. */
  readonly load: () => Promise<Keychain>
  readonly platform: NodeJS.Platform
  readonly environment: { readonly [name: string]: string | undefined }
  readonly random: (bytes: number) => Buffer
}

/** Name in the system's keychain. */
export const keychainService = 'Sidestage'
/** Prefix of test entries. */
export const probeStart = 'probe-'
/** In ms; a locked keychain waits for a person. */
const patience = 4_000

/** Imports keytar; rejects where it is unavailable. */
export async function loadKeytar(): Promise<Keychain> {
  const module = (await import('keytar')) as unknown as Keychain & { readonly default?: Keychain }
  return module.default ?? module
}

/** Without a session bus libsecret would start one through X11. */
function hasBus(ports: KeychainPorts): boolean {
  if (ports.platform !== 'linux') return true
  const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime } = ports.environment
  return Boolean(address) || (runtime !== undefined && existsSync(path.join(runtime, 'bus')))
}

function refusalOf(error: unknown): VaultRefused {
  if (error instanceof VaultRefused) return error
  const said = cutText(reasonOf(error), 300)
  if (/denied|not permitted|authoriz|cancel/i.test(said)) return new VaultRefused('denied', said)
  return new VaultRefused(/locked|prompt/i.test(said) ? 'locked' : 'unavailable', said)
}

function over(keychain: Keychain, { clock, random }: Pick<KeychainPorts, 'clock' | 'random'>): Vault {
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await within(clock, patience, work, () => new VaultRefused('locked', 'the keychain did not answer in 4 s'))
    } catch (error) {
      throw refusalOf(error)
    }
  }
  const vault: Vault = {
    mode: { kind: 'keychain' },
    get: async (account) => (await asked(keychain.getPassword(keychainService, account))) ?? undefined,
    set: (account, secret) => asked(keychain.setPassword(keychainService, account, secret)),
    delete: async (account) => {
      await asked(keychain.deletePassword(keychainService, account))
    },
    names: async () => (await asked(keychain.findCredentials(keychainService))).map(({ account }) => account),
    test: async () => {
      const [account, value] = [`${probeStart}${random(8).toString('hex')}`, random(16).toString('hex')]
      try {
        await vault.set(account, value)
        const back = await vault.get(account)
        await vault.delete(account)
        if (back !== value || (await vault.get(account)) !== undefined)
          throw new VaultRefused(
            'unavailable',
            'the keychain did not give back what was stored, or kept what was deleted',
          )
        return vault.mode
      } catch (error) {
        return sessionMode(error)
      }
    },
  }
  return vault
}

const sessionMode = (error: unknown): VaultMode & { kind: 'session' } => {
  const refusal = refusalOf(error)
  return { kind: 'session', reason: refusal.reason, detail: refusal.message }
}

/** The system's keychain, tested, or why there is none. */
async function tryKeychain(ports: KeychainPorts): Promise<Vault | (VaultMode & { kind: 'session' })> {
  if (!hasBus(ports)) return { kind: 'session', reason: 'noBus', detail: 'no D-Bus session bus, so no secret service' }
  try {
    const keychain = await within(
      ports.clock,
      patience,
      ports.load(),
      () => new VaultRefused('unavailable', 'keytar did not load in 4 s'),
    )
    const vault = over(keychain, ports)
    const works = await vault.test()
    return works.kind === 'keychain' ? vault : works
  } catch (error) {
    return sessionMode(error)
  }
}

/** Opens and tests the system's keychain; otherwise a session vault with the reason. */
export async function openVault(ports: KeychainPorts): Promise<Vault> {
  const found = await tryKeychain(ports)
  if (!('kind' in found)) return found
  return sessionVault(found, async () => {
    const now = await tryKeychain(ports)
    return 'kind' in now ? now : now.mode
  })
}
