import type { Clock } from '../../platform/clock.ts'
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { syncFolder } from '../../platform/atomic-file.ts'
import { clearFolderPlace } from '../../platform/stores.ts'
import { isSuspect } from './database-suspect.ts'
import type { DatabaseWork } from './database-work.ts'
import { workerProgram } from '../worker-program.ts'

/** A copy of the database. */
export interface DatabaseCopy {
  /** File name in the folder of copies. */
  readonly name: string
  /** In ms. */
  readonly at: number
  readonly bytes: number
  /** False when the time is in the future, or the clock had jumped. */
  readonly isBelieved: boolean
  /** The clock had jumped ahead when it was made. */
  readonly hadJumped: boolean
  /** Made before an update of Sidestage changed the database; not one of the daily copies. */
  readonly isBeforeUpdate: boolean
}

/** Folder of copies below the data folder. */
export const copiesFolder = 'copies'
const mainPath = (dataDir: string): string => join(dataDir, 'sidestage.db')
const kept = 3
/** Copies kept of those that were made before an update. */
const keptBeforeUpdate = 2
const day = 24 * 3600 * 1000
/** Copies with an unreliable time kept in addition. */
const maxSuspect = 3
/** A clock this much later than the last copy counts as jumped, although the service may just have been unused; ms. */
const absence = 10 * day
/** Allowed deviation of the clock from elapsed time, in ms. */
const slack = 5 * 60_000
/** Interval of checks, in ms. */
const lookEvery = 3600 * 1000
/** Bytes kept free beside a copy. */
const spare = 512 * 1024 * 1024
const namePattern = /^sidestage-([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2})-([0-9]{2})-([0-9]{2})Z(-before-update)?\.db$/

/** Copies of a data folder, newest first; those with an unreliable time are last. */
export function listCopies(dataDir: string, now = Date.now()): DatabaseCopy[] {
  const folder = join(dataDir, copiesFolder)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .flatMap((name): DatabaseCopy[] => {
      const [, date, hour, minute, second, update] = namePattern.exec(name) ?? []
      const stats = date === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false })
      if (!stats?.isFile() || stats.size === 0) return []
      const at = Date.parse(`${date}T${hour}:${minute}:${second}Z`)
      // File systems with local time may be off by hours.
      const hadJumped = at > stats.mtimeMs + day
      const isBelieved = at <= now && !hadJumped
      return [{ name, at, bytes: stats.size, isBelieved, hadJumped, isBeforeUpdate: update !== undefined }]
    })
    .sort(
      (a, b) => Number(b.isBelieved) - Number(a.isBelieved) || Number(a.hadJumped) - Number(b.hadJumped) || b.at - a.at,
    )
}

/** Works on the database in a thread; rejects with the error of the disk or SQLite, or when stopped. */
export function inThread(work: DatabaseWork, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerProgram(import.meta.url, 'database-worker.ts', 'database-worker.js'), {
      workerData: work,
      execArgv: [],
      stderr: false,
    })
    const stop = (): void => {
      worker.terminate().catch(reject)
    }
    signal.addEventListener('abort', stop, { once: true })
    let outcome: (() => void) | undefined
    worker.on('message', ({ found }: { readonly found: string | undefined }) => (outcome = () => resolve(found)))
    worker.on(
      'error',
      (error) => (outcome ??= () => reject(error instanceof Error ? error : new Error('the thread failed'))),
    )
    // Settled at exit, when its file is closed.
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop)
      if (outcome) outcome()
      else reject(new Error('stopped'))
    })
  })
}

const copyName = (time: number, end = ''): string =>
  `sidestage-${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z${end}.db`
