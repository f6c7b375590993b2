import { errorTable, type Code } from './errors.ts'
import type { AnswerOf, ArgumentsOf, Fields, ParametersOf } from './field.ts'

/** How often an operation may be called, over a sliding window. */
export interface RateRule {
  /** Whose calls are counted together. */
  readonly per: 'application' | 'address'
  /** Calls allowed within the window. */
  readonly calls: number
  /** Length of the window in seconds. */
  readonly seconds: number
  /** Code answered beyond it. */
  readonly code: Code
  /** Seconds for which a caller is refused after going over; 0 for none. */
  readonly block: number
  /** Operations whose rules carry the same name are counted together; each on its own when absent. */
  readonly shared?: string
}

/** One operation of the service: everything that a caller and the server must agree on. */
export interface Operation<P extends Fields = Fields, A extends Fields = Fields> {
  /** Path appended to the base URL of its document. */
  readonly path: string
  /** 1 live, 2 messaging, 3 chatrooms, or `local` for an extension of the embedded service. */
  readonly document: 1 | 2 | 3 | 'local'
  /** Group used for files, navigation and documentation. */
  readonly group: string
  /** What it does, in one sentence. */
  readonly summary: string
  readonly encoding: 'json' | 'form' | 'multipart'
  readonly parameters: P
  /** Members of the body of a success besides `code`. */
  readonly answer: A
  /** Every code that the operation may answer, in ascending order. */
  readonly codes: readonly Code[]
  /** The code for a parameter that is not acceptable when the field names none. */
  readonly invalid: Code
  /** The code for a thing that does not exist. */
  readonly unknown: Code
  /** The code for a thing of another application. */
  readonly foreign: Code
  /** The code for a fault of the service itself. */
  readonly fault: Code
  readonly rates?: readonly RateRule[]
  /** The answer is an endless body of JSON lines instead of one object. */
  readonly stream?: boolean
  /** Served only when the service was started with this flag; without it the path is unknown. */
  readonly startFlag?: 'faults'
  /** The operation's contract stands but nothing serves it yet. */
  readonly pending?: boolean
}

/** Parameters of an operation after validation. */
export type Parameters<O> = O extends { parameters: infer P } ? ParametersOf<P> : never
/** Arguments that a caller gives to an operation. */
export type Arguments<O> = O extends { parameters: infer P } ? ArgumentsOf<P> : never
/** Members of an operation's successful answer. */
export type Answer<O> = O extends { answer: infer A } ? AnswerOf<A> : never

/** Defines an operation; throws at load when it contradicts itself, so that a wrong contract can never be served. */
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
    if (field.kind === 'text' && field.pattern) RegExp(field.pattern, 'u')
  }
  for (const [what, code] of used)
    if (code !== undefined && !(codes as readonly number[]).includes(code))
      wrong(`${what} answers ${code}, which is not among its codes`)
  return definition
}
