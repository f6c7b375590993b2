import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { SetAside } from '../../contract/rpc/index.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { standAloneCredentials } from '../../service/credentials.ts'
import { createLog } from '../../service/log.ts'
import { createService } from '../../service/service.ts'
import { DatabaseFault } from '../../service/storage/main-database.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import type { LaunchService } from '../supervisor/launcher.ts'
import { startRig } from '../testing/rig.ts'
import { addStandAlone, fillFolder } from './testing/filled-folder.ts'

/** A data folder as the app and its service left it, after a push, a recording, a room, an upload, receivers and a seat. */
let filled: string
const scratches: string[] = []

beforeAll(async () => {
  filled = mkdtempSync(path.join(os.tmpdir(), 'sidestage-filled-'))
  const rig = await startRig(filled)
  try {
    await fillFolder(rig)
  } finally {
    await rig.close()
  }
  await addStandAlone(path.join(filled, 'service'))
}, 120_000)
afterAll(() => {
  for (const folder of [filled, ...scratches]) rmSync(folder, { recursive: true, force: true })
})

const copyOf = (folder: string): string => {
  const made = mkdtempSync(path.join(os.tmpdir(), 'sidestage-damaged-'))
  scratches.push(made)
  cpSync(folder, made, { recursive: true, filter: (from) => !lstatSync(from).isSocket() })
  return made
}
/** Files at the top of a folder and below, as they are found there. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
const isDatabase = (file: string): boolean => readFileSync(file).subarray(0, 15).toString('latin1') === 'SQLite format 3'
const isPlainJson = (file: string): boolean => file.endsWith('.json')

/** A service that never becomes ready and ends when it is asked to. */
const silentLaunch: LaunchService = () => {
  let exited: (how: string) => void = () => undefined
  return {
    pid: undefined,
    send: ({ type }) => {
      if (type === 'stop') exited('ended')
    },
    onMessage: () => undefined,
    onExit: (listener) => (exited = listener),
    onLine: () => undefined,
    kill: () => exited('ended'),
  }
}

/** Ways in which a file can be wrong. Each answers whether the content of the file is lost by it. */
const damages: Readonly<Record<string, (file: string) => boolean>> = {
  removed: (file) => {
    rmSync(file)
    return true
  },
  empty: (file) => {
    truncateSync(file)
    return true
  },
  half: (file) => {
    truncateSync(file, Math.floor(statSync(file).size / 2))
    return true
  },
  garbage: (file) => {
    writeFileSync(file, randomBytes(Math.max(64, statSync(file).size)))
    return true
  },
  'bits flipped in the middle': (file) => {
    const bytes = readFileSync(file)
    const middle = Math.floor(bytes.length / 2)
    // The head of a page of SQLite; a byte of its content alone has no check sum.
    const from = isDatabase(file) ? Math.floor(middle / 4096) * 4096 : middle
    for (let at = from; at < Math.min(bytes.length, from + 64); at++) bytes[at] = bytes[at]! ^ 0xff
    writeFileSync(file, bytes)
    return true
  },
  'a directory in its place': (file) => {
    rmSync(file)
    mkdirSync(file)
    writeFileSync(path.join(file, 'note.txt'), 'somebody put this here')
    return true
  },
  'a newer version': (file) => {
    if (isDatabase(file)) {
      const database = new DatabaseSync(file)
      const main = database.prepare(`select count(*) as n from sqlite_master where name = 'kysely_migration'`).get() as { n: number }
      database.exec(main.n > 0 ? `insert into kysely_migration (name, timestamp) values ('999-future', '2099')` : 'pragma user_version = 99')
      database.close()
      return true
    }
    if (!isPlainJson(file)) return false
    const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    writeFileSync(file, JSON.stringify({ ...document, ...('version' in document && { version: 99 }), unheardOf: true }))
    // A document without a version has only grown: what is new in it is passed over.
    return 'version' in document
  },
  'an older version': (file) => {
    if (isDatabase(file)) {
      const database = new DatabaseSync(file)
      database.exec('pragma user_version = 0')
      database.close()
      return false
    }
    if (!isPlainJson(file)) return false
    const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    if (!('version' in document)) return false
    writeFileSync(file, JSON.stringify({ ...document, version: 0 }))
    return true
  },
}
const bytesOf = (place: string): Buffer | undefined =>
  !existsSync(place) ? undefined : statSync(place).isDirectory() ? readFileSync(path.join(place, 'note.txt')) : readFileSync(place)
