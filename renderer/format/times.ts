/** Times of one zone. */
export type Times = ReturnType<typeof times>

const known = (zone: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The last time of a `Date`, in ms. */
const last = 8.64e15
/** Whether a `Date` can have this time. */
export const isTime = (at: number): boolean => Math.abs(at) <= last
/** Of what is no time: a service may tell any number. */
const none = '–'

/** For times in ms since 1970, "–" for what is none; an unknown IANA zone means the page's own. */
export function times(zone: string) {
  const timeZone = zone === '' ? undefined : known(zone)
  const format = (options: Intl.DateTimeFormatOptions): ((at: number) => Record<string, string>) => {
    const formatter = new Intl.DateTimeFormat('en-US', {
      ...options,
      hourCycle: 'h23',
      ...(timeZone === undefined ? {} : { timeZone }),
    })
    return (at) => Object.fromEntries(formatter.formatToParts(at).map((part) => [part.type, part.value]))
  }
  const parts = format({
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const offset = format({ timeZoneName: 'shortOffset' })
  return {
    /** "20:46:12". */
    clock: (at: number): string => {
      if (!isTime(at)) return none
      const { hour, minute, second } = parts(at)
      return `${hour}:${minute}:${second}`
    },
    /** "20:46". */
    minute: (at: number): string => {
      if (!isTime(at)) return none
      const { hour, minute } = parts(at)
      return `${hour}:${minute}`
    },
    /** "2026-11-12 21:14". */
    date: (at: number): string => {
      if (!isTime(at)) return none
      const { year, month, day, hour, minute } = parts(at)
      return `${year}-${month}-${day} ${hour}:${minute}`
    },
    /** "2026-11-12 21:14:07". */
    second: (at: number): string => {
      if (!isTime(at)) return none
      const { year, month, day, hour, minute, second } = parts(at)
      return `${year}-${month}-${day} ${hour}:${minute}:${second}`
    },
    /** "UTC+8". */
    zone: (at: number): string =>
      isTime(at) ? (offset(at)['timeZoneName'] ?? 'UTC').replace('GMT', 'UTC').replace(/\+0$/, '') : none,
  }
}
