/** The next broadcast of a channel as a calendar has it (RFC 5545). */
export interface NextBroadcast {
  readonly cid: string
  readonly title: string
  /** Begin in ms. */
  readonly next: number
  /** Its watch page. */
  readonly url: string
  /** Now, in ms. */
  readonly now: number
}

/** How long before its begin a calendar tells of it. */
const toldBefore = 'PT10M'
/** Octets of a line before it is folded (RFC 5545 3.1). */
const maxLine = 73

const timeOf = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
const escaped = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '')

function folded(line: string): string {
  const parts: string[] = []
  let part = ''
  for (const character of line) {
    if (Buffer.byteLength(part + character) > maxLine) {
      parts.push(part)
      part = ''
    }
    part += character
  }
  return [...parts, part].join('\r\n ')
}

/**
 * Writes the calendar file, with a reminder and without an end, which nobody knows. Its UID is of the channel, so that
 * a moved broadcast replaces the earlier entry.
 */
export const writeCalendar = ({ cid, title, next, url, now }: NextBroadcast): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Sidestage//Next broadcast//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${cid}@sidestage`,
    `SEQUENCE:${Math.floor(now / 1000)}`,
    `DTSTAMP:${timeOf(now)}`,
    `DTSTART:${timeOf(next)}`,
    `SUMMARY:${escaped(title)}`,
    `URL:${url}`,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escaped(title)}`,
    `TRIGGER:-${toldBefore}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
    .map((line) => `${folded(line)}\r\n`)
    .join('')