const keptBytes = (folder: string): Buffer[] => {
  const quarantine = openQuarantine({ folder, now: Date.now })
  return quarantine.list().flatMap(({ id }) => quarantine.files(id)!.map(({ file }) => readFileSync(file)))
}
const tables = (file: string): Record<string, number> => {
  const database = new DatabaseSync(file)
  const names = database.prepare(`select name from sqlite_master where type = 'table' order by name`).all() as { name: string }[]
  const counts = names.map(({ name }) => [name, (database.prepare(`select count(*) as n from "${name}"`).get() as { n: number }).n] as const)
  database.close()
  return Object.fromEntries(counts)
}
/** What another file holds, in the words that matter. */
const contentOf = (file: string): unknown =>
  isDatabase(file) ? tables(file) : isPlainJson(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : readFileSync(file).toString('base64')

describe('every file of the app’s folder', () => {
  it('can be damaged in every way: the app starts, names it, keeps its bytes, and loses nothing else', async () => {
    const names = filesOf(filled).filter((name) => !name.startsWith('service'))
    expect(names.length).toBeGreaterThan(8)
    const faults: string[] = []
    for (const name of names) {
      for (const [kind, damage] of Object.entries(damages)) {
        const folder = copyOf(filled)
        const file = path.join(folder, name)
        const isEmpty = statSync(file).size === 0
        // What the list of stores tells is read off the folder again.
        const lost = damage(file) && !(isEmpty && !['garbage', 'a directory in its place'].includes(kind)) && !(name === 'stores.json' && kind === 'removed')
        const before = bytesOf(file)
        const what = `${name}, ${kind}`
        let entries: SetAside[] = []
        let log = ''
        try {
          // No service: what is walked is what the app itself keeps.
          const rig = await startRig(folder, { launch: silentLaunch })
          entries = (await rig.page.rpc.keeping.list()).entries
          log = rig.log.join('\n')
          await rig.close()
        } catch (error) {
          faults.push(`${what}: it did not start: ${String(error)}`)
          continue
        }
        if (lost && !entries.some(({ paths }) => paths.some((each) => each.startsWith(name)))) faults.push(`${what}: not among the notices`)
        if (lost && !log.includes(name)) faults.push(`${what}: not in the log`)
        if (lost && kind !== 'removed' && before!.length > 0 && !keptBytes(folder).some((kept) => kept.equals(before!)))
          faults.push(`${what}: its bytes are gone`)
        if (entries.some(({ paths }) => !paths.some((each) => each.startsWith(name)))) faults.push(`${what}: something else was set aside`)
        for (const other of names.filter((each) => each !== name && each !== 'stores.json')) {
          if (!existsSync(path.join(folder, other))) faults.push(`${what}: ${other} is gone`)
          else if (JSON.stringify(contentOf(path.join(folder, other))) !== JSON.stringify(contentOf(path.join(filled, other))))
            faults.push(`${what}: ${other} changed`)
        }
        rmSync(folder, { recursive: true, force: true })
      }
    }
    expect(faults).toEqual([])
  }, 300_000)
})

/** What a stand-alone start of a damaged folder came to. */
async function startService(
  folder: string,
  recovery?: { copy: string | null },
): Promise<{ lines: string[]; channels: number; entries: { paths: string[] }[] } | DatabaseFault> {
  const lines: string[] = []
  const log = createLog({ destination: { write: (line: string) => void lines.push(line) } })
  const free = { host: '127.0.0.1', port: 0 }
  const credentials = standAloneCredentials(folder, {}, log)
  try {
    const service = await createService({
      dataDir: folder,
      api: free,
      media: free,
      rtmp: free,
      credentials,
      log,
      timeZone: 'UTC',
      ...(recovery && { recovery }),
    })
    const client = signedClient(service.ready.baseUrl, credentials)
    const { list } = (await client.call(local.quarantine, {})).ret!
    const { list: files } = (await client.call(local.allRecordedFiles, {})).ret!
    await service.close()
    return { lines, channels: files.length, entries: list }
  } catch (error) {
    if (error instanceof DatabaseFault) return error
    throw error
  }
}

describe('every file of the service’s folder', () => {
  it('can be damaged in every way: it starts or asks, names it, keeps its bytes, and loses nothing else', async () => {
    const from = path.join(filled, 'service')
    const names = filesOf(from)
    expect(names).toContain('sidestage.db')
    const faults: string[] = []
    for (const name of names) {
      // Media and copies are content, which no start reads through; they are walked for what they do to the start.
      const isStore = !name.includes(path.sep)
      for (const [kind, damage] of Object.entries(damages)) {
        const folder = copyOf(from)
        const file = path.join(folder, name)
        const isEmpty = statSync(file).size === 0
        const lost =
          damage(file) && isStore && !(isEmpty && !['garbage', 'a directory in its place'].includes(kind)) && !(name === 'stores.json' && kind === 'removed')
        const before = bytesOf(file)
        const what = `${name}, ${kind}`
        try {
          let started = await startService(folder)
          if (started instanceof DatabaseFault) {
            if (name !== 'sidestage.db') faults.push(`${what}: the database is said to be wrong`)
            if (!started.message.includes('sidestage.db') || started.trouble.copies.length !== 1) faults.push(`${what}: ${started.message}`)
            if (kind === 'a newer version' && (started.trouble.kind !== 'newer' || !started.message.includes('newer Sidestage')))
              faults.push(`${what}: ${started.message}`)
            // Nothing is touched before a person decides.
            if (before && !bytesOf(file)?.equals(before)) faults.push(`${what}: it was changed before anybody decided`)
            started = await startService(folder, { copy: 'latest' })
          } else if (name === 'sidestage.db' && lost) faults.push(`${what}: it started without a word`)
          if (started instanceof DatabaseFault) {
            faults.push(`${what}: the copy did not help: ${started.message}`)
            continue
          }
          // lock.pid holds the number of a process that is gone.
          const told = lost && (name !== 'lock.pid' || kind === 'a directory in its place')
          if (told && !(name === 'sidestage.db' && kind === 'removed') && !started.entries.some(({ paths }) => paths.some((each) => each.startsWith(name))))
            faults.push(`${what}: not among the notices`)
          if (told && kind !== 'removed' && before!.length > 0 && !keptBytes(folder).some((kept) => kept.equals(before!)))
            faults.push(`${what}: its bytes are gone`)
          const key = name === 'credentials.json' && lost
          if (!key && started.channels !== 1) faults.push(`${what}: ${started.channels} recordings are listed`)
          for (const other of names.filter((each) => each !== name && each.includes(path.sep)))
            if (
              !existsSync(path.join(folder, other)) ||
              JSON.stringify(contentOf(path.join(folder, other))) !== JSON.stringify(contentOf(path.join(from, other)))
            )
              faults.push(`${what}: ${other} is gone or changed`)
        } catch (error) {
          faults.push(`${what}: it did not start: ${String(error)}`)
        }
        rmSync(folder, { recursive: true, force: true })
      }
    }
    expect(faults).toEqual([])
  }, 300_000)
})
