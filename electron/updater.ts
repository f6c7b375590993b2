import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { AppUpdater, CancellationToken, NsisUpdater } from 'electron-updater'
import { ReasonedError, reasonOf } from '../contract/catalogue/reasons.ts'
import { signatureFault } from './authenticode.ts'
import type { Updater } from './updates.ts'

/** Where and how updates are looked for. */
interface FeedChoice {
  /** File that names the feed and, on Windows, the publisher; written by the build. */
  readonly feed: string
  /** Try the feed also when run from source. */
  readonly isTried: boolean
  readonly platform: NodeJS.Platform
  readonly log: (line: string) => void
}

/** Why this build never updates itself, from its package.json; undefined when it does. */
export function neverUpdates(
  isPackaged: boolean,
  root: string,
  triedFeed?: string,
): 'development' | 'unsigned' | 'feed' | undefined {
  if (!isPackaged) return triedFeed === undefined ? 'development' : undefined
  const { sidestage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    sidestage?: { signed?: unknown; updates?: unknown }
  }
  if (sidestage?.signed !== true) return 'unsigned'
  return sidestage.updates === true ? undefined : 'feed'
}

const checksPublisher = (updater: AppUpdater | NsisUpdater): updater is NsisUpdater =>
  'verifyUpdateCodeSignature' in updater

/**
 * Configures electron-updater: nothing automatic, no downgrade, no unsigned installer. It checks digest and publisher;
 * on Windows it would accept a file whose signature cannot be read or that has no publisher: both are refused here.
 */
export async function overElectronUpdater(
  updater: AppUpdater | NsisUpdater,
  newToken: () => CancellationToken,
  { feed, isTried, platform, log }: FeedChoice,
  fault: typeof signatureFault = signatureFault,
): Promise<Updater> {
  if (platform === 'win32' && !/^publisherName:/m.test(await readFile(feed, 'utf8')))
    throw new ReasonedError('update', reasonOf('update', 'publisher'))
  if (checksPublisher(updater)) {
    const ofPublisher = updater.verifyUpdateCodeSignature
    updater.verifyUpdateCodeSignature = async (names, file) => (await fault(file)) ?? ofPublisher(names, file)
  }
  if (isTried) {
    updater.updateConfigPath = feed
    updater.forceDevUpdateConfig = true
  }
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.allowPrerelease = false
  updater.allowDowngrade = false
  updater.disableWebInstaller = true
  updater.logger = { info: () => undefined, warn: log, error: log }
  // Errors also reject the call; without a listener they would end the process.
  updater.on('error', () => undefined)
  return {
    check: async () => {
      const found = await updater.checkForUpdates()
      return found?.isUpdateAvailable === true ? found.updateInfo.version : undefined
    },
    download: async (progress) => {
      const told = ({ percent }: { readonly percent: number }): void => progress(percent)
      updater.on('download-progress', told)
      try {
        await updater.downloadUpdate(newToken())
      } finally {
        updater.off('download-progress', told)
      }
    },
    install: () => updater.quitAndInstall(false, true),
  }
}

/** Loads electron-updater, which needs Electron itself. */
export async function loadUpdater(choice: FeedChoice): Promise<Updater> {
  const { autoUpdater, CancellationToken: Token } = (await import('electron-updater')).default
  return overElectronUpdater(autoUpdater, () => new Token(), choice)
}
