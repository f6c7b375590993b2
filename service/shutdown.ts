import { inBackground } from './background.ts'
import { hearEveryFault } from '../platform/last-handler.ts'
import type { ProcessLog } from './log.ts'

/** Longest shutdown in ms, beside what running requests may take; the rest is abandoned. */
const closeLimit = 4500

/**
 * Makes the shutdown. A disconnected process channel ends the process too, so that no service outlives its parent.
 * `drain` is what running requests may take, in ms; none by default.
 */
export function createShutdown({ log, flush }: ProcessLog, close: () => Promise<void>, drain = () => 0) {
  let ending: Promise<void> | undefined
  const end = async (why: string): Promise<void> => {
    log.info({ why }, 'closing')
    const limit = closeLimit + drain()
    const late = setTimeout(() => {
      log.error({ limit }, 'closing took too long')
      process.exit(1)
    }, limit)
    await close()
    clearTimeout(late)
    log.info({}, 'closed')
  }
  const once = (why: string): Promise<void> => (ending ??= end(why))
  const leave = (why: string, code = 0): void => {
    const left = once(why).then(
      async () => {
        await flush()
        process.exit(code)
      },
      async (err: unknown) => {
        log.error({ err, why }, 'closing failed')
        await flush()
        process.exit(1)
      },
    )
    inBackground(left, log, 'leaving')
  }
  process.on('SIGTERM', () => leave('SIGTERM'))
  process.on('SIGINT', () => leave('SIGINT'))
  hearEveryFault(process, (what, err) => log.error({ err }, what))
  process.on('disconnect', () => leave('the process channel is gone'))
  return {
    end: once,
    /** Closes and exits: with a code, 0 by default, or 1 when closing failed or took too long. */
    leave,
  }
}
