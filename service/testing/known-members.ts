import type { Field, Fields } from '../../contract/field.ts'

function unknownIn(field: Field, value: unknown): string | undefined {
  // An object that is described without members holds what callers put there, or has names as keys.
  if (field.kind === 'object')
    return Object.keys(field.members).length === 0 ? undefined : unknownMember(field.members, value)
  if (field.kind !== 'list' || !Array.isArray(value)) return undefined
  for (const [index, element] of value.entries()) {
    const unknown = unknownIn(field.of, element)
    if (unknown !== undefined) return `[${index}]${unknown}`
  }
  return undefined
}

/**
 * The first member, at any depth, that the contract does not describe; undefined if it describes them all. Clients must
 * tolerate such members, so only tests of the service refuse them.
 */
export function unknownMember(members: Fields, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(members, name) ? members[name] : undefined
    if (!field) return `.${name}`
    const unknown = unknownIn(field, member)
    if (unknown !== undefined) return `.${name}${unknown}`
  }
  return undefined
}
