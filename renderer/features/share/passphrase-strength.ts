import { passphraseLength } from '../../../contract/operations/access.ts'

/** Characters from which a passphrase holds against guessing at the speed that the service allows. */
const lengths = { fair: 8, strong: 14 } as const
/** Different characters that a passphrase needs for that. */
const variety = { fair: 4, strong: 8 } as const

/** How hard a passphrase is to guess, in words. */
export function passphraseStrength(passphrase: string): 'short' | 'weak' | 'fair' | 'strong' {
  const characters = [...passphrase]
  const different = new Set(characters).size
  if (characters.length < passphraseLength.min) return 'short'
  if (characters.length >= lengths.strong && different >= variety.strong) return 'strong'
  return characters.length >= lengths.fair && different >= variety.fair ? 'fair' : 'weak'
}
