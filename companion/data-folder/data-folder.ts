import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ReasonedError, reasonIn, reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { FolderMove, FolderMoved, FolderPlan, FolderUse } from '../../contract/rpc/index.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { reasonOf as messageOf } from '../failure.ts'
import { checkCopies, copyContent, CopyDiffers } from './folder-copy.ts'
import { lookAtFolder, spareBytes } from './folder-check.ts'
import { databaseName, isPassing, readContent } from './folder-content.ts'
import { readUse } from './folder-use.ts'
import { removeMark, removeNames, removePartial, writeMark } from './move-mark.ts'

/** What of the app's own document concerns the folder. */
interface FolderDocument {
  readonly folder: string | null
  readonly old: { readonly folder: string; readonly names: string[]; readonly at: number } | null
  readonly moving: { readonly to: string; readonly made: boolean } | null
}

/** What a move needs. */
export interface DataFolderPorts {
  readonly home: string
  readonly usual: string
  /** Named on the command line. */
  readonly named: boolean
  readonly installation: string
  readonly store: { value(): FolderDocument; change(change: Partial<FolderDocument>): Promise<void> }
  readonly now: () => number
  readonly random: (bytes: number) => Buffer
  /** Stops the service until `release`, which starts it in that folder. */
  readonly service: { hold(): Promise<void>; release(folder: string): void }
  readonly changed: () => void
  readonly log: (line: string) => void
}

/** The folder of the embedded service's data, and its moves. */
export type DataFolder = ReturnType<typeof createDataFolder>

/** Reasons by the system's error code. */
const byCode: Readonly<Record<string, 'space' | 'tooLarge' | 'refused' | 'gone'>> = {
  ENOSPC: 'space',
  EDQUOT: 'space',
  EFBIG: 'tooLarge',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
  ENOENT: 'gone',
  EIO: 'gone',
  ENODEV: 'gone',
  ENXIO: 'gone',
}
function whyLeft(error: unknown): ReasonOf<'move'> {
  if (error instanceof CopyDiffers) return reasonOf('move', 'differs', { name: error.message })
  const code = byCode[String((error as NodeJS.ErrnoException).code)]
  return (
    reasonIn('move', error) ?? (code ? reasonOf('move', code) : reasonOf('move', 'other', { system: messageOf(error) }))
  )
}

const tellEvery = 250

