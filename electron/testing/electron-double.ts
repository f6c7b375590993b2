import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { ClipboardItem, clipboardOn } from './clipboard-double.ts'
import { IpcMainDouble, ScreenDouble } from './ipc-double.ts'
import { desk, dialog, globalShortcut, nativeImage, Notification, Tray } from './native-double.ts'
import { SessionDouble } from './session-double.ts'
import { UtilityDouble } from './utility-double.ts'

/**
 * A stand-in for the parts of Electron that the desktop shell uses, so that its code (the source and the built bundle) runs where
 * there is no binary. It keeps what it was told and lets a test play the system, the page and the faults. It has one state per
 * process, as Electron has.
 */

/** A message port of the main process: messages come wrapped in an event. */
class PortMain extends EventEmitter {
  readonly port: MessagePort
  isClosed = false

  constructor(port: MessagePort) {
    super()
    this.port = port
    port.on('message', (data: unknown) => {
      this.emit('message', { data, ports: [] })
    })
    port.on('close', () => {
      this.isClosed = true
      this.emit('close')
    })
    // Listening starts a port of Node at once; Electron's waits for `start`.
    port.unref()
  }

  postMessage(message: unknown): void {
    this.port.postMessage(message)
  }
  start(): void {
    this.port.start()
  }
  close(): void {
    this.port.close()
  }
}

/** Two ends: the main process's and, as a plain port, the page's. */
export class MessageChannelMain {
  readonly port1: PortMain
  /** Given to the page as it is: the page's end is a plain port. */
  readonly port2: MessagePort

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.port1 = new PortMain(port1)
    this.port2 = port2
    control.ports.push(this.port1)
  }
}

/** A frame of a page. */
export class Frame {
  detached = false
  parent: Frame | null = null
  url: string
  /** What the main process sent to it. */
  readonly received: { channel: string; ports: MessagePort[] }[] = []
  readonly contents: WebContentsDouble

  constructor(contents: WebContentsDouble, url: string) {
    this.contents = contents
    this.url = url
  }

  postMessage(channel: string, _message: unknown, ports: MessagePort[] = []): void {
    this.received.push({ channel, ports })
    control.renderer.emit(channel, { ports })
  }
}

/** The contents of a window; a test plays navigations and crashes as events on it. */
export class WebContentsDouble extends EventEmitter {
  mainFrame = new Frame(this, '')
  /** What the main process said to the page. */
  readonly told: { channel: string; said: unknown }[] = []
  openHandler: ((details: { url: string }) => { action: string }) | undefined
  isGone = false
  /** How often its page was loaded again. */
  reloads = 0

  reload(): void {
    this.reloads++
  }

  getURL(): string {
    return this.mainFrame.url
  }
  send(channel: string, said: unknown): void {
    if (this.isGone) throw new TypeError('Object has been destroyed')
    this.told.push({ channel, said })
  }
  isDestroyed(): boolean {
    return this.isGone
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler
  }

  /** Plays an attempt of the page to go elsewhere; true when it was let through. */
  attempts(event: string, details: { url: string; isMainFrame?: boolean }): boolean {
    let isPrevented = false
    this.emit(event, {
      isMainFrame: true,
      ...details,
      preventDefault: () => {
        isPrevented = true
      },
    })
    return !isPrevented
  }
}

/** A window. */
export class BrowserWindow extends EventEmitter {
  static readonly all: BrowserWindow[] = []
  static fromWebContents(contents: WebContentsDouble): BrowserWindow | null {
    return BrowserWindow.all.find((one) => one.webContents === contents && !one.isGone) ?? null
  }

