import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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
const [copying, puttingBack, goingBack] = codeBlocks(page!).filter(
  ({ language, code }) => language === 'sh' && code.includes('/backup/sidestage-'),
)

let root: string
let running: ServiceProcess | undefined
const data = (...names: string[]): string => path.join(root, 'sidestage', ...names)
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sidestage-backup-'))
})
afterEach(async () => {
  running?.child.kill('SIGKILL')
  await running?.exited
  rmSync(root, { recursive: true, force: true })
})

/** Names of the backups, oldest first. */
const backups = (): string[] => {
  const folder = path.join(root, 'backup')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}
const listed = (): readonly string[] => listCopies(data()).map(({ name }) => name)
/**
 * Runs a block as it is pasted into a shell, which goes on after a command that failed. The service is stopped and
 * started by the test, where the block asks systemd.
 */
function run(block: { readonly code: string } | undefined, backup = backups().at(-1) ?? 'none'): void {
  const [copy = 'none'] = listed()
  const text = block!.code
    .replaceAll('/var/lib', root)
    .replaceAll('/backup', path.join(root, 'backup'))
    .replaceAll('sidestage-2026-06-01T12-00-00Z', backup)
    .replaceAll('sidestage-2026-06-01T11-00-00Z.db', copy)
  execFileSync('bash', ['-uc', `systemctl() { :; }\n${text}`], { stdio: ['ignore', 'ignore', 'pipe'] })
}
/** Files below what was set aside and the data folder that are databases, with their content. */
const databases = (): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => name === 'sidestage.db' && !parentPath.startsWith(path.join(root, 'backup')))
    .map(({ name, parentPath }) => readFileSync(path.join(parentPath, name), 'latin1'))
    .toSorted()
/** What the log says then. */
const putBack = 'a copy or a backup was put back. Who may watch is as it was then'
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
  const copied = path.join(root, 'backup', backups()[0]!)
  // The database alone lacks the newest data, as the page says.
  cpSync(path.join(copied, 'sidestage.db'), path.join(root, 'alone', 'sidestage.db'))
  await client.call(live.create, { name: 'after' })
  await end('SIGKILL')

  expect(running!.log()).not.toContain(putBack)
  run(puttingBack)
  expect(await names(await start())).toEqual(['daily', 'newest'])
  expect(running!.log()).toContain(putBack)
  await end('SIGTERM')

  run(goingBack)
  expect(await names(await start())).toEqual(['daily'])
  expect(running!.log()).toContain(putBack)
  await end('SIGTERM')

  // One that was copied in the middle of a write.
  writeFileSync(data('sidestage.db'), Buffer.alloc(8192, 'no database '))
  await expect(start()).rejects.toThrow('is damaged')
  run(goingBack)
  expect(await names(await start())).toEqual(['daily'])
  expect(running!.log()).toContain(putBack)

  await end('SIGTERM')
  rmSync(data(), { recursive: true })
  mkdirSync(data())
  cpSync(path.join(root, 'alone', 'sidestage.db'), data('sidestage.db'))
  cpSync(path.join(copied, 'credentials.json'), data('credentials.json'))
  expect(await names(await start())).not.toContain('newest')
})

it('backups and what is set aside are kept, in whatever order and however often the blocks are run', () => {
  /** Writes a data folder of which each file is recognized. */
  const write = (content: string): void => {
    mkdirSync(data('copies'), { recursive: true })
    for (const name of ['sidestage.db', 'sidestage.db-wal', 'copies/sidestage-2026-11-01T00-00-00Z.db'])
      writeFileSync(data(name), `${content} ${name}`)
  }
  const secondOf = (): number => Math.floor(Date.now() / 1000)
  write('first')
  run(copying)
  const begun = secondOf()
  while (secondOf() === begun) statSync(root)
  write('second')
  run(copying)
  const [older, newer] = backups()
  expect(backups()).toHaveLength(2)
  for (const [name, content] of [
    [older, 'first'],
    [newer, 'second'],
  ] as const) {
    expect(readdirSync(path.join(root, 'backup', name!)).toSorted()).toEqual([
      'copies',
      'sidestage.db',
      'sidestage.db-wal',
    ])
    expect(readFileSync(path.join(root, 'backup', name!, 'sidestage.db'), 'utf8')).toBe(`${content} sidestage.db`)
  }

  write('newest')
  const kept = new Set<string>()
  for (const block of [puttingBack, goingBack, puttingBack, puttingBack, goingBack, goingBack, puttingBack]) {
    for (const each of databases()) kept.add(each)
    const before = databases().length
    run(block)
    expect(databases()).toEqual(expect.arrayContaining([...kept]))
    expect(databases()).toHaveLength(before + 1)
    expect(readdirSync(data()).toSorted()[0]).toBe('copies')
    expect(readdirSync(data())).not.toContain('sidestage')
  }
  // The paste of a backup that is not there changes nothing.
  const before = databases()
  for (const block of [puttingBack, goingBack]) expect(() => run(block, 'sidestage-of-none')).toThrow()
  expect(databases()).toEqual(before)
  // A folder that was lost with its disk.
  rmSync(data(), { recursive: true })
  run(puttingBack)
  expect(readFileSync(data('sidestage.db'), 'utf8')).toBe('second sidestage.db')
})
