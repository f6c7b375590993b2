import type { Code } from './errors.ts'
import { patternOfWords, type Field, type Fields } from './field.ts'
import type { Operation, Parameters } from './operation.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** Faults of a value, as suffixes to its name in `msg` and `desc`; `{limit}` is the violated limit. */
const faultWords = {
  body: 'the body must be an object',
  empty: 'is empty',
  /** The limit is what the operation has. */
  unknown: 'is not a parameter of this operation, which has {limit}',
  /** The limit is a member of an object. */
  member: '{limit} is empty',
  integer: 'must be an integer',
  oneOf: 'must be one of {limit}',
  least: 'must be at least {limit}',
  most: 'must be at most {limit}',
  text: 'must be a string',
  unicode: 'must be well-formed Unicode',
  longest: 'must be at most {limit} characters',
  /** The limit is what is allowed. */
  shape: 'has characters or a shape that are not allowed; allowed: {limit}',
  json: 'must be JSON',
  object: 'must be a JSON object',
  array: 'must be a JSON array',
  rows: 'must be an array',
  fewest: 'must have at least {limit} elements',
  mostRows: 'must have at most {limit} elements',
  flag: 'must be true or false',
  members: 'must be an object',
} as const
/** Kind of a fault; texts for people are made where they are shown. */
export type FaultKind = keyof typeof faultWords
/** All kinds. */
export const faultKinds = Object.keys(faultWords) as FaultKind[]

/** A fault, and the violated limit; '' without. */
export interface ValueFault {
  readonly kind: FaultKind
  readonly limit: string
}

/** A refusal: code, parameter, fault, and a sentence for `msg` or `desc`. */
export interface Refusal extends ValueFault {
  readonly code: Code
  readonly parameter: string
  readonly reason: string
}

const refusal = (code: Code, parameter: string, { kind, limit }: ValueFault): Refusal => ({
  code,
  parameter,
  kind,
  limit,
  reason: `${parameter}${parameter && ' '}${faultWords[kind].replace('{limit}', () => limit)}`,
})

/** Result of parsing parameters. */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal }

const own = (raw: object, name: string): unknown =>
  Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''
const decimal = /^-?(0|[1-9][0-9]{0,15})$/

/** Unicode code points of a string, the specification's "characters" (behaviour.md#characters). */
export function characters(value: string): number {
  let count = 0
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    if (
      unit >= 0xd800 &&
      unit < 0xdc00 &&
      index + 1 < value.length &&
      (value.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    )
      index++
    count++
  }
  return count
}

class NotAcceptable extends Error {
  readonly fault: ValueFault
  readonly code: number | undefined

  constructor(fault: ValueFault, code: number | undefined) {
    super(fault.kind)
    this.fault = fault
    this.code = code
  }
}
const refuse = (kind: FaultKind, limit: number | string = '', code?: number): never => {
  throw new NotAcceptable({ kind, limit: String(limit) }, code)
}

const patterns = new Map<string, RegExp>()
function matches(pattern: string, value: string): boolean {
  let compiled = patterns.get(pattern)
  if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, 'u')))
  return compiled.test(value)
}

function readInteger(field: Field & { kind: 'integer' }, raw: unknown): number {
  const given = typeof raw === 'number' ? raw : typeof raw === 'string' && decimal.test(raw) ? Number(raw) : Number.NaN
  const value = field.whole ? Math.trunc(given) : given
  if (!Number.isSafeInteger(value)) return refuse('integer')
  const lowered = field.lowerTo !== undefined && value > field.lowerTo ? field.lowerTo : value
  if (field.oneOf && !field.oneOf.includes(lowered)) refuse('oneOf', field.oneOf.join(', '))
  if (field.min !== undefined && lowered < field.min) refuse('least', field.min)
  if (field.max !== undefined && lowered > field.max) refuse('most', field.max)
  return lowered
}

function readText(field: Field & { kind: 'text' }, raw: unknown): string {
  // Loosely typed clients send digits as a JSON number.
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return readText(field, String(raw))
  if (typeof raw !== 'string') return refuse('text')
  if (!raw.isWellFormed()) refuse('unicode')
  if (field.max !== undefined && characters(raw) > field.max) refuse('longest', field.max)
  if (field.pattern !== undefined && !matches(field.pattern, raw)) {
    const those = patternOfWords.exec(field.pattern)?.[1]
    if (those === undefined) refuse('shape', field.allowed)
    else refuse('oneOf', those.replaceAll('|', ', '))
  }
  if (field.json !== undefined) readJson(field.json, raw)
  return field.fold ? raw.toLowerCase() : raw
}

function readJson(kind: 'object' | 'value', raw: string): void {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch {
    refuse('json')
  }
  if (kind === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value))) refuse('object')
}

function readList(field: Field & { kind: 'list' }, raw: unknown, written: boolean): unknown[] {
  let value = raw
  if (written && typeof raw === 'string') {
    if (field.maxText !== undefined && characters(raw) > field.maxText) refuse('longest', field.maxText)
    try {
      value = JSON.parse(raw)
    } catch {
      refuse('array')
    }
  }
  if (!Array.isArray(value)) return refuse('rows')
  if (field.min !== undefined && value.length < field.min) refuse('fewest', field.min)
  if (field.max !== undefined && value.length > field.max) refuse('mostRows', field.max, field.whenOver)
  // Ids in arrays are numbers or strings (behaviour.md#lenient-parameters).
  return value.map((element: unknown) => readValue(field.of, element, false))
}

