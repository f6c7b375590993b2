import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { app, control, desk } = await import('./testing/electron-double.ts')
const { shellCapabilities, systemCapabilities } = await import('./capabilities.ts')
const { setAsProgramOf } = await import('./link-program.ts')
const { setMenu } = await import('./menu.ts')

beforeEach(() => {
  desk.hasNotifications = true
  desk.schemes.length = 0
  app.isPackaged = false
})

it.each([
  ['win32', true, undefined, true, ['tray', 'globalKeys', 'notifications', 'startAtLogin']],
  ['darwin', true, undefined, true, ['tray', 'globalKeys', 'notifications', 'startAtLogin']],
  ['linux', true, 'x11', true, ['tray', 'globalKeys', 'notifications', 'startAtLogin']],
  ['linux', true, 'wayland', true, ['tray', 'notifications', 'startAtLogin']],
  ['linux', true, undefined, false, ['globalKeys', 'notifications', 'startAtLogin']],
  ['win32', false, 'wayland', true, ['tray', 'globalKeys', 'notifications']],
] as const)('on %s, packed %s, under %s and with a tray %s has %j', (platform, isPackaged, session, hasTray, has) => {
  expect(systemCapabilities(platform, isPackaged, session, hasTray)).toEqual(has)
})

it('has no notifications where the system shows none', () => {
  desk.hasNotifications = false
  expect(systemCapabilities('win32', true, undefined, true)).toEqual(['tray', 'globalKeys', 'startAtLogin'])
})

it('has buttons of the window on Windows only, and keeps windows on top but under Wayland', () => {
  const always = ['clipboard', 'openLog', 'showInFolder', 'chooseFolder', 'updates']
  const rest = (platform: NodeJS.Platform, session?: string) => {
    const all = shellCapabilities(platform, false, session, false)
    expect(all.slice(0, always.length)).toEqual(always)
    return all.slice(always.length)
  }
  expect(rest('win32')).toEqual(['windowControls', 'stayOnTop', 'globalKeys', 'notifications'])
  expect(rest('darwin')).toEqual(['stayOnTop', 'globalKeys', 'notifications'])
  expect(rest('linux', 'x11')).toEqual(['stayOnTop', 'globalKeys', 'notifications'])
  expect(rest('linux', 'wayland')).toEqual(['notifications'])
})

it('is the program of its links only when it is installed; on Windows a link ends the switches', () => {
  setAsProgramOf('sidestage', 'win32')
  expect(desk.schemes).toEqual([])
  app.isPackaged = true
  for (const platform of ['win32', 'darwin', 'linux'] as const) setAsProgramOf('sidestage', platform)
  expect(desk.schemes).toEqual(['sidestage --', 'sidestage', 'sidestage'])
})

it('has a menu on macOS only, without a reload or tools of developers', () => {
  setMenu('darwin')
  expect(control.menu).toEqual([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
  for (const platform of ['win32', 'linux'] as const) {
    setMenu(platform)
    expect(control.menu).toBeNull()
  }
})
