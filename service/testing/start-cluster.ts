import { startRedis, type Redis } from '../../e2e/cluster/redis.ts'
import { linkUser, type LinkUser } from '../link/testing/link-user.ts'
import type { ServiceOptions } from '../service.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { openRedisWay, type RedisWay } from './redis-way.ts'
import { startService, testCredentials, type TestService } from './start-service.ts'

/** Whole services that share a database and a Redis, each with a data folder of its own. */
export interface TestCluster {
  /** `a`, `b` and so on. */
  readonly nodes: TestService[]
  readonly redis: Redis
  /** By which each node reaches Redis. */
  readonly ways: readonly RedisWay[]
  /** Opens a link of an account, whose token is its name, at a node; closed with the cluster. */
  user(node: number, accid: string, device?: string): Promise<LinkUser>
  /** Closes a node and starts it again. */
  restart(node: number): Promise<void>
  close(): Promise<void>
}

let number = 0

/** Starts them; options replace the defaults of each. */
export async function startCluster(count: number, options: Partial<ServiceOptions> = {}): Promise<TestCluster> {
  const redis = await startRedis()
  const ways = await Promise.all(Array.from({ length: count }, () => openRedisWay(redis.port)))
  const database = await testDatabase(`cluster ${process.pid} ${++number}`)
  const users: LinkUser[] = []
  const start = (index: number, dataDir?: string): Promise<TestService> =>
    startService({
      ...options,
      database,
      cluster: { redis: { url: ways[index]!.url, prefix: 'sidestage' }, node: String.fromCodePoint(97 + index) },
      ...(dataDir !== undefined && { dataDir }),
    })
  const nodes: TestService[] = []
  for (let index = 0; index < count; index++) nodes.push(await start(index))
  return {
    nodes,
    redis,
    ways,
    async user(node, accid, device = `${accid}-web`) {
      // Where it is now, as it may have been started again.
      const url = (): string => nodes[node]!.service.ready.linkUrl
      const user = linkUser(url, { appKey: testCredentials.appKey, accid, token: accid, device })
      users.push(user)
      await user.online()
      return user
    },
    async restart(node) {
      const { dataDir } = nodes[node]!
      await nodes[node]!.stop()
      nodes[node] = await start(node, dataDir)
    },
    async close() {
      for (const user of users) user.close()
      for (const node of nodes) await node.close()
      for (const way of ways) way.close()
      await redis.close()
    },
  }
}
