import { z } from 'zod'

const marked = z.registry<{ readonly secret: true }>()

/** Marks a text as secret: it is remembered, and removed from everything that leaves this computer. */
export function secret<S extends z.ZodType<string>>(text: S): S {
  marked.add(text, { secret: true })
  return text
}

/** `true` is a secret, `*` any element of a list. */
export type SecretPlaces = true | { readonly [member: string]: SecretPlaces }

/** Undefined for none. */
export function secretsOf(schema: z.core.$ZodType): SecretPlaces | undefined {
  if (marked.has(schema)) return true
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return secretsOf(schema.unwrap())
  const places: Record<string, SecretPlaces> = {}
  if (schema instanceof z.ZodUnion)
    for (const option of schema.options as readonly z.core.$ZodType[]) Object.assign(places, secretsOf(option))
  const members =
    schema instanceof z.ZodArray
      ? { '*': schema.element as z.core.$ZodType }
      : schema instanceof z.ZodObject
        ? (schema.shape as Record<string, z.core.$ZodType>)
        : {}
  for (const [name, member] of Object.entries(members)) {
    const found = secretsOf(member)
    if (found !== undefined) places[name] = found
  }
  return Object.keys(places).length > 0 ? places : undefined
}
