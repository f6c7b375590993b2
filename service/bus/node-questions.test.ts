import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createMemoryBus } from './memory-bus.ts'
import { createNodeCommands } from './node-commands.ts'
import { createNodeQuestion, NoAnswer } from './node-questions.ts'

it('is answered by the node that is asked, also the own one, and rejects after 3 s without an answer', async () => {
  const bus = createMemoryBus({ log: { error: (_fields, sentence) => expect.unreachable(sentence) } })
  const topics = new Map<string, unknown>()
  // One bus for all: each of them makes its topics.
  const shared = {
    topic: (name: string) => topics.get(name) ?? topics.set(name, bus.topic(name)).get(name),
  } as unknown as Parameters<typeof createNodeCommands>[0]
  const clock = manualClock()
  const [a] = ['a', 'b'].map((name) =>
    createNodeQuestion<number, string>({
      commands: createNodeCommands(shared, name),
      name: 'add',
      clock,
      answer: async (question) => `${name} ${question + 1}`,
    }),
  )
  expect(await Promise.all([a!('b', 1), a!('b', 2), a!('a', 3)])).toEqual(['b 2', 'b 3', 'a 4'])
  const lost = a!('gone', 1).catch((error: unknown) => error)
  clock.advance(2999)
  expect(await Promise.race([lost, a!('b', 5)])).toBe('b 6')
  clock.advance(1)
  expect(await lost).toBeInstanceOf(NoAnswer)

  const many = Array.from({ length: 1001 }, () => a!('gone', 1).catch((error: unknown) => error))
  expect(await many.at(-1)).toBeInstanceOf(NoAnswer)
  expect(await a!('b', 6).catch((error: unknown) => error)).toBeInstanceOf(NoAnswer)
  clock.advance(3000)
  expect((await Promise.all(many)).every((error) => error instanceof NoAnswer)).toBe(true)
  expect(await a!('b', 7)).toBe('b 8')
})
