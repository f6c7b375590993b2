import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Updater } from './updates.ts'

/** Why this build never updates itself, as its package.json tells; undefined when it does. */
export function neverUpdates(isPackaged: boolean, root: string): 'development' | 'unsigned' | 'feed' | undefined {
  if (!isPackaged) return 'development'
  const { sidestage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { sidestage?: { signed?: unknown; updates?: unknown } }
  if (sidestage?.signed !== true) return 'unsigned'
  return sidestage.updates === true ? undefined : 'feed'
}

/** electron-updater with its choices stated: nothing by itself, no older version, no installer without a signature. It checks digest and publisher. */
export async function loadUpdater(log: (line: string) => void): Promise<Updater> {
  const { autoUpdater, CancellationToken } = (await import('electron-updater')).default
  autoUpdater.autoDownload = false
  autoUpdater.autoInstallOnAppQuit = false
  autoUpdater.allowPrerelease = false
  autoUpdater.allowDowngrade = false
  autoUpdater.disableWebInstaller = true
  autoUpdater.logger = { info: () => undefined, warn: log, error: log }
  // An error also rejects the call that it belongs to; without a listener it would end the process.
  autoUpdater.on('error', () => undefined)
  return {
    check: async () => {
      const found = await autoUpdater.checkForUpdates()
      return found?.isUpdateAvailable === true ? found.updateInfo.version : undefined
    },
    download: async (progress) => {
      const told = ({ percent }: { readonly percent: number }): void => {
        progress(percent)
      }
      autoUpdater.on('download-progress', told)
      try {
        await autoUpdater.downloadUpdate(new CancellationToken())
      } finally {
        autoUpdater.off('download-progress', told)
      }
    },
    install: () => {
      autoUpdater.quitAndInstall(false, true)
    },
  }
}
