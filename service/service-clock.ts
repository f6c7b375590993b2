import { systemClock, type Clock } from '../platform/clock.ts'
import type { Log } from './log.ts'

/** How often the time is asked for, in ms. */
const askEvery = 5000
/** Times of day are held for so long rather than go back, in ms: what is corrected is less. */
const heldFor = 1000
/** From which difference on the computer's clock is said to be wrong, in ms. */
const wrongFrom = 5000

/** The clock of a service. */
export interface ServiceClock extends Clock {
  /**
   * Goes by the time that `read` answers, in ms since 1970, from now on; resolves to what ends the questions for it.
   * Undefined for a service that is alone, which goes by the clock of its computer.
   */
  readonly follow?: (read: () => Promise<number>, log: Pick<Log, 'info' | 'warn'>) => Promise<() => Promise<void>>
}

/**
 * A clock that can follow a database, as ends of mutes, times of lines and what was last seen are written by one
 * service and compared by others. Between two answers, and while there are none, it goes on with the monotonic clock:
 * the computer's own time has no part in it.
 */
export function followingClock(own: Clock): ServiceClock & Required<Pick<ServiceClock, 'follow'>> {
  /** What the time is more than the monotonic clock; undefined until it is known. */
  let ahead: number | undefined
  let last = 0
  const now = (): number => {
    if (ahead === undefined) return own.now()
    const time = Math.floor(own.monotonic() + ahead)
    if (time > last || last - time > heldFor) last = time
    return last
  }
  return {
    now,
    monotonic: () => own.monotonic(),
    after: (ms, call) => own.after(ms, call),
    async follow(read, log) {
      let wasWrong = false
      const ask = async (): Promise<void> => {
        const asked = own.monotonic()
        const time = await read()
        // It was read in between: what is known is changed only by as much as it must be wrong.
        const [least, most] = [time - own.monotonic(), time + 1 - asked]
        ahead = Math.min(Math.max(ahead ?? (least + most) / 2, least), most)
        const difference = own.now() - now()
        const isWrong = Math.abs(difference) >= wrongFrom
        const seconds = Math.round(difference / 1000)
        if (isWrong && !wasWrong)
          log.warn({ seconds }, 'the clock of this computer differs from that of the database, which is gone by')
        else if (wasWrong && !isWrong) log.info({}, 'the clock of this computer is that of the database again')
        wasWrong = isWrong
      }
      await ask()
      let isClosed = false
      let cancel = (): void => {}
      let asking: Promise<void> = Promise.resolve()
      const askLater = (): void => {
        cancel = own.after(askEvery, () => {
          // While the database is away time goes on; those who need it say so.
          asking = ask()
            .catch(() => undefined)
            .then(() => {
              if (!isClosed) askLater()
            })
        })
      }
      askLater()
      return async () => {
        isClosed = true
        cancel()
        await asking
      }
    },
  }
}

/** The clock that a service is given, or the system's; one of several services can follow their database. */
export function serviceClock(options: { readonly clock?: Clock; readonly cluster?: object | undefined }): ServiceClock {
  const own = options.clock ?? systemClock
  return options.cluster ? followingClock(own) : own
}
