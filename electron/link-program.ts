import { app } from 'electron'

/**
 * Registers the scheme for an installed program only: from source Electron itself would get the address. On Windows
 * `--` ends its switches.
 */
export function setAsProgramOf(scheme: string, platform: NodeJS.Platform): void {
  if (!app.isPackaged) return
  if (platform === 'win32') app.setAsDefaultProtocolClient(scheme, process.execPath, ['--'])
  else app.setAsDefaultProtocolClient(scheme)
}
