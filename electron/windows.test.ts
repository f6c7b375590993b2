import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, WebContentsDouble } = await import('./testing/electron-double.ts')
const { focus, guard, look, openMainWindow } = await import('./windows.ts')

type Made = InstanceType<typeof BrowserWindow>
beforeEach(() => {
  BrowserWindow.all.length = 0
})

it('is a hidden window of 1,440 by 900, at least 1,120 by 700, whose page is not slowed in the background', () => {
  const { options } = openMainWindow('/p/preload.cjs', 'linux', '/p/icon.png') as unknown as Made
  expect(options).toMatchObject({
    width: 1_440,
    height: 900,
    minWidth: 1_120,
    minHeight: 700,
    show: false,
    icon: '/p/icon.png',
    autoHideMenuBar: true,
  })
  expect(options.webPreferences).toMatchObject({
    preload: '/p/preload.cjs',
    backgroundThrottling: false,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
  })
})

it('is shown once its page is drawn, unless it shall stay in the tray', () => {
  const shown = openMainWindow('', 'linux', '') as unknown as Made
  expect(shown.done).toEqual([])
  shown.emit('ready-to-show')
  shown.emit('ready-to-show')
  expect(shown.done).toEqual(['show'])
  const hidden = openMainWindow('', 'linux', '', true) as unknown as Made
  hidden.emit('ready-to-show')
  expect(hidden.done).toEqual([])
})

it('has its own title bar on Windows, that of macOS within the page, the frame of the system on Linux', () => {
  expect([look('win32'), look('darwin'), look('linux')]).toEqual([
    { frame: false },
    { titleBarStyle: 'hiddenInset' },
    {},
  ])
})

it('is shown and focused, out of the dock first, and left alone when it is gone', () => {
  const window = new BrowserWindow({})
  focus(window as never)
  expect(window.done).toEqual(['show', 'focus'])
  window.minimize()
  focus(window as never)
  expect(window.done.slice(2)).toEqual(['minimize', 'restore', 'show', 'focus'])
  window.destroy()
  focus(window as never)
  expect(window.done).toHaveLength(6)
})

it('goes nowhere but to its own page, in its top frame, and opens nothing', () => {
  const contents = new WebContentsDouble()
  guard(contents as never)
  const ours = 'app://sidestage/'
  contents.mainFrame.url = ours
  for (const event of ['will-navigate', 'will-frame-navigate']) {
    expect(contents.attempts(event, { url: ours }), event).toBe(true)
    expect(contents.attempts(event, { url: ours, isMainFrame: false }), event).toBe(false)
    expect(contents.attempts(event, { url: 'https://evil.example/' }), event).toBe(false)
  }
  for (const event of ['will-redirect', 'will-attach-webview'])
    expect(contents.attempts(event, { url: ours }), event).toBe(false)
  expect(contents.openHandler?.({ url: ours })).toEqual({ action: 'deny' })
  // A page that is not ours leads to nothing, not even to ours.
  contents.mainFrame.url = 'https://evil.example/'
  expect(contents.attempts('will-navigate', { url: ours })).toBe(false)
})
