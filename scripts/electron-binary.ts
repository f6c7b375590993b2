import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Path of Electron inside its own folder. */
const inside = (platform: NodeJS.Platform): string =>
  platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : platform === 'win32' ? 'electron.exe' : 'electron'

/** The Electron binary, or undefined when it was not fetched. Never loads the package: that would try to fetch it. */
export function findElectron(
  root: string,
  environment: { readonly [name: string]: string | undefined },
  platform: NodeJS.Platform,
): string | undefined {
  const own = environment['ELECTRON_OVERRIDE_DIST_PATH']
  if (own) {
    const found = path.join(own, inside(platform))
    return existsSync(found) ? found : undefined
  }
  const folder = path.join(root, 'node_modules', 'electron')
  try {
    const found = path.join(folder, 'dist', readFileSync(path.join(folder, 'path.txt'), 'utf8').trim())
    return existsSync(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** What decides between the two shells. */
export interface ShellFacts {
  readonly wanted: 'browser' | 'electron' | undefined
  readonly binary: string | undefined
  readonly platform: NodeJS.Platform
  readonly environment: { readonly [name: string]: string | undefined }
  /** User id where the system has one. */
  readonly uid: number | undefined
}

/** Whether a window could be shown at all. */
export const hasDisplay = (facts: Pick<ShellFacts, 'platform' | 'environment'>): boolean =>
  facts.platform === 'win32' ||
  facts.platform === 'darwin' ||
  Boolean(facts.environment['DISPLAY'] ?? facts.environment['WAYLAND_DISPLAY'])

/** Chooses the shell; `reason` says why it is not the window, and is null where the browser was asked for. */
export function chooseShell(facts: ShellFacts): {
  shell: 'electron' | 'browser'
  reason: string | null
  fetch: boolean
} {
  if (facts.wanted === 'browser') return { shell: 'browser', reason: null, fetch: false }
  if (!hasDisplay(facts)) return { shell: 'browser', reason: 'there is no display for a window', fetch: false }
  const noSandbox = 'a window is not opened as root, because it would have to run without its sandbox'
  if (facts.uid === 0) return { shell: 'browser', reason: noSandbox, fetch: false }
  if (facts.binary === undefined)
    return { shell: 'browser', reason: 'the binary of the desktop window is not here yet', fetch: true }
  return { shell: 'electron', reason: null, fetch: false }
}
