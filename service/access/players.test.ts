import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createPlayers, type Ground } from './players.ts'

const cid = 'a'.repeat(32)
const end = (): void => undefined

it('bytes of players on this computer are counted neither while they watch nor after', () => {
  const players = createPlayers(manualClock())
  const leaveHere = players.add({ cid, ground: { kind: 'free' }, end, sent: () => 1_000 })
  const leave = players.add({ cid, ground: { kind: 'everybody' }, end, sent: () => 10 })
  expect(players.bytes()).toBe(10)
  leaveHere()
  leave()
  leave()
  expect(players.bytes()).toBe(10)
})

it('a visit takes no place, and its bytes are not counted', () => {
  const players = createPlayers(manualClock())
  players.add({ cid, ground: { kind: 'visit' }, end, sent: () => 1_000 })
  expect([players.of(cid), players.all(() => true), players.bytes()]).toEqual([0, 0, 0])
})

it('a player of HLS has left 15 s after its last request, and leaves at once with its ground', () => {
  const clock = manualClock()
  const players = createPlayers(clock)
  expect(players.polled(cid, 'one', { kind: 'everybody' })).toBe(true)
  clock.advance(10_000)
  expect(players.polled(cid, 'one', { kind: 'everybody' })).toBe(false)
  players.polled(cid, 'two', { kind: 'link', linkId: 4 })
  expect([players.of(cid), players.ofLink(cid, 4), players.all(() => true)]).toEqual([2, 1, 2])
  expect(players.review(cid, ({ kind }) => kind !== 'link')).toBe(1)
  expect(players.ofLink(cid, 4)).toBe(0)
  clock.advance(15_001)
  expect([players.of(cid), players.isPolling(cid, 'one')]).toEqual([0, false])
})

it('players of each link are known without a look at every player', () => {
  const clock = manualClock()
  const players = createPlayers(clock)
  let looks = 0
  const ground = (linkId: number): Ground => ({
    get kind() {
      looks += 1
      return 'link' as const
    },
    linkId,
  })
  const leave = players.add({ cid, ground: ground(1), end })
  for (let each = 0; each < 1_000; each++) players.polled(cid, `player ${each}`, ground((each % 3) + 1))
  looks = 0
  const counts = Array.from({ length: 300 }, (_, link) => players.ofLink(cid, link + 1))
  expect([counts.slice(0, 4), looks]).toEqual([[335, 333, 333, 0], 0])
  // A player that comes back by another link is of that one alone.
  players.polled(cid, 'player 0', ground(2))
  players.stopped(cid, 'player 1')
  leave()
  expect([1, 2, 3].map((link) => players.ofLink(cid, link))).toEqual([333, 333, 333])
  clock.advance(15_001)
  expect([1, 2, 3].map((link) => players.ofLink(cid, link))).toEqual([0, 0, 0])
})
