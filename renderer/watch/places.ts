/**
 * So many tabs of a browser play by low delay at once: over HTTP/1.1 it has 6 connections to a host, of which each such
 * tab keeps one, and none would be left to ask for the state and to play HLS.
 */
export const places = 4

interface Asked {
  readonly end: AbortController
  /** It is known whether one was free. */
  readonly asked: Promise<void>
  has: boolean
}

/** Over a connection that takes many requests at once the tabs keep none from another. */
const sharesOne = (): boolean => {
  const [page] = performance.getEntriesByType('navigation')
  return page instanceof PerformanceNavigationTiming && ['h2', 'h3'].includes(page.nextHopProtocol)
}
/** Undefined where none are needed, or the page is not secure, where the browser has none. */
const locksHere = (): LockManager | undefined => ('locks' in navigator && !sharesOne() ? navigator.locks : undefined)

/** The place of this tab among those of the browser that play by low delay. */
export function createPlace(
  told: {
    /** All are taken; `free` follows once one is not. */
    taken(): void
    free(): void
  },
  locks: LockManager | undefined = locksHere(),
) {
  let own: Asked | undefined
  const begin = (manager: LockManager): Asked => {
    const end = new AbortController()
    const { signal } = end
    const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    const hold = (): Promise<void> | undefined => {
      if (mine.has || signal.aborted) return undefined
      mine.has = true
      return over
    }
    const names = Array.from({ length: places }, (_, at) => `sidestage-low-delay-${at}`)
    const tryNow = (name: string): Promise<void> =>
      new Promise((resolve) => {
        manager
          .request(name, { ifAvailable: true }, (lock) => {
            const held = lock ? hold() : undefined
            resolve()
            return held
          })
          .catch(() => {
            // Where the browser refuses locks to a frame, as those of a page that is not secure.
            mine.has = true
            resolve()
          })
      })
    const wait = (): void => {
      const found = new AbortController()
      for (const name of names)
        manager
          .request(name, { signal: AbortSignal.any([signal, found.signal]) }, () => {
            const held = hold()
            if (held) {
              found.abort()
              told.free()
            }
            return held
          })
          .catch(() => undefined)
    }
    const ask = async (): Promise<void> => {
      for (const name of names) {
        await tryNow(name)
        if (mine.has || signal.aborted) return
      }
      wait()
    }
    const mine: Asked = { end, has: false, asked: Promise.resolve().then(ask) }
    return mine
  }
  return {
    has: (): boolean => own?.has === true,
    /** Whether this tab has one; waits for one otherwise. */
    async take(): Promise<boolean> {
      if (!locks) return true
      const mine = (own ??= begin(locks))
      await mine.asked
      if (mine !== own) return false
      if (!mine.has) told.taken()
      return mine.has
    },
    /** Gives it to another tab, and waits for none. */
    leave(): void {
      own?.end.abort()
      own = undefined
    },
  }
}
