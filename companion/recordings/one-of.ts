/** A value that a service sends, as one of those that are known; the last of them for any other. */
export const oneOf = <T extends string>(value: string, ...names: readonly T[]): T =>
  names.includes(value as T) ? (value as T) : (names.at(-1) as T)
