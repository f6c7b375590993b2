import { onTestFinished } from 'vitest'

/**
 * Where the page goes from now on, as `/path` or `reload`, until the end of the test. It stays where it is: leaving would end the test.
 */
export function departures(): readonly string[] {
  const seen: string[] = []
  const stay = (event: NavigateEvent): void => {
    if (event.destination.sameDocument) return
    event.preventDefault()
    const { pathname, search, hash } = new URL(event.destination.url)
    seen.push(event.navigationType === 'reload' ? 'reload' : `${pathname}${search}${hash}`)
  }
  window.navigation.addEventListener('navigate', stay)
  onTestFinished(() => window.navigation.removeEventListener('navigate', stay))
  return seen
}
