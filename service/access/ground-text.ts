import type { Ground } from './players.ts'

/** A ground as `writeGround` writes it, within a pattern: a letter, and a number where it has one. */
export const groundPattern = '[a-z][0-9a-z]{0,11}'

/** A ground for a signed text that other services read. */
export function writeGround(ground: Ground): string {
  if (ground.kind === 'passphrase') return `p${ground.generation.toString(36)}`
  if (ground.kind === 'link') return `l${ground.linkId.toString(36)}`
  if (ground.kind === 'own') return `o${ground.since.toString(36)}`
  return { free: 'f', visit: 'v', everybody: 'e' }[ground.kind]
}

/** The ground of such a text; undefined when it is none. */
export function readGround(text: string): Ground | undefined {
  const kind = text[0]
  const number = Number.parseInt(text.slice(1) || '0', 36)
  if (kind === 'p') return { kind: 'passphrase', generation: number }
  if (kind === 'l') return { kind: 'link', linkId: number }
  if (kind === 'o') return { kind: 'own', since: number }
  if (kind === 'f') return { kind: 'free' }
  if (kind === 'v') return { kind: 'visit' }
  return kind === 'e' ? { kind: 'everybody' } : undefined
}
