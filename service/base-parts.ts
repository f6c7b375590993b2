import type { UndoStack } from '../platform/undo-stack.ts'
import { createApplications } from './applications.ts'
import { openDataFolder } from './data-folder.ts'
import { openEngines } from './open-engines.ts'
import type { TimeBudget } from './http/time-budget.ts'
import type { Log } from './log.ts'
import type { ServiceCounts } from './metrics/service-counts.ts'
import { isLoopback } from './public-addresses.ts'
import type { ServiceOptions } from './service.ts'
import type { ServiceClock } from './service-clock.ts'

/** What all other parts of a service are made of: its data folder, rows, engines and applications. */
export async function createBaseParts(
  options: ServiceOptions,
  made: {
    readonly counts: ServiceCounts
    readonly budget: TimeBudget
    readonly clock: ServiceClock
    readonly random: (bytes: number) => Buffer
    readonly log: Log
    readonly timeZone: string
    readonly undo: UndoStack
  },
) {
  const { api, media, rtmp, dataDir, credentials } = options
  const { counts, budget, clock, random, log, timeZone, undo } = made
  const folder = await openDataFolder({ ...options, callers: budget, counts: counts.databaseCounts, clock, log })
  undo.push(() => folder.close())
  const { store, quarantine } = folder
  const shared = { store, counts: counts.databaseCounts, clock, random, log, undo }
  const engines = await openEngines({ ...options, ...shared })
  const rows = { store, db: store.db, reads: store.reads, ...engines }
  const localTargets = [api, media, rtmp].every(({ host }) => isLoopback(host))
  const names = [{ name: 'main', credentials }, ...(options.applications ?? [])]
  const applications = await createApplications(store.db, names, { ...rows, clock, random, localTargets })
  const tenants = names.map((each) => applications.byKey(each.credentials.appKey)!)
  const uids = tenants.map(({ uid }) => uid)
  const base = { ...rows, ...counts, clock, random, log, dataDir, timeZone, budget, quarantine, applications, uids }
  return { base, engines, tenants }
}
