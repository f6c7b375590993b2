import { randomBytes } from 'node:crypto'
import type { ServiceChoices } from '../contract/service-process.ts'
import { systemClock } from '../platform/clock.ts'
import { createCompanion } from '../companion/root.ts'
import type { DownloadControl } from '../companion/hub/shell-controls.ts'
import type { NamedChoices } from '../companion/instance/launch-options.ts'
import { openInBrowser } from '../companion/opener.ts'
import { openAssets } from '../companion/page/assets.ts'
import { systemResolve } from '../companion/relay/target.ts'
import { loadKeytar, openVault } from '../companion/secrets/keychain-vault.ts'
import type { Vault } from '../companion/secrets/vault.ts'
import type { LaunchService } from '../companion/supervisor/launcher.ts'
import { createBrowserShell } from './shell.ts'

/** A running browser shell with its companion and service. */
export type BrowserMain = Readonly<Awaited<ReturnType<typeof startBrowserMain>>>

/** Time that a start waits for the service, in ms. */
const servicePatience = 15_000

/** Starts companion and browser shell; closes what was started when a part fails. */
export async function startBrowserMain(options: {
  readonly dataDir: string
  readonly choices: ServiceChoices
  readonly named?: NamedChoices
  readonly launch: LaunchService
  /** Folder of the built page. */
  readonly pageDir: string
  readonly port: number
  readonly version: string
  readonly shellReason: () => string | null
  /** Called when the page can be opened, before the service is ready. */
  readonly onPage?: (address: string) => void
  readonly download?: DownloadControl
  readonly log: (line: string) => void
  /** Default: the system's keychain. */
  readonly vault?: Vault
}) {
  const { log } = options
  const vault =
    options.vault ??
    (await openVault({
      clock: systemClock,
      load: loadKeytar,
      platform: process.platform,
      environment: process.env,
      random: randomBytes,
    }))
  if (vault.mode.kind === 'session')
    log(`secrets are kept for this session only: ${vault.mode.reason} (${vault.mode.detail})`)
  const companion = await createCompanion({
    dataDir: options.dataDir,
    choices: options.choices,
    ...(options.named ? { named: options.named } : {}),
    launch: options.launch,
    vault,
    clock: systemClock,
    random: randomBytes,
    resolve: systemResolve,
    openLink: openInBrowser,
    pageDir: options.pageDir,
    log,
    about: {
      version: options.version,
      shell: 'browser',
      platform: process.platform,
      capabilities: options.download ? ['desktopDownload', 'openLog'] : ['openLog'],
      shellReason: options.shellReason,
    },
    ...(options.download ? { download: options.download } : {}),
  })
  try {
    const assets = await openAssets(options.pageDir)
    const shell = await createBrowserShell({
      assets,
      rpc: companion.rpc,
      relay: companion.relay,
      joined: companion.joined,
      bounds: companion.bounds.page,
      clock: systemClock,
      random: randomBytes,
      port: options.port,
    })
    options.onPage?.(shell.address())
    const service = await companion.serviceReady(servicePatience)
    return {
      service,
      address: (): string => shell.address(),
      close: async () => {
        options.download?.cancel()
        await Promise.all([shell.close(), companion.close()])
      },
    }
  } catch (error) {
    await companion.close()
    throw error
  }
}
