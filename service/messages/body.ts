import { Refused } from '../refusal.ts'

type Kind = 'text' | 'number' | 'aac'
interface Shape {
  readonly required: Readonly<Record<string, Kind>>
  readonly optional: Readonly<Record<string, Kind>>
  /** Members that people read, checked by the word list. */
  readonly read: readonly string[]
}

const file = { md5: 'text', ext: 'text', size: 'number' } as const
const picture = { ...file, w: 'number', h: 'number' } as const

/** Bodies by type (2-messaging): required members, others checked if present. Custom ones (100) are free. */
const shapes: Readonly<Record<number, Shape>> = {
  0: { required: { msg: 'text' }, optional: {}, read: ['msg'] },
  1: { required: { url: 'text' }, optional: { ...picture, name: 'text' }, read: ['name'] },
  2: { required: { url: 'text', dur: 'number' }, optional: { ...file, ext: 'aac' }, read: [] },
  3: { required: { url: 'text' }, optional: { ...picture, dur: 'number', name: 'text' }, read: ['name'] },
  4: { required: { lng: 'number', lat: 'number' }, optional: { title: 'text' }, read: ['title'] },
  6: { required: { url: 'text' }, optional: { ...file, name: 'text' }, read: ['name'] },
}

const decimal = /^-?\d{1,15}(\.\d{1,15})?$/
const isKind = (kind: Kind, value: unknown): boolean => {
  if (kind === 'number')
    return (typeof value === 'number' && Number.isFinite(value)) || (typeof value === 'string' && decimal.test(value))
  return typeof value === 'string' && (kind === 'text' || value.toLowerCase() === 'aac')
}
const wanted: Readonly<Record<Kind, string>> = { text: 'a string', number: 'a number', aac: '"aac"' }

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    Array.isArray(value) ? textsIn(inner) : [key, ...textsIn(inner)],
  )
}

/** Checks a JSON body by type and returns its readable texts; `Refused` 414. */
export function readBody(type: number, body: string): string {
  const value = JSON.parse(body) as Record<string, unknown>
  const shape = shapes[type]
  if (!shape) return textsIn(value).join('\n')
  for (const [name, kind] of Object.entries(shape.required))
    if (!isKind(kind, value[name])) throw new Refused(414, `body.${name} must be ${wanted[kind]}`)
  for (const [name, kind] of Object.entries(shape.optional)) {
    const member = value[name]
    if (member !== undefined && member !== null && !isKind(kind, member))
      throw new Refused(414, `body.${name} must be ${wanted[kind]}`)
  }
  return shape.read
    .map((name) => value[name])
    .filter((text) => typeof text === 'string')
    .join('\n')
}

/** Text of an `antispamCustom` to check: the unescaped strings of JSON, else the text itself. */
export function readAntispamCustom(custom: string): string {
  try {
    return textsIn(JSON.parse(custom)).join('\n')
  } catch {
    return custom
  }
}
