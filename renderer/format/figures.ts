/** Groups digits: 6012 is "6,012" in both languages. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

const pad = (value: number): string => String(value).padStart(2, '0')

/** A running time in ms as "01:42:08"; hours go beyond 24. */
export function stopwatch(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  return `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

/** A finished length in ms, rounded to seconds. */
export const lengthClock = (milliseconds: number): string => stopwatch(Math.round(milliseconds / 1_000) * 1_000)

/** Of ms: days and the rest, "04:12" or "04:12:37". */
export function remaining(milliseconds: number): { days: number; short: string; long: string } {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  const rest = seconds % 86_400
  const short = `${pad(Math.floor(rest / 3_600))}:${pad(Math.floor(rest / 60) % 60)}`
  return { days: Math.floor(seconds / 86_400), short, long: `${short}:${pad(rest % 60)}` }
}

/** In decimal units, as on disks: "412 GB", "4.55 GB", "63.0 MB". */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let unit = 0
  let amount = Math.max(0, value)
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000
    unit += 1
  }
  const digits = unit === 0 || amount >= 99.5 ? 0 : amount >= 9.95 ? 1 : 2
  return `${amount.toFixed(digits)} ${units[unit]}`
}

/** The first eight characters of a channel id. */
export const shortId = (cid: string): string => cid.slice(0, 8)
