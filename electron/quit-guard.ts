import { type BrowserWindow, dialog } from 'electron'
import { inBackground } from '../companion/background.ts'
import type { Air } from './on-air-state.ts'
import type { Words } from './words.ts'

/** What closing and quitting need. */
export interface ClosingPorts {
  readonly air: () => Air
  readonly words: () => Words
  /** Whether a window that is hidden can be had again. */
  readonly hasTray: boolean
  /** Says that the app runs on. */
  readonly say: (text: readonly string[]) => void
  /** Ends the app. */
  readonly end: () => void
  readonly log: (line: string) => void
}

/** What becomes of the app when its window is closed or somebody quits: nothing that is on air ends without a word. */
export interface Closing {
  /** Decides about each time that the window is closed. */
  follow(window: BrowserWindow): void
  /** Ends the app; while something is on air only after somebody said so. */
  quit(): Promise<void>
}

/** Creates it. The end of the app itself destroys windows, which is not asked about. */
export function createClosing({ air, words, hasTray, say, end, log }: ClosingPorts): Closing {
  let isAsking = false
  let toldOnAir = false
  let toldIdle = false
  const quit = async (): Promise<void> => {
    if (air().channels.length === 0) return end()
    if (isAsking) return
    isAsking = true
    try {
      const { message, detail, stay, quit: leave } = words().ask
      const { response } = await dialog.showMessageBox({
        type: 'warning',
        title: 'Sidestage',
        message,
        detail,
        buttons: [stay, leave],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      })
      if (response === 1) end()
    } finally {
      isAsking = false
    }
  }
  return {
    follow: (window) => {
      window.on('close', (event) => {
        const { channels, settings } = air()
        const isOnAir = channels.length > 0
        if (!isOnAir && !(hasTray && settings?.closeToTray === true)) return
        event.preventDefault()
        if (!hasTray) {
          inBackground(quit(), log, 'asking whether to quit')
          return
        }
        window.hide()
        if (isOnAir ? toldOnAir : toldIdle) return
        if (isOnAir) toldOnAir = true
        else toldIdle = true
        say(isOnAir ? words().hidden : words().hiddenIdle)
      })
    },
    quit,
  }
}
