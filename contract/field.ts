/**
 * Values that cross the service's boundary, described as plain data. The same description validates a request, types the
 * client, draws the form in the API console and prints the documentation, so a limit stands in one place only.
 */

interface Common {
  /** What the value means, in one sentence. */
  readonly summary?: string
  /** A parameter that must be present and not empty. In an answer every member is required unless it is `optional`. */
  readonly required?: boolean
  /** An answer's member that may be absent. */
  readonly optional?: boolean
  /** Code answered when a required parameter is absent or empty; the operation's `invalid` code otherwise. */
  readonly whenEmpty?: number
  /** Code answered when the value is not acceptable; the operation's `invalid` code otherwise. */
  readonly whenInvalid?: number
  /** A value that must be masked wherever it is shown or logged. */
  readonly secret?: boolean
  /** Other spellings of a parameter that clients use; the parameter's own name goes first. */
  readonly also?: readonly string[]
}

/** A string; `max` counts Unicode code points and `pattern` is a regular expression with the `u` flag. */
export interface TextField extends Common {
  readonly kind: 'text'
  readonly max?: number
  readonly pattern?: string
  readonly default?: string
  /** Upper-case letters become lower case when the value is read (2-messaging Account: accid). */
  readonly fold?: boolean
  /** The text must itself be JSON: an object, or any value. */
  readonly json?: 'object' | 'value'
  /** Given empty in a call that has no optional parameter with a value, it is read as '' and clears what is stored (behaviour.md#empty-parameters). */
  readonly clearable?: boolean
}

/** An integer within the safe range of a double, taken as a JSON number or a decimal string. */
export interface IntegerField extends Common {
  readonly kind: 'integer'
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly number[]
  readonly default?: number
  /** A value above this is lowered to it instead of being refused. */
  readonly lowerTo?: number
  /** A fraction is cut off instead of being refused: clients compute times from seconds. */
  readonly whole?: boolean
}

/** A truth value: `true`, `false`, 1, 0 or the same as strings. */
export interface FlagField extends Common {
  readonly kind: 'flag'
  readonly default?: boolean
}

/** An array; in form encoding it is written as a JSON string. */
export interface ListField extends Common {
  readonly kind: 'list'
  readonly of: Field
  readonly min?: number
  readonly max?: number
  /** Code answered for more than `max` elements; as for every unacceptable value when absent. */
  readonly whenOver?: number
  /** Longest JSON text in characters, in form encoding. */
  readonly maxText?: number
}

/** An object with known members. */
export interface ObjectField extends Common {
  readonly kind: 'object'
  readonly members: Fields
}

/** One described value. */
export type Field = TextField | IntegerField | FlagField | ListField | ObjectField

/** Named values, in the order in which they are checked and documented. */
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
/** Describes a truth value. */
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

/** The TypeScript type of a described value. */
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

/** Parameters after validation: required ones and those with a default are present. */
export type ParametersOf<T> = { [K in Always<T>]: ValueOf<T[K]> } & {
  [K in Exclude<keyof T, Always<T>>]?: ValueOf<T[K]>
}
/** Parameters as a caller gives them: only required ones must be present. */
export type ArgumentsOf<T> = { [K in Required<T>]: ValueOf<T[K]> } & {
  [K in Exclude<keyof T, Required<T>>]?: ValueOf<T[K]> | undefined
}
/** An answer's members: all present but the optional ones. */
export type AnswerOf<T> = { [K in Exclude<keyof T, Optional<T>>]: ValueOf<T[K]> } & {
  [K in Optional<T>]?: ValueOf<T[K]>
}
