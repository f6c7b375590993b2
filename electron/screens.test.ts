import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow } = await import('./testing/electron-double.ts')
const { createScreens } = await import('./screens.ts')

beforeEach(() => {
  BrowserWindow.all.length = 0
})
function stage() {
  const log: string[] = []
  const screens = createScreens((line) => void log.push(line))
  const window = new BrowserWindow({})
  const told = () => window.webContents.told.map(({ said }) => said)
  return { log, screens, window, told, ready: () => screens.ready(window as never) }
}

it('opens a route in the window, which it brings to the front, with its profile where it has one', () => {
  const { screens, window, told, ready } = stage()
  ready()
  expect([told(), window.isFocused]).toEqual([[], false])
  screens.show('/studio/a', 'far')
  screens.show('/settings')
  expect(told()).toEqual([
    { route: '/studio/a', profileId: 'far' },
    { route: '/settings', profileId: null },
  ])
  expect(window.isFocused).toBe(true)
  expect(window.webContents.told[0]!.channel).toBe('sidestage:show')
})

it('keeps the newest route until the page listens, and shows it once', () => {
  const { screens, told, ready } = stage()
  screens.show('/one')
  screens.show('/two')
  expect(told()).toEqual([])
  ready()
  ready()
  expect(told()).toEqual([{ route: '/two', profileId: null }])
})

it('keeps a route for the next window while that before is gone', () => {
  const { screens, window, ready } = stage()
  ready()
  window.destroy()
  screens.show('/one')
  const next = new BrowserWindow({})
  screens.ready(next as never)
  expect(next.webContents.told.map(({ said }) => said)).toEqual([{ route: '/one', profileId: null }])
})

it('brings a window back that is minimized', () => {
  const { screens, window, ready } = stage()
  ready()
  window.minimize()
  screens.show('/one')
  expect(window.done).toEqual(['minimize', 'restore', 'show', 'focus'])
})

it('follows a link of its own, and tells of another only that there was one', () => {
  const { screens, log, told, ready } = stage()
  ready()
  screens.follow('sidestage://room/7')
  expect([told(), log]).toEqual([[{ route: '/room?open=7', profileId: null }], []])
  screens.follow('sidestage://other/secret')
  screens.follow(7)
  expect(told()).toHaveLength(1)
  expect(log).toEqual(Array(2).fill('an address of this app that it does not know was left out'))
})
