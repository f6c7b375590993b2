import { expect, it } from 'vitest'
import { failureOf } from '../testing/rig.ts'
import { removeLeft, reportSecrets, shownMode } from './secret-report.ts'
import { sessionVault } from './session-vault.ts'

const ours = 'a'.repeat(32)
const [here, gone] = ['1'.repeat(16), '2'.repeat(16)]

it('counts what entries are for by their names, and removes only what belonged to profiles that are gone', async () => {
  const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: '' })
  const kept = [
    'local',
    'obs',
    'seats-certificate-key',
    'joined:x',
    here,
    `token:${here}:mei`,
    'token:local:ana',
    `target:${'c'.repeat(32)}:7`,
    'of a later version',
  ].map((name) => `${ours}:${name}`)
  const left = [`${ours}:${gone}`, `${ours}:token:${gone}:mei`, 'probe-0011']
  const others = [`${'b'.repeat(32)}:local`, `callback:${gone}`]
  for (const name of [...kept, ...left, ...others, `callback:${here}`]) await vault.set(name, 'value')
  const ports = {
    vault,
    platform: 'linux',
    entryName: (name: string) => `${ours}:${name}`,
    profiles: () => ['local', here],
  }
  expect((await reportSecrets(ports)).entries).toEqual([
    { kind: 'own', count: 1 },
    { kind: 'profiles', count: 1 },
    { kind: 'signingKeys', count: 1 },
    { kind: 'tokens', count: 2 },
    { kind: 'targets', count: 1 },
    { kind: 'obs', count: 1 },
    { kind: 'certificate', count: 1 },
    { kind: 'joined', count: 1 },
    { kind: 'left', count: 3 },
    { kind: 'others', count: 3 },
  ])
  await removeLeft(ports)
  expect((await vault.names()).sort()).toEqual([...kept, ...others, `callback:${here}`].sort())
})

it('names the store of each system, and says when it does not answer', async () => {
  const vault = {
    ...sessionVault({ kind: 'session', reason: 'locked', detail: 'x'.repeat(900) }),
    names: () => Promise.reject(new Error('locked')),
  }
  const report = (platform: string) => reportSecrets({ vault, platform, entryName: (name) => name, profiles: () => [] })
  expect(await report('linux')).toMatchObject({
    store: 'secretService',
    entries: null,
    mode: { kind: 'session', reason: 'locked' },
  })
  expect((await report('win32')).store).toBe('credentialManager')
  expect((await report('darwin')).store).toBe('keychain')
  expect((await report('linux')).mode.detail).toHaveLength(300)
})

it('says that the keychain refused where what is left cannot be removed', async () => {
  const vault = sessionVault({ kind: 'session', reason: 'locked', detail: '' })
  await vault.set('probe-1', 'x')
  const ports = { platform: 'linux', entryName: (name: string) => `${ours}:${name}`, profiles: () => [] }
  const refusing = { ...vault, delete: () => Promise.reject(new Error('locked')) }
  expect(await failureOf(removeLeft({ ...ports, vault: refusing }))).toMatchObject({
    kind: 'keychain',
    detail: 'locked',
  })
  const silent = { ...vault, names: () => Promise.reject(new Error('away')) }
  expect(await failureOf(removeLeft({ ...ports, vault: silent }))).toMatchObject({ kind: 'keychain', detail: 'away' })
  expect(await vault.names()).toEqual(['probe-1'])
})

it('shows of a keychain that works neither a reason nor a detail', () => {
  expect(shownMode({ kind: 'keychain' })).toEqual({ kind: 'keychain', reason: null, detail: null })
})

it('counts a token of a profile that is gone as left, and a name that only resembles one as of others', async () => {
  const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: '' })
  for (const name of [`token:${gone}`, `token:${'g'.repeat(16)}:x`, '1'.repeat(15), 'localx'])
    await vault.set(`${ours}:${name}`, 'x')
  const ports = {
    vault,
    platform: 'linux',
    entryName: (name: string) => `${ours}:${name}`,
    profiles: () => ['local', here],
  }
  expect((await reportSecrets(ports)).entries).toEqual([
    { kind: 'left', count: 1 },
    { kind: 'others', count: 3 },
  ])
})
