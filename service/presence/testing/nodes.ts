import { randomBytes, randomUUID } from 'node:crypto'
import { systemClock } from '../../../platform/clock.ts'
import type { Bus } from '../../bus/bus.ts'
import { createNodeCommands, type NodeCommands } from '../../bus/node-commands.ts'
import { createRedisBus } from '../../bus/redis-bus.ts'
import { openRedisScripts, type RedisScripts } from '../../redis/redis-scripts.ts'
import { redisUrl } from '../../testing/engines.ts'
import { createSharedPresence, type Presence } from '../presence.ts'

/** What a service of a cluster has at its Redis. */
export interface PresenceNode {
  readonly name: string
  readonly bus: Bus
  readonly redis: RedisScripts
  readonly presence: Presence
  readonly commands: NodeCommands
  readonly logged: string[]
  /** Leaves Redis as a process that is killed does: nothing is taken out, nothing is renewed. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Makes services at one Redis, which know nothing of others' tests. */
export function presenceNodes(url: string = redisUrl!, prefix: string = randomUUID()) {
  const made: PresenceNode[] = []
  return {
    prefix,
    async make(name: string): Promise<PresenceNode> {
      const logged: string[] = []
      const line = (level: string) => (fields: object, sentence: string) =>
        void logged.push(`${level}: ${sentence} ${JSON.stringify(fields)}`)
      const log = { error: line('error'), warn: line('warn'), info: line('info') }
      const bus = await createRedisBus({ url, prefix }, { clock: systemClock, log })
      const redis = await openRedisScripts({ url, prefix }, { clock: systemClock, log })
      const presence = createSharedPresence({ redis, bus, node: name, clock: systemClock, random: randomBytes, log })
      const kill = async (): Promise<void> => {
        await redis.close()
        await bus.close()
      }
      const node: PresenceNode = {
        name,
        bus,
        redis,
        presence,
        commands: createNodeCommands(bus, name),
        logged,
        kill,
        async close() {
          await presence.close()
          await kill()
        },
      }
      made.push(node)
      return node
    },
    async close(): Promise<void> {
      for (const node of made.splice(0)) await node.close()
    },
  }
}
