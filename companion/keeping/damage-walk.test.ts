import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { SetAside } from '../../contract/rpc/index.ts'
import { DiskFault } from '../../platform/disk-fault.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { standAloneCredentials } from '../../service/credentials.ts'
import { createLog } from '../../service/log.ts'
import { createService } from '../../service/root.ts'
import { DatabaseFault } from '../../service/storage/main-database.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import { claimInstance } from '../instance/instance.ts'
import { openJoinedDocument } from '../remote-rooms/joined-document.ts'
import type { LaunchService } from '../supervisor/launcher.ts'
import { startRig } from '../testing/rig.ts'
import { dataFiles } from './testing/data-files.ts'
import { addStandAlone, fillFolder, leaveImport } from './testing/filled-folder.ts'
import { keepWindows, openWindows } from '../../electron/testing/kept-windows.ts'

// The windows of the desktop keep their places in the app's folder.
vi.mock('electron', () => import('../../electron/testing/electron-double.ts'))

/**
 * A data folder as it lies on the disk when the app and its service are killed, after a push, a recording, a room, an upload, receivers
 * and a seat: what was last written is in the logs of the databases only.
 */
let filled: string
/** What its files hold, read from a copy: to open a database is to write its log into it. */
const whole = new Map<string, string>()
const scratches: string[] = []
/** In memory where that is possible: every start flushes what it writes. */
const place = existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

beforeAll(async () => {
  const folder = mkdtempSync(path.join(place, 'sidestage-filled-'))
  scratches.push(folder)
  const instance = claimInstance(folder)
  const rig = await startRig(folder)
  try {
    await fillFolder(rig)
    await (await openJoinedDocument(folder)).change(() => [joined])
    await keepWindows(folder)
    await leaveImport(rig)
    await addStandAlone(path.join(folder, 'service'))
    // As after a kill -9 of both.
    process.kill(rig.processes.at(-1)!.pid!, 'SIGKILL')
    filled = copyOf(folder)
  } finally {
    await rig.close()
    instance?.release()
  }
  const read = copyOf(filled)
  for (const name of filesOf(filled))
    if (!isPassing(name)) whole.set(name, JSON.stringify(contentOf(path.join(read, name))))
})
afterAll(() => {
  for (const folder of scratches) rmSync(folder, { recursive: true, force: true })
})

