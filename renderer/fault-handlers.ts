import type { App } from 'vue'

/** A browser says this of a size that it tells of one frame later: nothing is lost. */
const isLateSize = (message: string): boolean => message.startsWith('ResizeObserver loop')

/** Hears what no part of the page caught. The screen stays; the browser puts what was thrown into the console, what Vue hands over as well. */
export function hearPageFaults(app: App, page: Window, heard: () => void): void {
  app.config.errorHandler = (error) => reportError(error)
  page.addEventListener('error', (event) => {
    if (!isLateSize(event.message)) heard()
  })
  page.addEventListener('unhandledrejection', heard)
}
