import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { _electron, type ElectronApplication, expect, type Page } from 'playwright/test'
import { chooseShell, findElectron, hasDisplay } from '../../scripts/electron-binary.ts'
import { takesInspector } from '../../scripts/packaging/fuses.ts'
import { type ClipboardReader, pastedClipboard } from '../clipboard.ts'
import { startOverCdp } from './over-cdp.ts'
import { descendants } from './process-table.ts'

const root = path.join(import.meta.dirname, '..', '..')
/** The program of a build to be tried in place of the source, from SIDESTAGE_PACKAGED_APP. */
export const packaged = process.env['SIDESTAGE_PACKAGED_APP']
const binary = packaged === undefined ? findElectron(root, process.env, process.platform) : path.resolve(packaged)

function whyNot(): string | null {
  if (packaged !== undefined && !existsSync(packaged)) return 'there is no program at SIDESTAGE_PACKAGED_APP'
  const facts = {
    wanted: undefined,
    binary,
    platform: process.platform,
    environment: process.env,
    uid: process.getuid?.(),
  }
  const { shell, reason } = chooseShell(facts)
  if (shell === 'electron') return null
  return reason ?? (hasDisplay(facts) ? 'no window can be opened here' : 'there is no display')
}
/** Why the desktop cannot be tried here; null where it can. */
export const absence = whyNot()

/** The desktop app as it runs, by its window. */
export interface DesktopApp {
  readonly page: Page
  /** The main process; null in a build whose fuses let nobody look into it. */
  readonly main: ElectronApplication | null
  readonly clipboard: ClipboardReader
  /** Opens an address as another program does: the system starts the app once more with it. */
  open(address: string): Promise<void>
  /** Process ids of the service. */
  services(): number[]
  /** Ends the app in order; its profile stays. */
  close(): Promise<void>
}

/** A fresh profile with what was started on it. */
export interface DesktopDesk {
  readonly dataDir: string
  /** Starts the app on the profile; `address` is handed over as the system would, `environment` is added to that of the test. */
  start(more?: { readonly address?: string; readonly environment?: NodeJS.ProcessEnv }): Promise<DesktopApp>
  /** Ends what runs and removes the profile. */
  clear(): Promise<void>
}

const mainClipboard = (main: ElectronApplication): ClipboardReader => ({
  clear: () =>
    main.evaluate(({ clipboard }) => {
      clipboard.clear()
    }),
  read: () => main.evaluate(({ clipboard }) => clipboard.readText()),
})
const defined = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** Makes a fresh profile. */
export function desktopDesk(): DesktopDesk {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sidestage-desktop-'))
  const source = packaged === undefined ? [root] : []
  const switches = [...source, '--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const running = new Set<DesktopApp>()

  const launch = async (args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Omit<DesktopApp, 'open'>> => {
    if (binary === undefined) throw new Error(absence ?? 'there is no binary')
    if (!(await takesInspector(binary))) {
      const driven = await startOverCdp(binary, args, environment)
      return {
        page: driven.page,
        main: null,
        clipboard: pastedClipboard(driven.page),
        services: () => descendants(driven.process.pid ?? 0, nodeService),
        close: driven.close,
      }
    }
    const main = await _electron.launch({
      executablePath: binary,
      args: [...args],
      env: defined(environment),
      chromiumSandbox: true,
    })
    return {
      page: await main.firstWindow(),
      main,
      clipboard: mainClipboard(main),
      services: () => descendants(main.process().pid ?? 0, nodeService),
      close: () => main.close(),
    }
  }
  return {
    dataDir,
    start: async ({ address, environment = {} } = {}) => {
      const env = { ...process.env, ...environment }
      const launched = await launch([...switches, ...(address === undefined ? [] : [address])], env)
      const app: DesktopApp = {
        ...launched,
        open: async (link) => {
          const second = spawn(binary ?? '', [...switches, link], { env, stdio: 'ignore' })
          await new Promise<void>((resolve, reject) => {
            second.once('exit', () => {
              resolve()
            })
            second.once('error', reject)
          })
        },
        close: async () => {
          running.delete(app)
          await launched.close()
        },
      }
      running.add(app)
      await expect(app.page.getByText('Service running', { exact: true })).toBeVisible()
      return app
    },
    clear: async () => {
      for (const app of running) await app.close()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** What stands on the command line of a utility process that runs Node. */
const nodeService = '--utility-sub-type=node.mojom.NodeService'
