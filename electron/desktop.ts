import { app, type BrowserWindow, clipboard, ClipboardItem, Menu, protocol, session, shell } from 'electron'
import { randomBytes } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import { inBackground } from '../companion/background.ts'
import type { ServiceReady } from '../contract/service-process.ts'
import { systemClock } from '../companion/clock.ts'
import { type Companion, createCompanion } from '../companion/companion.ts'
import { jsonFile } from '../platform/json-file.ts'
import { askInstance, claimInstance, type Instance } from '../companion/instance/instance.ts'
import { readLaunchOptions, serviceChoices } from '../companion/instance/launch-options.ts'
import { openAssets } from '../companion/page/assets.ts'
import { systemResolve } from '../companion/relay/target.ts'
import { loadKeytar, openVault } from '../companion/secrets/keychain-vault.ts'
import { clipboardWriter } from './clipboard-writer.ts'
import { linkScheme } from '../contract/invitation.ts'
import { isLinkLike } from './deep-link.ts'
import { createDesktopState } from './desktop-state.ts'
import { chooseFolder } from './folder-dialog.ts'
import { serveIpc } from './ipc.ts'
import { hiddenSwitch } from './login-item.ts'
import { appScheme } from './origin.ts'
import { createPopOuts, type PopOuts } from './pop-outs.ts'
import { createPresence, type Presence, systemCapabilities } from './desktop-integration.ts'
import { schemePrivileges, serveScheme } from './protocol.ts'
import { reviveAfterCrash } from './reload-after-crash.ts'
import { KeptBounds } from './screen-bounds.ts'
import { createScreens } from './screens.ts'
import { utilityLauncher } from './service-launcher.ts'
import { guardSession } from './session-guard.ts'
import { openTray } from './tray.ts'
import { loadUpdater, neverUpdates } from './updater.ts'
import { createUpdates, type Updates } from './updates.ts'
import { KeptPlace, openWindowPlace } from './window-place.ts'
import { focus, guard, openMainWindow, pageAddress } from './windows.ts'

/** What the desktop's process is told. */
export interface DesktopOptions {
  readonly argv: readonly string[]
  readonly platform: NodeJS.Platform
  /** Prints one JSON line for whoever started the app. */
  readonly print: (line: object) => void
  readonly log: (line: string) => void
  /** Calls back when whoever started the app is gone. */
  readonly tether: (gone: () => void) => void
}

const servicePatience = 15_000
const closePatience = 6_000
/** Our own switches; Chromium's and Electron's may stand between them. */
const own = new Set([
  '--data',
  '--port',
  '--api-port',
  '--media-port',
  '--rtmp-port',
  '--recording-minute',
  '--recording-reserve',
])

/** Takes our switches with their values out of a command line that the system or Chromium may have added to. */
export function ownArguments(argv: readonly string[]): string[] {
  const taken: string[] = []
  // An address comes from anybody: what stands behind it on the line may have been part of it.
  const link = argv.findIndex(isLinkLike)
  const ours = link === -1 ? argv : argv.slice(0, link)
  for (const [index, part] of ours.entries()) {
    const value = ours[index + 1]
    if (own.has(part) && value !== undefined) taken.push(part, value)
  }
  return taken
}

function setMenu(platform: NodeJS.Platform): void {
  // Only macOS needs one, for its editing keys; it has no item that reloads or opens developer tools.
  Menu.setApplicationMenu(
    platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  )
}

/** Whether windows can be kept above others: a Wayland compositor lets no program do that. */
const staysOnTop = (platform: NodeJS.Platform): boolean =>
  platform !== 'linux' || process.env['XDG_SESSION_TYPE'] !== 'wayland'

