import { expect, it } from 'vitest'
import type { RoomTable } from '../storage/room-tables.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createRoomRegistry, type RoomRegistry } from './rooms-registry.ts'

const cid = (number: number): string => number.toString(16).padStart(32, '0')
const fields = {
  uid: 1,
  name: 'room',
  announcement: '',
  broadcasturl: '',
  ext: '',
  valid: 1,
  muted: 0,
  slow: 0,
  queueLimit: 100,
}
/** Room `number`, made at 1000 plus that many ms, for the channel of that number, by one of a hundred people. */
const rowOf = (number: number): RoomTable => ({
  ...fields,
  roomid: number,
  creator: `c${number % 100}`,
  cid: cid(number),
  created: 1000 + number,
})

/** A registry filled out of order, and the number of field reads since. */
function filled(count: number): { readonly registry: RoomRegistry; readonly reads: () => number } {
  let reads = 0
  const counted = (row: RoomTable): RoomTable =>
    new Proxy(row, {
      get(target, name) {
        reads++
        return Reflect.get(target, name) as unknown
      },
    })
  const rooms = Array.from({ length: count }, (_, index) => counted(rowOf(count - 1 - index)))
  const clock = manualClock()
  const registry = createRoomRegistry({ rooms, members: [], robots: [], elements: [], lastLines: [] }, clock)
  reads = 0
  return {
    registry,
    reads() {
      const told = reads
      reads = 0
      return told
    },
  }
}

it.each([100, 20_000])('reads what it is asked for and no more, among %i rooms', (count) => {
  const { registry, reads } = filled(count)
  expect(registry.ofChannel(1, cid(50))).toBe(registry.get(50))
  expect(registry.ofChannel(1, cid(count))).toBeUndefined()
  expect(registry.ofChannel(2, cid(50))).toBeUndefined()
  expect(registry.openOf(1, 'c7')).toBe(count / 100)
  expect(reads()).toBe(0)
  const page = registry.newest(1, 1050, 20)
  // Binary search; the page itself is read by the caller.
  expect(reads()).toBeLessThanOrEqual(16)
  expect(page.map(({ row }) => row.roomid)).toEqual(Array.from({ length: 20 }, (_, index) => 49 - index))
})

it('leads by pages from the newest to the oldest, whatever order rooms came in', () => {
  const { registry } = filled(25)
  registry.apply(90, { room: { ...rowOf(90), cid: null } })
  registry.apply(80, { room: { ...rowOf(80), cid: null } })
  const seen: number[] = []
  for (let before: number | undefined; ;) {
    const page = registry.newest(1, before, 10)
    if (page.length === 0) break
    seen.push(...page.map(({ row }) => row.roomid))
    before = page.at(-1)!.row.created
  }
  expect(seen).toEqual([90, 80, ...Array.from({ length: 25 }, (_, index) => 24 - index)])
  expect([registry.newest(1, 1000, 10), registry.newest(2, undefined, 10)]).toEqual([[], []])
})

it('follows a room to another channel, and as it is closed and opened', () => {
  const { registry } = filled(100)
  const change = (roomid: number, more: Partial<RoomTable>): void =>
    registry.apply(roomid, { room: { ...registry.get(roomid)!.row, ...more } })
  change(3, { cid: null })
  expect(registry.ofChannel(1, cid(3))).toBeUndefined()
  change(4, { cid: cid(3) })
  expect([registry.ofChannel(1, cid(3)), registry.ofChannel(1, cid(4))]).toEqual([registry.get(4), undefined])
  change(5, { valid: 0 })
  change(5, { name: 'closed' })
  expect(registry.openOf(1, 'c5')).toBe(0)
  change(5, { valid: 1 })
  expect(registry.openOf(1, 'c5')).toBe(1)
})
