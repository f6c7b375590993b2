import { app, BrowserWindow, clipboard, ClipboardItem, protocol, session, shell } from 'electron'
import { randomBytes } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import { inBackground } from '../companion/background.ts'
import { systemClock } from '../platform/clock.ts'
import { askInstance, claimInstance } from '../companion/instance/instance.ts'
import { readLaunchOptions, serviceChoices } from '../companion/instance/launch-options.ts'
import { openAssets } from '../companion/page/assets.ts'
import { systemResolve } from '../companion/relay/target.ts'
import { createCompanion } from '../companion/root.ts'
import { loadKeytar, openVault } from '../companion/secrets/keychain-vault.ts'
import { linkScheme } from '../contract/invitation.ts'
import { jsonFile } from '../platform/json-file.ts'
import { createUndoStack } from '../platform/undo-stack.ts'
import { shellCapabilities } from './capabilities.ts'
import { clipboardWriter } from './clipboard-writer.ts'
import { isLinkLike } from './deep-link.ts'
import { createDesktopIntegration } from './desktop-integration.ts'
import { createDesktopState } from './desktop-state.ts'
import { chooseFolder } from './folder-dialog.ts'
import { serveIpc } from './ipc.ts'
import { setAsProgramOf } from './link-program.ts'
import { hiddenSwitch } from './login-item.ts'
import { setMenu } from './menu.ts'
import { appScheme } from './origin.ts'
import { ownArguments } from './own-arguments.ts'
import { createPopOuts } from './pop-outs.ts'
import { schemePrivileges, serveScheme } from './protocol.ts'
import { reloadAfterCrash } from './reload-after-crash.ts'
import { KeptBounds } from './screen-bounds.ts'
import { createScreens } from './screens.ts'
import { utilityLauncher } from './service-launcher.ts'
import { guardSession } from './session-guard.ts'
import { openTray } from './tray.ts'
import { loadUpdater, neverUpdates } from './updater.ts'
import { createUpdates } from './updates.ts'
import { KeptPlace, openWindowPlace } from './window-place.ts'
import { focus, guard, openMainWindow, pageAddress } from './windows.ts'

const servicePatience = 15_000
const closePatience = 6_000
const instancePatience = 5_000

