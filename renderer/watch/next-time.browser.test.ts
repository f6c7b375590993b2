import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { createNextTime, untilText, whenText } from './next-time.ts'
import { say } from './words.ts'

afterEach(() => {
  document.body.replaceChildren()
  sessionStorage.clear()
})

const hour = 3_600_000
const now = new Date(2026, 10, 21, 22, 0).getTime()
const off: WatchState = { title: 'Late night', live: false, disabled: false, time: now, viewers: 0 }
const next: WatchState = { ...off, next: now + 6 * 24 * hour, nextTitle: 'Requests until one' }

function show(
  options: {
    readonly possible?: boolean
    readonly allowed?: boolean
    readonly granted?: boolean
    readonly first?: WatchState
  } = {},
) {
  const told: string[] = []
  const asked = vi.fn(() => Promise.resolve(options.granted ?? true))
  const part = createNextTime({
    possible: () => options.possible ?? true,
    isAllowed: () => options.allowed ?? true,
    ask: asked,
    tell: (title) => told.push(title),
  })
  document.body.append(part.node, part.bell)
  part.show(options.first ?? next)
  const find = (selector: string): HTMLElement => part.node.querySelector<HTMLElement>(selector)!
  const seen = (selector: string): string => (find(selector).hidden ? '' : find(selector).textContent)
  return { ...part, told, asked, find, seen, tell: find('.tell') }
}

describe('when it starts', () => {
  it('is said in the zone of whoever reads it', () => {
    const start = Date.UTC(2026, 10, 27, 20, 0)
    expect(whenText(start, 'Europe/Berlin')).toBe('Friday 27 November, 21:00')
    expect(whenText(start, 'Asia/Shanghai')).toBe('Saturday 28 November, 04:00')
  })

  it.each([
    [6 * 24 * hour, say('nextDays', { number: 6 })],
    [24 * hour, say('nextDay')],
    [3 * hour, say('nextIn', { time: '3 h' })],
    [hour + 90_000, say('nextIn', { time: '1 h 1 min' })],
    [90_000, say('nextIn', { time: '1 min' })],
    [59_000, say('nextSoon')],
    [-hour, say('nextSoon')],
  ])('and how long until then: %d ms', (ms, words) => {
    expect(untilText(now + ms, now)).toBe(words)
  })
})

describe('a channel off the air', () => {
  it('says what comes next and when, with a file for the calendar', () => {
    const { seen, find } = show()
    expect(seen('.next-title')).toBe('Requests until one')
    expect(seen('.next-when')).toBe(say('next', { when: whenText(next.next!), until: say('nextDays', { number: 6 }) }))
    expect(find('a').getAttribute('href')).toMatch(/\/watch\/[^/]*\/next\.ics$/)
    expect(find('a').hidden).toBe(false)
  })

  it('says that it is late, with its title, and offers no calendar file of a time that is past', () => {
    const start = new Date(2026, 10, 21, 21, 0).getTime()
    const late = { ...next, next: start }
    const { seen, find, show: draw } = show({ first: { ...late, time: start + 59_000 } })
    expect(seen('.next-when')).toBe(say('next', { when: whenText(start), until: say('nextSoon') }))
    expect(find('a').hidden).toBe(true)
    draw({ ...late, time: start + 60_000 })
    expect([seen('.next-title'), seen('.next-when')]).toEqual([
      'Requests until one',
      say('nextLate', { time: '21:00' }),
    ])
    expect(find('a').hidden).toBe(true)
    draw({ ...late, time: start - 1 })
    expect(find('a').hidden).toBe(false)
  })

  it('has neither without a next time, and nothing at all on air', () => {
    const { seen, find, node, show: draw } = show({ first: off })
    expect([seen('.next-title'), seen('.next-when'), find('a').hidden, node.hidden]).toEqual(['', '', true, false])
    draw({ ...next, live: true })
    expect(node.hidden).toBe(true)
  })

  it('tells those who asked once it starts, and once only', async () => {
    const { tell, told, asked, seen, show: draw } = show()
    tell.click()
    await expect.poll(() => tell.getAttribute('aria-pressed')).toBe('true')
    expect(seen('.next-note')).toBe(say('toldNote'))
    expect(asked).toHaveBeenCalledTimes(1)
    draw({ ...next, time: now + 4000 })
    expect(told).toEqual([])
    draw({ ...off, live: true })
    draw({ ...off, live: true })
    draw(off)
    draw({ ...off, live: true })
    expect(told).toEqual([say('started', { title: 'Late night' })])
  })

  it('can be called off, and be asked for while it is on air, for the next time', async () => {
    const { tell, bell, told, show: draw } = show({ first: { ...off, live: true } })
    bell.click()
    await expect.poll(() => bell.getAttribute('aria-pressed')).toBe('true')
    expect(bell.textContent).toBe(say('toldHere'))
    bell.click()
    await expect.poll(() => bell.textContent).toBe(say('tellNext'))
    draw(off)
    draw({ ...off, live: true })
    expect(told).toEqual([])
    expect(tell.textContent).toBe(say('tellMe'))
  })

  it('says that the browser cannot tell, and offers the calendar', () => {
    const { tell, bell, seen, find } = show({ possible: false })
    expect([tell.hidden, bell.hidden, seen('.next-note'), find('a').hidden]).toEqual([
      true,
      true,
      say('toldNot'),
      false,
    ])
  })

  it('says so after a refusal too', async () => {
    const { tell, seen } = show({ granted: false })
    tell.click()
    await expect.poll(() => tell.hidden).toBe(true)
    expect(seen('.next-note')).toBe(say('toldNot'))
  })
})

it('who is to be told still is after a reload, unless the browser was told otherwise, and only once', async () => {
  const first = show()
  first.tell.click()
  await expect.poll(() => first.tell.textContent).toBe(say('toldHere'))
  expect(show({ allowed: false }).tell.textContent).toBe(say('tellMe'))
  const again = show()
  expect(again.tell.textContent).toBe(say('toldHere'))
  again.show({ ...off, live: true })
  expect(again.told).toEqual([say('started', { title: off.title })])
  expect(show().tell.textContent).toBe(say('tellMe'))
})
