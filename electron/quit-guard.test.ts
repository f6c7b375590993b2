import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Settings } from '../contract/rpc/index.ts'
import type { Air, AirChannel } from './on-air-state.ts'
import { wordsOf } from './words.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, desk } = await import('./testing/electron-double.ts')
const { createClosing } = await import('./quit-guard.ts')

const channel: AirChannel = { profileId: 'local', cid: 'c', name: 'show', since: 1, recording: false, stale: false }
let channels: AirChannel[]
let closeToTray: boolean
let said: string[]
let ended: number
const start = (hasTray = true) => {
  const window = new BrowserWindow({})
  const closing = createClosing({
    air: (): Air => ({ lamp: 'idle', channels, rooms: [], settings: { closeToTray } as Settings }),
    words: () => wordsOf('en', ''),
    hasTray,
    say: ([title]) => said.push(title ?? ''),
    end: () => {
      ended++
    },
    log: (line) => said.push(line),
  })
  closing.follow(window as never)
  return { window, closing }
}

beforeEach(() => {
  BrowserWindow.all.length = 0
  desk.questions.length = 0
  desk.answer = 0
  channels = []
  closeToTray = false
  said = []
  ended = 0
})

describe('closing the window', () => {
  it('closes it while nothing is on air', () => {
    const { window } = start()
    window.close()
    expect(window.isGone).toBe(true)
    expect(said).toEqual([])
  })

  it('leaves the app in the tray while something is on air, and says so once', () => {
    channels = [channel]
    const { window } = start()
    for (let time = 0; time < 3; time++) {
      window.show()
      window.close()
      expect([window.isGone, window.isHidden]).toEqual([false, true])
    }
    expect(said).toEqual(['Sidestage keeps running'])
    channels = []
    window.close()
    expect(window.isGone).toBe(true)
  })

  it('always leaves it in the tray where the settings say so', () => {
    closeToTray = true
    const { window } = start()
    window.close()
    expect([window.isGone, window.isHidden, said.length]).toEqual([false, true, 1])
  })

  it('asks where there is no tray, and never hides the window there', async () => {
    closeToTray = true
    channels = [channel]
    const { window } = start(false)
    window.close()
    expect([window.isGone, window.isHidden]).toEqual([false, false])
    await vi.waitFor(() => {
      expect(desk.questions).toHaveLength(1)
    })
    expect(ended).toBe(0)
    channels = []
    window.close()
    expect(window.isGone).toBe(true)
  })
})

describe('quitting', () => {
  it('asks while something is on air, once at a time, and staying is what Enter and Escape do', async () => {
    const { closing } = start()
    await closing.quit()
    expect(ended).toBe(1)
    channels = [channel]
    await Promise.all([closing.quit(), closing.quit()])
    expect([ended, desk.questions.length]).toEqual([1, 1])
    expect(desk.questions[0]).toMatchObject({ buttons: ['Stay', 'Quit'], defaultId: 0, cancelId: 0 })
    desk.answer = 1
    await closing.quit()
    expect(ended).toBe(2)
  })
})
