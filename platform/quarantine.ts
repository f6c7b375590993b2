import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { copyFile, constants, link, mkdir, rm, rmdir, unlink } from 'node:fs/promises'
import path from 'node:path'
import { syncFolderNow } from './atomic-file.ts'
import { readManifest, writeManifest, type Manifest, type QuarantineReason } from './quarantine-manifest.ts'

/** What was quarantined at one moment for one reason. */
export interface QuarantineEntry {
  /** `<date>/<name>` below the quarantine folder. */
  readonly id: string
  /** In ms. */
  readonly at: number
  readonly reason: QuarantineReason
  /** For the log. */
  readonly detail: string
  /** Original paths relative to the data folder, with `/`; the first 1000. */
  readonly paths: readonly string[]
  readonly count: number
  readonly bytes: number
  /** The user was told. */
  readonly seen: boolean
  /** Earliest deletion, in ms. */
  readonly until: number
}

/** Restored paths, and those whose place is taken. */
export interface Restored {
  readonly restored: readonly string[]
  readonly taken: readonly string[]
}

/** Quarantines files of a data folder instead of deleting or overwriting them. */
export type Quarantine = ReturnType<typeof openQuarantine>

/** Folder below a data folder. */
export const quarantineName = 'quarantine'
const day = 24 * 3600 * 1000
/** Days on which an entry must have been present before deletion. */
const quarantineDays = 30
/** Retention of an entry, in ms. */
export const quarantineLife = quarantineDays * day
const maxUnfinished = 1e9
const shownPaths = 1000
const contentName = 'content'
const idPattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}\/[0-9a-f-]{1,40}$/

