import type { App } from 'vue'
import type { Router } from 'vue-router'
import type { PageFault } from './features/frame/faults.ts'

/** Browsers report sizes that are delivered one frame later; nothing is lost. */
const isLateSize = (message: string): boolean => message.startsWith('ResizeObserver loop')
/** From Chromium, Firefox, Safari and Vite; the errors have no code. */
const notFetched = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i
const kindOf = (thrown: unknown): PageFault =>
  thrown instanceof Error && notFetched.test(thrown.message) ? 'notLoaded' : 'thrown'

/** Reports uncaught errors, which also go to the console. */
export function hearPageFaults(app: App, page: Window, heard: (fault: PageFault) => void): void {
  app.config.errorHandler = (error) => reportError(error)
  page.addEventListener('error', (event) => {
    if (!isLateSize(event.message)) heard(kindOf(event.error))
  })
  page.addEventListener('unhandledrejection', (event) => heard(kindOf(event.reason)))
}

/** Reports screens that failed to load; the router alone keeps the old screen silently. */
export function hearRouteFaults(router: Pick<Router, 'onError'>, missed: (path: string) => void): void {
  router.onError((error: unknown, to) => {
    missed(to.fullPath)
    reportError(error)
  })
}
