/** Times of one zone. */
export type Times = ReturnType<typeof times>

const known = (zone: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** For times in ms since 1970; an unknown IANA zone means the page's own. */
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
      const { hour, minute, second } = parts(at)
      return `${hour}:${minute}:${second}`
    },
    /** "20:46". */
    minute: (at: number): string => {
      const { hour, minute } = parts(at)
      return `${hour}:${minute}`
    },
    /** "2026-11-12 21:14". */
    date: (at: number): string => {
      const { year, month, day, hour, minute } = parts(at)
      return `${year}-${month}-${day} ${hour}:${minute}`
    },
    /** "2026-11-12 21:14:07". */
    second: (at: number): string => {
      const { year, month, day, hour, minute, second } = parts(at)
      return `${year}-${month}-${day} ${hour}:${minute}:${second}`
    },
    /** "UTC+8". */
    zone: (at: number): string => (offset(at)['timeZoneName'] ?? 'UTC').replace('GMT', 'UTC').replace(/\+0$/, ''),
  }
}