const found = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false })
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** All files below a path (or the file itself), relative to `root` with `/`. */
function* walk(
  root: string,
  within: string,
): Generator<{ readonly path: string; readonly bytes: number; readonly isPlain: boolean }> {
  const stats = found(path.join(root, within))
  if (!stats) return
  if (!stats.isDirectory()) return yield { path: within, bytes: stats.size, isPlain: stats.isFile() }
  for (const name of readdirSync(path.join(root, within))) yield* walk(root, within === '' ? name : `${within}/${name}`)
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
/** Remaining days of presence. */
const daysLeft = (days: readonly string[]): number => Math.max(0, quarantineDays - days.length)
/** Earliest deletion, at the hour of quarantining; by days only for an entry from the future. */
const endOf = (at: number, days: readonly string[], now: number): number =>
  at > now ? now + daysLeft(days) * day : Math.max(at + quarantineLife, now - ((now - at) % day) + daysLeft(days) * day)

/** Files of an entry, databases before their side files. */
const inOrder = (place: string) =>
  [...walk(path.join(place, contentName), '')].sort((a, b) => (a.path < b.path ? -1 : 1))
/** A log or journal is restored only with its own database: SQLite would write its pages into another one. */
const mayReturn = (file: string, restored: readonly string[]): boolean => {
  const database = /^(.+)-(?:wal|shm|journal)$/.exec(file)?.[1]
  return database === undefined || restored.includes(database)
}

/** Opens the quarantine of a data folder; created on first use. `told` is called for each entry, for the log. */
export function openQuarantine(options: {
  readonly folder: string
  readonly now: () => number
  readonly told?: (entry: QuarantineEntry) => void
}) {
  const { folder, now, told = () => undefined } = options
  const root = path.join(folder, quarantineName)
  const placeOf = (id: string): string | undefined => {
    const place = idPattern.test(id) ? path.join(root, ...id.split('/')) : undefined
    return place !== undefined && found(place)?.isDirectory() ? place : undefined
  }

  const read = (id: string): QuarantineEntry | undefined => {
    const place = placeOf(id)
    if (place === undefined) return undefined
    const there = [...walk(path.join(place, contentName), '')]
    const bytes = there.reduce((sum, file) => sum + file.bytes, 0)
    const manifest = readManifest(place)
    // Interrupted before any move: a manifest alone means nothing, unless it records a missing path.
    if (there.length === 0 && manifest?.reason !== 'missing' && found(path.join(place, contentName)) === undefined)
      return undefined
    const at = manifest?.at ?? (Date.parse(id.slice(0, 10)) || 0)
    const paths = there.length > 0 ? there.map((file) => file.path) : (manifest?.paths ?? [])
    return {
      id,
      at,
      reason: manifest?.reason ?? 'unknown',
      detail: manifest?.detail ?? '',
      paths: paths.slice(0, shownPaths),
      count: paths.length,
      bytes,
      seen: manifest?.seen ?? false,
      until: endOf(at, manifest?.days ?? [], now()),
    }
  }
  const daysOf = (id: string): readonly string[] => readManifest(path.join(root, ...id.split('/')))?.days ?? []
  const note = ({ id, at, reason, detail, paths, seen }: QuarantineEntry, days: readonly string[]): void =>
    writeManifest(path.join(root, ...id.split('/')), { at, reason, detail, paths, seen, days })
  const list = (): QuarantineEntry[] => {
    if (!found(root)?.isDirectory()) return []
    const ids = readdirSync(root)
      .filter((date) => found(path.join(root, date))?.isDirectory())
      .flatMap((date) => readdirSync(path.join(root, date)).map((name) => `${date}/${name}`))
    return ids.flatMap((id) => read(id) ?? []).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  }
  /** Removes an entry without files; only our empty folders. */
  const clear = async (id: string, whole: boolean): Promise<void> => {
    const place = placeOf(id)
    if (place === undefined) return
    if (whole || [...walk(path.join(place, contentName), '')].length === 0)
      await rm(place, { recursive: true, force: true })
    await rmdir(path.dirname(place)).catch(() => undefined)
  }
  const back = async (place: string, relative: string): Promise<boolean> => {
    const [from, to] = [
      path.join(place, contentName, ...relative.split('/')),
      path.join(folder, ...relative.split('/')),
    ]
    try {
      await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
      // A link fails for an existing target; a rename would overwrite it.
      await link(from, to).catch(async (error: unknown) => {
        if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') throw error
        await copyFile(from, to, constants.COPYFILE_EXCL)
      })
    } catch (error) {
      if (['EEXIST', 'ENOTDIR', 'EISDIR'].includes(String(codeOf(error)))) return false
      throw error
    }
    await unlink(from)
    return true
  }

  return {
    /** Moves files or folders to `quarantine/<date>/`; `missing` only records them. Undefined if there was nothing. */
    setAside(paths: readonly string[], reason: QuarantineReason, detail: string): QuarantineEntry | undefined {
      const present = reason === 'missing' ? [] : paths.filter((each) => found(path.join(folder, ...each.split('/'))))
      if (reason !== 'missing' && present.length === 0) return undefined
      const at = now()
      const date = new Date(at).toISOString()
      const id = `${date.slice(0, 10)}/${date.slice(11, 19).replaceAll(':', '')}-${randomBytes(6).toString('hex')}`
      const place = path.join(root, ...id.split('/'))
      const blocked = found(root)
      // Something else has the name of the folder: it is quarantined in the new one.
      if (blocked && !blocked.isDirectory()) renameSync(root, `${root}.${randomBytes(4).toString('hex')}`)
      const named: Manifest = {
        at,
        reason,
        detail,
        paths: (reason === 'missing' ? paths : present).slice(0, shownPaths),
        seen: false,
        days: [],
      }
      try {
        mkdirSync(place, { recursive: true, mode: 0o700 })
        writeManifest(place, named)
      } catch (error) {
        // On a full disk each start would leave another folder.
        rmSync(place, { recursive: true, force: true })
        for (const each of [path.dirname(place), root])
          if (found(each) && readdirSync(each).length === 0) rmdirSync(each)
        throw error
      }
      for (const each of present) {
        const to = path.join(place, contentName, ...each.split('/'))
        mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 })
        renameSync(path.join(folder, ...each.split('/')), to)
      }
      syncFolderNow(place)
      const entry = read(id)
      if (entry) told(entry)
      return entry
    },
    list,
    /** Files of an entry: original path relative to the data folder, and current path; undefined if unknown. */
    files(id: string): { readonly path: string; readonly file: string }[] | undefined {
      const place = placeOf(id)
      return place === undefined
        ? undefined
        : [...walk(path.join(place, contentName), '')].map((file) => ({
            path: file.path,
            file: path.join(place, contentName, ...file.path.split('/')),
          }))
    },
    /** Restores an entry without overwriting anything; undefined for an unknown entry. */
    async restore(id: string): Promise<Restored | undefined> {
      const place = placeOf(id)
      if (place === undefined) return undefined
      const restored: string[] = []
      const taken: string[] = []
      for (const file of inOrder(place))
        (file.isPlain && mayReturn(file.path, restored) && (await back(place, file.path)) ? restored : taken).push(
          file.path,
        )
      await clear(id, taken.length === 0)
      return { restored, taken }
    },
    /** Restores single files from any entry; returns the restored ones. */
    async putBack(paths: ReadonlySet<string>): Promise<string[]> {
      const restored: string[] = []
      if (paths.size === 0) return restored
      for (const { id } of list()) {
        const place = placeOf(id)
        if (place === undefined) continue
        for (const file of inOrder(place))
          if (file.isPlain && paths.has(file.path) && mayReturn(file.path, restored) && (await back(place, file.path)))
            restored.push(file.path)
        await clear(id, false)
      }
      return restored
    },
    async remove(id: string) {
      if (placeOf(id) === undefined) return false
      await clear(id, true)
      return true
    },
    /** Records that the user was told. */
    see(ids: readonly string[]) {
      for (const id of ids) {
        const place = placeOf(id)
        const entry = place === undefined ? undefined : read(id)
        if (place === undefined || !entry || entry.seen) continue
        note({ ...entry, seen: true }, daysOf(id))
      }
    },
    /** Deletes entries over 30 days old and present on as many days of such calls; also partial uploads beyond 1 GB. */
    tidy(): QuarantineEntry[] {
      const all = list()
      const today = dateOf(now())
      const late: QuarantineEntry[] = []
      for (const entry of all) {
        const days = daysOf(entry.id)
        const isNew = today !== dateOf(entry.at) && !days.includes(today) && daysLeft(days) > 0
        const counted = isNew ? [...days, today] : days
        try {
          if (isNew) note(entry, counted)
        } catch (error) {
          // On a full or read-only disk the day is not counted, and the entry stays longer.
          if (codeOf(error) === undefined) throw error
          continue
        }
        if (daysLeft(counted) === 0 && endOf(entry.at, counted, now()) <= now()) late.push(entry)
      }
      let unfinished = 0
      for (const entry of all.filter(({ reason }) => reason === 'unfinished')) {
        unfinished += entry.bytes
        if (unfinished > maxUnfinished && !late.includes(entry)) late.push(entry)
      }
      for (const { id } of late) rmSync(path.join(root, ...id.split('/')), { recursive: true, force: true })
      return late
    },
  }
}