const copyOf = (folder: string): string => {
  const made = mkdtempSync(path.join(place, 'sidestage-damaged-'))
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
const isDatabase = (file: string): boolean =>
  readFileSync(file).subarray(0, 15).toString('latin1') === 'SQLite format 3'
const isPlainJson = (file: string): boolean => file.endsWith('.json')

/** What is of the moment, or goes into its database at the next start. */
const isPassing = (name: string): boolean => /-(?:wal|shm|journal)$|(?:^|\/)(?:app-lock|lock)\.(?:db|pid)$/.test(name)
/** What a start carries out and removes; nobody misses it. */
const importing = 'import.json'
const joined = {
  id: '0123456789abcdef',
  host: 'studio.example:7443',
  secured: true,
  fingerprint: 'ab'.repeat(32),
  accid: 'mod',
  name: 'Mod',
  roomid: 7,
  room: 'Room',
  joined: 1,
  lastAt: 1,
}

const isRoot = process.getuid?.() === 0
/** The user who may not read what root may: the tests run as root in places. */
const nobody = 65_534
const denied = 'no permission'
/** Starts something as a user whom permissions hold. */
async function asUser<T>(kind: string, folder: string, work: () => Promise<T>): Promise<T> {
  if (kind !== denied || !isRoot) return await work()
  execFileSync('chown', ['-R', `${nobody}:${nobody}`, folder])
  process.seteuid!(nobody)
  try {
    return await work()
  } finally {
    process.seteuid!(0)
  }
}

/** A service that never becomes ready and ends when it is asked to. */
const silentLaunch: LaunchService = () => {
  let exited: Parameters<ReturnType<LaunchService>['onExit']>[0] = () => undefined
  return {
    pid: undefined,
    send: ({ type }) => {
      if (type === 'stop') exited({ code: 'exited', params: { status: '0' } })
    },
    onMessage: () => undefined,
    onExit: (listener) => (exited = listener),
    onLine: () => undefined,
    kill: () => exited({ code: 'exited', params: { status: '0' } }),
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
  'a link to nowhere': (file) => {
    rmSync(file)
    symlinkSync(path.join(os.tmpdir(), 'sidestage', 'is', 'nowhere'), file)
    return true
  },
  [denied]: (file) => {
    if (process.platform === 'win32') return false
    chmodSync(file, 0)
    return true
  },
  'a newer version': (file) => {
    if (isDatabase(file)) {
      const database = new DatabaseSync(file)
      const main = database
        .prepare(`select count(*) as n from sqlite_master where name = 'kysely_migration'`)
        .get() as { n: number }
      database.exec(
        main.n > 0
          ? `insert into kysely_migration (name, timestamp) values ('999-future', '2099')`
          : 'pragma user_version = 99',
      )
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
  !existsSync(place)
    ? undefined
    : statSync(place).isDirectory()
      ? readFileSync(path.join(place, 'note.txt'))
      : readFileSync(place)
const keptBytes = (folder: string): Buffer[] => {
  const quarantine = openQuarantine({ folder, now: Date.now })
  return quarantine
    .list()
    .flatMap(({ id }) => quarantine.files(id)!)
    .flatMap(({ file }) => (lstatSync(file).isFile() ? [readFileSync(file)] : []))
}
/** Whether what is damaged so is lost beyond doubt. A shorter log is as good as one that was ended earlier, and the rest of the two is made again. */
const isLost = (name: string, kind: string): boolean =>
  name.endsWith('-wal')
    ? ['garbage', 'bits flipped in the middle', 'a directory in its place', 'a link to nowhere'].includes(kind)
    : !isPassing(name)
/** Whether a file holds what it held: a database may have all of it in its log. */
const holdsAll = (folder: string, name: string): boolean => {
  const file = path.join(folder, name)
  return existsSync(file) && statSync(file).isFile() && JSON.stringify(contentOf(file)) === whole.get(name)
}
/** Whether SQLite itself finds a database broken. Asked of a copy, since to open one is to change it. */
const isBroken = (folder: string, name: string): boolean => {
  if (
    isPassing(name) ||
    !name.endsWith('.db') ||
    !statSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile()
  )
    return false
  const read = copyOf(folder)
  try {
    const database = new DatabaseSync(path.join(read, name))
    try {
      const { quick_check: found } = database.prepare('pragma quick_check(1)').get() as { quick_check: string }
      return found !== 'ok'
    } finally {
      database.close()
    }
  } catch {
    return true
  } finally {
    rmSync(read, { recursive: true, force: true })
  }
}
/** What a file belongs to: a log to its database. */
const storeOf = (name: string): string => name.replace(/-(?:wal|shm|journal)$/, '')
const tables = (file: string): Record<string, number> => {
  const database = new DatabaseSync(file)
  const names = database.prepare(`select name from sqlite_master where type = 'table' order by name`).all() as {
    name: string
  }[]
  const counts = names.map(
    ({ name }) => [name, (database.prepare(`select count(*) as n from "${name}"`).get() as { n: number }).n] as const,
  )
  database.close()
  return Object.fromEntries(counts)
}
/** What another file holds, in the words that matter. */
const contentOf = (file: string): unknown =>
  isDatabase(file)
    ? tables(file)
    : isPlainJson(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as unknown)
      : readFileSync(file).toString('base64')

it('knows what every file of the folder is', () => {
  const names = filesOf(filled).map((name) => name.split(path.sep).join('/'))
  const walked = dataFiles.filter(({ passing }) => passing === undefined)
  expect(names.filter((name) => !walked.some(({ pattern }) => pattern.test(name)))).toEqual([])
  expect(walked.filter(({ pattern }) => !names.some((name) => pattern.test(name))).map(({ what }) => what)).toEqual([])
})

/** Files and folders that somebody else may read, with every folder above them in the data folder. */
const readable = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const below = path.join(folder, entry.name)
    const isOpen = (lstatSync(below).mode & (entry.isDirectory() ? 0o011 : 0o077)) !== 0
    if (entry.isDirectory()) return isOpen ? readable(below) : []
    return isOpen && entry.isFile() ? [below] : []
  })
it.skipIf(process.platform === 'win32')('is made for its owner alone', () => {
  const open = filesOf(filled).filter((name) => (statSync(path.join(filled, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
})
it.skipIf(process.platform === 'win32')(
  'is for its owner alone after a start in a folder of before, which everybody may read',
  async () => {
    const folder = copyOf(filled)
    execFileSync('chmod', ['-R', 'a+rX', folder])
    writeFileSync(path.join(folder, 'holiday.json'), '{}', { mode: 0o644 })
    expect(readable(folder).length).toBeGreaterThan(30)
    const instance = claimInstance(folder)
    const rig = await startRig(folder)
    try {
      await rig.companion.serviceReady(150_000)
      // Not the product's.
      expect(readable(folder)).toEqual([path.join(folder, 'holiday.json')])
    } finally {
      await rig.close()
      instance?.release()
    }
  },
)

describe('every file of the app’s folder', () => {
  it('can be damaged in every way: the app starts, names it, keeps its bytes, and loses nothing else', async () => {
    const names = filesOf(filled).filter((name) => !name.startsWith('service'))
    const faults: string[] = []
    for (const name of names) {
      for (const [kind, damage] of Object.entries(damages)) {
        const folder = copyOf(filled)
        const file = path.join(folder, name)
        // What the list of stores tells is read off the folder again.
        const lost =
          damage(file) && isLost(name, kind) && !([importing, 'stores.json'].includes(name) && kind === 'removed')
        const broken = kind !== denied && isBroken(folder, name)
        const before = kind === denied ? readFileSync(path.join(filled, name)) : bytesOf(file)
        const what = `${name}, ${kind}`
        let entries: SetAside[] = []
        let log = ''
        try {
          await asUser(kind, folder, async () => {
            const instance = claimInstance(folder)
            // No service: what is walked is what the app itself keeps.
            await openWindows(folder)
            const rig = await startRig(folder, { launch: silentLaunch })
            entries = (await rig.page.rpc.keeping.list()).entries
            log = rig.log.join('\n')
            await rig.close()
            instance!.release()
          })
        } catch (error) {
          // Nobody takes a lock away that may be another user's.
          if (
            !(name === 'app-lock.db' && kind === denied && error instanceof DiskFault && error.message.includes(name))
          )
            faults.push(`${what}: it did not start: ${String(error)}`)
          continue
        }
        const isTold = entries.some(({ paths }) => paths.some((each) => each.startsWith(name)))
        if (lost && !isTold && (isPassing(name) || !holdsAll(folder, name)))
          faults.push(`${what}: not among the notices`)
        if (broken && !isTold) faults.push(`${what}: a broken database is used`)
        // What a newer version wrote may mean something else, also where this one could read it.
        if (
          lost &&
          kind === 'a newer version' &&
          name !== 'stores.json' &&
          !entries.some(({ reason }) => reason === 'newer')
        )
          faults.push(`${what}: not told to be of a newer version`)
        if (isTold && !log.includes(name)) faults.push(`${what}: not in the log`)
        if (isTold && before && before.length > 0 && !keptBytes(folder).some((kept) => kept.equals(before)))
          faults.push(`${what}: its bytes are gone`)
        if (entries.some(({ paths }) => !paths.some((each) => each.startsWith(storeOf(name)))))
          faults.push(`${what}: something else was set aside`)
        // What was being imported is applied, or set aside.
        if (existsSync(path.join(folder, importing))) faults.push(`${what}: the import was not carried out`)
        for (const other of names.filter(
          (each) => !isPassing(each) && ![storeOf(name), 'stores.json', importing].includes(each),
        )) {
          if (!existsSync(path.join(folder, other))) faults.push(`${what}: ${other} is gone`)
          else if (!holdsAll(folder, other)) faults.push(`${what}: ${other} changed`)
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
  kind: string,
  recovery?: { copy: string | null },
): Promise<{ lines: string[]; channels: number; entries: { paths: string[] }[] } | DatabaseFault> {
  const lines: string[] = []
  const log = createLog({ destination: { write: (line: string) => void lines.push(line) } })
  const free = { host: '127.0.0.1', port: 0 }
  try {
    const { service, credentials } = await asUser(kind, folder, async () => {
      const pair = standAloneCredentials(folder, {}, log)
      const made = await createService({
        dataDir: folder,
        api: free,
        media: free,
        rtmp: free,
        credentials: pair,
        targetKeysInFile: true,
        log,
        timeZone: 'UTC',
        ...(recovery && { recovery }),
      })
      return { service: made, credentials: pair }
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
        const lost = damage(file) && isStore && isLost(name, kind) && !(name === 'stores.json' && kind === 'removed')
        const broken = kind !== denied && isStore && isBroken(folder, name)
        const before = kind === denied ? readFileSync(path.join(from, name)) : bytesOf(file)
        const what = `${name}, ${kind}`
        try {
          let started = await startService(folder, kind)
          if (started instanceof DatabaseFault) {
            if (storeOf(name) !== 'sidestage.db') faults.push(`${what}: the database is said to be wrong`)
            if (!started.message.includes('sidestage.db') || started.trouble.copies.length !== 1)
              faults.push(`${what}: ${started.message}`)
            if (
              kind === 'a newer version' &&
              (started.trouble.kind !== 'newer' || !started.message.includes('newer Sidestage'))
            )
              faults.push(`${what}: ${started.message}`)
            // Nothing is touched before a person decides.
            if (before && !bytesOf(file)?.equals(before) && name === 'sidestage.db')
              faults.push(`${what}: it was changed before anybody decided`)
            started = await startService(folder, kind, { copy: 'latest' })
          } else if (name === 'sidestage.db' && (broken || (lost && started.channels !== 1)))
            faults.push(`${what}: it started without a word`)
          if (started instanceof DatabaseFault) {
            faults.push(`${what}: the copy did not help: ${started.message}`)
            continue
          }
          const isTold = started.entries.some(({ paths }) => paths.some((each) => each.startsWith(name)))
          // What was flipped behind the end of the log is of no time.
          const isWhole =
            (name === 'sidestage.db' && (kind === 'removed' || started.channels === 1)) ||
            (name === 'sidestage.db-wal' &&
              JSON.stringify(tables(path.join(folder, 'sidestage.db'))) ===
                whole.get(path.join('service', 'sidestage.db')))
          if (lost && !isTold && !isWhole) faults.push(`${what}: not among the notices`)
          if (isTold && before && before.length > 0 && !keptBytes(folder).some((kept) => kept.equals(before)))
            faults.push(`${what}: its bytes are gone`)
          const key = name === 'credentials.json' && lost
          if (!key && started.channels !== 1) faults.push(`${what}: ${started.channels} recordings are listed`)
          for (const other of names.filter((each) => each !== name && each.includes(path.sep)))
            if (JSON.stringify(contentOf(path.join(folder, other))) !== whole.get(path.join('service', other)))
              faults.push(`${what}: ${other} is gone or changed`)
        } catch (error) {
          if (!(name === 'lock.db' && kind === denied && error instanceof DiskFault && error.message.includes(name)))
            faults.push(`${what}: it did not start: ${String(error)}`)
        }
        rmSync(folder, { recursive: true, force: true })
      }
    }
    expect(faults).toEqual([])
  }, 300_000)
})
