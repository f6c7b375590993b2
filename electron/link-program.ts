import { app } from 'electron'

/** Registers the scheme, for an installed program only: from source Electron itself would get the address. */
export function setAsProgramOf(scheme: string, platform: NodeJS.Platform): void {
  if (!app.isPackaged) return
  // `--` ends Electron's own switches.
  if (platform === 'win32') app.setAsDefaultProtocolClient(scheme, process.execPath, ['--'])
  else app.setAsDefaultProtocolClient(scheme)
}
