/** As `{ n: 22, unit: 'hours' }`. */
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

/** One whole number: 5,400 is 90 minutes; a single day is 24 hours. */
export function enteredLength(seconds: number): SpanPart {
  const [unit, size] =
    units.find(([name, one]) => seconds % one === 0 && (name !== 'days' || seconds > one)) ?? units[3]
  return { n: seconds / size, unit }
}

/** 5,400 is 1 hour 30 minutes; days count from two on; zero is 0 seconds. */
export function lengthOf(seconds: number): SpanPart[] {
  let rest = Math.max(0, Math.ceil(seconds))
  const parts: SpanPart[] = []
  for (const [unit, size] of units) {
    const n = unit === 'days' && rest < 2 * size ? 0 : Math.floor(rest / size)
    if (n > 0) parts.push({ n, unit })
    rest -= n * size
  }
  return parts.length === 0 ? [{ n: 0, unit: 'seconds' }] : parts
}

/** The largest unit and the next smaller one: 80,000 s is 22 hours 13 minutes. */
export function restOf(seconds: number): SpanPart[] {
  const [first, second] = lengthOf(seconds)
  const place = (part: SpanPart): number => units.findIndex(([unit]) => unit === part.unit)
  return second && place(second) === place(first!) + 1 ? [first!, second] : [first!]
}
