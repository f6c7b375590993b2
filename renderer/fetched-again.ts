/** What Chromium, Firefox and Safari say of a module that could not be fetched. There is no other sign of it. */
const moduleMissing = /dynamically imported module|Importing a module script failed/i
/** Waits before it is fetched again, in ms. */
const waits = [300, 1000, 3000]
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Makes a loader that fetches a module again after a change of network. Not for styles: Vite takes them for loaded. */
export const fetchedAgain =
  <T>(load: () => Promise<T>, wait: (ms: number) => Promise<void> = pause): (() => Promise<T>) =>
  async () => {
    for (const ms of waits)
      try {
        return await load()
      } catch (error) {
        if (!(error instanceof Error && moduleMissing.test(error.message))) throw error
        await wait(ms)
      }
    return load()
  }
