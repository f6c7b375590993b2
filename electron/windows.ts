import { BrowserWindow, type BrowserWindowConstructorOptions, type WebContents } from 'electron'
import { appOrigin, isOurs } from './origin.ts'

/** Security settings of every window, explicit instead of defaults; a test asserts them on created windows. */
export const guardedPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  spellcheck: false,
} as const

/** Look of the window: own title bar, system frame on Linux, traffic lights on macOS. */
export function look(platform: NodeJS.Platform): BrowserWindowConstructorOptions {
  if (platform === 'darwin') return { titleBarStyle: 'hiddenInset' }
  return platform === 'win32' ? { frame: false } : {}
}

/** Smallest size of the main window, in px. */
export const leastSize = { width: 1120, height: 700 } as const

/** Opens the main window, hidden until its page is drawn, or longer to stay in the tray. The caller calls `loadURL`. */
export function openMainWindow(
  preload: string,
  platform: NodeJS.Platform,
  icon: string,
  stayHidden = false,
): BrowserWindow {
  const window = new BrowserWindow({
    title: 'Sidestage',
    width: 1440,
    height: 900,
    minWidth: leastSize.width,
    minHeight: leastSize.height,
    show: false,
    backgroundColor: '#0A0C10',
    icon,
    autoHideMenuBar: true,
    ...look(platform),
    // The preview must stay at the live edge in the background.
    webPreferences: { ...guardedPreferences, preload, backgroundThrottling: false },
  })
  window.once('ready-to-show', () => {
    if (!stayHidden) window.show()
  })
  return window
}

/** Shows and focuses a window. */
export function focus(window: BrowserWindow): void {
  if (window.isDestroyed()) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Keeps web contents on the app's page: no navigation, redirect, new window or webview. Reload is allowed. */
export function guard(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!event.isMainFrame || !isOurs(event.url) || !isOurs(contents.getURL())) event.preventDefault()
  })
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isOurs(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** URL of the page. */
export const pageAddress = `${appOrigin}/`
