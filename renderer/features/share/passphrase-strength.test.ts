import { expect, it } from 'vitest'
import { passphraseStrength } from './passphrase-strength.ts'

it.each([
  ['abc', 'short'],
  ['aaaa', 'weak'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['harbour1', 'fair'],
  ['lamp and harbour', 'strong'],
] as const)('says of %s that it is %s', (passphrase, strength) => {
  expect(passphraseStrength(passphrase)).toBe(strength)
})
