import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'

const logged: ReadonlySet<Operation> = new Set<Operation>([
  local.updateAccess,
  local.addNamedLink,
  local.revokeNamedLink,
  local.restoreNamedLink,
  local.removeNamedLink,
  local.updateWatchLimits,
  local.setSchedule,
  local.updateReach,
  local.addTarget,
  local.updateTarget,
  local.removeTarget,
  local.startTarget,
  local.stopTarget,
  local.updateSettings,
])

/**
 * What the log says of a call that changed who may watch, how far the service is reached, or where a push goes;
 * undefined for other operations. Only names of what was given: values may be secret.
 */
export function changeOf(operation: Operation, given: Readonly<Record<string, unknown>>): object | undefined {
  if (!logged.has(operation)) return undefined
  const { cid, linkId, targetId, ...rest } = given
  const names = Object.keys(rest).filter((name) => rest[name] !== undefined)
  return { cid, linkId, targetId, given: names }
}
