import { app } from 'electron'

/**
 * Has the system start this program with addresses of a scheme, in the name of an installed program only: from source it would start Electron
 * itself with an address that somebody else wrote. On Windows whatever stands in an address comes behind the end of all switches.
 */
export function setAsProgramOf(scheme: string, platform: NodeJS.Platform): void {
  if (!app.isPackaged) return
  if (platform === 'win32') app.setAsDefaultProtocolClient(scheme, process.execPath, ['--'])
  else app.setAsDefaultProtocolClient(scheme)
}
