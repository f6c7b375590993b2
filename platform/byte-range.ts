/** Requested part of a file: all, bytes `from` to `to` (inclusive), or none that exists. */
export type RangeChoice = 'all' | 'unsatisfiable' | { readonly from: number; readonly to: number }

const pattern = /^bytes=(\d{0,15})-(\d{0,15})$/

/** Whether a Range header is a single range of bytes. */
export const isByteRange = (header: string): boolean => pattern.test(header)

/** Reads a Range header (RFC 9110 14.1.2). Multiple ranges and malformed headers get the whole file. */
export function chooseRange(header: string | undefined, size: number): RangeChoice {
  const match = pattern.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size - 1 }
  }
  const from = Number(first)
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < from) return 'all'
  return from >= size ? 'unsatisfiable' : { from, to }
}
