import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A value that was read so many minutes after the begin. */
export interface Reading {
  readonly minute: number
  readonly value: number
}

/** How a value went. */
export interface Growth {
  readonly first: number
  readonly last: number
  /** Growth a minute: the line through the settled readings with the least squares. */
  readonly perMinute: number
  /** By how much that line rises from the first settled reading to the last. */
  readonly grown: number
}

/** A figure for a report. */
export const round = (value: number, digits = 1): number => Number(value.toFixed(digits))

/** What the readings after the first third say; what is loaded and compiled before is no growth. NaN where there are not two. */
export function growthOf(readings: readonly Reading[]): Growth {
  const end = readings.at(-1)?.minute ?? 0
  const settled = readings.filter(({ minute }) => minute > end / 3)
  const mean = (of: (reading: Reading) => number): number =>
    settled.reduce((sum, reading) => sum + of(reading), 0) / settled.length
  const [x, y] = [mean(({ minute }) => minute), mean(({ value }) => value)]
  const spread = settled.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0)
  const slope = settled.reduce((sum, { minute, value }) => sum + (minute - x) * (value - y), 0) / spread
  return {
    first: round(readings[0]?.value ?? NaN),
    last: round(readings.at(-1)?.value ?? NaN),
    perMinute: round(slope, 3),
    grown: round(slope * (end - (settled[0]?.minute ?? NaN))),
  }
}

/** The service's process: the newest child of the app's. */
export const serviceOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').at(-1))

/** Memory of its own that a process has resident, in MB: what it shares with others, such as pictures on their way to the screen, counts for none. */
export const ownMemory = (pid: number): number =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000

/** Sockets that a process has open. */
export const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')
    } catch {
      // Closed between listing and reading.
      return false
    }
  }).length
