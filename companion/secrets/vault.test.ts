import { expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { failureOf } from '../testing/rig.ts'
import { fromVault, VaultRefused } from './vault.ts'

it('passes on what a vault gives', async () => {
  expect(await fromVault(Promise.resolve('secret'))).toBe('secret')
})

it('makes a failure of the keychain of a refusal, with its words', async () => {
  expect(await failureOf(fromVault(Promise.reject(new VaultRefused('locked', 'it is locked'))))).toMatchObject({
    kind: 'keychain',
    detail: 'it is locked',
  })
})

it('leaves another failure as it is', async () => {
  const failure = new Failure('absent', 'no such profile')
  await expect(fromVault(Promise.reject(failure))).rejects.toBe(failure)
})
