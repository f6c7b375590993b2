import type { Clipboard, ClipboardItem } from 'electron'
import type { Clock } from '../platform/clock.ts'

/** Time after which a secret is removed from the clipboard, in ms. */
const kept = 60_000

/** Clipboard formats that exclude a secret from the clipboard history of Windows and of managers on macOS and KDE. */
const marks: Readonly<Partial<Record<NodeJS.Platform, Readonly<Record<string, Uint8Array<ArrayBuffer>>>>>> = {
  // A DWORD; 0 means no.
  win32: {
    ExcludeClipboardContentFromMonitorProcessing: new Uint8Array(4),
    CanIncludeInClipboardHistory: new Uint8Array(4),
    CanUploadToCloudClipboard: new Uint8Array(4),
  },
  darwin: { 'org.nspasteboard.ConcealedType': new Uint8Array(1) },
  linux: { 'x-kde-passwordManagerHint': new TextEncoder().encode('secret') },
}

/** Copies secrets to the clipboard without history, and clears each after a minute unless something else was copied. */
export function clipboardWriter(ports: {
  readonly clipboard: Pick<Clipboard, 'write' | 'writeText' | 'readText' | 'clear'>
  readonly item: (entries: Record<string, string | Blob>) => ClipboardItem
  readonly platform: NodeJS.Platform
  readonly clock: Clock
}): (text: string) => Promise<void> {
  const { clipboard, item, platform, clock } = ports
  let cancel: (() => void) | undefined
  const forget = async (text: string): Promise<void> => {
    if ((await clipboard.readText()) === text) clipboard.clear()
  }
  const marked = (text: string): Record<string, string | Blob> => ({
    'text/plain': text,
    ...Object.fromEntries(
      Object.entries(marks[platform] ?? {}).map(([name, bytes]) => [
        `electron application/osclipboard;format="${name}"`,
        new Blob([bytes]),
      ]),
    ),
  })
  return async (text) => {
    cancel?.()
    // Where the extra formats are refused the text is copied alone; it is still cleared after a minute.
    await clipboard.write([item(marked(text))]).catch(() => clipboard.writeText(text))
    cancel = clock.after(kept, () => {
      // The clipboard cannot be read: another program owns it now.
      forget(text).catch(() => undefined)
    })
  }
}
