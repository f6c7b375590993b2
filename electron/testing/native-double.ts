import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'

/** One entry of a menu that was set. */
export interface MenuEntry {
  readonly label?: string
  readonly type?: string
  readonly enabled?: boolean
  readonly click?: () => void
}

/** What a test sees and plays of the computer's desktop outside the windows. */
export const desk = {
  locale: 'en-GB',
  /** Schemes that the app was made the program of. */
  schemes: [] as string[],
  userModelId: '',
  loginItem: {} as { openAtLogin?: boolean; path?: string; args?: string[] },
  /** Keys that are taken by another program, and those that were given to the app. */
  takenKeys: new Set<string>(),
  keys: new Map<string, () => void>(),
  hasNotifications: true,
  hasTray: true,
  notices: [] as Notification[],
  trays: [] as Tray[],
  /** Questions that were asked, and the number of the button that the person presses. */
  questions: [] as { message: string; buttons: string[] }[],
  answer: 0,
  /** How a folder was asked for, and the one that the person chooses; undefined when the dialog is left. */
  folderQuestions: [] as unknown[],
  folder: undefined as string | undefined,
}

/** A picture; reading throws where there is none, as an empty one would not be seen in a tray. */
export class Picture {
  readonly file: string
  isTemplate = false
  constructor(file: string) {
    this.file = file
    readFileSync(file)
  }
  setTemplateImage(on: boolean): void {
    this.isTemplate = on
  }
}
/** Reads pictures. */
export const nativeImage = { createFromPath: (file: string): Picture => new Picture(file) }

/** The app's place beside the clock. */
export class Tray extends EventEmitter {
  picture: Picture
  tip = ''
  menu: MenuEntry[] = []
  isGone = false

  constructor(picture: Picture) {
    super()
    if (!desk.hasTray) throw new Error('no tray')
    this.picture = picture
    desk.trays.push(this)
  }

  setImage(picture: Picture): void {
    this.picture = picture
  }
  setToolTip(text: string): void {
    this.tip = text
  }
  setContextMenu(menu: MenuEntry[]): void {
    this.menu = menu
  }
  isDestroyed(): boolean {
    return this.isGone
  }
  destroy(): void {
    this.isGone = true
  }
  /** Plays a click on the entry whose text begins like this. */
  choose(begin: string): void {
    const found = this.menu.find(({ label }) => label?.startsWith(begin))
    if (!found?.click) throw new Error(`no entry “${begin}” in ${JSON.stringify(this.menu)}`)
    found.click()
  }
}

/** A notification of the system. */
export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return desk.hasNotifications
  }
  readonly options: { readonly title: string; readonly body: string }
  constructor(options: { title: string; body: string }) {
    super()
    this.options = options
  }
  show(): void {
    desk.notices.push(this)
  }
}

/** Keys that work from everywhere. */
export const globalShortcut = {
  register: (key: string, pressed: () => void): boolean => {
    if (key === 'Broken') throw new TypeError('conversion failure')
    if (desk.takenKeys.has(key) || desk.keys.has(key)) return false
    desk.keys.set(key, pressed)
    return true
  },
  unregister: (key: string): void => {
    desk.keys.delete(key)
  },
}

/** Questions in a window of the system. */
export const dialog = {
  showMessageBox: (options: { message: string; buttons: string[] }): Promise<{ response: number }> => {
    desk.questions.push(options)
    return Promise.resolve({ response: desk.answer })
  },
  /** Answers with the folder that a test put there; called with or without a window. */
  showOpenDialog: (...given: unknown[]): Promise<{ canceled: boolean; filePaths: string[] }> => {
    desk.folderQuestions.push(given.at(-1))
    return Promise.resolve(
      desk.folder === undefined ? { canceled: true, filePaths: [] } : { canceled: false, filePaths: [desk.folder] },
    )
  },
}
