import { stopwatch } from '../../format/figures.ts'
import type { Times } from '../../format/times.ts'
import { recordedAt, type Reel } from './reel.ts'

const hundredths = (ms: number): string => String(Math.floor((((ms % 1000) + 1000) % 1000) / 10)).padStart(2, '0')

/** "22:20:01": when it was recorded, or where it is in the file where that is not known. */
export function clockOf(reel: Reel, zone: Times, at: number): string {
  const time = recordedAt(reel, at)
  return time === undefined ? stopwatch(at) : zone.clock(time)
}

/** "22:20:01.04". */
export const exactOf = (reel: Reel, zone: Times, at: number): string =>
  `${clockOf(reel, zone, at)}.${hundredths(recordedAt(reel, at) ?? at)}`

/** "1:00.0", with hours where there are some. */
export function lengthOf(ms: number): string {
  const tenths = Math.round(ms / 100)
  const [hours, minutes, seconds] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10]
  const rest = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${seconds.toFixed(1).padStart(4, '0')}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

const day = 86_400
const read = (text: string): number | undefined => {
  const [, hours, minutes, seconds] = /^(\d{1,2}):(\d{1,2}):(\d{1,2}(?:[.,]\d{1,3})?)$/.exec(text.trim()) ?? []
  return seconds === undefined
    ? undefined
    : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'))
}

/**
 * Where a typed time is, in ms of the reel; undefined for what is no time. It is taken as the nearest one of that
 * clock, as a day has it once, so zones and midnights need no rules.
 */
export function typedAt(reel: Reel, zone: Times, at: number, text: string): number | undefined {
  const [wanted, shown] = [read(text), read(exactOf(reel, zone, at))]
  if (wanted === undefined || shown === undefined) return undefined
  const apart = ((((wanted - shown) % day) + day * 1.5) % day) - day / 2
  // What is shown is cut to hundredths: a time that was not changed stays.
  return Math.abs(apart) < 0.005 ? at : Math.min(reel.length, Math.max(0, at + Math.round(apart * 1000)))
}
