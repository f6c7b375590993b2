import { computed, ref, watch, type Ref } from 'vue'
import type { Times } from '../../format/times.ts'
import { startOfDay, ticksOf, type Range, type Span } from './time-line.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** Shortest and usual view of the hours, in ms. */
const [shortest, usual] = [10 * minute, 6 * hour]
/** Shown after the last moment, in ms. */
const margin = 20 * minute
const steps = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour]
const mostTicks = 8

const within = (begin: number, length: number, whole: Range): Range => {
  const from = Math.min(Math.max(begin, whole.begin), whole.end - length)
  return { begin: from, end: from + length }
}

/** A view that is `factor` times as long, with the moment at `place` (0 to 1) where it was; never beyond the whole. */
export function zoomed(view: Range, whole: Range, factor: number, place: number): Range {
  const length = view.end - view.begin
  const next = Math.min(Math.max(length * factor, shortest), whole.end - whole.begin)
  return within(view.begin + place * (length - next), next, whole)
}

/** A view that begins later by a share of its length, which may be negative; never beyond the whole. */
export const shifted = (view: Range, whole: Range, by: number): Range =>
  within(view.begin + by * (view.end - view.begin), view.end - view.begin, whole)

/** The hours up to a moment. */
export const hoursBefore = (last: number, whole: Range): Range =>
  within(last + margin - usual, Math.min(usual, whole.end - whole.begin), whole)

/** Times of a view that are named: those of its span where all of it is seen, otherwise round ones. */
export function ticksIn(view: Range, whole: Range, span: Span, zone: Times): number[] {
  const length = view.end - view.begin
  if (length >= whole.end - whole.begin) return ticksOf(span === 'day' ? 'day' : 'week', whole, zone)
  const step = steps.find((each) => length / each <= mostTicks) ?? day
  const first = startOfDay(view.begin, zone)
  const from = first + Math.ceil((view.begin - first) / step) * step
  return Array.from({ length: Math.floor((view.end - from) / step) + 1 }, (_, index) => from + index * step)
}

/** What of a range is seen: all of a week or a day, or some hours; anew with each range. */
export function useTimeLineView(
  whole: Readonly<Ref<Range>>,
  span: Readonly<Ref<Span>>,
  /** The last moment at which something is. */
  last: Readonly<Ref<number>>,
) {
  const chosen = ref<Range | null>(null)
  watch([() => whole.value.begin, () => whole.value.end, span], () => {
    chosen.value = null
  })
  const view = computed(
    () => chosen.value ?? (span.value === 'hours' ? hoursBefore(last.value, whole.value) : whole.value),
  )
  return {
    view,
    /** Whether less than the whole is seen. */
    isPart: computed(() => view.value.end - view.value.begin < whole.value.end - whole.value.begin),
    zoom: (factor: number, place = 0.5): void => {
      chosen.value = zoomed(view.value, whole.value, factor, place)
    },
    move: (by: number): void => {
      chosen.value = shifted(view.value, whole.value, by)
    },
  }
}
