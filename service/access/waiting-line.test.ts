import { expect, it, vi, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createWaitingLine } from './waiting-line.ts'

const home = (number: number): string => `198.51.${number >> 8}.${number & 255}`

/** A line with so many pages, 40 of each household. */
function lineOf(pages: number) {
  const clock = manualClock()
  const line = createWaitingLine(clock)
  for (let page = 0; page < pages; page++) line.wait(`page ${page}`, home(Math.floor(page / 40)))
  return { line, clock }
}

/** Steps of iterators of maps, and elements sorted, while something runs. */
function stepsOf(work: () => void): number {
  let steps = 0
  const iterator = Object.getPrototypeOf(new Map().entries()) as { next: (this: unknown) => unknown }
  const { next } = iterator
  const sort = vi.spyOn(Array.prototype, 'sort').mockImplementation(function (this: unknown[]) {
    steps += this.length
    return this
  })
  iterator.next = function () {
    steps += 1
    return next.call(this)
  }
  const undo = (): void => {
    iterator.next = next
    sort.mockRestore()
  }
  onTestFinished(undo)
  work()
  undo()
  return steps
}

it('a new page costs as little with 9,000 in the line as with 1,000', () => {
  const steps = [1_000, 9_000].map((pages) => {
    const { line } = lineOf(pages)
    return stepsOf(() => {
      for (let page = 0; page < 20; page++) {
        expect(line.wait(`new ${page}`, home(500 + page))).toBe(true)
        expect(line.placeOf(`new ${page}`, home(500 + page))).toBeGreaterThan(0)
        expect(line.size).toBe(pages + page + 1)
      }
    })
  })
  expect(steps[1]).toBe(steps[0])
  expect(steps[1]).toBeLessThan(200)
})

it('households take turns, also after a page of one has got in, and its other pages keep their order', () => {
  const line = createWaitingLine(manualClock())
  const [one, other, third] = [home(1), home(2), home(3)]
  for (const page of ['a', 'b', 'c']) line.wait(page, one)
  line.wait('d', other)
  line.wait('e', third)
  const places = (): (readonly [string, number])[] =>
    ['a', 'b', 'c', 'd', 'e'].map((page) => [page, line.isWaiting(page) ? line.placeOf(page, '') : -1])
  expect(places()).toEqual([
    ['a', 0],
    ['b', 3],
    ['c', 4],
    ['d', 1],
    ['e', 2],
  ])
  // A player without a page is behind those of its turn.
  expect([line.placeOf(undefined, home(4)), line.placeOf(undefined, other)]).toEqual([3, 4])
  line.entered('a')
  expect(places()).toEqual([
    ['a', -1],
    ['b', 2],
    ['c', 3],
    ['d', 0],
    ['e', 1],
  ])
  line.setAside(one, true)
  expect([line.placeOf('d', other), line.placeOf('e', third), line.placeOf(undefined, home(4))]).toEqual([0, 1, 2])
  line.setAside(one, false)
  line.forget('b')
  expect(places().slice(2)).toEqual([
    ['c', 2],
    ['d', 0],
    ['e', 1],
  ])
})

it('a page that leaves gives its place to nobody: who came later from its address is behind who came before', () => {
  const line = createWaitingLine(manualClock())
  const [one, other] = [home(1), home(2)]
  line.wait('left', one)
  line.wait('second', other)
  line.wait('third', one)
  line.setAside(one, true)
  line.forget('left')
  line.setAside(one, false)
  expect([line.placeOf('second', other), line.placeOf('third', one)]).toEqual([0, 1])
  // Who came before is not put behind by it.
  line.wait('fourth', other)
  line.wait('fifth', one)
  line.forget('second')
  expect(['third', 'fourth', 'fifth'].map((page) => line.placeOf(page, ''))).toEqual([0, 1, 2])
})

it('places are those of a line that is worked out anew, whatever comes and goes', () => {
  const { line, clock } = lineOf(0)
  const pages: { page: string; group: string }[] = []
  let seed = 7
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let step = 0; step < 2_000; step++) {
    const at = random(pages.length + 1)
    if (random(3) > 0) {
      const one = { page: `page ${step}`, group: home(random(30)) }
      if (line.wait(one.page, one.group)) pages.push(one)
    } else if (pages[at]) {
      line.forget(pages[at].page)
      pages.splice(at, 1)
    }
  }
  expect(line.size).toBe(pages.length)
  const places = pages.map(({ page, group }) => line.placeOf(page, group)).toSorted((one, other) => one - other)
  expect(places).toEqual(pages.map((_, place) => place))
  const turns = new Map<string, number>()
  const byTurn = pages.map(({ page, group }) => {
    const turn = turns.get(group) ?? 0
    turns.set(group, turn + 1)
    return { turn, place: line.placeOf(page, group) }
  })
  const inOrder = byTurn.toSorted((one, other) => one.place - other.place).map(({ turn }) => turn)
  expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other))
  clock.advance(15_001)
  expect([line.size, line.placeOf(undefined, home(1))]).toEqual([0, 0])
})

it('a page that was closed stands in it for 8 s at most, and one that was loaded again keeps its place', () => {
  const { line, clock } = lineOf(0)
  for (const [index, page] of ['closed', 'loaded again', 'last'].entries()) line.wait(page, home(index))
  line.leaves('closed')
  line.leaves('loaded again')
  line.leaves('of nobody')
  clock.advance(2_000)
  line.wait('loaded again', home(1))
  expect(line.placeOf('last', home(2))).toBe(2)
  // Said again, which prolongs nothing.
  line.leaves('closed')
  clock.advance(5_999)
  line.wait('last', home(2))
  expect(line.placeOf('last', home(2))).toBe(2)
  clock.advance(1)
  expect([line.isWaiting('closed'), line.placeOf('loaded again', home(1)), line.size]).toEqual([false, 0, 2])
  clock.advance(9_001)
  expect([line.isWaiting('loaded again'), line.placeOf('last', home(2))]).toEqual([false, 0])
})

it('a household has 64 pages in it and a /48 128, and of a full line the one with most gives way', () => {
  const line = createWaitingLine(manualClock())
  let taken = 0
  for (let network = 0; network < 2_000; network++)
    if (line.wait(`v6 ${network}`, `2001:db8:1:${network.toString(16)}::/64`)) taken += 1
  expect([taken, line.size]).toEqual([128, 128])
  const { line: full } = lineOf(10_000)
  expect([full.size, full.wait('new', home(1_000)), full.size]).toEqual([10_000, true, 10_000])
  // The newest page of the household that came last.
  expect(full.isWaiting('page 9999')).toBe(false)
  expect(full.placeOf('new', '')).toBe(250)
  for (let page = 0; page < 38; page++) full.wait(`new ${page}`, home(1_000))
  expect(full.wait('one more', home(1_000))).toBe(false)
})
