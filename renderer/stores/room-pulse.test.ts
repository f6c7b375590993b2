import { expect, it } from 'vitest'
import type { RoomLine } from './room-log.ts'
import { pulseOf } from './room-pulse.ts'

const said = (at: number, from: string, notice = false): RoomLine => ({
  msgid: `${at} ${from}`,
  at,
  from,
  nick: from,
  text: '',
  notice: notice ? { id: 301, operator: '', target: [], names: [], why: '', seconds: null, expired: false } : null,
  removed: null,
})

it('counts the lines of the last minute and the people of the last hour, without notices', () => {
  const now = 10_000_000
  const lines = [said(now - 3_600_000, 'gone'), said(now - 3_599_999, 'ana'), said(now - 60_000, 'lee'), said(now - 59_999, 'ana'), said(now - 5, 'mei', true)]
  expect(pulseOf(lines, now)).toEqual({ perMinute: 1, active: 2 })
  expect(pulseOf([], now)).toEqual({ perMinute: 0, active: 0 })
})
