import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createPagePlayers } from './page-players.ts'

const cid = 'c'.repeat(32)
const id = 'p'.repeat(28)

function rig() {
  const clock = manualClock()
  const pages = createPagePlayers(clock)
  const ended: string[] = []
  const page = pages.pageOf(cid, { page: id })!
  return {
    clock,
    pages,
    page,
    ended,
    connected: (name: string, of = page) => pages.connected(of, () => void ended.push(name)),
  }
}

it('knows pages of one channel by their id, and no other text', () => {
  const { pages } = rig()
  for (const page of [undefined, '', 'short', 'x'.repeat(65), `${'x'.repeat(20)} `, ['x'.repeat(20)]])
    expect(pages.pageOf(cid, { page })).toBeUndefined()
  expect(pages.pageOf(cid, { page: id })).not.toBe(pages.pageOf('d'.repeat(32), { page: id }))
})

it('ends a connection for the next one once, and none that is over or of another page', () => {
  const { pages, page, ended, connected } = rig()
  const other = pages.pageOf(cid, { page: 'q'.repeat(28) })!
  connected('other', other)
  const leftFirst = connected('first')
  pages.connects(page)
  connected('second')
  // What is noticed late is not the connection of now.
  leftFirst()
  pages.connects(page)
  pages.connects(page)
  const leftThird = connected('third')
  leftThird()
  pages.connects(page)
  expect(ended).toEqual(['first', 'second'])
})

it('ends the connection of a page that goes over to playlists, and not one that it tries while it polls', () => {
  const { pages, page, ended, connected, clock } = rig()
  connected('first')
  pages.polls(page)
  expect(ended).toEqual(['first'])
  connected('tried')
  for (let poll = 0; poll < 5; poll++) {
    clock.advance(4_000)
    pages.polls(page)
  }
  expect(ended).toEqual(['first'])
  // It stayed with the connection, which broke later.
  clock.advance(16_000)
  pages.polls(page)
  expect(ended).toEqual(['first', 'tried'])
})

it('remembers 20,000 pages', () => {
  const { pages, page, ended, connected } = rig()
  connected('first')
  for (let number = 0; number < 20_000; number++) pages.polls(`${number}`)
  pages.connects(page)
  expect(ended).toEqual([])
})