/** Has the system start this program with addresses of a scheme. On Windows whatever stands in an address comes behind the end of all switches. */
const setAsProgramOf = (scheme: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32'
    ? app.setAsDefaultProtocolClient(scheme, process.execPath, ['--'])
    : app.setAsDefaultProtocolClient(scheme)

/** Runs the desktop app: must be called before Electron is ready. Answers a function that ends it in order. */
export async function startDesktop(options: DesktopOptions): Promise<() => Promise<void>> {
  const launch = readLaunchOptions(ownArguments(options.argv))
  const root = app.getAppPath()
  app.enableSandbox()
  protocol.registerSchemesAsPrivileged([schemePrivileges])
  app.setPath('userData', path.join(launch.dataDir, 'window'))
  app.on('web-contents-created', (_event, contents) => {
    guard(contents)
  })

  /** A feed to be tried from source; an installed program asks its own only. */
  const triedFeed = app.isPackaged ? undefined : process.env['SIDESTAGE_UPDATE_FEED']
  const screens = createScreens(options.log)
  const followLine = (argv: readonly string[]): void => {
    const link = argv.find(isLinkLike)
    if (link !== undefined) screens.follow(link)
  }
  app.on('open-url', (event, url) => {
    event.preventDefault()
    screens.follow(url)
  })
  followLine(options.argv)

  let window: BrowserWindow | undefined
  let presence: Presence | undefined
  let savePlace: (() => Promise<void>) | undefined
  let companion: Companion | undefined
  let updates: Updates | undefined
  let instance: Instance | undefined
  let endIpc: (() => void) | undefined
  let popOuts: PopOuts | undefined
  let ending: Promise<void> | undefined
  const end = (): Promise<void> =>
    (ending ??= (async () => {
      endIpc?.()
      presence?.close()
      updates?.close()
      const late = systemClock.after(closePatience, () => {
        app.exit(1)
      })
      await Promise.all([popOuts?.end(), savePlace?.(), companion?.close().catch(() => undefined)])
      late()
      instance?.release()
      app.exit(0)
    })())
  app.on('before-quit', (event) => {
    event.preventDefault()
    inBackground(presence && !ending ? presence.closing.quit() : end(), options.log, 'quitting')
  })
  const leave = (): void => inBackground(end(), options.log, 'ending the app')
  app.on('window-all-closed', leave)
  options.tether(leave)

  instance = claimInstance(launch.dataDir)
  if (!app.requestSingleInstanceLock() || !instance) {
    const first = await askInstance(launch.dataDir, 5_000)
    options.print(
      first
        ? { event: 'ready', shell: first.shell, url: first.url, service: first.service, alreadyRunning: true }
        : { event: 'refused', reason: 'another instance holds the data folder' },
    )
    instance?.release()
    app.exit(first ? 0 : 1)
    return () => Promise.resolve()
  }
  const open = (): void => {
    if (window) focus(window)
  }
  app.on('second-instance', (_event, argv) => {
    open()
    followLine(argv)
  })
  app.on('activate', open)

  const [vault] = await Promise.all([
    openVault({
      clock: systemClock,
      load: loadKeytar,
      platform: options.platform,
      environment: process.env,
      random: randomBytes,
    }),
    app.whenReady(),
  ])
  setMenu(options.platform)
  if (options.platform === 'win32') app.setAppUserModelId('app.sidestage.desktop')
  // From source the system would start Electron itself with an address that somebody else wrote.
  if (app.isPackaged) setAsProgramOf(linkScheme, options.platform)
  const desktopState = createDesktopState()
  const icons = path.join(root, 'resources', 'tray')
  const tray = openTray({ icons, platform: options.platform }, options.log)
  guardSession(session.defaultSession)
  const capabilities = [
    'clipboard' as const,
    'openLog' as const,
    'showInFolder' as const,
    'chooseFolder' as const,
    'updates' as const,
    ...(options.platform === 'win32' ? (['windowControls'] as const) : []),
    ...(staysOnTop(options.platform) ? (['stayOnTop'] as const) : []),
    ...systemCapabilities(options.platform, app.isPackaged, process.env['XDG_SESSION_TYPE'], tray !== undefined),
  ]
  const preload = path.join(root, 'out', 'preload', 'preload.cjs')
  const icon = path.join(root, 'resources', 'icon.png')
  // Before the companion, which tells what was set aside until then.
  const rooms = (popOuts = await createPopOuts({
    preload,
    platform: options.platform,
    icon,
    bounds: jsonFile(path.join(launch.dataDir, 'pop-out.json'), (raw) => KeptBounds.parse(raw)),
    log: options.log,
  }))
  const place = await openWindowPlace(
    jsonFile(path.join(launch.dataDir, 'window.json'), (raw) => KeptPlace.parse(raw)),
    options.log,
  )
  savePlace = () => place.saved()
  companion = await createCompanion({
    dataDir: launch.dataDir,
    vault,
    launch: utilityLauncher(path.join(root, 'out', 'main', 'service.js')),
    clock: systemClock,
    random: randomBytes,
    resolve: systemResolve,
    log: options.log,
    choices: { ...serviceChoices(launch), watchDir: path.join(root, 'out', 'watch') },
    named: launch.named,
    openLink: (url) => shell.openExternal(url),
    pageDir: path.join(root, 'out', 'renderer'),
    clipboard: clipboardWriter({
      clipboard,
      item: (entries) => new ClipboardItem(entries),
      platform: options.platform,
      clock: systemClock,
    }),
    showFile: (file) => {
      shell.showItemInFolder(file)
    },
    chooseFolder: () => chooseFolder(window),
    desktop: desktopState,
    updates: (busy) =>
      (updates = createUpdates({
        never: neverUpdates(app.isPackaged, root, triedFeed),
        load: () =>
          loadUpdater({
            feed: triedFeed ?? path.join(process.resourcesPath, 'app-update.yml'),
            isTried: triedFeed !== undefined,
            platform: options.platform,
            log: options.log,
          }),
        version: app.getVersion(),
        busy,
        clock: systemClock,
        log: options.log,
      })),
    about: {
      version: app.getVersion(),
      shell: 'electron',
      platform: options.platform,
      shellReason: () => null,
      capabilities,
    },
  })
  protocol.handle(
    appScheme,
    serveScheme({
      assets: await openAssets(path.join(root, 'out', 'renderer')),
      relay: companion.relay,
      joined: companion.joined,
    }),
  )

  const { rpc, joined } = companion
  const present = (presence = createPresence({
    attach: (line) => rpc.attach(line),
    capabilities,
    platform: options.platform,
    tray,
    icons,
    icon,
    state: desktopState,
    screens,
    open,
    end: leave,
    loginItem: {
      program: process.env['APPIMAGE'] ?? process.execPath,
      args: ownArguments(options.argv),
      autostart: path.join(process.env['XDG_CONFIG_HOME'] ?? path.join(os.homedir(), '.config'), 'autostart'),
    },
    clock: systemClock,
    log: options.log,
  }))
  const connected = Promise.withResolvers<void>()
  endIpc = serveIpc({
    attach: (line) => rpc.attach(line),
    attachJoined: (line, id) => joined.attach(line, id),
    connected: (contents) => {
      connected.resolve()
      if (window && contents === window.webContents) screens.ready(window)
    },
    popOuts: rooms,
  })
  const opened = (window = openMainWindow(
    preload,
    options.platform,
    icon,
    tray !== undefined && options.argv.includes(hiddenSwitch),
  ))
  reviveAfterCrash(opened, systemClock, options.log)
  place.follow(opened)
  present.closing.follow(opened)
  opened.once('closed', () => {
    inBackground(rooms.end(), options.log, 'closing the windows of rooms')
  })
  let service: ServiceReady | null = null
  await instance.serve(() => {
    focus(opened)
    return { shell: 'electron', url: pageAddress, pid: process.pid, service }
  })
  await Promise.all([opened.loadURL(pageAddress), connected.promise])
  options.print({ event: 'window' })
  service = (await companion.serviceReady(servicePatience)) ?? null
  if (!ending) options.print({ event: 'ready', shell: 'electron', url: pageAddress, service })
  return end
}
