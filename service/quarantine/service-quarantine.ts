import type { Clock } from '../../platform/clock.ts'
import { openQuarantine, type Quarantine } from '../../platform/quarantine.ts'
import type { Log } from '../log.ts'

/** How often it is looked what is beyond its time, in ms. */
const tidyEvery = 24 * 3600 * 1000
/** Paths of one entry that a line of the log names. */
const maxLogged = 20

/** Opens the quarantine of a service's data folder; whatever is set aside is logged. */
export const openServiceQuarantine = (dataDir: string, clock: Pick<Clock, 'now'>, log: Pick<Log, 'warn'>): Quarantine =>
  openQuarantine({
    folder: dataDir,
    now: () => clock.now(),
    told: ({ id, at, reason, detail, paths, count, bytes }) =>
      log.warn({ id, at, reason, detail, paths: paths.slice(0, maxLogged), count, bytes }, 'set aside'),
  })

/** Throws away what is beyond its time, now and once a day; returns its end. */
export function keepTidy(quarantine: Pick<Quarantine, 'tidy'>, log: Pick<Log, 'warn'>): () => void {
  const tidy = (): void => {
    for (const { id, reason, bytes } of quarantine.tidy())
      log.warn({ id, reason, bytes }, 'thrown away after its time in the quarantine')
  }
  tidy()
  const timer = setInterval(tidy, tidyEvery)
  return () => clearInterval(timer)
}
