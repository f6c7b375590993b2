import { EventEmitter } from 'node:events'

/** A download that a page began. */
export class DownloadDouble extends EventEmitter {
  readonly chain: readonly string[]
  readonly filename: string
  /** What the save dialog was told; undefined when the person was not to be asked. */
  dialog: { defaultPath?: string } | undefined
  /** Where the main process wants it without asking. */
  path = ''

  readonly type: string

  constructor(chain: readonly string[], filename: string, type = '') {
    super()
    this.type = type
    this.chain = chain
    this.filename = filename
  }

  getURLChain(): readonly string[] {
    return this.chain
  }
  getMimeType(): string {
    return this.type
  }
  getFilename(): string {
    return this.filename
  }
  setSaveDialogOptions(options: { defaultPath?: string }): void {
    this.dialog = options
  }
  setSavePath(path: string): void {
    this.path = path
  }
}
