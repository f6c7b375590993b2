import { local } from '../../contract/operations/index.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'

/** Recreates the row of a restored file; false if it is not of its kind. */
export type Adopt = (uid: number, path: string) => Promise<boolean>

const maxList = 1000
const maxPaths = 20

/** Handlers of the extension operations on the quarantine, for the service's own application only. */
export function quarantineOperations(options: {
  readonly quarantine: Quarantine
  readonly adopters: readonly Adopt[]
  /** Whether an application is the service's own, that of the computer's owner. */
  readonly isMain: (uid: number) => boolean
}): Served[] {
  const { quarantine, adopters, isMain } = options
  const absent = (): never => {
    throw new Refused(618, 'there is no such entry')
  }
  return [
    serve(local.quarantine, (_parameters, { application: { uid } }) => {
      const all = isMain(uid) ? quarantine.list() : []
      const entries = all.slice(0, maxList).map(({ id, at, reason, detail, paths, count, bytes, seen, until }) => {
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
      return { ret: { list: entries, count: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) } }
    }),
    serve(local.restoreQuarantined, async ({ id }, { application: { uid } }) => {
      const outcome = isMain(uid) ? await quarantine.restore(id) : undefined
      if (!outcome) return absent()
      for (const path of outcome.restored) for (const adopt of adopters) if (await adopt(uid, path)) break
      return { ret: { restored: outcome.restored.length, taken: outcome.taken.slice(0, maxPaths) } }
    }),
    serve(local.removeQuarantined, async ({ id }, { application: { uid } }) => {
      if (!isMain(uid) || !(await quarantine.remove(id))) absent()
      return {}
    }),
    serve(local.seeQuarantined, ({ idList }, { application: { uid } }) => {
      if (isMain(uid)) quarantine.see(idList)
      return {}
    }),
  ]
}
