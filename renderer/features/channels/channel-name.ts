import { channelNamePattern, maxChannelName } from '../../../contract/operations/limits.ts'
import type { Failure } from '../../data/failure.ts'

const acceptable = new RegExp(channelNamePattern, 'u')

/** In code points, like at the service. */
export const nameLength = (name: string): number => [...name].length

/** Checked before a request; null if valid. */
export function nameFault(name: string): 'empty' | 'characters' | 'long' | null {
  if (name === '') return 'empty'
  if (![...name].every((character) => acceptable.test(character))) return 'characters'
  return nameLength(name) > maxChannelName ? 'long' : null
}

/** The first disallowed character: invisible ones as code points, a space as `space`. */
export function foreignCharacter(name: string, isTaken: (character: string) => boolean): string | null {
  const character = [...name].find((each) => !isTaken(each))
  if (character === undefined) return null
  if (character === ' ' || character === '\u3000') return 'space'
  return /^[\p{C}\p{Z}\p{M}]$/u.test(character)
    ? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `“${character}”`
}

/** Null if all characters are allowed. */
export const foreignInName = (name: string): string | null =>
  foreignCharacter(name, (character) => acceptable.test(character))

/** Whether a failure concerns the name. */
export const isNameFailure = (failure: Failure): boolean =>
  failure.code !== null && [604, 605, 610, 611].includes(failure.code)
