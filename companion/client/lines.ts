import type { Readable } from 'node:stream'

/** Longest line in bytes: a snapshot of 10,000 channels fits. */
const longest = 8 * 1024 * 1024

/** Splits a body into lines. Throws for a line over 8 MiB. */
export async function* linesOf(body: Readable): AsyncGenerator<string> {
  let held: Buffer[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, from)) {
      held.push(part.subarray(from, at))
      from = at + 1
      const line = Buffer.concat(held).toString('utf8')
      held = []
      size = 0
      if (line) yield line
    }
    if (from < part.length) {
      const rest = part.subarray(from)
      size += rest.length
      if (size > longest) throw new Error('a line of the event stream is too long')
      held.push(rest)
    }
  }
}
