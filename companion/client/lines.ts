import type { Readable } from 'node:stream'

/** Longest lines in bytes: of the first, a snapshot of 10,000 channels fits; of another, 30,000 ids. */
const longestFirst = 8 * 1024 * 1024
const longestLater = 256 * 1024
const firstRoom = 64 * 1024

/** Splits a body into lines. Throws for a first line over 8 MiB, and a later one over 256 KiB. */
export async function* linesOf(body: Readable): AsyncGenerator<string> {
  let longest = longestFirst
  // Parts may be of one byte: each kept as it came would take many times its size.
  let held = Buffer.allocUnsafe(firstRoom)
  let size = 0
  const hold = (part: Buffer): void => {
    if (size + part.length > longest) throw new Error('a line of the event stream is too long')
    if (size + part.length > held.length) {
      const more = Buffer.allocUnsafe(Math.max(held.length * 2, size + part.length))
      held.copy(more, 0, 0, size)
      held = more
    }
    size += part.copy(held, size)
  }
  for await (const part of body as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, from)) {
      hold(part.subarray(from, at))
      from = at + 1
      const line = held.toString('utf8', 0, size)
      size = 0
      longest = longestLater
      if (held.length > longest) held = Buffer.allocUnsafe(firstRoom)
      if (line) yield line
    }
    hold(part.subarray(from))
  }
}