/** Manages the folder. Changes nothing by itself but `resume`, which clears an interrupted move. */
export function createDataFolder(ports: DataFolderPorts) {
  const { store, usual, installation, now } = ports
  const folder = (): string => (ports.named ? usual : (store.value().folder ?? usual))
  let planned: { handle: string; path: string } | undefined
  let running: { abort: AbortController; shown: FolderMove; ended: Promise<void> } | undefined
  let moved: FolderMoved | null = null
  let told = 0
  let clearing: Promise<void> = Promise.resolve()

  const show = (change: Partial<FolderMove>): void => {
    if (!running) return
    running.shown = { ...running.shown, ...change }
    if (change.phase === undefined && now() - told < tellEvery) return
    told = now()
    ports.changed()
  }
  const counting = (phase: FolderMove['phase'], total: number): ((bytes: number) => void) => {
    show({ phase, bytes: 0, total })
    return (bytes) => show({ bytes: (running?.shown.bytes ?? 0) + bytes })
  }

  /** Copies, checks and switches; an error before the switch leaves the data where they are. */
  const moveTo = async (to: string, signal: AbortSignal): Promise<void> => {
    const from = folder()
    const content = await readContent(from)
    const names = [
      ...new Set(
        [...content.folders, ...content.files.map(({ name }) => name)].map((name) => name.split(path.sep)[0] ?? ''),
      ),
    ]
    if (content.strange !== undefined)
      throw new ReasonedError('move', reasonOf('move', 'strange', { name: content.strange }))
    if (!content.files.some(({ name }) => name === databaseName))
      throw new ReasonedError('move', reasonOf('move', 'noDatabase'))
    const made = !(await stat(to).catch(() => undefined))
    // Recorded before anything is written, so that an interrupted move can be cleared.
    await store.change({ moving: { to, made } })
    makeFolder(to)
    await removePartial(to, installation, false)
    await writeMark(to, { version: 1, installation, made, names })
    const digests = await copyContent(from, to, content, signal, counting('copying', content.bytes))
    await checkCopies(to, content, digests, signal, counting('checking', content.bytes))
    signal.throwIfAborted()
    show({ phase: 'switching' })
    await store.change({ folder: to === usual ? null : to, moving: null, old: { folder: from, names, at: now() } })
  }

  const clear = async (): Promise<void> => {
    const { moving } = store.value()
    if (!moving) return
    if (path.resolve(moving.to) !== path.resolve(folder())) await removePartial(moving.to, installation, moving.made)
    await store.change({ moving: null })
  }

  const cancel = (): boolean => {
    if (!running || running.shown.phase === 'switching') return false
    running.abort.abort()
    return true
  }

  return {
    path: folder,
    /** Rejects when the data are missing, so that no empty folder replaces them. */
    present: async () => {
      const at = folder()
      // The service makes the usual folder; a moved one must exist.
      if (at === usual) return
      const found = await stat(path.join(at, databaseName)).catch(() => undefined)
      if (!found?.isFile()) throw new ReasonedError('service', reasonOf('service', 'folderGone', { folder: at }))
    },
    state: (): {
      readonly old: { readonly path: string; readonly at: number } | null
      readonly move: FolderMove | null
      readonly moved: FolderMoved | null
    } => {
      const { old } = store.value()
      return { old: old && { path: old.folder, at: old.at }, move: running?.shown ?? null, moved }
    },
    use: (): Promise<FolderUse> => readUse(folder()),
    plan: async (chosen: string): Promise<FolderPlan> => {
      planned = undefined
      const base = { handle: null, need: 0, free: 0, spare: spareBytes, detail: null }
      if (ports.named) return { ...base, path: chosen, fault: 'named' }
      await clearing
      const answer = await lookAtFolder(chosen, { present: folder(), home: ports.home, usual, installation })
      if (answer.fault !== null) return { ...base, ...answer }
      const handle = ports.random(18).toString('base64url')
      planned = { handle, path: answer.path }
      return { ...base, ...answer, handle }
    },
    knows: (handle: string): boolean => planned?.handle === handle && running === undefined,
    /** Resolves when the move ended, successful or not. */
    move: async (handle: string) => {
      if (planned?.handle !== handle || running) return
      const to = planned.path
      planned = undefined
      const abort = new AbortController()
      const ended = Promise.withResolvers<void>()
      running = { abort, shown: { phase: 'stopping', to, bytes: 0, total: 0 }, ended: ended.promise }
      moved = null
      ports.changed()
      try {
        await ports.service.hold()
        await clearing
        // Checked again: the service has written since.
        const { fault } = await lookAtFolder(to, { present: folder(), home: ports.home, usual, installation })
        if (fault !== null) throw new ReasonedError('move', reasonOf('move', fault === 'space' ? 'space' : 'unusable'))
        abort.signal.throwIfAborted()
        await moveTo(to, abort.signal)
        moved = { outcome: 'moved', to, reason: null }
        await removeMark(to).catch(() => undefined)
      } catch (error) {
        const called = abort.signal.aborted
        if (!called) ports.log(`the data folder was not moved to ${to}: ${messageOf(error)}`)
        await clear().catch((left: unknown) => {
          ports.log(`what was copied to ${to} could not be removed: ${messageOf(left)}`)
        })
        moved = called ? { outcome: 'cancelled', to, reason: null } : { outcome: 'failed', to, reason: whyLeft(error) }
      } finally {
        running = undefined
        ports.service.release(folder())
        ports.changed()
        ended.resolve()
      }
    },
    /** False when it is too late. */
    cancel,
    removeOld: async (keep: boolean): Promise<boolean> => {
      const { old } = store.value()
      if (!old || running) return false
      const at = path.resolve(old.folder)
      // Never the folder in use.
      if (!keep && at !== path.resolve(folder())) {
        await removeNames(at, old.names, false)
        const passing = (await readdir(at).catch(() => [])).filter(isPassing)
        await removeNames(at, passing, true)
      }
      await store.change({ old: null })
      ports.changed()
      return true
    },
    /** Goes back to the usual folder while the other one is missing. */
    useUsual: async (): Promise<boolean> => {
      if (running || ports.named || store.value().folder === null) return false
      await store.change({ folder: null, old: null })
      ports.service.release(folder())
      ports.changed()
      return true
    },
    resume: () =>
      (clearing = (async () => {
        const { moving } = store.value()
        await removeMark(folder()).catch(() => undefined)
        if (!moving) return
        moved = { outcome: 'interrupted', to: moving.to, reason: null }
        await clear()
        ports.changed()
      })().catch((error: unknown) => {
        ports.log(`what an interrupted move of the data folder left could not be removed: ${messageOf(error)}`)
      })),
    close: async () => {
      cancel()
      await running?.ended
      await clearing
    },
  }
}
