import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { createOpenPages } from './open-pages.ts'

class PlayedPage extends EventEmitter {
  pings = 0
  isTerminated = false
  ping(): void {
    this.pings++
  }
  terminate(): void {
    this.isTerminated = true
    this.emit('close')
  }
}

function stage({ maxPages = 4, pagesOfHolder = 3 } = {}) {
  const connections = new Set<PlayedPage>()
  const invalid = new Set<string>()
  const pages = createOpenPages({
    maxPages,
    pagesOfHolder,
    holder: (session) => (invalid.has(session) ? undefined : session),
    connections: () => connections as unknown as Iterable<WebSocket>,
  })
  const open = (holder: string, session = holder): PlayedPage => {
    const page = new PlayedPage()
    connections.add(page)
    page.once('close', () => connections.delete(page))
    pages.add(page as unknown as WebSocket, { session, holder })
    return page
  }
  return { pages, open, connections, invalid }
}

it('has a place for as many pages of one holder as are theirs, and for no more', () => {
  const { pages, open } = stage()
  for (let count = 0; count < 3; count++) {
    expect(pages.hasPlace('ana')).toBe(true)
    open('ana')
  }
  expect([pages.hasPlace('ana'), pages.hasPlace('ben')]).toEqual([false, true])
})

it('takes, when all places are used, the newest page of who has the most', () => {
  const { pages, open } = stage()
  const [first, second, newest] = [open('ana'), open('ana'), open('ana')]
  const other = open('ben')
  expect(pages.hasPlace('kim')).toBe(true)
  expect([first, second, newest, other].map(({ isTerminated }) => isTerminated)).toEqual([false, false, true, false])
})

it('takes no page where the holder with the most would have fewer than who asks', () => {
  const { pages, open } = stage()
  const all = [open('ana'), open('ana'), open('ben'), open('ben')]
  // Ben would have three then, and Ana one.
  expect(pages.hasPlace('ben')).toBe(false)
  expect(all.some(({ isTerminated }) => isTerminated)).toBe(false)
  expect(pages.hasPlace('kim')).toBe(true)
  const single = stage({ maxPages: 2 })
  const two = [single.open('ana'), single.open('ben')]
  expect(single.pages.hasPlace('ana')).toBe(false)
  expect(single.pages.hasPlace('kim')).toBe(false)
  expect(two.some(({ isTerminated }) => isTerminated)).toBe(false)
})

it('has the place of a page again that was closed', () => {
  const { pages, open } = stage({ maxPages: 1 })
  const page = open('ana')
  expect(pages.hasPlace('ben')).toBe(false)
  page.emit('close')
  expect(pages.hasPlace('ben')).toBe(true)
})

it('counts a page that is being put out no more before it is closed', () => {
  const { pages, open } = stage({ maxPages: 3 })
  const [, , newest] = [open('ana'), open('ana'), open('ana')]
  let ended = 0
  newest.terminate = () => void ended++
  expect([pages.hasPlace('ben'), pages.hasPlace('ben'), ended]).toEqual([true, true, 1])
})

it('ends all pages of one session and no others, of the same holder too', () => {
  const { pages, open } = stage()
  const [one, other, foreign] = [open('ana', 's1'), open('ana', 's2'), open('ben', 's3')]
  pages.end('s1')
  expect([one, other, foreign].map(({ isTerminated }) => isTerminated)).toEqual([true, false, false])
})

it('pings a page at each look, and ends one without a sign of life since the last', () => {
  const { pages, open } = stage()
  const [lively, dead] = [open('ana'), open('ben')]
  pages.check()
  expect([lively.pings, dead.pings, dead.isTerminated]).toEqual([1, 1, false])
  lively.emit('pong')
  pages.check()
  expect([lively.pings, lively.isTerminated, dead.isTerminated]).toEqual([2, false, true])
})

it('ends at a look the pages whose session is none any more', () => {
  const { pages, open, invalid } = stage()
  const [one, other] = [open('ana', 's1'), open('ana', 's2')]
  invalid.add('s1')
  pages.check()
  expect([one.isTerminated, other.isTerminated]).toEqual([true, false])
})

it('ends all connections when it is closed', () => {
  const { pages, open } = stage()
  const all = [open('ana'), open('ben')]
  pages.close()
  expect(all.every(({ isTerminated }) => isTerminated)).toBe(true)
})
