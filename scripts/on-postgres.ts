import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../e2e/cluster/postgres.ts'
import { freePort, isRedisThere, startRedis } from '../e2e/cluster/redis.ts'
import { isSwiftThere, startSwift } from '../e2e/cluster/swift.ts'

/** Runs a command with a PostgreSQL, and a Redis and a Swift where they are installed: `on-postgres.ts COMMAND`. */
const [command, ...given] = process.argv.slice(2)
if (command === undefined) throw new Error('no command')
const postgres = await startPostgres({ port: await freePort(), isSafe: false })
const redis = isRedisThere() ? await startRedis() : undefined
const swift = isSwiftThere() ? await startSwift() : undefined
try {
  if (redis) process.env['SIDESTAGE_TEST_REDIS'] = redis.url
  if (swift) process.env['SIDESTAGE_TEST_S3'] = swift.url
  process.env['SIDESTAGE_TEST_POSTGRES'] = postgres.url
  // Read when it is imported.
  await (await import('../service/storage/testing/open-store.ts')).makeTemplate()
  const child = spawn(command, given, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await swift?.close()
  await redis?.close()
  await postgres.close()
}
