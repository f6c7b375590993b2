import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Bus, Topic } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { silentLog } from '../log.ts'
import type { RoomTable } from '../storage/room-tables.ts'
import { createRoomPushes, type RoomPush } from './room-pushes.ts'
import { createRoomRegistry } from './rooms-registry.ts'

const row: RoomTable = {
  roomid: 7,
  uid: 1,
  creator: 'cara',
  name: 'room',
  announcement: '',
  broadcasturl: '',
  ext: '',
  valid: 1,
  muted: 0,
  slow: 0,
  queueLimit: 3,
  cid: null,
  created: 1,
}
const plain = { nick: '', avatar: '', ext: '' }

/** Two nodes with the same rooms on one bus. */
function begin(isShared = true) {
  const bus = createMemoryBus({
    log: { error: (fields) => expect.unreachable(String((fields as { err: unknown }).err)) },
  })
  const topic = bus.topic<RoomPush>('room')
  const shared = { topic: () => topic as Topic<never>, settled: bus.settled, onBack: bus.onBack } as unknown as Bus
  const node = () => {
    const clock = manualClock()
    const registry = createRoomRegistry({ rooms: [row], members: [], robots: [], elements: [], lastLines: [] }, clock)
    const touched: number[] = []
    const delivered: number[] = []
    const pushes = createRoomPushes({
      bus: shared,
      registry,
      deliveries: {
        deliver(readers, hand) {
          delivered.push(readers)
          hand()
        },
      },
      counts: { touched: ({ inside }) => void touched.push(inside.size) },
      gaps: isShared
        ? { lines: { query: () => Promise.resolve([]) }, clock, fresh: () => Promise.resolve(), log: silentLog }
        : undefined,
    })
    const room = registry.get(7)!
    const enter = (accid: string, session = accid) => {
      const frames: Buffer[] = []
      registry.enter(room, accid, session, { write: (frame) => void frames.push(frame) }, plain)
      return frames
    }
    return { clock, registry, room, pushes, enter, touched, delivered }
  }
  return { topic, one: node(), other: node() }
}
const texts = (frames: Buffer[]): string[] => frames.map((frame) => frame.subarray(2).toString())

it('reach those inside on every node, in one order, and each node frames them once', () => {
  const { one, other } = begin()
  const told = [one.enter('mona'), one.enter('mike'), other.enter('nora'), other.enter('stan')]
  one.pushes.tell(one.room, { to: 'all', text: 'a', without: 'mona' })
  other.pushes.tell(other.room, { to: 'all', text: 'b' })
  expect(told.map(texts)).toEqual([['b'], ['a', 'b'], ['a', 'b'], ['a', 'b']])
  expect(told[2]![0]).toBe(told[3]![0])
})

it('tell each line once on a node, in whichever order it and its repetition come', () => {
  const { one, other } = begin()
  const told = [one.enter('mona'), other.enter('nora')]
  const line = (number: number) => ({ to: 'all', text: String(number), line: number }) as const
  one.pushes.tell(one.room, line(1))
  other.pushes.tellAgain(other.room, line(1))
  // Stored by a node that ended before it told it.
  other.pushes.tellAgain(other.room, line(2))
  // Its node only stood still.
  one.pushes.tell(one.room, line(2))
  expect(told.map(texts)).toEqual([
    ['1', '2'],
    ['1', '2'],
  ])
})

it('tell no line again where there is one node, which has told what it stored', () => {
  const { one } = begin(false)
  const told = one.enter('mona')
  one.pushes.tellAgain(one.room, { to: 'all', text: 'a', line: 1 })
  expect(texts(told)).toEqual([])
})

it('are heard by a node from its first session in the room to its last', () => {
  const { topic, one } = begin()
  expect(topic.isHeard(7)).toBe(false)
  one.enter('mona')
  one.enter('mona', 'phone')
  one.enter('mike')
  one.registry.leave(one.room, 'mona', 'mona')
  one.registry.putOut(one.room, 'mike')
  expect(topic.isHeard(7)).toBe(true)
  one.registry.leave(one.room, 'mona', 'phone')
  expect(topic.isHeard(7)).toBe(false)
  const told = one.enter('mona')
  one.pushes.tell(one.room, { to: 'all', text: 'again' })
  expect(texts(told)).toEqual(['again'])
  one.registry.putOut(one.room)
  expect(topic.isHeard(7)).toBe(false)
})

it('of leaders go to those who lead on each node and to one more, except the session that said it', () => {
  const { one, other } = begin()
  const told = [one.enter('cara'), one.enter('mona'), other.enter('cara', 'phone'), other.enter('mike')]
  one.pushes.tell(one.room, { to: 'leaders', text: 'a', without: 'cara' })
  one.pushes.tell(one.room, { to: 'leaders', text: 'b', also: 'mike' })
  expect(told.map(texts)).toEqual([['b'], [], ['a', 'b'], ['b']])
})

it('with two texts give the full one to leaders and targets of each node', () => {
  const { one, other } = begin()
  const told = [one.enter('cara'), one.enter('mona'), other.enter('mike'), other.enter('nora')]
  one.pushes.tell(one.room, { to: 'apart', text: 'short', full: 'full', targets: ['mike'] })
  expect(told.map(texts)).toEqual([['full'], ['short'], ['full'], ['short']])
})

it('of entries are gathered on each node', () => {
  const { one, other } = begin()
  const told = [one.enter('cara'), other.enter('mike')]
  for (const text of ['a', 'b', 'c']) one.pushes.tell(one.room, { to: 'allSoon', text })
  expect(told.map(texts)).toEqual([['a'], ['a']])
  other.clock.advance(100)
  expect(told.map((frames) => frames.length)).toEqual([1, 2])
})

it('of guests are measured on each node, by those who are inside there', () => {
  const { one, other } = begin()
  one.enter('guest')
  for (const name of ['a', 'b', 'c']) other.enter(name)
  one.pushes.tell(one.room, { to: 'all', text: 'a', isGuests: true })
  one.pushes.tell(one.room, { to: 'all', text: 'b' })
  expect([one.delivered, other.delivered]).toEqual([[1], [3]])
})

it('put an account out on every node, and tell it why; others stay', () => {
  const { one, other } = begin()
  const told = [one.enter('mona'), other.enter('mona', 'phone'), other.enter('mike')]
  one.pushes.tell(one.room, { to: 'out', reason: 'blacklisted', accid: 'mona' })
  const out = JSON.stringify({ t: 'roomOut', roomid: 7, reason: 'blacklisted' })
  expect(told.map(texts)).toEqual([[out], [out], []])
  expect([one.room.inside.size, [...other.room.inside.keys()]]).toEqual([0, ['mike']])
  expect([one.touched, other.touched]).toEqual([[0], [1]])
})

it('put everybody out of a room that closes, on every node', () => {
  const { topic, one, other } = begin()
  const told = [one.enter('mona'), other.enter('mike')]
  other.pushes.tell(other.room, { to: 'out', reason: 'closed' })
  const out = JSON.stringify({ t: 'roomOut', roomid: 7, reason: 'closed' })
  expect(told.map(texts)).toEqual([[out], [out]])
  expect([one.room.inside.size, other.room.inside.size, topic.isHeard(7)]).toEqual([0, 0, false])
})
