/** Between two ticks of a second; longer is a sleep of the computer. In ms. */
const slept = 5_000

/** Calls when a page that is seen may have slept, or was without a network: its connections may be dead. */
export function onAwake(call: () => void): void {
  const seen = (): void => {
    if (!document.hidden) call()
  }
  document.addEventListener('visibilitychange', seen)
  // After a freeze of the browser.
  document.addEventListener('resume', seen)
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) seen()
  })
  window.addEventListener('online', seen)
  // A closed lid changes nothing that is told.
  let last = Date.now()
  setInterval(() => {
    const now = Date.now()
    if (now - last > slept) seen()
    last = now
  }, 1000)
}
