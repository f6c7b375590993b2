import type { App } from 'vue'
import type { Router } from 'vue-router'
import type { PageFault } from './features/frame/faults.ts'

/** A browser says this of a size that it tells of one frame later: nothing is lost. */
const isLateSize = (message: string): boolean => message.startsWith('ResizeObserver loop')
/** What Chromium, Firefox and Safari say of a module that could not be fetched, and Vite of its styles. There is no other sign of it. */
const notFetched = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i
const kindOf = (thrown: unknown): PageFault =>
  thrown instanceof Error && notFetched.test(thrown.message) ? 'notLoaded' : 'thrown'

/** Hears what no part of the page caught. The screen stays; the browser puts what was thrown into the console, what Vue hands over as well. */
export function hearPageFaults(app: App, page: Window, heard: (fault: PageFault) => void): void {
  app.config.errorHandler = (error) => reportError(error)
  page.addEventListener('error', (event) => {
    if (!isLateSize(event.message)) heard(kindOf(event.error))
  })
  page.addEventListener('unhandledrejection', (event) => heard(kindOf(event.reason)))
}

/** Hears of screens that could not be opened, with where they would have been: the router itself leaves the old screen without a word. */
export function hearRouteFaults(router: Pick<Router, 'onError'>, missed: (path: string) => void): void {
  router.onError((error: unknown, to) => {
    missed(to.fullPath)
    reportError(error)
  })
}
