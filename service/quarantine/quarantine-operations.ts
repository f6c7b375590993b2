import { local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { ownQuarantine } from './own-quarantine.ts'
import { quarantineOfNodes } from './quarantine-of-nodes.ts'

/** Handlers of the extension operations on the quarantine, for the service's own application only. */
export function quarantineOperations(
  options: Parameters<typeof ownQuarantine>[0] &
    Omit<Parameters<typeof quarantineOfNodes>[0], 'otherNodes'> & {
      /** In a cluster. */
      readonly otherNodes?: (() => readonly string[]) | undefined
    },
): Served[] {
  const { otherNodes } = options
  const own = ownQuarantine(options)
  const asked = otherNodes ? quarantineOfNodes({ ...options, otherNodes }, own) : own
  const absent = (): never => {
    throw new Refused(618, 'there is no such entry')
  }
  return [
    serve(local.quarantine, async (_parameters, { application: { uid } }) => ({ ret: await asked.list(uid) })),
    serve(local.restoreQuarantined, async ({ id }, { application: { uid } }) => {
      return { ret: (await asked.restore(uid, id)) ?? absent() }
    }),
    serve(local.removeQuarantined, async ({ id }, { application: { uid } }) => {
      if (!(await asked.remove(uid, id))) absent()
      return {}
    }),
    serve(local.seeQuarantined, async ({ idList }, { application: { uid } }) => {
      await asked.see(uid, idList)
      return {}
    }),
  ]
}
