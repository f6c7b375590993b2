import { type BrowserWindow, dialog } from 'electron'
import { inBackground } from '../companion/background.ts'
import type { Air } from './on-air-state.ts'
import type { Words } from './words.ts'

interface ClosingPorts {
  readonly air: () => Air
  readonly words: () => Words
  /** Whether a hidden window can be reopened. */
  readonly hasTray: boolean
  /** Tells that the app keeps running. */
  readonly say: (text: readonly string[]) => void
  readonly end: () => void
  readonly log: (line: string) => void
}

/** Creates the guard. Windows destroyed by the app's own end are not asked about. */
export function createClosing({ air, words, hasTray, say, end, log }: ClosingPorts) {
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
    follow: (window: BrowserWindow) => {
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
    /** Quits the app, after a confirmation while a channel is on air. */
    quit,
  }
}
