import { inBackground } from '../companion/background.ts'
import type { Clock } from '../platform/clock.ts'
import { isDiskFull } from '../platform/full-disk.ts'
import { reasonOf as messageOf } from '../companion/failure.ts'
import { createListeners } from '../companion/listeners.ts'
import { reasonIn, reasonOf, type ReasonOf } from '../contract/catalogue/reasons.ts'
import type { Update } from '../contract/rpc/index.ts'

/** Finds, downloads and installs verified updates. */
export interface Updater {
  check(): Promise<string | undefined>
  /** Downloads what the last check found; `progress` in percent. */
  download(progress: (percent: number) => void): Promise<void>
  install(): void
}

interface UpdatePorts {
  /** Why this build never updates itself; undefined when it does. */
  readonly never: 'development' | 'unsigned' | 'feed' | undefined
  readonly load: () => Promise<Updater>
  readonly version: string
  /** Whether something is on air, being recorded or merged. */
  readonly busy: () => boolean
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** Updates of the app, as the page sees and requests them. */
export type Updates = ReturnType<typeof createUpdates>

/** Delay of the first check after start, and time between checks, in ms. */
export const lookAfter = { start: 60_000, then: 6 * 3_600_000 } as const
/** How often a download that waits for the end of a broadcast checks again, in ms. */
export const busyAgain = 60_000

/** Whether a version is newer, by its three numbers; a version with a suffix never is. */
export function isNewer(offered: string, running: string): boolean {
  const [ours, theirs] = [running, offered].map((version) =>
    /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version)?.slice(1).map(Number),
  )
  if (!ours || !theirs) return false
  for (const [index, part] of theirs.entries()) if (part !== ours[index]) return part > (ours[index] ?? 0)
  return false
}

/** By electron-updater's error codes. */
const byCode: Readonly<Record<string, 'signature' | 'digest'>> = {
  ERR_UPDATER_INVALID_SIGNATURE: 'signature',
  ERR_CHECKSUM_MISMATCH: 'digest',
}

function whyFailed(error: unknown): ReasonOf<'update'> {
  if (isDiskFull(error)) return reasonOf('update', 'full')
  const code = byCode[String((error as { code?: unknown }).code)] ?? 'failed'
  return reasonIn('update', error) ?? reasonOf('update', code, { system: messageOf(error) })
}

/** Checks for updates, downloads one while nothing is on air or recorded, installs on request. Never downgrades. */
export function createUpdates({ never, load, version: running, busy, clock, log }: UpdatePorts) {
  const { on, tell } = createListeners<[Update]>()
  let update: Update = {
    phase: never ? 'never' : 'idle',
    version: null,
    percent: null,
    reason: never ? reasonOf('update', never) : null,
    checked: null,
  }
  let updater: Updater | undefined
  let checking: Promise<void> | undefined
  let cancel: () => void = () => undefined

  const change = (next: Partial<Update>): void => {
    update = { ...update, ...next }
    tell(update)
  }
  const look = async (): Promise<void> => {
    change({ phase: 'checking', reason: null })
    updater ??= await load()
    const offered = await updater.check()
    change({ checked: clock.now() })
    if (offered === undefined || !isNewer(offered, running)) {
      if (offered !== undefined && offered !== running)
        log(`version ${offered} was offered and is not newer than ${running}: it is not fetched`)
      return change({ phase: 'idle', version: null, percent: null })
    }
    // A download takes bandwidth from the stream.
    if (busy()) return change({ phase: 'waiting', version: offered })
    change({ phase: 'fetching', version: offered, percent: 0 })
    await updater.download((percent) => {
      if (update.phase === 'fetching') change({ percent: Math.floor(percent) })
    })
    change({ phase: 'ready', percent: 100 })
  }
  const check = (): Promise<void> =>
    (checking ??= (async () => {
      if (never || update.phase === 'ready') return
      cancel()
      await look().catch((error: unknown) => {
        log(`the update failed: ${messageOf(error)}`)
        change({ phase: 'failed', percent: null, reason: whyFailed(error) })
      })
      plan(update.phase === 'waiting' ? busyAgain : lookAfter.then)
    })().finally(() => {
      checking = undefined
    }))
  const plan = (after: number): void => {
    cancel = clock.after(after, () => inBackground(check(), log, 'looking for a newer version'))
  }
  if (!never) plan(lookAfter.start)

  return {
    state: (): Update => update,
    on,
    /** Checks now, and downloads an update unless the app is busy. */
    check,
    /** Installs the downloaded update. Returns false and does nothing while the app is busy or nothing is ready. */
    install: (): boolean => {
      if (update.phase !== 'ready' || busy()) return false
      updater?.install()
      return true
    },
    close: () => cancel(),
  }
}
