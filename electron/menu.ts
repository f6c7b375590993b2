import { Menu } from 'electron'

/** Sets the menu of the app: only macOS needs one, for its editing keys; it has no item that reloads or opens developer tools. */
export function setMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  )
}
