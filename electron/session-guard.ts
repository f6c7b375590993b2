import type { Session } from 'electron'
import { guardDownloads } from './downloads.ts'
import { isOurs } from './origin.ts'

/** Addresses that the page may load: its own, and what its players make in memory. */
const isAllowed = (address: string): boolean =>
  isOurs(address) ||
  address.startsWith('blob:app://sidestage/') ||
  address.startsWith('data:image/') ||
  address.startsWith('devtools://')

/**
 * Denies a session everything that the page does not need: every permission (the clipboard is written by the main process), devices,
 * screen capture, downloads but those of recorded files, and every request that leaves the app's own scheme.
 */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => {
    decide(false)
  })
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, decide) => {
    decide({})
  })
  guardDownloads(session)
  session.webRequest.onBeforeRequest((details, decide) => {
    decide({ cancel: !isAllowed(details.url) })
  })
}
