import { type LocalEvent, readLocalEvent } from '../../contract/local-events.ts'

/** Letters of a text of an event: longer ones are cut. */
const longest = 1_024

/** A copy, as a part of a text keeps the whole of it in memory. */
const cut = (text: string): string => Buffer.from(text.slice(0, longest)).toString()

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longest ? cut(value) : value
  if (Array.isArray(value)) return value.map(cutTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutTexts(one)]))
}

/** The event of a line, its texts cut; undefined for one that is not known. Throws for what is not JSON. */
export function readLine(line: string): LocalEvent | undefined {
  const event = readLocalEvent(JSON.parse(line) as unknown)
  // Of a snapshot only ids are kept, which have a length of their own.
  return event && line.length > longest && event.type !== 'snapshot' ? (cutTexts(event) as LocalEvent) : event
}
