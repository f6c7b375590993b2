import { expect, it } from 'vitest'
import { writeCalendar } from './calendar-file.ts'

const base = { cid: 'c1', next: Date.UTC(2026, 11, 24, 20), url: 'https://live.example.org/watch/c1', now: 0 }

it('a title can neither end its line nor begin another, and lines have 75 octets at most', () => {
  const title = 'Covers\rURL:https://evil.example\nEND:VEVENT\r\n\u0007— 歌'.repeat(4)
  const lines = writeCalendar({ ...base, title }).split('\r\n')
  expect(lines.filter((line) => line === 'END:VEVENT')).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('URL:'))).toEqual([`URL:${base.url}`])
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(line).not.toMatch(/\p{Cc}/u)
  }
  const unfolded = lines.join('\r\n').replaceAll('\r\n ', '')
  expect(unfolded).toContain('SUMMARY:Covers\\nURL:https://evil.example\\nEND:VEVENT\\n— 歌')
  expect(unfolded).toContain('DTSTART:20261224T200000Z\r\n')
})

it('has no end, as nobody says when a broadcast ends, and reminds of it 10 minutes before', () => {
  const file = writeCalendar({ ...base, title: 'Late, night' })
  expect(file).not.toMatch(/DTEND|DURATION/)
  // RFC 5545 3.6.6: these three are required of a reminder that is shown.
  expect(file).toContain(
    'BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:Late\\, night\r\nTRIGGER:-PT10M\r\nEND:VALARM\r\nEND:VEVENT\r\n',
  )
})

it('a broadcast that is moved keeps its UID, with a later SEQUENCE', () => {
  const of = (now: number, name: string): string =>
    new RegExp(`^${name}:(.*)$`, 'm').exec(writeCalendar({ ...base, title: 'x', now }))![1]!.trim()
  expect(of(60_000, 'UID')).toBe(of(0, 'UID'))
  expect(Number(of(60_000, 'SEQUENCE'))).toBeGreaterThan(Number(of(0, 'SEQUENCE')))
})