  static getAllWindows(): BrowserWindow[] {
    return BrowserWindow.all.filter((one) => !one.isDestroyed())
  }
  static getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.all.find((one) => one.isFocused && !one.isGone) ?? null
  }

  readonly webContents = new WebContentsDouble()
  readonly options: { webPreferences?: Record<string, unknown> } & Record<string, unknown>
  /** Calls on it, by name. */
  readonly done: string[] = []
  bounds: { x: number; y: number; width: number; height: number }
  isOnTop: boolean
  isGone = false
  isFocused = false
  isHidden = false
  /** Kept out of recordings of the screen. */
  isShielded = false

  constructor(options: { webPreferences?: Record<string, unknown> } & Record<string, unknown>) {
    super()
    this.options = options
    const number = (name: string): number => (typeof options[name] === 'number' ? options[name] : 0)
    this.bounds = { x: number('x'), y: number('y'), width: number('width'), height: number('height') }
    this.isOnTop = options['alwaysOnTop'] === true
    BrowserWindow.all.push(this)
    app.emit('web-contents-created', {}, this.webContents)
  }

  async loadURL(url: string): Promise<void> {
    const handler = control.schemes.get(new URL(url).protocol.slice(0, -1))
    const answer = await handler?.(new Request(url))
    if (answer?.status !== 200) throw new Error(`ERR_FAILED ${answer?.status ?? 'no handler'} ${url}`)
    control.page = { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    this.webContents.mainFrame.url = url
    this.emit('ready-to-show')
    this.webContents.emit('did-finish-load')
    control.loaded.emit('page', this)
  }

  show(): void {
    this.isHidden = false
    this.done.push('show')
  }
  hide(): void {
    this.isHidden = true
    this.isFocused = false
    this.done.push('hide')
  }
  focus(): void {
    this.isFocused = true
    this.done.push('focus')
  }
  setContentProtection(on: boolean): void {
    this.isShielded = on
  }
  restore(): void {
    this.done.push('restore')
  }
  minimize(): void {
    this.done.push('minimize')
  }
  maximize(): void {
    this.done.push('maximize')
  }
  unmaximize(): void {
    this.done.push('unmaximize')
  }
  isMinimized(): boolean {
    return this.done.at(-1) === 'minimize'
  }
  isMaximized(): boolean {
    return this.done.findLast((what) => what === 'maximize' || what === 'unmaximize') === 'maximize'
  }
  isDestroyed(): boolean {
    return this.isGone
  }
  setAlwaysOnTop(on: boolean): void {
    this.isOnTop = on
  }
  getNormalBounds(): typeof this.bounds {
    if (this.isGone) throw new TypeError('Object has been destroyed')
    return this.bounds
  }
  setBounds(bounds: typeof this.bounds): void {
    if (this.isGone) throw new TypeError('Object has been destroyed')
    this.bounds = bounds
  }
  close(): void {
    let isPrevented = false
    this.emit('close', {
      preventDefault: () => {
        isPrevented = true
      },
    })
    if (!isPrevented) this.destroy()
  }
  destroy(): void {
    if (this.isGone) return
    this.isGone = true
    this.webContents.isGone = true
    this.webContents.emit('destroyed')
    this.emit('closed')
    if (BrowserWindow.all.every((one) => one.isGone)) app.emit('window-all-closed')
  }
}

class AppDouble extends EventEmitter {
  isPackaged = false
  isSandboxed = false
  exitCode: number | undefined
  holdsLock = true
  readonly paths = new Map<string, string>()
  appPath = process.env['SIDESTAGE_APP_PATH'] ?? process.cwd()

  getAppPath(): string {
    return this.appPath
  }
  setAppUserModelId(id: string): void {
    desk.userModelId = id
  }
  setAsDefaultProtocolClient(scheme: string, _program?: string, args: readonly string[] = []): boolean {
    desk.schemes.push([scheme, ...args].join(' '))
    return true
  }
  getLocale(): string {
    return desk.locale
  }
  setLoginItemSettings(settings: object): void {
    desk.loginItem = settings
  }
  getLoginItemSettings(): { openAtLogin: boolean } {
    return { openAtLogin: false, ...desk.loginItem }
  }
  getVersion(): string {
    return '0.0.0-double'
  }
  setPath(name: string, value: string): void {
    this.paths.set(name, value)
  }
  enableSandbox(): void {
    this.isSandboxed = true
  }
  requestSingleInstanceLock(): boolean {
    return this.holdsLock
  }
  whenReady(): Promise<void> {
    return Promise.resolve()
  }
  quit(): void {
    this.emit('before-quit', { preventDefault: () => undefined })
  }
  exit(code = 0): void {
    this.exitCode ??= code
    this.emit('exited', code)
    if (control.exits) process.exit(code)
  }
}

