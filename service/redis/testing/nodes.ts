import { randomUUID } from 'node:crypto'
import { startRedis } from '../../../e2e/cluster/redis.ts'
import { systemClock } from '../../../platform/clock.ts'
import { eventually } from '../../testing/eventually.ts'
import { openRedisScripts, type RedisScripts } from '../redis-scripts.ts'
import { expect } from 'vitest'

/** Two nodes of a cluster at a Redis of their own, which can be killed. */
export async function openNodes() {
  const redis = await startRedis()
  const prefix = randomUUID()
  const logged: string[] = []
  const log = {
    error: (fields: object, sentence: string) => void logged.push(`${sentence} ${JSON.stringify(fields)}`),
    warn: () => undefined,
    info: () => undefined,
  }
  const open = (): Promise<RedisScripts> => openRedisScripts({ url: redis.url, prefix }, { clock: systemClock, log })
  const [one, other] = await Promise.all([open(), open()])
  const areUp = (): boolean[] => [one.up(), other.up()]
  return {
    one,
    other,
    /** Faults that were logged. */
    logged,
    /** With SIGKILL; resolves when both nodes know. */
    async kill(): Promise<void> {
      await redis.kill()
      await eventually(() => expect(areUp()).toEqual([false, false]))
    },
    /** Another one on the same port, empty; resolves when both nodes are connected. */
    async start(): Promise<void> {
      await redis.start()
      await eventually(() => expect(areUp()).toEqual([true, true]))
    },
    async close(): Promise<void> {
      await Promise.all([one.close(), other.close()])
      await redis.close()
    },
  }
}
