import { errorTable, type Code } from './errors.ts'
import { patternOfWords, type AnswerOf, type ArgumentsOf, type Fields, type ParametersOf } from './field.ts'

/** A rate limit over a sliding window. */
export interface RateRule {
  /** Whose calls are counted together. */
  readonly per: 'application' | 'address'
  readonly calls: number
  /** In seconds. */
  readonly seconds: number
  /** Code beyond it. */
  readonly code: Code
  /** Seconds of a block after exceeding it; 0 for none. */
  readonly block: number
  /** Operations with the same name here are counted together; by default each on its own. */
  readonly shared?: string
}

/** An operation of the service, as agreed between caller and server. */
export interface Operation<P extends Fields = Fields, A extends Fields = Fields> {
  /** Relative to the base URL of its document. */
  readonly path: string
  /** 1 live, 2 messaging, 3 chatrooms, or `local` for an extension of the embedded service. */
  readonly document: 1 | 2 | 3 | 'local'
  /** Group in files, navigation and documentation. */
  readonly group: string
  readonly summary: string
  readonly encoding: 'json' | 'form' | 'multipart'
  readonly parameters: P
  /** Members of a successful answer besides `code`. */
  readonly answer: A
  /** All possible codes, ascending. */
  readonly codes: readonly Code[]
  /** Code for an invalid parameter, unless the field has its own. */
  readonly invalid: Code
  /** Code for something that does not exist. */
  readonly unknown: Code
  /** Code for something of another application. */
  readonly foreign: Code
  /** Code for an internal error. */
  readonly fault: Code
  readonly rates?: readonly RateRule[]
  /** The answer is an endless body of JSON lines. */
  readonly stream?: boolean
  /** Served only with this start flag; otherwise the path is unknown. */
  readonly startFlag?: 'faults'
  /** Defined but not served yet. */
  readonly pending?: boolean
}

/** Validated parameters of an operation. */
export type Parameters<O> = O extends { parameters: infer P } ? ParametersOf<P> : never
/** A caller's arguments to an operation. */
export type Arguments<O> = O extends { parameters: infer P } ? ArgumentsOf<P> : never
/** Members of a successful answer. */
export type Answer<O> = O extends { answer: infer A } ? AnswerOf<A> : never

/** Defines an operation; throws at load if it contradicts itself. */
export function operation<const P extends Fields, const A extends Fields>(
  definition: Operation<P, A>,
): Operation<P, A> {
  const { path, codes } = definition
  const wrong = (why: string): never => {
    throw new Error(`operation ${path}: ${why}`)
  }
  if (!/^\/[a-zA-Z0-9/_.]+$/.test(path)) wrong('a path starts with / and has plain segments')
  if (!codes.includes(200)) wrong('success (200) is not among its codes')
  codes.forEach((code, index) => {
    if (index > 0 && code <= codes[index - 1]!) wrong(`codes must ascend without repeats, see ${code}`)
    if (!errorTable[code]) wrong(`code ${code} is not in the table`)
  })
  const used: [string, number | undefined][] = [
    ['invalid', definition.invalid],
    ['unknown', definition.unknown],
    ['foreign', definition.foreign],
    ['fault', definition.fault],
  ]
  for (const rule of definition.rates ?? []) used.push(['rate', rule.code])
  for (const [name, field] of Object.entries(definition.parameters)) {
    used.push([`${name}.whenEmpty`, field.whenEmpty], [`${name}.whenInvalid`, field.whenInvalid])
    if (field.kind === 'list') used.push([`${name}.whenOver`, field.whenOver])
    if (field.required && 'default' in field && field.default !== undefined)
      wrong(`${name} is required and has a default`)
    if (field.kind === 'integer' && field.default !== undefined) {
      if (field.oneOf && !field.oneOf.includes(field.default)) wrong(`the default of ${name} is not one of its values`)
      if (field.default < (field.min ?? -Infinity) || field.default > (field.max ?? Infinity))
        wrong(`the default of ${name} is out of its range`)
    }
    if (field.kind === 'text' && field.pattern) {
      RegExp(field.pattern, 'u')
      if (!patternOfWords.test(field.pattern) && !field.allowed) wrong(`nothing says what ${name} allows`)
    }
  }
  for (const [what, code] of used)
    if (code !== undefined && !(codes as readonly number[]).includes(code))
      wrong(`${what} answers ${code}, which is not among its codes`)
  return definition
}
