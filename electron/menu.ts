import { Menu } from 'electron'

/** Sets the menu: only macOS needs one, for its editing keys; no reload or developer tools. */
export function setMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  )
}
