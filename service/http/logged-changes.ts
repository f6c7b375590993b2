import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'

/** They change the members that they are given; without any, nothing. */
const updates: ReadonlySet<Operation> = new Set<Operation>([
  local.updateAccess,
  local.updateWatchLimits,
  local.updateReach,
  local.updateTarget,
  local.updateSettings,
])
const others: ReadonlySet<Operation> = new Set<Operation>([
  local.addNamedLink,
  local.revokeNamedLink,
  local.restoreNamedLink,
  local.removeNamedLink,
  local.setSchedule,
  local.setNextTitle,
  local.addTarget,
  local.removeTarget,
  local.startTarget,
  local.stopTarget,
])

/**
 * What the log says of a call that changed who may watch, how far the service is reached, or where a push goes;
 * undefined for other operations. Only names of what was given: values may be secret.
 */
export function changeOf(operation: Operation, given: Readonly<Record<string, unknown>>): object | undefined {
  if (!updates.has(operation) && !others.has(operation)) return undefined
  const { cid, linkId, targetId, ...rest } = given
  const names = Object.keys(rest).filter((name) => rest[name] !== undefined)
  if (updates.has(operation) && names.length === 0) return undefined
  return { cid, linkId, targetId, given: names }
}
