import { expect, it } from 'vitest'
import type { RoomLine } from './room-log.ts'
import { pulseOf } from './room-pulse.ts'

const said = (at: number, from: string, notice = false): RoomLine => ({
  msgid: `${at} ${from}`,
  at,
  from,
  nick: from,
  text: '',
  notice: notice
    ? { id: 301, operator: '', target: [], names: [], why: '', seconds: null, expired: false, stillMuted: false }
    : null,
  removed: null,
})

it('counts the lines of the last minute and the people of the last hour, without notices', () => {
  const now = 10_000_000
  const lines = [
    said(now - 3_600_000, 'gone'),
    said(now - 3_599_999, 'ana'),
    said(now - 60_000, 'lee'),
    said(now - 59_999, 'ana'),
    said(now - 5, 'mei', true),
  ]
  expect(pulseOf(lines, now, false)).toEqual({ perMinute: 1, active: 2, atLeast: false })
  expect(pulseOf([], now, true)).toEqual({ perMinute: 0, active: 0, atLeast: false })
})

it('says that there may be more where its lines do not reach back an hour and others stand before them', () => {
  const lines = [said(9_000_000, 'ana')]
  expect(pulseOf(lines, 10_000_000, false)).toMatchObject({ active: 1, atLeast: true })
  expect(pulseOf(lines, 10_000_000, true)).toMatchObject({ active: 1, atLeast: false })
  expect(pulseOf([], 10_000_000, false)).toMatchObject({ active: 0, atLeast: true })
})
