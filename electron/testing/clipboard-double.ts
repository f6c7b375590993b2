/** One entry of the clipboard. */
export class ClipboardItem {
  readonly entries: Readonly<Record<string, unknown>>

  constructor(entries: Readonly<Record<string, unknown>>) {
    this.entries = entries
  }
}

/** A clipboard whose text is where a test sees it. */
export const clipboardOn = (seen: { clipboard: string }) => ({
  write: ([item]: ClipboardItem[]): Promise<void> => {
    seen.clipboard = String(item?.entries['text/plain'])
    return Promise.resolve()
  },
  writeText: (text: string): Promise<void> => {
    seen.clipboard = text
    return Promise.resolve()
  },
  readText: (): Promise<string> => Promise.resolve(seen.clipboard),
  clear: (): void => {
    seen.clipboard = ''
  },
})
