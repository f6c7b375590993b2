/** One part of a span of time: `{ n: 22, unit: 'hours' }`. */
export interface SpanPart {
  readonly n: number
  readonly unit: 'days' | 'hours' | 'minutes' | 'seconds'
}

const units = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** A length as people set it, in its largest whole unit: 600 is 10 minutes, 5,400 is 90 minutes; a single day is 24 hours. */
export function lengthOf(seconds: number): SpanPart {
  const [unit, size] = units.find(([name, one]) => seconds % one === 0 && (name !== 'days' || seconds > one)) ?? units[3]
  return { n: seconds / size, unit }
}

/** What is left of a time, in its two largest units: 80,000 s is 22 hours 13 minutes; nothing is 0 seconds. */
export function restOf(seconds: number): SpanPart[] {
  let rest = Math.max(0, Math.ceil(seconds))
  const parts: SpanPart[] = []
  for (const [unit, size] of units) {
    const n = Math.floor(rest / size)
    if (n > 0) parts.push({ n, unit })
    else if (parts.length > 0) break
    rest -= n * size
    if (parts.length === 2) break
  }
  return parts.length === 0 ? [{ n: 0, unit: 'seconds' }] : parts
}
