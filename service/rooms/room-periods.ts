/** Counting periods (3-chatrooms Statistics record). */
export type Period = 'HOUR' | 'DAY'

const minute = 60_000
const hour = 60 * minute
/** From the begin of a day always into the next one: days have 23 to 25 hours. */
const intoNextDay = 30 * hour

/** Hours and days in the service's time zone. */
export interface RoomPeriods {
  /** Begin of the period of a time, in ms. */
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
  // Offsets are whole minutes, so seconds are the same in all zones.
  const hourStart = (at: number): number => at - (at % minute) - partsAt(at).minute * minute
  const dayStart = (at: number): number => {
    const { day } = partsAt(at)
    let start = hourStart(at)
    // Hour by hour, since a clock change may lie within the day.
    while (partsAt(start - 1).day === day) start = hourStart(start - 1)
    return start
  }
  return {
    startOf: (period, at) => (period === 'HOUR' ? hourStart(at) : dayStart(at)),
    endOf: (period, start) => (period === 'HOUR' ? hourStart(start + hour) : dayStart(start + intoNextDay)),
  }
}
