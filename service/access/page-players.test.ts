import { expect, it } from 'vitest'
import { pageHeader } from '../../contract/watch.ts'
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

it('knows who is connected, whatever ids others invent', () => {
  const { pages, page, ended, connected } = rig()
  connected('first')
  for (let n = 0; n < 20_001; n++) pages.polls(pages.pageOf(cid, { page: String(n).padStart(28, 'x') })!, 'key', 'home')
  expect(pages.isPlaying(cid, { [pageHeader]: id })).toBe(true)
  pages.connects(page)
  expect(ended).toEqual(['first'])
})

it('ends the connection of a page that goes over to playlists, and not one that it tries while it polls', () => {
  const { pages, page, ended, connected, clock } = rig()
  connected('first')
  pages.polls(page, 'key', 'home')
  expect(ended).toEqual(['first'])
  connected('tried')
  for (let poll = 0; poll < 5; poll++) {
    clock.advance(4_000)
    pages.polls(page, 'key', 'home')
  }
  expect(ended).toEqual(['first'])
  // It stayed with the connection, which broke later.
  clock.advance(16_000)
  pages.polls(page, 'key', 'home')
  expect(ended).toEqual(['first', 'tried'])
})

it('a page that leaves plays no playlist any more; its key, also after that changed, is told once', () => {
  const { pages, page, clock } = rig()
  const plays = (): boolean | undefined => pages.isPlaying(cid, { [pageHeader]: id })
  expect([
    pages.polls(page, 'key', 'home'),
    pages.polls(page, 'key', 'home'),
    pages.polls(page, 'other key', 'home'),
    plays(),
  ]).toEqual([undefined, undefined, 'key', true])
  expect([pages.leaves(page), plays(), pages.leaves(page)]).toEqual(['other key', false, undefined])
  pages.polls(page, 'key', 'home')
  clock.advance(15_001)
  expect([pages.polls(page, 'late key', 'home'), pages.leaves('of nobody')]).toEqual([undefined, undefined])
})

it('remembers 20,000 pages that asked for playlists', () => {
  const { pages, page } = rig()
  pages.polls(page, 'own', 'home')
  for (let number = 1; number < 20_000; number++) pages.polls(`${number}`, 'key', 'home')
  expect(pages.keyOf(page)).toBe('own')
  pages.polls('20000', 'key', 'home')
  expect(pages.keyOf(page)).toBeUndefined()
})