/** Runs the desktop app; call before Electron is ready. Returns its end; rejects with nothing open. */
export async function startDesktop(options: {
  readonly argv: readonly string[]
  readonly platform: NodeJS.Platform
  readonly print: (line: object) => void
  readonly log: (line: string) => void
  /** Calls back when whoever started the app is gone. */
  readonly tether: (gone: () => void) => void
}): Promise<() => Promise<void>> {
  const { argv, platform, print, log } = options
  const given = ownArguments(argv)
  const launch = readLaunchOptions(given)
  const { dataDir } = launch
  const root = app.getAppPath()
  const clock = systemClock
  app.enableSandbox()
  protocol.registerSchemesAsPrivileged([schemePrivileges])
  app.setPath('userData', path.join(dataDir, 'window'))

  const undo = createUndoStack((error) => log(`a part of the desktop did not close cleanly: ${String(error)}`))
  let ending: Promise<void> | undefined
  const finish = async (): Promise<void> => {
    const late = clock.after(closePatience, () => app.exit(1))
    await undo.close()
    late()
    app.exit(0)
  }
  const end = (): Promise<void> => (ending ??= finish())
  const leave = (): void => inBackground(end(), log, 'ending the app')
  const hear = (event: string, listener: Parameters<NodeJS.EventEmitter['on']>[1]): (() => void) => {
    const events: NodeJS.EventEmitter = app
    events.on(event, listener)
    return () => events.off(event, listener)
  }
  try {
    // Who has the data folder, and the system's first events.
    undo.push(hear('web-contents-created', (_event: unknown, contents: Electron.WebContents) => guard(contents)))
    const screens = createScreens(log)
    const followLine = (line: readonly string[]): void => {
      const link = line.find(isLinkLike)
      if (link !== undefined) screens.follow(link)
    }
    undo.push(
      hear('open-url', (event: Electron.Event, url: string) => {
        event.preventDefault()
        screens.follow(url)
      }),
    )
    followLine(argv)
    const stayForEnd = (event: Electron.Event): void => {
      event.preventDefault()
      leave()
    }
    app.on('before-quit', stayForEnd)
    // Until the end, so that a second quit waits too.
    undo.push(() => app.removeAllListeners('before-quit'))
    undo.push(hear('window-all-closed', leave))
    options.tether(leave)
    const instance = claimInstance(dataDir)
    if (instance) undo.push(() => instance.release())
    if (!app.requestSingleInstanceLock() || !instance) {
      const first = await askInstance(dataDir, instancePatience)
      print(
        first
          ? { event: 'ready', shell: first.shell, url: first.url, service: first.service, alreadyRunning: true }
          : { event: 'refused', reason: 'another instance holds the data folder' },
      )
      await undo.close()
      app.exit(first ? 0 : 1)
      return () => Promise.resolve()
    }

    undo.push(hear('second-instance', (_event: unknown, line: readonly string[]) => followLine(line)))

    const opening = { clock, load: loadKeytar, platform, environment: process.env, random: randomBytes }
    const [vault] = await Promise.all([openVault(opening), app.whenReady()])
    setMenu(platform)
    if (platform === 'win32') app.setAppUserModelId('app.sidestage.desktop')
    setAsProgramOf(linkScheme, platform)
    const state = createDesktopState()
    const icons = path.join(root, 'resources', 'tray')
    const tray = openTray({ icons, platform }, log)
    undo.push(() => tray?.destroy())
    guardSession(session.defaultSession)
    const capabilities = shellCapabilities(
      platform,
      app.isPackaged,
      process.env['XDG_SESSION_TYPE'],
      tray !== undefined,
    )

    // Windows end at once while the service finishes.
    const together = undo.together()
    const preload = path.join(root, 'out', 'preload', 'preload.cjs')
    const icon = path.join(root, 'resources', 'icon.png')
    const popOuts = await createPopOuts({
      preload,
      platform,
      icon,
      bounds: jsonFile(path.join(dataDir, 'pop-out.json'), (raw) => KeptBounds.parse(raw)),
      log,
    })
    together(() => popOuts.end())
    const place = await openWindowPlace(
      jsonFile(path.join(dataDir, 'window.json'), (raw) => KeptPlace.parse(raw)),
      log,
    )
    together(() => place.saved())

    /** For tests from source only. */
    const triedFeed = app.isPackaged ? undefined : process.env['SIDESTAGE_UPDATE_FEED']
    const updatesFor = (busy: () => boolean) => {
      const updates = createUpdates({
        never: neverUpdates(app.isPackaged, root, triedFeed),
        load: () =>
          loadUpdater({
            feed: triedFeed ?? path.join(process.resourcesPath, 'app-update.yml'),
            isTried: triedFeed !== undefined,
            platform,
            log,
          }),
        version: app.getVersion(),
        busy,
        clock,
        log,
      })
      undo.push(() => updates.close())
      return updates
    }
    const companion = await createCompanion({
      dataDir,
      vault,
      launch: utilityLauncher(path.join(root, 'out', 'main', 'service.js')),
      clock,
      random: randomBytes,
      resolve: systemResolve,
      log,
      choices: { ...serviceChoices(launch), watchDir: path.join(root, 'out', 'watch') },
      named: launch.named,
      openLink: (url) => shell.openExternal(url),
      pageDir: path.join(root, 'out', 'renderer'),
      clipboard: clipboardWriter({ clipboard, item: (entries) => new ClipboardItem(entries), platform, clock }),
      showFile: (file) => shell.showItemInFolder(file),
      chooseFolder: () => chooseFolder(BrowserWindow.getAllWindows().find((one) => !popOuts.has(one))),
      desktop: state,
      updates: updatesFor,
      about: { version: app.getVersion(), shell: 'electron', platform, shellReason: () => null, capabilities },
    })
    together(() => companion.close())
    const { rpc, relay, joined } = companion
    const assets = await openAssets(path.join(root, 'out', 'renderer'))
    protocol.handle(appScheme, serveScheme({ assets, relay, joined }))

    const window = openMainWindow(preload, platform, icon, tray !== undefined && argv.includes(hiddenSwitch))
    const open = (): void => focus(window)
    const integration = createDesktopIntegration({
      attach: (line) => rpc.attach(line),
      capabilities,
      platform,
      tray,
      icons,
      icon,
      state,
      screens,
      open,
      end: leave,
      loginItem: {
        program: process.env['APPIMAGE'] ?? process.execPath,
        args: given,
        autostart: path.join(process.env['XDG_CONFIG_HOME'] ?? path.join(os.homedir(), '.config'), 'autostart'),
      },
      clock,
      log,
    })
    undo.push(() => integration.close())
    // From now on quitting asks while on air.
    app.off('before-quit', stayForEnd)
    app.on('before-quit', (event) => {
      event.preventDefault()
      inBackground(ending ?? integration.closing.quit(), log, 'quitting')
    })
    const connected = Promise.withResolvers<void>()
    undo.push(
      serveIpc({
        attach: (line) => rpc.attach(line),
        attachJoined: (line, id) => joined.attach(line, id),
        connected: (contents) => {
          connected.resolve()
          if (contents === window.webContents) screens.ready(window)
        },
        popOuts,
      }),
    )
    reloadAfterCrash(window, clock, log)
    place.follow(window)
    integration.closing.follow(window)
    window.once('closed', () => inBackground(popOuts.end(), log, 'closing the windows of rooms'))
    undo.push(hear('activate', open))
    undo.push(hear('second-instance', open))
    await instance.serve(() => {
      open()
      return { shell: 'electron', url: pageAddress, pid: process.pid, service: companion.service() ?? null }
    })
    await Promise.all([window.loadURL(pageAddress), connected.promise])
    print({ event: 'window' })
    const service = (await companion.serviceReady(servicePatience)) ?? null
    if (!ending) print({ event: 'ready', shell: 'electron', url: pageAddress, service })
    return end
  } catch (error) {
    // It must not end the app before the reason is shown.
    await (ending ??= undo.close())
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    throw error
  }
}
