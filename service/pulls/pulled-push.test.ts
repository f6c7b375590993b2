import { expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import type { PushElsewhere } from '../onair/on-air.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import { PulledPush } from './pulled-push.ts'

const picture = (timestamp: number, keyFrame = true): MediaPacket => ({
  kind: 'video',
  timestamp,
  body: Buffer.from([keyFrame ? 0x17 : 0x27, 1, 0, 0, 0, 9]),
  keyFrame,
  configuration: false,
  arrived: 0,
})
const at = (node: string, since: number): PushElsewhere => ({ node, since, recording: false, media: `http://${node}` })

/** A pull with a player, and connections that the test ends. */
function pulled() {
  const clock = manualClock()
  const state = {
    there: at('a', 1) as PushElsewhere | undefined,
    over: false,
    here: undefined as StreamReader | undefined,
  }
  const connections: { node: string; packet(packet: MediaPacket): void; ended(fault?: string): void; left: boolean }[] =
    []
  let isHere = false
  const push = new PulledPush(
    '00',
    {
      joinHere(reader) {
        if (!isHere) return undefined
        state.here = reader
        return () => undefined
      },
      elsewhere: () => state.there,
      connect({ node }, events) {
        const connection = { node, ...events, left: false }
        connections.push(connection)
        return () => {
          connection.left = true
        }
      },
    },
    { clock, log: silentLog, over: () => void (state.over = true) },
  )
  const times: number[] = []
  const ends: string[] = []
  const leave = push.join({ packet: ({ timestamp }) => times.push(timestamp), ended: (why) => ends.push(why) }, 'rtmp')
  return { clock, state, connections, push, times, ends, leave, comesHere: () => (isHere = true) }
}

test('a connection that breaks is followed by another one to the same node after half a second', () => {
  const { clock, connections, times, ends } = pulled()
  expect(connections.map(({ node }) => node)).toEqual(['a'])
  connections[0]!.packet(picture(1000))
  clock.advance(200)
  connections[0]!.ended('it broke')
  clock.advance(299)
  expect(connections).toHaveLength(1)
  clock.advance(101)
  expect(connections.map(({ node }) => node)).toEqual(['a', 'a'])
  // Its own GOP again, which follows on the timeline.
  connections[1]!.packet(picture(1000))
  connections[1]!.packet(picture(1040, false))
  expect(times.length).toBeGreaterThan(2)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect([times[0], times.at(-1)! - times.at(-2)!]).toEqual([1000, 40])
  expect(ends).toEqual([])
})

test('a push that moved is read from the other node at once, also from this one', () => {
  const { clock, state, connections, times, comesHere, ends } = pulled()
  connections[0]!.packet(picture(0))
  state.there = at('c', 2)
  connections[0]!.ended()
  clock.advance(100)
  expect(connections.map(({ node }) => node)).toEqual(['a', 'c'])
  // It does not begin in the middle of a GOP.
  connections[1]!.packet(picture(50_000, false))
  expect(times).toEqual([0])
  connections[1]!.packet(picture(50_040))
  expect(times.at(-1)).toBeLessThan(1000)
  comesHere()
  state.there = undefined
  connections[1]!.ended()
  clock.advance(100)
  state.here!.packet(picture(7))
  expect([connections.length, times.at(-1)! < 1500, ends]).toEqual([2, true, []])
})

test('it ends for its players once it is at no node for 1.5 s, or no media came for 15 s', () => {
  const gone = pulled()
  gone.state.there = undefined
  gone.connections[0]!.ended()
  gone.clock.advance(1500)
  expect([gone.ends, gone.state.over]).toEqual([[], false])
  gone.clock.advance(100)
  expect([gone.ends, gone.state.over]).toEqual([['closed'], true])

  const dead = pulled()
  for (let passed = 0; passed < 15_000; passed += 100) {
    dead.connections.at(-1)!.ended('refused')
    dead.clock.advance(100)
  }
  expect(dead.connections.length).toBeLessThan(32)
  dead.clock.advance(200)
  expect([dead.ends, dead.state.over]).toEqual([['lost'], true])
})

test('it is read on for 5 s after its last player', () => {
  const { clock, state, connections, push, leave } = pulled()
  leave()
  clock.advance(4999)
  const again = push.join({ packet: () => undefined, ended: () => undefined }, 'rtmp')
  clock.advance(20_000)
  expect(connections[0]!.left).toBe(false)
  again()
  clock.advance(5000)
  expect([connections[0]!.left, state.over]).toEqual([true, true])
})
