import type { Answer } from '../../contract/operation.ts'
import type { local } from '../../contract/operations/index.ts'
import type { Quarantine } from '../../platform/quarantine.ts'

/** Recreates the row of a restored file; false if it is not of its kind. */
export type Adopt = (uid: number, path: string) => Promise<boolean>

/** What callers ask of quarantines. */
export interface AskedQuarantine {
  list(uid: number): Listed | Promise<Listed>
  /** Undefined where there is no such entry; so for an application that is not the service's own. */
  restore(uid: number, id: string): Promise<Restored | undefined>
  /** False where there is none. */
  remove(uid: number, id: string): Promise<boolean>
  see(uid: number, ids: readonly string[]): Promise<void>
}
type Listed = NonNullable<Answer<typeof local.quarantine>['ret']>
type Restored = NonNullable<Answer<typeof local.restoreQuarantined>['ret']>

/** Entries in one list. */
export const maxListed = 1000
const maxPaths = 20

/** The quarantine of this service's data folder, for the service's own application only. */
export function ownQuarantine(options: {
  readonly quarantine: Pick<Quarantine, 'list' | 'restore' | 'remove' | 'see'>
  readonly adopters: readonly Adopt[]
  /** Whether an application is the service's own, that of the computer's owner. */
  readonly isMain: (uid: number) => boolean
}): AskedQuarantine {
  const { quarantine, adopters, isMain } = options
  return {
    list(uid) {
      const all = isMain(uid) ? quarantine.list() : []
      const entries = all.slice(0, maxListed).map(({ id, at, reason, detail, paths, count, bytes, seen, until }) => {
        return {
          id,
          at,
          reason,
          detail: detail.slice(0, 300),
          paths: paths.slice(0, maxPaths),
          count,
          bytes,
          seen,
          until,
        }
      })
      return { list: entries, count: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async restore(uid, id) {
      const outcome = isMain(uid) ? await quarantine.restore(id) : undefined
      if (!outcome) return undefined
      for (const path of outcome.restored) for (const adopt of adopters) if (await adopt(uid, path)) break
      return { restored: outcome.restored.length, taken: outcome.taken.slice(0, maxPaths) }
    },
    remove: async (uid, id) => isMain(uid) && (await quarantine.remove(id)),
    async see(uid, ids) {
      if (isMain(uid)) quarantine.see(ids)
    },
  }
}
