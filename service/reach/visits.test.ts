import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createVisits, deviceOf, readReport, readVisitCookie, type VisitFacts } from './visits.ts'

const cid = 'a'.repeat(32)
const visitor = (cookie: string | undefined, outside = true) => ({ cookie, agent: 'Mozilla (iPhone; Mobi)', outside })

function setUp() {
  const clock = manualClock()
  const told: VisitFacts[] = []
  const visits = createVisits({ clock, random: randomBytes, told: (_uid, _cid, facts) => told.push(facts) })
  return { clock, told, visits, cookie: visits.cookie(), other: visits.cookie() }
}

describe('a visit by a mark', () => {
  it('is of the first browser that begins it, and of no other', () => {
    const { visits, told, cookie, other } = setUp()
    const { mark } = visits.start(1, cid)
    expect(Buffer.from(mark, 'base64url')).toHaveLength(16)
    expect(visits.isOpen(mark, undefined)).toBe(true)
    expect(visits.begin(mark, visitor(undefined))).toBeUndefined()
    expect(visits.begin(mark, visitor(cookie))).toBe(cid)
    expect(visits.begin(mark, visitor(cookie))).toBeUndefined()
    expect(visits.begin(mark, visitor(other))).toBeUndefined()
    expect([visits.isOpen(mark, cookie), visits.isOpen(mark, other), visits.isOpen(mark, undefined)]).toEqual([
      true,
      false,
      false,
    ])
    expect(visits.report(mark, other, { name: 'page', state: 'passed' })).toBe(false)
    expect([visits.admits(cookie, cid), visits.admits(other, cid), visits.admits(cookie, 'b')]).toEqual([
      true,
      false,
      false,
    ])
    for (const name of ['page', 'chat', 'hls', 'flv'] as const)
      expect(visits.report(mark, cookie, { name, state: 'passed' })).toBe(true)
    expect(visits.list(1)).toMatchObject([{ state: 'done', by: 'phone', outside: true }])
    expect(told.at(-1)).toMatchObject({ state: 'done' })
    expect([visits.isOpen(mark, cookie), visits.admits(cookie, cid)]).toEqual([false, false])
    expect(JSON.stringify(told)).not.toContain(mark)
  })

  it('expires after 10 minutes, and ends when its page goes away', () => {
    const { visits, clock, cookie } = setUp()
    const late = visits.start(1, cid).mark
    clock.advance(10 * 60_000)
    expect(visits.begin(late, visitor(cookie))).toBeUndefined()
    const left = visits.start(1, cid).mark
    visits.begin(left, visitor(cookie))
    clock.advance(3 * 60_000)
    expect(visits.list(1).map(({ state }) => state)).toEqual(['done', 'expired'])
    expect(visits.list(1)[0]!.steps.at(-1)).toEqual({ name: 'flv', state: 'failed', reason: 'timeout' })
  })

  it('is one of 20, with 32 reports, told only to its application', () => {
    const { visits, cookie } = setUp()
    const first = visits.start(1, cid).mark
    for (let count = 0; count < 20; count++) visits.start(2, cid)
    expect([visits.list(1).length, visits.list(2).length, visits.isOpen(first, undefined)]).toEqual([0, 20, false])
    const { mark } = visits.start(1, cid)
    visits.begin(mark, visitor(cookie))
    const reports = Array.from({ length: 33 }, () => visits.report(mark, cookie, { name: 'page', state: 'failed' }))
    expect(reports.filter(Boolean)).toHaveLength(32)
  })
})

describe('what a page reports', () => {
  it('is read strictly', () => {
    expect(readReport({ name: 'flv', state: 'failed', reason: 'cutOff', milliseconds: 5, more: 1 })).toEqual({
      name: 'flv',
      state: 'failed',
      reason: 'cutOff',
      milliseconds: 5,
    })
    expect(readReport({ name: 'chat', state: 'passed', milliseconds: -1, reason: 'x' })).toEqual({
      name: 'chat',
      state: 'passed',
    })
    for (const bad of [undefined, null, 1, {}, { name: 'x', state: 'passed' }, { name: 'flv', state: 'waiting' }])
      expect(readReport(bad)).toBeUndefined()
  })

  it('comes with a cookie, and a browser that says what it is on', () => {
    const value = 'a'.repeat(22)
    expect(readVisitCookie(`x=1; sidestage_check=${value}; y=2`)).toBe(value)
    expect(readVisitCookie('sidestage_check=short')).toBeUndefined()
    expect(readVisitCookie(undefined)).toBeUndefined()
    expect(['iPad', 'Android 15; Mobile', 'Android 15', 'Windows NT 10', 'curl'].map(deviceOf)).toEqual([
      'tablet',
      'phone',
      'tablet',
      'computer',
      'other',
    ])
  })
})