const freeOf = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Prepares the folder of copies; resolves with how large a copy is at most, and what the disk has left for it. */
async function roomFor(dataDir: string, free: (folder: string) => Promise<number>) {
  const folder = join(dataDir, copiesFolder)
  clearFolderPlace(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const bytes = [mainPath(dataDir), `${mainPath(dataDir)}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const room = await free(folder)
  return { bytes, room, isEnough: room >= bytes + spare }
}

/** Copies the database before an update changes it; resolves with the name. Rejects on a disk that has no room. */
export async function copyBeforeUpdate(dataDir: string, now: number, free = freeOf): Promise<string> {
  const folder = join(dataDir, copiesFolder)
  const { bytes, room, isEnough } = await roomFor(dataDir, free)
  if (!isEnough) throw new Error(`the disk is too full: a copy takes ${bytes} bytes, ${room} are free`)
  const name = copyName(now, '-before-update')
  const files = { path: mainPath(dataDir), temporary: join(folder, 'copy.new'), target: join(folder, name) }
  await inThread({ kind: 'copy', ...files, time: now }, new AbortController().signal)
  await syncFolder(folder)
  const made = listCopies(dataDir, now).filter((one) => one.isBeforeUpdate && one.name !== name)
  for (const old of made.slice(keptBeforeUpdate - 1)) rmSync(join(folder, old.name), { force: true })
  return name
}

/**
 * Copies the database once a day, first after `first` ms, and keeps the last 3. A clock far later than the last copy is
 * not trusted for a day of running: such a copy gets the last copy's file time, is listed last and replaces none.
 */
export function createDatabaseCopies({
  dataDir,
  clock,
  log,
  free = freeOf,
  first = 60_000,
}: {
  readonly dataDir: string
  readonly clock: Clock
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  readonly free?: (folder: string) => Promise<number>
  readonly first?: number
}) {
  const path = mainPath(dataDir)
  const folder = join(dataDir, copiesFolder)
  const listDaily = (now: number): DatabaseCopy[] => listCopies(dataDir, now).filter((one) => !one.isBeforeUpdate)
  const closing = new AbortController()
  let running: Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'> | undefined

  /** Since when the clock has agreed with elapsed time. */
  let since = { time: clock.now(), passed: clock.monotonic() }
  const wentOn = (now: number): boolean => {
    const passed = clock.monotonic()
    if (Math.abs(now - since.time - (passed - since.passed)) > slack) since = { time: now, passed }
    return passed - since.passed >= day - slack
  }
  /** Copies made since then have a reliable time. */
  const believe = (copies: readonly DatabaseCopy[], now: number): void => {
    for (const { name, at, isBelieved } of copies)
      if (!isBelieved && at >= since.time - 1000 && at <= now) utimesSync(join(folder, name), at / 1000, at / 1000)
  }

  const make = async (): Promise<'made' | 'young' | 'noRoom' | 'doubted' | 'failed'> => {
    const now = clock.now()
    const isSteady = wentOn(now)
    const all = listDaily(now)
    // A copy from the future, before the clock was set back, does not count.
    if (all.some(({ at }) => at <= now && now - at < day)) return 'young'
    if (isSuspect(dataDir)) {
      log.warn(
        {},
        'the daily copy of the database was left out: the database is damaged, and a good copy would go for it',
      )
      return 'doubted'
    }
    try {
      const { bytes, room, isEnough } = await roomFor(dataDir, free)
      if (!isEnough) {
        log.warn({ bytes, free: room }, 'the daily copy of the database was skipped: the disk is too full')
        return 'noRoom'
      }
      const name = copyName(now)
      if (isSteady) believe(all, now)
      const last = listDaily(now).find(({ isBelieved }) => isBelieved)
      const hasJumped = last !== undefined && now - last.at > absence && !isSteady
      const time = hasJumped ? last.at : now
      await inThread(
        { kind: 'copy', path, temporary: join(folder, 'copy.new'), target: join(folder, name), time },
        closing.signal,
      )
      await syncFolder(folder)
      const made = listDaily(now)
      const good = made.filter(({ isBelieved }) => isBelieved)
      const suspect = made.filter((one) => !one.isBelieved && one.name !== name)
      for (const old of [...good.slice(kept), ...suspect.slice(hasJumped ? maxSuspect - 1 : maxSuspect)])
        rmSync(join(folder, old.name), { force: true })
      if (hasJumped)
        log.warn(
          { name, bytes, last: last.name },
          'a copy of the database was made; the clock is far ahead of the last one, which stays',
        )
      else log.info({ name, bytes }, 'a copy of the database was made')
      return 'made'
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn({ err: error }, 'the daily copy of the database failed; it is tried again in an hour')
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
    /** Makes a copy unless the last is younger than a day; resolves with the result. */
    make: look,
    async close(): Promise<void> {
      clearTimeout(begin)
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}
