/** From Chromium, Firefox and Safari; the errors have no code. */
const moduleMissing = /dynamically imported module|Importing a module script failed/i
/** In ms. */
const waits = [300, 1000, 3000]
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries after a change of network. Not for styles: Vite counts them as loaded. */
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