/** What a test sees and plays beyond the modules below. */
export const control = {
  schemes: new Map<string, (request: Request) => Promise<Response>>(),
  privileges: [] as unknown[],
  ports: [] as PortMain[],
  page: undefined as { status: number; headers: Record<string, string>; text: string } | undefined,
  loaded: new EventEmitter(),
  menu: undefined as unknown,
  opened: [] as string[],
  /** Files that were shown in the system's folder window. */
  shown: [] as string[],
  clipboard: '',
  utilities: [] as UtilityDouble[],
  /** The page's side of the IPC. */
  renderer: new EventEmitter(),
  exposed: {} as Record<string, Record<string, unknown>>,
  /** The frame that the page's messages come from. */
  frame: undefined as Frame | undefined,
  /** Whether `app.exit` ends the process. */
  exits: false,
}

/** The app; `appPath` and `holdsLock` are a test's to set. */
export const app = new AppDouble()
/** The default session with the guards that were set on it. */
export const session = { defaultSession: new SessionDouble() }
/** Schemes that were registered. */
export const protocol = {
  registerSchemesAsPrivileged: (schemes: unknown[]): void => {
    control.privileges.push(...schemes)
  },
  handle: (scheme: string, handler: (request: Request) => Promise<Response>): void => {
    control.schemes.set(scheme, handler)
  },
}
/** The main process's end of the IPC. */
export const ipcMain = new IpcMainDouble()

/** The displays of the computer. */
export const screen = new ScreenDouble()
/** Opens and shows nothing and notes what it was asked for. */
export const shell = {
  openExternal: (url: string): Promise<void> => {
    control.opened.push(url)
    return Promise.resolve()
  },
  showItemInFolder: (file: string): void => {
    control.shown.push(file)
  },
}
/** A clipboard of its own. */
export const clipboard = clipboardOn(control)
/** Notes the menu. */
export const Menu = {
  setApplicationMenu: (menu: unknown): void => {
    control.menu = menu
  },
  buildFromTemplate: (template: unknown): unknown => template,
}
/** Starts utility processes as forked ones. */
export const utilityProcess = {
  fork: (entry: string, _args: string[], options: { env?: NodeJS.ProcessEnv }): UtilityDouble => {
    const made = new UtilityDouble(entry, options.env ?? {})
    control.utilities.push(made)
    return made
  },
}
/** The preload's end of the IPC, from the frame that a test names. */
export const ipcRenderer = {
  send: (channel: string, ...args: unknown[]): void => {
    const frame = control.frame
    if (frame) ipcMain.emit(channel, { sender: frame.contents, senderFrame: frame }, ...args)
  },
  invoke: (channel: string, ...args: unknown[]): Promise<unknown> => {
    const frame = control.frame
    if (!frame) return Promise.reject(new Error('no frame'))
    // Arguments cross a process boundary.
    return ipcMain.asks(
      channel,
      { sender: frame.contents, senderFrame: frame },
      ...(structuredClone(args) as unknown[]),
    )
  },
  on: (channel: string, listener: (event: { ports: MessagePort[] }) => void): void => {
    control.renderer.on(channel, listener)
  },
}
/** Notes what the preload offers to the page. */
export const contextBridge = {
  exposeInMainWorld: (name: string, api: Record<string, unknown>): void => {
    control.exposed[name] = api
  },
}
export { ClipboardItem, desk, dialog, globalShortcut, nativeImage, Notification, Tray }
export default {
  app,
  dialog,
  globalShortcut,
  nativeImage,
  Notification,
  Tray,
  BrowserWindow,
  MessageChannelMain,
  session,
  protocol,
  ipcMain,
  screen,
  shell,
  clipboard,
  ClipboardItem,
  Menu,
  utilityProcess,
  ipcRenderer,
  contextBridge,
}
