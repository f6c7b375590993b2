import type { Field, Fields } from './field.ts'

const knownValue = (field: Field, value: unknown): unknown => {
  if (field.kind === 'list') return (value as unknown[]).map((element) => knownValue(field.of, element))
  // Described without members, it may have any.
  if (field.kind !== 'object' || Object.keys(field.members).length === 0) return value
  return knownMembers(field.members, value as object)
}

/** The described members of a value that has no fault (validate.ts `membersFault`), without those beyond them. */
export function knownMembers(members: Fields, value: object): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(members))
    if (Object.hasOwn(value, name)) known[name] = knownValue(field, (value as Record<string, unknown>)[name])
  return known
}
