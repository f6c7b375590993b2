import { expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { failureOf } from '../testing/rig.ts'
import { sessionVault } from './session-vault.ts'
import { fromVault, VaultRefused } from './vault.ts'

const mode = { kind: 'session', reason: 'chosen', detail: 'why' } as const

it('keeps secrets in memory, gives them back, and says why it is no keychain', async () => {
  const vault = sessionVault(mode)
  expect(await vault.get('a')).toBeUndefined()
  await vault.set('a', 'one')
  await vault.set('b', 'two')
  await vault.set('a', 'three')
  expect([await vault.get('a'), await vault.get('b'), await vault.names()]).toEqual(['three', 'two', ['a', 'b']])
  await vault.delete('a')
  await vault.delete('nothing')
  expect([await vault.get('a'), await vault.names()]).toEqual([undefined, ['b']])
  expect([vault.mode, await vault.test()]).toEqual([mode, mode])
  // Another one begins empty.
  expect(await sessionVault(mode).names()).toEqual([])
})

it('tries the keychain again where it is told how', async () => {
  const vault = sessionVault(mode, () => Promise.resolve({ kind: 'keychain' }))
  expect([await vault.test(), vault.mode]).toEqual([{ kind: 'keychain' }, mode])
})

it('what a vault refuses is a failure of the keychain, and any other failure stays what it is', async () => {
  expect(await fromVault(Promise.resolve('secret'))).toBe('secret')
  for (const error of [new VaultRefused('locked', 'it is locked'), new Error('it is locked')])
    expect(await failureOf(fromVault(Promise.reject(error)))).toMatchObject({
      kind: 'keychain',
      detail: 'it is locked',
    })
  const failure = new Failure('absent', 'gone')
  await expect(fromVault(Promise.reject(failure))).rejects.toBe(failure)
})
