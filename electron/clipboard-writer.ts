import type { Clipboard } from 'electron'
import type { Clock } from '../companion/clock.ts'

/** After this long a secret is taken off the clipboard again, in ms. */
const kept = 60_000

/** Puts secrets on the clipboard and takes each off after a minute, unless something else was copied since. */
export function clipboardWriter(clipboard: Pick<Clipboard, 'writeText' | 'readText' | 'clear'>, clock: Clock): (text: string) => Promise<void> {
  let cancel: (() => void) | undefined
  const forget = async (text: string): Promise<void> => {
    if ((await clipboard.readText()) === text) clipboard.clear()
  }
  return async (text) => {
    cancel?.()
    await clipboard.writeText(text)
    cancel = clock.after(kept, () => {
      void forget(text).catch(() => undefined)
    })
  }
}