function readValue(field: Field, raw: unknown, written: boolean): unknown {
  switch (field.kind) {
    case 'text':
      return readText(field, raw)
    case 'integer':
      return readInteger(field, raw)
    case 'flag':
      if (raw === true || raw === 1 || raw === '1' || raw === 'true') return true
      if (raw === false || raw === 0 || raw === '0' || raw === 'false') return false
      return refuse('flag')
    case 'list':
      return readList(field, raw, written)
    case 'object': {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return refuse('members')
      return readMembers(field.members, raw)
    }
  }
}

function readMembers(members: Fields, raw: object): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(members)) {
    const given = own(raw, name)
    if (isAbsent(given)) {
      if (field.required) refuse('member', name)
      if ('default' in field && field.default !== undefined) value[name] = field.default
    } else value[name] = readValue(field, given, false)
  }
  return value
}

/**
 * Parses an operation's parameters. Unknown ones are ignored, except by the extension operations
 * (behaviour.md#lenient-parameters), `''` and null count as absent, and the first invalid one decides the code. `raw`
 * may be any parser output.
 */
export function readParameters<
  O extends Pick<Operation, 'parameters' | 'invalid' | 'encoding'> & Partial<Pick<Operation, 'document'>>,
>(operation: O, raw: unknown): Reading<Parameters<O>> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { ok: false, refusal: refusal(operation.invalid, '', { kind: 'body', limit: '' }) }
  }
  const unknown = operation.document === 'local' ? unknownParameter(operation.parameters, raw) : undefined
  if (unknown)
    return { ok: false, refusal: refusal(operation.invalid, unknown.name, { kind: 'unknown', limit: unknown.known }) }
  const value: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(operation.parameters)) {
    let given = own(raw, name)
    if (field.also && isAbsent(given))
      given = field.also.map((spelling) => own(raw, spelling)).find((each) => !isAbsent(each))
    if (isAbsent(given)) {
      if (field.required)
        return {
          ok: false,
          refusal: refusal((field.whenEmpty ?? operation.invalid) as Code, name, { kind: 'empty', limit: '' }),
        }
      if ('default' in field && field.default !== undefined) value[name] = field.default
      continue
    }
    try {
      value[name] = readValue(field, given, operation.encoding !== 'json')
    } catch (error) {
      if (!(error instanceof NotAcceptable)) throw error
      return {
        ok: false,
        refusal: refusal((error.code ?? field.whenInvalid ?? operation.invalid) as Code, name, error.fault),
      }
    }
  }
  clearEmptied(operation.parameters, raw, value, operation.document === 'local')
  return { ok: true, value: value as Parameters<O> }
}

/** The three documents clear only in a call without other optional values (behaviour.md#empty-parameters). */
function clearEmptied(parameters: Fields, raw: object, value: Record<string, unknown>, isLocal: boolean): void {
  const optional = Object.entries(parameters).filter(([, field]) => !field.required)
  const emptied = optional.filter(([name, field]) => field.kind === 'text' && field.clearable && own(raw, name) === '')
  if (emptied.length === 0) return
  if (!isLocal && optional.some(([name]) => !isAbsent(own(raw, name)))) return
  for (const [name] of emptied) value[name] = ''
}

/** What is wrong with a value, as a suffix to its name; names are built only on failure, as every answer is checked. */
function faultOf(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : ' is not a string'
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : ' is not an integer'
    case 'flag':
      return typeof value === 'boolean' ? undefined : ' is not a boolean'
    case 'list': {
      if (!Array.isArray(value)) return ' is not an array'
      for (const [index, element] of value.entries()) {
        const fault = faultOf(field.of, element)
        if (fault) return `[${index}]${fault}`
      }
      return undefined
    }
    case 'object':
      return faultOfMembers(field.members, value)
  }
}

function faultOfMembers(members: Fields, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ' is not an object'
  for (const [name, field] of Object.entries(members)) {
    const member = own(value, name)
    if (member === undefined) {
      if (!field.optional) return `.${name} is missing`
      continue
    }
    const fault = faultOf(field, member)
    if (fault) return `.${name}${fault}`
  }
  return undefined
}

/** Why an object lacks the described members; undefined if it has them. Other members are allowed. */
export function membersFault(members: Fields, value: unknown, where = 'answer'): string | undefined {
  const fault = faultOfMembers(members, value)
  return fault === undefined ? undefined : where + fault
}

/** Why a body violates the contract (unlisted code, missing or invalid member); undefined if it does not. */
export function answerFault(operation: Operation, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return `${operation.path}: the body is not an object`
  const code = own(body, 'code')
  if (typeof code !== 'number') return `${operation.path}: code is not a number`
  if (!(operation.codes as readonly number[]).includes(code))
    return `${operation.path}: code ${code} is not in its list`
  if (code === 200) return membersFault(operation.answer, body, operation.path)
  const said = own(body, operation.document === 2 || operation.document === 3 ? 'desc' : 'msg')
  return typeof said === 'string' && said.length > 0 ? undefined : `${operation.path}: a failure without a text`
}
