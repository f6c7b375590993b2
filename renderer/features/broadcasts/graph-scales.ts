import { endOf, runsOf } from './broadcast-figures.ts'
import type { Sample } from './broadcast.ts'

/** Where times and values stand, in px. */
export interface Scales {
  readonly x: (at: number) => number
  readonly viewers: (value: number) => number
  readonly kbps: (value: number) => number
}

/** Parts between the lines of a scale. */
const parts = 3
const steps = [1, 2, 3, 4, 5, 6, 8, 10] as const

/** The labels of a scale from 0 up, which a value is well within. */
export function scaleOf(most: number): readonly number[] {
  const part = Math.max(1, (most * 1.05) / parts)
  const power = 10 ** Math.floor(Math.log10(part))
  const step = (steps.find((each) => each * power >= part) ?? 10) * power
  return Array.from({ length: parts + 1 }, (_, index) => index * step)
}

const minute = 60_000
const tickLengths = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * minute)

/** Round times within a stretch, at most `most`; counted from a midnight before it. */
export function ticksOf(from: number, to: number, midnight: number, most: number): readonly number[] {
  const days = Math.ceil((to - from) / Math.max(1, most) / (1_440 * minute))
  const length = tickLengths.find((each) => (to - from) / each <= most) ?? days * 1_440 * minute
  const first = midnight + Math.ceil((from - midnight) / length) * length
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / length) + 1) },
    (_, index) => first + index * length,
  )
}

const point = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`
const lineOf = (points: readonly string[]): string =>
  points.map((each, index) => `${index ? 'L' : 'M'}${each}`).join('')

/** SVG paths: the line of viewers, the area under it and the line of the bitrate, each with its pauses. */
export function pathsOf(
  samples: readonly Sample[],
  scales: Scales,
): { readonly line: string; readonly area: string; readonly kbps: string } {
  const [line, area, kbps]: [string[], string[], string[]] = [[], [], []]
  const floor = scales.viewers(0)
  for (const run of runsOf(samples)) {
    const [first, last] = [run[0], run.at(-1)]
    if (!first || !last) continue
    const ys = [...run.map((sample) => [sample.at, sample.viewers] as const), [endOf(last), last.viewers] as const]
    const points = ys.map(([at, viewers]) => point(scales.x(at), scales.viewers(viewers / 1_000)))
    line.push(lineOf(points))
    const [left, right] = [scales.x(first.at), scales.x(endOf(last))]
    area.push(`${lineOf(points)}L${point(right, floor)}L${point(left, floor)}Z`)
    let known: string[] = []
    for (const [index, sample] of run.entries()) {
      if (sample.kbps === undefined) {
        if (known.length > 0) kbps.push(lineOf(known))
        known = []
        continue
      }
      known.push(point(scales.x(sample.at), scales.kbps(sample.kbps)))
      const next = run[index + 1]
      if (next?.kbps === undefined) known.push(point(scales.x(next?.at ?? endOf(sample)), scales.kbps(sample.kbps)))
    }
    if (known.length > 0) kbps.push(lineOf(known))
  }
  return { line: line.join(''), area: area.join(''), kbps: kbps.join('') }
}

/** Flags that stand together. */
export interface FlagGroup<F> {
  /** By time; never empty. */
  readonly flags: readonly F[]
  /** Left edge and width of the label, in px. */
  readonly left: number
  readonly width: number
}

/** Where flags stand and how wide their labels are, folded ones too, in px; labels stand within `room`. */
interface FlagLook<F> {
  readonly x: (flag: F) => number
  readonly width: (flag: F) => number
  readonly folded: number
  readonly room: number
}

/** In px between two labels. */
const apart = 6

/** Folds flags whose labels would touch; flags are in order of time. */
export function foldedFlags<F>(flags: readonly F[], look: FlagLook<F>): readonly FlagGroup<F>[] {
  const { x, width, folded, room } = look
  const placed = (some: readonly F[]): FlagGroup<F> => {
    const [first] = some
    const wide = some.length > 1 ? folded : first === undefined ? 0 : width(first)
    const at = first === undefined ? 0 : x(first)
    // Beyond the right edge the label stands before its line.
    return { flags: some, left: at + wide <= room ? at : Math.max(0, at - wide), width: wide }
  }
  const groups: FlagGroup<F>[] = []
  for (const flag of flags) {
    groups.push(placed([flag]))
    // A folded label may touch the one before it in turn.
    for (;;) {
      const [before, last] = [groups.at(-2), groups.at(-1)]
      if (!before || !last || before.left + before.width + apart <= last.left) break
      groups.splice(-2, 2, placed([...before.flags, ...last.flags]))
    }
  }
  return groups
}
