import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import type { Credentials } from '../../contract/service-process.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../service/log.ts'
import { createDatabaseCopies, listCopies } from '../../service/storage/database-copies.ts'
import { startServiceProcess, type ServiceProcess } from '../../service/testing/service-process.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import { codeBlocks, readPages } from './pages.ts'

/** Runs what docs/guide/en/service-alone.md says of backups, in folders of the test. */
const [page] = readPages('docs/guide/en/service-alone.md')
const [copying, puttingBack, goingBack] = codeBlocks(page!).filter(({ language }) => language === 'sh')

let root: string
let running: ServiceProcess | undefined
const data = (...names: string[]): string => path.join(root, 'sidestage', ...names)
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sidestage-backup-'))
  mkdirSync(path.join(root, 'backup'))
})
afterEach(async () => {
  running?.child.kill('SIGKILL')
  await running?.exited
  rmSync(root, { recursive: true, force: true })
})

/** Runs a block; the service is stopped and started by the test, where the block asks systemd. */
function run(block: { readonly code: string } | undefined): void {
  const [copy] = listCopies(data())
  const text = block!.code
    .replaceAll('/var/lib', root)
    .replaceAll('/backup', path.join(root, 'backup'))
    .replaceAll('sidestage-2026-06-01T12-00-00Z.db', copy?.name ?? 'none')
  execFileSync('bash', ['-euc', `systemctl() { :; }\n${text}`])
}
const free = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
/** Starts the service and gives a caller of it. */
async function start() {
  running = startServiceProcess(['--data', data(), ...free])
  const { baseUrl } = await running.ready
  return signedClient(baseUrl, JSON.parse(readFileSync(data('credentials.json'), 'utf8')) as Credentials)
}
async function end(how: NodeJS.Signals): Promise<void> {
  running!.child.kill(how)
  await running!.exited
}
const names = async (client: Awaited<ReturnType<typeof start>>): Promise<string[]> =>
  (await client.call(live.list, {})).ret!.list.map(({ name }) => name).sort()

it('a backup of a running service is put back whole, and a daily copy for a sound database', async () => {
  const client = await start()
  await client.call(live.create, { name: 'daily' })
  const copies = createDatabaseCopies({ dataDir: data(), clock: systemClock, log: silentLog })
  expect(await copies.make()).toBe('made')
  await copies.close()
  await client.call(live.create, { name: 'newest' })
  run(copying)
  const copied = path.join(root, 'backup', 'sidestage')
  // The database alone lacks the newest data, as the page says.
  cpSync(path.join(copied, 'sidestage.db'), path.join(root, 'alone', 'sidestage.db'))
  await client.call(live.create, { name: 'after' })
  await end('SIGKILL')

  run(puttingBack)
  expect(await names(await start())).toEqual(['daily', 'newest'])
  await end('SIGTERM')
  expect(existsSync(path.join(root, 'sidestage.before', 'sidestage.db'))).toBe(true)
  rmSync(path.join(root, 'sidestage.before'), { recursive: true })

  run(goingBack)
  expect(await names(await start())).toEqual(['daily'])
  await end('SIGTERM')

  // One that was copied in the middle of a write.
  rmSync(path.join(root, 'sidestage.before'), { recursive: true })
  writeFileSync(data('sidestage.db'), Buffer.alloc(8192, 'no database '))
  await expect(start()).rejects.toThrow('is damaged')
  run(goingBack)
  expect(await names(await start())).toEqual(['daily'])

  await end('SIGTERM')
  rmSync(data(), { recursive: true })
  mkdirSync(data())
  cpSync(path.join(root, 'alone', 'sidestage.db'), data('sidestage.db'))
  cpSync(path.join(copied, 'credentials.json'), data('credentials.json'))
  expect(await names(await start())).not.toContain('newest')
})
