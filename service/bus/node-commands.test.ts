import { expect, it } from 'vitest'
import type { Bus } from './bus.ts'
import { createMemoryBus } from './memory-bus.ts'
import { createNodeCommands } from './node-commands.ts'

it('runs those of its own node directly, and sends those of others over the bus, to that node only', () => {
  const bus = createMemoryBus({ log: { error: (_fields, sentence) => expect.unreachable(sentence) } })
  const topic = bus.topic<string>('cut')
  const published: string[] = []
  // One bus for all: each of them makes its topic.
  const shared = {
    topic: () => ({
      ...topic,
      publish(key: string | number, message: string) {
        published.push(`${key} ${message}`)
        topic.publish(key, message)
      },
    }),
  } as unknown as Pick<Bus, 'topic'>
  const run: string[] = []
  const [one] = ['a', 'b', 'c'].map((name) => {
    const commands = createNodeCommands(shared, name)
    return { self: commands.self, cut: commands.kind<string>('cut', (cid) => run.push(`${name} ${cid}`)) }
  })
  one!.cut('a', 'own')
  expect([one!.self, run, published]).toEqual(['a', ['a own'], []])
  one!.cut('c', 'far')
  expect([run, published]).toEqual([['a own', 'c far'], ['c far']])
  one!.cut('nobody', 'gone')
  expect(run).toHaveLength(2)
})
