/** Makes an empty page, limited in entries and bytes of JSON; the first entry always fits. */
export function createAnswerPart<T>(most: { readonly entries: number; readonly bytes: number }) {
  const list: T[] = []
  let bytes = 0
  return {
    list,
    /** False if the entry does not fit. */
    add: (entry: T) => {
      if (list.length === most.entries) return false
      bytes += Buffer.byteLength(JSON.stringify(entry))
      if (bytes > most.bytes && list.length > 0) return false
      list.push(entry)
      return true
    },
  }
}
