import { expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { createGuestBound } from './guest-bound.ts'

describeOnRedis('new guests of an address', () => {
  it('are 20 a minute over all nodes, of each node while Redis is away, and over all again', async () => {
    const nodes = await openNodes()
    try {
      const bounds = [nodes.one, nodes.other].map((redis) => createGuestBound(systemClock, redis))
      /** How many of `count` are let in, in turn at both. */
      const letIn = async (count: number, address: string): Promise<number> => {
        let made = 0
        for (let n = 0; n < count; n++)
          if ((await bounds[n % 2]!.take('new', { application: 1, address })) === undefined) made += 1
        return made
      }
      expect(await letIn(30, '192.0.2.1')).toBe(20)
      expect(await letIn(30, '192.0.2.2')).toBe(20)
      await nodes.kill()
      // Each has let in ten before.
      expect(await letIn(30, '192.0.2.1')).toBe(20)
      expect(await letIn(60, '192.0.2.3')).toBe(40)
      await nodes.start()
      expect(await letIn(30, '192.0.2.3')).toBe(20)
    } finally {
      await nodes.close()
    }
  })
})
