import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { syncFolder } from '../../platform/atomic-file.ts'
import { clearFolderPlace } from '../../platform/stores.ts'
import { isDoubted } from './database-doubt.ts'
import type { DatabaseWork } from './database-work.ts'

/** A copy of the database. */
export interface DatabaseCopy {
  /** Name of the file in the folder of copies. */
  readonly name: string
  /** When it was made, in ms. */
  readonly at: number
  readonly bytes: number
}

/** Makes the daily copies. */
export interface DatabaseCopies {
  /** Makes one now unless the last is younger than a day; resolves when that is over, with what came of it. */
  make(): Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'>
  close(): Promise<void>
}

/** Folder of copies below the data folder. */
export const copiesFolder = 'copies'
const kept = 3
const day = 24 * 3600 * 1000
/** How often it is looked whether a copy is due, in ms. */
const lookEvery = 3600 * 1000
/** Free bytes that remain beside a copy. */
const spare = 512 * 1024 * 1024
const namePattern = /^sidestage-([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2})-([0-9]{2})-([0-9]{2})Z\.db$/

/**
 * Copies of a data folder, newest first. One whose time is after `now` was made while the clock was ahead: how old it is, nobody knows, and it
 * stands at the end.
 */
export function listCopies(dataDir: string, now = Date.now()): DatabaseCopy[] {
  const folder = join(dataDir, copiesFolder)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .flatMap((name): DatabaseCopy[] => {
      const [, date, hour, minute, second] = namePattern.exec(name) ?? []
      const stats = date === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false })
      return stats?.isFile() && stats.size > 0 ? [{ name, at: Date.parse(`${date}T${hour}:${minute}:${second}Z`), bytes: stats.size }] : []
    })
    .sort((a, b) => Number(a.at > now) - Number(b.at > now) || b.at - a.at)
}

/** The thread's program: beside this file in the source, or beside the bundle under the name that its build gives it. */
const program = (): URL => {
  const places = import.meta.url.endsWith('.ts') ? ['./database-worker.ts'] : ['./database-worker.js', '../database-worker.js']
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => existsSync(fileURLToPath(url))) ?? urls[0]!
}

/** Does work on the database in a thread; rejects with what the disk or SQLite says, or when it was stopped. */
export function inThread(work: DatabaseWork, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program(), { workerData: work, execArgv: [], stderr: false })
    const stop = (): void => {
      worker.terminate().catch(reject)
    }
    signal.addEventListener('abort', stop, { once: true })
    let outcome: (() => void) | undefined
    worker.on('message', ({ found }: { readonly found: string | undefined }) => (outcome = () => resolve(found)))
    worker.on('error', (error) => (outcome ??= () => reject(error instanceof Error ? error : new Error('the thread failed'))))
    // Settled when the thread is gone, so that its file is closed.
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop)
      if (outcome) outcome()
      else reject(new Error('stopped'))
    })
  })
}

/** Makes a copy of the database once a day, the first `first` ms after it was made, and keeps the last 3. */
export function createDatabaseCopies({
  dataDir,
  clock,
  log,
  free = async (folder) => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
  first = 60_000,
}: {
  readonly dataDir: string
  readonly clock: () => number
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  readonly free?: (folder: string) => Promise<number>
  readonly first?: number
}): DatabaseCopies {
  const path = join(dataDir, 'sidestage.db')
  const folder = join(dataDir, copiesFolder)
  const closing = new AbortController()
  let running: Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'> | undefined

  const make = async (): Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'> => {
    const now = clock()
    const last = listCopies(dataDir, now)[0]
    // One from the future, made before the clock was set back, counts as none.
    if (last && last.at <= now && now - last.at < day) return 'young'
    if (isDoubted(dataDir)) {
      log.warn({}, 'the daily copy of the database was left out: the database is damaged, and a good copy would go for it')
      return 'doubted'
    }
    try {
      clearFolderPlace(folder)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const bytes = [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
      const room = await free(folder)
      if (room < bytes + spare) {
        log.warn({ bytes, free: room }, 'the daily copy of the database was left out: the disk lacks room')
        return 'noRoom'
      }
      const name = `sidestage-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
      await inThread({ kind: 'copy', path, temporary: join(folder, 'copy.new'), target: join(folder, name) }, closing.signal)
      await syncFolder(folder)
      for (const old of listCopies(dataDir, now).slice(kept)) rmSync(join(folder, old.name), { force: true })
      log.info({ name, bytes }, 'a copy of the database was made')
      return 'made'
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'the daily copy of the database failed; it is tried again in an hour')
      return 'failed'
    }
  }
  const look = (): Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'> =>
    (running ??= make().finally(() => {
      running = undefined
    }))
  const due = (): void => {
    look().catch((error: unknown) => log.warn({ err: error }, 'the daily copy of the database failed'))
  }
  const begin = setTimeout(due, first).unref()
  const timer = setInterval(due, lookEvery).unref()

  return {
    make: look,
    async close() {
      clearTimeout(begin)
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}
