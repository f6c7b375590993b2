import { beforeEach, expect, it } from 'vitest'
import type { Bus } from './bus.ts'
import { createMemoryBus } from './memory-bus.ts'

let bus: Bus
let logged: object[]
beforeEach(() => {
  logged = []
  bus = createMemoryBus({ log: { error: (fields, sentence) => void logged.push({ ...fields, sentence }) } })
})

it('hands the value itself over before the publisher goes on, to all of the key in the order of their coming', () => {
  const topic = bus.topic<{ readonly n: number }>('numbers')
  const got: unknown[] = []
  topic.subscribe('a', (message) => got.push(['first', message]))
  topic.subscribe('a', (message) => got.push(['second', message]))
  topic.subscribe('b', (message) => got.push(['other', message]))
  const message = { n: 1 }
  topic.publish('a', message)
  expect(got).toEqual([
    ['first', message],
    ['second', message],
  ])
  expect((got[0] as unknown[])[1]).toBe(message)
})

it('takes a number and its digits for one key, and the same key of another topic for another', () => {
  const [rooms, applications] = [bus.topic<string>('rooms'), bus.topic<string>('applications')]
  const got: string[] = []
  rooms.subscribe(7, (message) => got.push(message))
  rooms.publish('7', 'yes')
  applications.publish(7, 'no')
  expect(got).toEqual(['yes'])
})

it('refuses a name that there is', () => {
  bus.topic('rooms')
  expect(() => bus.topic('rooms')).toThrow('there is a topic named rooms already')
})

it('calls nobody who has left, also not within the message for which it left', () => {
  const topic = bus.topic<number>('numbers')
  const got: string[] = []
  const leaveFirst = topic.subscribe(1, (n) => {
    got.push(`first ${n}`)
    leaveSecond()
  })
  const leaveSecond = topic.subscribe(1, (n) => got.push(`second ${n}`))
  topic.publish(1, 1)
  leaveFirst()
  topic.publish(1, 2)
  leaveFirst()
  topic.subscribe(1, (n) => got.push(`third ${n}`))
  topic.publish(1, 3)
  expect(got).toEqual(['first 1', 'third 3'])
})

it('knows whether somebody may hear a key', () => {
  const topic = bus.topic<number>('numbers')
  expect(topic.isHeard(1)).toBe(false)
  const leave = [topic.subscribe(1, () => undefined), topic.subscribe(1, () => undefined)]
  leave[0]!()
  leave[0]!()
  expect([topic.isHeard(1), topic.isHeard(2)]).toEqual([true, false])
  leave[1]!()
  expect(topic.isHeard(1)).toBe(false)
})

it('logs what a handler throws, and goes on with the others and with later messages', () => {
  const topic = bus.topic<number>('numbers')
  const got: number[] = []
  const error = new Error('broken')
  topic.subscribe(1, () => {
    throw error
  })
  topic.subscribe(1, (n) => got.push(n))
  topic.publish(1, 1)
  topic.publish(1, 2)
  expect(got).toEqual([1, 2])
  const said = { err: error, topic: 'numbers', sentence: 'a message could not be handled' }
  expect(logged).toEqual([said, said])
})

it('hands what a handler publishes to its own key over afterwards, so that all get the same order', () => {
  const topic = bus.topic<number>('numbers')
  const got: string[] = []
  topic.subscribe(1, (n) => {
    got.push(`first ${n}`)
    if (n < 3) topic.publish(1, n + 1)
  })
  topic.subscribe(1, (n) => got.push(`second ${n}`))
  topic.publish(1, 1)
  expect(got).toEqual([1, 2, 3].flatMap((n) => [`first ${n}`, `second ${n}`]))
})

it('drops the oldest of more than 10,000 that a handler publishes, and says so', () => {
  const topic = bus.topic<number>('numbers')
  const got: number[] = []
  topic.subscribe(1, (n) => {
    got.push(n)
    if (n === 0) for (let next = 1; next <= 10_002; next++) topic.publish(1, next)
  })
  topic.publish(1, 0)
  expect([got.length, got[1], got.at(-1)]).toEqual([10_001, 3, 10_002])
  expect(logged).toHaveLength(2)
})

it('is up, has nothing to come back from, and hands nothing over once it is closed', async () => {
  const topic = bus.topic<number>('numbers')
  const got: number[] = []
  topic.subscribe(1, (n) => got.push(n))
  bus.onBack(() => expect.unreachable())()
  await bus.settled()
  expect(bus.up()).toBe(true)
  await bus.close()
  topic.publish(1, 1)
  expect(got).toEqual([])
})
