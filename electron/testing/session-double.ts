import { EventEmitter } from 'node:events'
import type { DownloadDouble } from './download-double.ts'
import type { WebContentsDouble } from './electron-double.ts'

/** A session with the guards that were set on it. */
export class SessionDouble extends EventEmitter {
  permission: ((contents: unknown, permission: string, decide: (allowed: boolean) => void) => void) | undefined
  check: (() => boolean) | undefined
  device: (() => boolean) | undefined
  display: ((request: unknown, decide: (streams: object) => void) => void) | undefined
  before: ((details: { url: string }, decide: (answer: { cancel: boolean }) => void) => void) | undefined
  readonly webRequest = {
    onBeforeRequest: (handler: typeof this.before): void => {
      this.before = handler
    },
  }

  /** Plays a download of a page; true when it was let through. */
  downloads(item: DownloadDouble, contents: WebContentsDouble): boolean {
    let isPrevented = false
    this.emit(
      'will-download',
      {
        preventDefault: () => {
          isPrevented = true
        },
      },
      item,
      contents,
    )
    return !isPrevented
  }

  setPermissionRequestHandler(handler: typeof this.permission): void {
    this.permission = handler
  }
  setPermissionCheckHandler(handler: typeof this.check): void {
    this.check = handler
  }
  setDevicePermissionHandler(handler: typeof this.device): void {
    this.device = handler
  }
  setDisplayMediaRequestHandler(handler: typeof this.display): void {
    this.display = handler
  }
}
