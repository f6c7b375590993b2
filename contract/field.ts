/** Values at the service's boundary, described as data for validation, types, forms and documentation. */

interface Common {
  readonly summary?: string
  /** A parameter that must be present and not empty. Members of an answer are required unless `optional`. */
  readonly required?: boolean
  /** An answer's member that may be absent. */
  readonly optional?: boolean
  /** Code for an absent or empty required parameter; by default the operation's `invalid` code. */
  readonly whenEmpty?: number
  /** Code for an invalid value; by default the operation's `invalid` code. */
  readonly whenInvalid?: number
  /** Must be masked wherever it is shown or logged. */
  readonly secret?: boolean
  /** Alternative names of a parameter; its own name has precedence. */
  readonly also?: readonly string[]
}

/** A pattern of words alone, which a refusal can list. */
export const patternOfWords = /^\^\((\w+(?:\|\w+)*)\)\$$/

/** A string; `max` in Unicode code points, `pattern` with the `u` flag. */
export interface TextField extends Common {
  readonly kind: 'text'
  readonly max?: number
  readonly pattern?: string
  /** What the pattern allows, in words for refusals; a pattern of words needs none. */
  readonly allowed?: string
  readonly default?: string
  /** Converted to lower case (2-messaging Account: accid). */
  readonly fold?: boolean
  /** The text must be JSON: an object, or any value. */
  readonly json?: 'object' | 'value'
  /** Empty, it clears what is stored; see behaviour.md#empty-parameters for calls with other optional values. */
  readonly clearable?: boolean
}

/** A safe integer, as JSON number or decimal string. */
export interface IntegerField extends Common {
  readonly kind: 'integer'
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly number[]
  readonly default?: number
  /** A larger value is lowered to this instead of refused. */
  readonly lowerTo?: number
  /** A fraction is truncated instead of refused, as clients compute times from seconds. */
  readonly whole?: boolean
}

/** A boolean: `true`, `false`, 1, 0, or these as strings. */
export interface FlagField extends Common {
  readonly kind: 'flag'
  readonly default?: boolean
}

/** An array; a JSON string in form encoding. */
export interface ListField extends Common {
  readonly kind: 'list'
  readonly of: Field
  readonly min?: number
  readonly max?: number
  /** Code for more than `max` elements; by default that of an invalid value. */
  readonly whenOver?: number
  /** Longest JSON text in characters, in form encoding. */
  readonly maxText?: number
}

/** An object with known members. */
export interface ObjectField extends Common {
  readonly kind: 'object'
  readonly members: Fields
}

/** A described value. */
export type Field = TextField | IntegerField | FlagField | ListField | ObjectField

/** Named values, in order of checking and documentation. */
export type Fields = { readonly [name: string]: Field }

type Options<F extends Field> = Omit<F, 'kind'>

/** Describes a string. */
export const text = <const O extends Options<TextField>>(options: O = {} as O): { kind: 'text' } & NoInfer<O> => ({
  kind: 'text',
  ...options,
})
/** Describes an integer. */
export const integer = <const O extends Options<IntegerField>>(
  options: O = {} as O,
): { kind: 'integer' } & NoInfer<O> => ({ kind: 'integer', ...options })
/** Describes a boolean. */
export const flag = <const O extends Options<FlagField>>(options: O = {} as O): { kind: 'flag' } & NoInfer<O> => ({
  kind: 'flag',
  ...options,
})
/** Describes an array of `of`. */
export const list = <const I extends Field, const O extends Omit<Options<ListField>, 'of'>>(
  of: I,
  options: O = {} as O,
): { kind: 'list'; of: I } & NoInfer<O> => ({
  kind: 'list',
  of,
  ...options,
})
/** Describes an object with the given members. */
export const object = <const M extends Fields, const O extends Omit<Options<ObjectField>, 'members'>>(
  members: M,
  options: O = {} as O,
): { kind: 'object'; members: M } & NoInfer<O> => ({ kind: 'object', members, ...options })

/** TypeScript type of a described value. */
export type ValueOf<F> = F extends { kind: 'text' }
  ? string
  : F extends { kind: 'integer' }
    ? number
    : F extends { kind: 'flag' }
      ? boolean
      : F extends { kind: 'list'; of: infer I }
        ? ValueOf<I>[]
        : F extends { kind: 'object'; members: infer M }
          ? AnswerOf<M>
          : never

type Always<T> = {
  [K in keyof T]: T[K] extends { required: true } | { default: string | number | boolean } ? K : never
}[keyof T]
type Required<T> = { [K in keyof T]: T[K] extends { required: true } ? K : never }[keyof T]
type Optional<T> = { [K in keyof T]: T[K] extends { optional: true } ? K : never }[keyof T]

/** Validated parameters: required ones and those with a default are present. */
export type ParametersOf<T> = { [K in Always<T>]: ValueOf<T[K]> } & {
  [K in Exclude<keyof T, Always<T>>]?: ValueOf<T[K]>
}
/** A caller's parameters: only required ones must be present. */
export type ArgumentsOf<T> = { [K in Required<T>]: ValueOf<T[K]> } & {
  [K in Exclude<keyof T, Required<T>>]?: ValueOf<T[K]> | undefined
}
/** Members of an answer: all but the optional ones are present. */
export type AnswerOf<T> = { [K in Exclude<keyof T, Optional<T>>]: ValueOf<T[K]> } & {
  [K in Optional<T>]?: ValueOf<T[K]>
}
