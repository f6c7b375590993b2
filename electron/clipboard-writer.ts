import type { Clipboard, ClipboardItem } from 'electron'
import type { Clock } from '../companion/clock.ts'

/** After this long a secret is taken off the clipboard again, in ms. */
const kept = 60_000

/** Marks that stand beside a secret on the clipboard, by which the system's own history (Windows) and programs that keep one (macOS, KDE) leave it out. */
const marks: Readonly<Partial<Record<NodeJS.Platform, Readonly<Record<string, Uint8Array<ArrayBuffer>>>>>> = {
  // A number of four bytes, 0 for no.
  win32: {
    ExcludeClipboardContentFromMonitorProcessing: new Uint8Array(4),
    CanIncludeInClipboardHistory: new Uint8Array(4),
    CanUploadToCloudClipboard: new Uint8Array(4),
  },
  darwin: { 'org.nspasteboard.ConcealedType': new Uint8Array(1) },
  linux: { 'x-kde-passwordManagerHint': new TextEncoder().encode('secret') },
}

/** What writing needs. */
export interface ClipboardWriterPorts {
  readonly clipboard: Pick<Clipboard, 'write' | 'writeText' | 'readText' | 'clear'>
  readonly item: (entries: Record<string, string | Blob>) => ClipboardItem
  readonly platform: NodeJS.Platform
  readonly clock: Clock
}

/** Puts secrets on the clipboard, out of its history where the system has one, and takes each off after a minute, unless something else was copied since. */
export function clipboardWriter({
  clipboard,
  item,
  platform,
  clock,
}: ClipboardWriterPorts): (text: string) => Promise<void> {
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
    // A system that does not take the marks still takes the text: it is gone after a minute all the same.
    await clipboard.write([item(marked(text))]).catch(() => clipboard.writeText(text))
    cancel = clock.after(kept, () => {
      // A clipboard that cannot be read belongs to another program by now.
      forget(text).catch(() => undefined)
    })
  }
}
