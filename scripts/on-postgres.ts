import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { startPostgres } from '../e2e/cluster/postgres.ts'

/** Runs a command with a PostgreSQL for tests: `node scripts/on-postgres.ts COMMAND ARGUMENTS`. */
const [command, ...given] = process.argv.slice(2)
if (command === undefined) throw new Error('no command')
const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address() as AddressInfo
free.close()
const postgres = await startPostgres({ port, isSafe: false })
try {
  process.env['SIDESTAGE_TEST_POSTGRES'] = postgres.url
  // Read when it is imported.
  await (await import('../service/storage/testing/open-store.ts')).makeTemplate()
  const child = spawn(command, given, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await postgres.close()
}
