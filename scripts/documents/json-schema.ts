import { patternOfWords, type Field, type Fields, type TextField } from '../../contract/field.ts'

/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 has, in the words that draft 07 of AsyncAPI has too. */
export type Schema = { readonly [word: string]: unknown }

/** Whose value it is: a caller's parameters are checked, an answer may have members of a later version. */
type Direction = 'asked' | 'answered'

/** Values that are tried, in this order, as the example of a text with a pattern. */
const samples = ['ann', 'opening', '7', 'ann@example.com', 'https://example.com/callback', 'live.started', '']

/** Above it an integer needs 64 bits in typed languages, as times in ms do. */
const largest32 = 2 ** 31 - 1

function exampleText({ pattern, max, json, default: given }: TextField): string {
  if (given !== undefined) return given
  if (json !== undefined) return '{}'
  const words = pattern === undefined ? undefined : patternOfWords.exec(pattern)?.[1]?.split('|')
  if (words) return words[0]!
  const fits = samples.find(
    (sample) =>
      (pattern === undefined || new RegExp(pattern, 'u').test(sample)) && (max === undefined || sample.length <= max),
  )
  if (fits === undefined) throw new Error(`no sample has the pattern ${pattern}`)
  return fits
}

/** A value that the field accepts. */
function exampleOf(field: Field, direction: Direction): unknown {
  switch (field.kind) {
    case 'text':
      return exampleText(field)
    case 'integer':
      return field.default ?? field.oneOf?.[0] ?? Math.max(field.min ?? 1, Math.min(1, field.max ?? 1))
    case 'flag':
      return field.default ?? true
    case 'list':
      return Array.from({ length: Math.max(1, field.min ?? 1) }, () => exampleOf(field.of, direction))
    case 'object':
      return exampleOfMembers(field.members, direction)
  }
}

const isAlways = (field: Field, direction: Direction): boolean =>
  direction === 'asked' ? field.required === true : field.optional !== true

/** An object with the members that are always there. */
export const exampleOfMembers = (members: Fields, direction: Direction): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, field]) => isAlways(field, direction))
      .map(([name, field]) => [name, exampleOf(field, direction)]),
  )

/** What the contract says of a value in words, and what no word of a schema says. */
function description(field: Field, direction: Direction): string | undefined {
  const parts = field.summary === undefined ? [] : [field.summary]
  if (direction === 'asked') {
    if (field.also) parts.push(`Also as ${field.also.join(', ')}.`)
    if (field.kind === 'integer' && field.whole) parts.push('A fraction is cut off.')
    if (field.kind === 'integer' && field.lowerTo !== undefined)
      parts.push(`Above ${field.lowerTo} it counts as ${field.lowerTo}.`)
    if (field.kind === 'text' && field.allowed !== undefined) parts.push(`Allowed: ${field.allowed}.`)
    if (field.kind === 'text' && field.clearable) parts.push('Empty, it clears what is stored.')
    if (field.whenEmpty !== undefined) parts.push(`${field.whenEmpty} when empty.`)
    if (field.whenInvalid !== undefined) parts.push(`${field.whenInvalid} when not acceptable.`)
  }
  return parts.length ? parts.join(' ') : undefined
}

const withoutAbsent = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))

function textWords(field: TextField, isAsked: boolean): Schema {
  const words = field.pattern === undefined ? undefined : patternOfWords.exec(field.pattern)?.[1]?.split('|')
  return {
    type: 'string',
    minLength: isAsked && field.required && !words ? 1 : undefined,
    maxLength: words ? undefined : field.max,
    enum: words,
    pattern: words ? undefined : field.pattern,
    format: field.secret ? 'password' : undefined,
    contentMediaType: field.json === undefined ? undefined : 'application/json',
    default: field.default,
  }
}

function ownWords(field: Field, direction: Direction): Schema {
  const isAsked = direction === 'asked'
  switch (field.kind) {
    case 'text':
      return textWords(field, isAsked)
    case 'integer':
      return {
        type: 'integer',
        format: (field.max ?? Infinity) > largest32 && !field.oneOf ? 'int64' : undefined,
        minimum: field.min,
        maximum: field.max,
        enum: field.oneOf,
        default: field.default,
      }
    case 'flag':
      return { type: 'boolean', default: field.default }
    case 'list':
      return { type: 'array', items: schemaOf(field.of, direction), minItems: field.min, maxItems: field.max }
    case 'object':
      return schemaOfMembers(field.members, direction)
  }
}

/** The schema of a value. */
const schemaOf = (field: Field, direction: Direction): Schema =>
  withoutAbsent({ ...ownWords(field, direction), description: description(field, direction) })

/** The schema of an object with the members; other members are allowed unless it is `closed`. */
export function schemaOfMembers(
  members: Fields,
  direction: Direction,
  { closed = false }: { readonly closed?: boolean } = {},
): Schema {
  const entries = Object.entries(members)
  const always = entries.filter(([, field]) => isAlways(field, direction)).map(([name]) => name)
  return {
    type: 'object',
    ...(entries.length && {
      properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field, direction)])),
    }),
    ...(always.length && { required: always }),
    ...(closed && { additionalProperties: false }),
  }
}
