/** What the strip shows, in ms of the reel. */
export interface View {
  readonly from: number
  readonly to: number
}

/** The shortest that is shown, in ms. */
export const shortest = 4_000

/** Of a length at a place, within the reel. */
export function viewed(from: number, length: number, all: number): View {
  const shown = Math.min(all, Math.max(Math.min(shortest, all), length))
  const begin = Math.min(all - shown, Math.max(0, from))
  return { from: begin, to: begin + shown }
}

/** Longer or shorter by a factor, with a time kept in its place. */
export function zoomed({ from, to }: View, factor: number, at: number, all: number): View {
  const length = Math.min(all, Math.max(Math.min(shortest, all), (to - from) * factor))
  const share = (at - from) / (to - from)
  return viewed(at - share * length, length, all)
}

/** From 0 for everything to 1 for the shortest, in equal steps of factors. */
export const zoomOf = ({ from, to }: View, all: number): number =>
  all <= shortest ? 0 : Math.log(all / (to - from)) / Math.log(all / shortest)

/** Shown length at such a zoom. */
export const lengthAt = (zoom: number, all: number): number =>
  all <= shortest ? all : all * (shortest / all) ** Math.min(1, Math.max(0, zoom))

/** Moved so that a time is within, if it is not. */
export const following = (view: View, at: number, all: number): View =>
  at >= view.from && at <= view.to ? view : viewed(at - (view.to - view.from) / 10, view.to - view.from, all)

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].map((s) => s * 1000)

/** Times of the ruler, on round times of the clock: `zero` is when the reel began. */
export function ticksOf({ from, to }: View, width: number, zero: number): number[] {
  const step = steps.find((each) => (each / (to - from)) * width >= 120) ?? steps.at(-1)!
  const first = Math.ceil((from + zero) / step) * step - zero
  return width === 0 || to <= from
    ? []
    : Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step)
}
