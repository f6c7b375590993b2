import type { Times } from '../../format/times.ts'
import { daysAfter } from '../recordings/time-line.ts'

/** A series: the last 24 hours by hour, or the last 14 days by day. */
export type PeriodSpan = 'hours' | 'days'

/** In ms; `end` is the start of the next period. */
export interface Period {
  readonly start: number
  readonly end: number
}

const counts: Readonly<Record<PeriodSpan, number>> = { hours: 24, days: 14 }

const startOfHour = (at: number, zone: Pick<Times, 'clock'>): number => {
  const [, minute = 0, second = 0] = zone.clock(at).split(':').map(Number)
  return at - (minute * 60 + second) * 1000 - (at % 1000)
}

/** Past periods, oldest first; the current one has no figures (3-chatrooms, Rules 1). */
export function endedPeriods(span: PeriodSpan, now: number, zone: Pick<Times, 'clock'>): Period[] {
  const startBefore = (end: number): number =>
    span === 'hours' ? startOfHour(end - 1, zone) : daysAfter(end, -1, zone)
  const periods: Period[] = []
  let end = span === 'hours' ? startOfHour(now, zone) : daysAfter(now, 0, zone)
  for (let n = 0; n < counts[span]; n++) {
    const start = startBefore(end)
    periods.push({ start, end })
    end = start
  }
  return periods.reverse()
}
