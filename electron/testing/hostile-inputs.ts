import { z } from 'zod'
import { rpc } from '../../contract/rpc/index.ts'

/** One procedure of the RPC with what its input must be; undefined where it takes none. */
export interface Procedure {
  /** Path with points, as in `push.card`. */
  readonly name: string
  readonly input: z.core.$ZodType | undefined
}

const isProcedure = (each: object): each is { readonly '~orpc': { readonly inputSchema?: z.core.$ZodType } } =>
  '~orpc' in each
const proceduresIn = (group: object, at: string): Procedure[] =>
  Object.entries(group).flatMap(([name, each]) => {
    const found = each as object
    return isProcedure(found)
      ? [{ name: at + name, input: found['~orpc'].inputSchema }]
      : proceduresIn(found, `${at}${name}.`)
  })

/** Every procedure of the contract. */
export const everyProcedure = (): Procedure[] => proceduresIn(rpc, '')

type Def = z.core.$ZodTypes['_zod']['def']
const defOf = (schema: z.core.$ZodType): Def => (schema as z.ZodType).def as Def
const takes = (schema: z.core.$ZodType, value: unknown): boolean => z.safeParse(schema, value).success

/** A text, and a list, that no procedure has a use for. A whole message is at most 262,144 characters. */
const hugeText = 'x'.repeat(200_001)
const texts = [
  'local',
  ...[16, 32, 64].map((length) => '0'.repeat(length)),
  '127.0.0.1',
  '127.0.0.1:7',
  'https://a.example/',
  'https://a.example',
  'wss://a.example/link',
  'a',
  '7',
  'F9',
]
const numbers = [1, 0, 10, 60, 5, 1_000, 5_000]

/** A value that a schema takes, made from its shape; undefined where none was found. */
export function sampleOf(schema: z.core.$ZodType): unknown {
  const def = defOf(schema)
  const first = (values: readonly unknown[]): unknown => values.find((value) => takes(schema, value))
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape)
          .map(([key, each]) => [key, sampleOf(each)] as const)
          .filter(([, value]) => value !== undefined),
      )
    case 'string':
      return first(texts)
    case 'number':
      return first(numbers)
    case 'boolean':
      return true
    case 'array':
      return first([[sampleOf(def.element)], [sampleOf(def.element), sampleOf(def.element)], []])
    case 'union':
      return first(def.options.map(sampleOf))
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'nullable':
      return sampleOf(def.innerType)
    case 'record':
      return {}
    case 'optional':
      return undefined
    default:
      return first([{}, ...texts, ...numbers])
  }
}

/** Where something stands in an input, and what it must be. */
interface Place {
  readonly path: readonly string[]
  readonly schema: z.core.$ZodType
}

/** Every place of an input, from the whole to its leaves, through lists, options and choices. */
export function placesOf(schema: z.core.$ZodType, path: readonly string[] = []): Place[] {
  const def = defOf(schema)
  const here = { path, schema }
  if (def.type === 'object')
    return [here, ...Object.entries(def.shape).flatMap(([key, each]) => placesOf(each, [...path, key]))]
  if (def.type === 'array') return [here, ...placesOf(def.element, [...path, '0'])]
  if (def.type === 'optional' || def.type === 'nullable') return [here, ...placesOf(def.innerType, path)]
  if (def.type === 'union') return [here, ...def.options.flatMap((each) => placesOf(each, path))]
  return [here]
}

const polluting = JSON.parse('{"__proto__":{"profileId":"local"},"constructor":{"prototype":{}}}') as object
/** Values of a wrong kind. */
const wrong: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  '\0',
  '../../etc/passwd',
  [],
  [[]],
  ['x', { x: 1 }],
  {},
  { $ne: null },
  polluting,
  { toString: 'x', valueOf: 'x' },
]
/** Of a size that nothing has. */
const huge: readonly unknown[] = [hugeText, Array.from({ length: 20_000 }, () => 0)]

/** Sizes that a place must refuse whatever it is, by name; those that it takes. */
export const hugeTaken = ({ schema }: Place): string[] => {
  const def = defOf(schema)
  const lists = def.type === 'array' ? [Array.from({ length: 20_000 }, () => sampleOf(def.element))] : []
  return [
    ...(takes(schema, hugeText) ? ['a text of 200,001 characters'] : []),
    ...lists.filter((list) => takes(schema, list)).map(() => 'a list of 20,000'),
    ...(def.type === 'record' &&
    takes(schema, Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'x'])))
      ? ['20,000 members']
      : []),
  ]
}

/** Whether an object lets a member through that it does not name. */
export function letsExtraThrough({ schema }: Place): boolean {
  if (defOf(schema).type !== 'object') return false
  const read = z.safeParse(schema, { ...(sampleOf(schema) as object), extraMember: 1 })
  return read.success && Object.hasOwn(read.data as object, 'extraMember')
}

const put = (into: unknown, [key, ...rest]: readonly string[], value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(into)) return [put(into[0], rest, value)]
  const members = typeof into === 'object' && into !== null ? (into as Record<string, unknown>) : {}
  return { ...members, [key]: put(members[key], rest, value) }
}

/** Inputs that a schema does not take: the whole or one place of a good one replaced by what it is not, left out, or with a member too many. */
export function hostileInputs(schema: z.core.$ZodType): unknown[] {
  const good = sampleOf(schema)
  // Each place gets a third of the wrong values in turn, so that every procedure is asked with all of them and no place is left out; the first two something huge.
  const made = placesOf(schema).flatMap(({ path }, place) =>
    [...wrong.filter((_value, index) => place === 0 || (index + place) % 3 === 0), ...huge.slice(place, place + 1)].map(
      (value) => put(good, path, value),
    ),
  )
  const members = typeof good === 'object' && good !== null ? Object.entries(good) : []
  const without = members.map(([left]) => Object.fromEntries(members.filter(([key]) => key !== left)))
  const more =
    typeof good === 'object'
      ? [
          { ...good, path: '/app/channellist' },
          { ...good, baseUrl: 'https://evil.example/' },
        ]
      : []
  return [undefined, ...made, ...without, ...more].filter((input) => !takes(schema, input))
}
