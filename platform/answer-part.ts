/** Entries of an answer that is given in parts. */
export interface AnswerPart<T> {
  readonly list: T[]
  /** Adds the next one; false where it has no place in this part. */
  add(entry: T): boolean
}

/** Makes an empty part of so many entries and bytes of JSON at most; a single entry has a place whatever its size. */
export function createAnswerPart<T>(most: { readonly entries: number; readonly bytes: number }): AnswerPart<T> {
  const list: T[] = []
  let bytes = 0
  return {
    list,
    add: (entry) => {
      if (list.length === most.entries) return false
      bytes += Buffer.byteLength(JSON.stringify(entry))
      if (bytes > most.bytes && list.length > 0) return false
      list.push(entry)
      return true
    },
  }
}
