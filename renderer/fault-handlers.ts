import type { App } from 'vue'
import type { Router } from 'vue-router'
import type { PageFault } from './features/frame/faults.ts'

/** What browsers say of a size that is told one frame later: nothing is lost. */
const isLateSize = (message: string): boolean => message.startsWith('ResizeObserver loop')
/** What Chromium, Firefox, Safari and Vite say of a module or style that could not be fetched; there is no other sign of it. */
const notFetched = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i
const kindOf = (thrown: unknown): PageFault =>
  thrown instanceof Error && notFetched.test(thrown.message) ? 'notLoaded' : 'thrown'

/** Tells of what no part of the page caught. The screen stays, and the console has the error. */
export function hearPageFaults(app: App, page: Window, heard: (fault: PageFault) => void): void {
  app.config.errorHandler = (error) => reportError(error)
  page.addEventListener('error', (event) => {
    if (!isLateSize(event.message)) heard(kindOf(event.error))
  })
  page.addEventListener('unhandledrejection', (event) => heard(kindOf(event.reason)))
}

/** Tells of screens that could not be opened, with their address: the router alone leaves the old screen without a word. */
export function hearRouteFaults(router: Pick<Router, 'onError'>, missed: (path: string) => void): void {
  router.onError((error: unknown, to) => {
    missed(to.fullPath)
    reportError(error)
  })
}
