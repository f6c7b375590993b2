/** Concurrent uploads of an application, and waiting ones (docs/decisions/004-files.md). */
const atOnce = 2
const maxWaiting = 8

/** Makes the places for uploads of every application. */
export function createUploadSlots() {
  const used = new Map<number, { running: number; readonly waiting: Set<() => void> }>()
  return {
    /** Resolves with the release; undefined when too many wait. Rejects when `signal` aborts. */
    async take(uid: number, signal: AbortSignal): Promise<(() => void) | undefined> {
      let place = used.get(uid)
      if (!place) used.set(uid, (place = { running: 0, waiting: new Set() }))
      const { waiting } = place
      const mine = place
      if (mine.running < atOnce) mine.running++
      else if (waiting.size >= maxWaiting) return undefined
      else
        await new Promise<void>((resolve, reject) => {
          const go = (): void => {
            waiting.delete(go)
            signal.removeEventListener('abort', leave)
            resolve()
          }
          const leave = (): void => {
            waiting.delete(go)
            reject(new Error('the caller is gone'))
          }
          if (signal.aborted) return leave()
          waiting.add(go)
          signal.addEventListener('abort', leave, { once: true })
        })
      let given = false
      return () => {
        if (given) return
        given = true
        // The place passes directly to the next.
        const [next] = waiting
        if (next) next()
        else if (--mine.running === 0) used.delete(uid)
      }
    },
  }
}
