import type { Session } from 'electron'
import { guardDownloads } from './downloads.ts'
import { isOurs } from './origin.ts'

/** URLs that the page may load: its own, and blobs of its players. */
const isAllowed = (address: string): boolean =>
  isOurs(address) ||
  address.startsWith('blob:app://sidestage/') ||
  address.startsWith('data:image/') ||
  address.startsWith('devtools://')

/**
 * Denies a session what the page does not need: all permissions (the main process writes the clipboard), devices,
 * screen capture, downloads other than recorded files, and requests outside the app's scheme.
 */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, decide) => decide({}))
  guardDownloads(session)
  session.webRequest.onBeforeRequest((details, decide) => decide({ cancel: !isAllowed(details.url) }))
}
