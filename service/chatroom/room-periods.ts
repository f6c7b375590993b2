/** Kinds of periods that are counted (3-chatrooms Statistics record). */
export type Period = 'HOUR' | 'DAY'

const minute = 60_000
const hour = 60 * minute
/** Lies in the next day for the begin of every day, of which the shortest has 23 hours and the longest 25. */
const intoNextDay = 30 * hour

/** Hours and days in the service's time zone. */
export interface RoomPeriods {
  /** Begin of the period in which a time lies, in ms. */
  startOf(period: Period, at: number): number
  /** Begin of the next one, in ms. */
  endOf(period: Period, start: number): number
}

/** Makes them for an IANA time zone. */
export function createRoomPeriods(timeZone: string): RoomPeriods {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const partsAt = (at: number) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    return { day: part['day']!, hour: part['hour']!, minute: part['minute']! }
  }
  // Offsets are whole minutes, so that seconds are the same everywhere.
  const hourStart = (at: number): number => at - (at % minute) - partsAt(at).minute * minute
  const dayStart = (at: number): number => {
    const { day } = partsAt(at)
    let start = hourStart(at)
    // Hour by hour: a day does not begin as many hours ago as its clock says when clocks were changed within it.
    while (partsAt(start - 1).day === day) start = hourStart(start - 1)
    return start
  }
  return {
    startOf: (period, at) => (period === 'HOUR' ? hourStart(at) : dayStart(at)),
    endOf: (period, start) => (period === 'HOUR' ? hourStart(start + hour) : dayStart(start + intoNextDay)),
  }
}
