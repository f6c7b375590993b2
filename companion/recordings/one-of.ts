/** A known value, or the last of `names`. */
export const oneOf = <T extends string>(value: string, ...names: readonly T[]): T =>
  names.includes(value as T) ? (value as T) : (names.at(-1) as T)
