import { writeFileSync } from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { jsonFile } from '../platform/json-file.ts'
import { scratch } from '../companion/testing/rig.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, control, Frame, ipcMain, screen } = await import('./testing/electron-double.ts')
const { serveIpc } = await import('./ipc.ts')
const { createPopOuts } = await import('./pop-outs.ts')
const { fitted, KeptBounds } = await import('./screen-bounds.ts')

type Window = InstanceType<typeof BrowserWindow>
type PopOuts = Awaited<ReturnType<typeof createPopOuts>>
const least = { width: 340, height: 480 }
const display = (id: number, x = 0) => ({ id, workArea: { x, y: 0, width: 1920, height: 1040 } })
let folder: ReturnType<typeof scratch>
let rooms: PopOuts
let endIpc: () => void
let main: Window
let attached: number
const joined: string[] = []

const boundsFile = (): string => path.join(folder.dir, 'pop-out.json')
const make = (): Promise<PopOuts> =>
  createPopOuts({
    preload: '/p/preload.cjs',
    platform: 'linux',
    icon: '',
    bounds: jsonFile(boundsFile(), (raw) => KeptBounds.parse(raw)),
    log: () => undefined,
  })
const local = (roomid: number) => ({ roomid, profileId: 'local', joined: null })
const askFor = (place: unknown, frame = main.webContents.mainFrame, sender = main.webContents): Promise<unknown> =>
  ipcMain.asks('sidestage:pop-out', { sender, senderFrame: frame }, place)
const ask = (roomid: number, frame = main.webContents.mainFrame): Promise<unknown> => askFor(local(roomid), frame)
/** The windows of rooms that are open. */
const open = (): Window[] => BrowserWindow.all.filter((one) => one !== main && !one.isGone)
const only = (): Window => {
  const [window, ...more] = open()
  if (!window || more.length > 0) throw new Error(`${open().length} windows are open`)
  return window
}
const procedure = (name: string, window: Window): void => {
  ipcMain.emit('sidestage:window', { sender: window.webContents, senderFrame: window.webContents.mainFrame }, name)
}

beforeEach(async () => {
  folder = scratch()
  screen.displays = [display(1)]
  BrowserWindow.all.length = 0
  control.schemes.set('app', () => Promise.resolve(new Response('<!doctype html>')))
  main = new BrowserWindow({})
  await main.loadURL('app://sidestage/')
  rooms = await make()
  attached = 0
  endIpc = serveIpc({
    attach: (line) => {
      attached++
      return {
        end: () => {
          attached--
          line.close()
        },
      }
    },
    attachJoined: (line, id) => {
      joined.push(id)
      return {
        end: () => {
          line.close()
        },
      }
    },
    connected: () => undefined,
    popOuts: rooms as never,
  })
})
afterEach(async () => {
  endIpc()
  await rooms.end()
  folder[Symbol.dispose]()
})

describe('a room’s own window', () => {
  it('shows our page at the route of that room, above all others, no smaller than can be read', async () => {
    expect(await ask(7)).toBe('opened')
    const window = only()
    expect(window.webContents.getURL()).toBe('app://sidestage/#/pop-out/room/7/local')
    expect(window.options).toMatchObject({
      minWidth: 340,
      minHeight: 480,
      width: 420,
      height: 720,
      alwaysOnTop: true,
      show: false,
    })
    expect(window.done).toEqual(['show'])
    const { x, y, width, height } = window.bounds
    expect(x >= 0 && y >= 0 && x + width <= 1920 && y + height <= 1040).toBe(true)
  })

  it('is guarded as the main window is', async () => {
    await ask(7)
    expect(only().options.webPreferences).toEqual({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
      preload: '/p/preload.cjs',
    })
  })

  it('is one for each room: a second question brings it to the front, also out of the dock', async () => {
    await ask(7)
    const window = only()
    window.minimize()
    expect(await ask(7)).toBe('opened')
    expect(only()).toBe(window)
    expect(window.done.slice(-3)).toEqual(['restore', 'show', 'focus'])
    expect(await ask(8)).toBe('opened')
    expect(open().map((one) => one.webContents.getURL())).toEqual([
      'app://sidestage/#/pop-out/room/7/local',
      'app://sidestage/#/pop-out/room/8/local',
    ])
  })

  it('is another one for the same number of another profile, and of a room on another computer', async () => {
    const [one, other] = ['ab'.repeat(8), 'cd'.repeat(8)]
    const places = [
      local(7),
      { ...local(7), profileId: 'p-1' },
      { ...local(7), joined: one },
      { ...local(7), joined: other },
    ]
    expect(await Promise.all(places.map((place) => askFor(place)))).toEqual(['opened', 'opened', 'opened', 'opened'])
    expect(open().map((each) => each.webContents.getURL())).toEqual([
      'app://sidestage/#/pop-out/room/7/local',
      'app://sidestage/#/pop-out/room/7/p-1',
      `app://sidestage/?joined=${one}#/pop-out/room/7/local`,
      `app://sidestage/?joined=${other}#/pop-out/room/7/local`,
    ])
    expect(await askFor(places[2])).toBe('opened')
    expect(open()).toHaveLength(4)
  })

  it('is refused beyond four, until one is closed', async () => {
    expect(await Promise.all([1, 2, 3, 4, 5, 4].map((roomid) => ask(roomid)))).toEqual([
      'opened',
      'opened',
      'opened',
      'opened',
      'full',
      'opened',
    ])
    expect(open()).toHaveLength(4)
    open()[1]?.close()
    expect(await ask(5)).toBe('opened')
    expect(open()).toHaveLength(4)
  })

  it('is made anew when it was closed, destroyed or its page crashed', async () => {
    for (const goes of [
      (window: Window) => {
        window.close()
      },
      (window: Window) => {
        window.destroy()
      },
      (window: Window) => {
        window.webContents.emit('render-process-gone', {}, { reason: 'crashed' })
      },
      (window: Window) => {
        // Destroyed without a word.
        window.isGone = true
      },
    ]) {
      await ask(7)
      const window = only()
      goes(window)
      expect(open()).toEqual([])
      expect(await ask(7)).toBe('opened')
      expect(only()).not.toBe(window)
      only().close()
    }
  })

  it('that could not load leaves no window behind', async () => {
    control.schemes.set('app', () => Promise.resolve(new Response(null, { status: 404 })))
    expect(await ask(7)).toBe('refused')
    expect(open()).toEqual([])
    control.schemes.set('app', () => Promise.resolve(new Response('<!doctype html>')))
    expect(await ask(7)).toBe('opened')
  })
})

describe('the question for one', () => {
  it('names a room, its profile and whose computer, and nothing else', async () => {
    const wrong: unknown[] = [
      7,
      { ...local(7), more: 1 },
      { ...local(7), profileId: '' },
      { ...local(7), profileId: '../x' },
      { ...local(7), profileId: '#/settings' },
      { ...local(7), joined: 'x' },
      { ...local(7), joined: '?joined=abababababababab' },
      { ...local(7), joined: undefined },
      { roomid: '7', profileId: 'local', joined: null },
      { roomid: 1.5, profileId: 'local', joined: null },
      '7',
      '7#/settings',
      'https://evil.example/',
      '//evil.example/',
      '',
      null,
      undefined,
      true,
      NaN,
      Infinity,
      0,
      -1,
      1.5,
      2 ** 53,
      7n,
      [7],
      { roomid: 7 },
      { valueOf: () => 7 },
    ]
    for (const place of wrong) expect(await askFor(place), String(place)).toBe('refused')
    expect(open()).toEqual([])
  })

  it('is heard of the top frame of our own page only, in a window that is there', async () => {
    const { webContents } = main
    const elsewhere = new Frame(webContents, 'https://evil.example/')
    const inner = new Frame(webContents, 'app://sidestage/')
    inner.parent = webContents.mainFrame
    const gone = new Frame(webContents, 'app://sidestage/')
    gone.detached = true
    for (const frame of [elsewhere, inner, gone, null as never]) expect(await ask(7, frame)).toBe('refused')
    webContents.mainFrame.url = 'app://sidestage.evil/'
    expect(await ask(7)).toBe('refused')
    webContents.mainFrame.url = 'app://sidestage/'
    main.isGone = true
    expect(await ask(7)).toBe('refused')
    expect(open()).toEqual([])
  })

  it('is heard no more after the end', async () => {
    await rooms.end()
    expect(await ask(7)).toBe('refused')
    endIpc()
    await expect(ask(7)).rejects.toThrow('No handler')
    expect(open()).toEqual([])
  })
})

describe('its port', () => {
  it('is its own, and closed when it goes elsewhere or away', async () => {
    const connect = (contents: Window['webContents']): void => {
      ipcMain.emit('sidestage:connect', { sender: contents, senderFrame: contents.mainFrame })
    }
    await ask(7)
    connect(main.webContents)
    const { webContents } = only()
    connect(webContents)
    connect(webContents)
    expect(attached).toBe(2)
    expect(webContents.mainFrame.received.map(({ channel }) => channel)).toEqual(['sidestage:port', 'sidestage:port'])
    webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true })
    expect(attached).toBe(2)
    webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })
    expect(attached).toBe(1)
    connect(webContents)
    only().close()
    expect(attached).toBe(1)
  })
})

describe('the port of a joined room', () => {
  it('is asked for by its id; anything else gets no port at all', () => {
    const connect = (asked: unknown): void => {
      ipcMain.emit('sidestage:connect', { sender: main.webContents, senderFrame: main.webContents.mainFrame }, asked)
    }
    const before = main.webContents.mainFrame.received.length
    connect('ab'.repeat(8))
    expect([joined.splice(0), attached]).toEqual([['ab'.repeat(8)], 0])
    for (const asked of ['', 'AB'.repeat(8), `${'ab'.repeat(8)}x`, null, 7, {}, ['ab'.repeat(8)]]) connect(asked)
    expect([joined, attached, main.webContents.mainFrame.received.length - before]).toEqual([[], 0, 1])
  })
})

describe('staying above other windows', () => {
  it('is switched by the window itself, and never of the main window', async () => {
    await ask(7)
    const window = only()
    procedure('unpin', window)
    expect(window.isOnTop).toBe(false)
    procedure('pin', window)
    expect(window.isOnTop).toBe(true)
    procedure('pin', main)
    expect(main.isOnTop).toBe(false)
    procedure('close', window)
    expect(window.isGone).toBe(true)
  })
})

describe('its place', () => {
  it('is that of the one that was closed last, also after a start', async () => {
    await ask(7)
    only().setBounds({ x: 100, y: 90, width: 500, height: 600 })
    only().close()
    await ask(8)
    expect(only().bounds).toEqual({ x: 100, y: 90, width: 500, height: 600 })
    only().setBounds({ x: 110, y: 90, width: 500, height: 600 })
    await rooms.end()
    expect(open()).toEqual([])
    const again = await make()
    await again.open(local(9))
    expect(only().bounds).toEqual({ x: 110, y: 90, width: 500, height: 600 })
    await again.end()
  })

  it('does not cover the window of another room', async () => {
    await ask(7)
    await ask(8)
    const [a, b] = open()
    expect(a?.bounds.x).not.toBe(b?.bounds.x)
    expect(a?.bounds.y).not.toBe(b?.bounds.y)
  })

  it('is brought back when the display that it was on is gone, open or kept', async () => {
    screen.displays = [display(1), display(2, 1920)]
    await ask(7)
    const window = only()
    window.setBounds({ x: 3000, y: 500, width: 420, height: 500 })
    screen.emit('display-metrics-changed')
    expect(window.bounds).toEqual({ x: 3000, y: 500, width: 420, height: 500 })
    screen.displays = [display(1)]
    screen.emit('display-removed')
    expect(window.bounds).toEqual({ x: 1500, y: 500, width: 420, height: 500 })
    window.setBounds({ x: 3000, y: 500, width: 420, height: 500 })
    window.close()
    await ask(7)
    expect(only().bounds).toEqual({ x: 1500, y: 500, width: 420, height: 500 })
  })

  it('of a damaged file is left out', async () => {
    for (const text of [
      '{',
      '[]',
      '{"x":1,"y":1,"width":1e9,"height":1}',
      '{"x":"1","y":1,"width":1,"height":1}',
      '{"x":0.5,"y":1,"width":400,"height":500}',
    ]) {
      writeFileSync(boundsFile(), text)
      const again = await make()
      expect(await again.open(local(9))).toBe('opened')
      expect(only().bounds).toMatchObject({ width: 420, height: 720 })
      only().destroy()
      await again.end()
    }
  })

  it('always lies within one display, whatever was kept and whatever displays there are', () => {
    const number = fc.integer({ min: -100_000, max: 100_000 })
    const rectangle = (from: number, to: number) =>
      fc.record({
        x: number,
        y: number,
        width: fc.integer({ min: from, max: to }),
        height: fc.integer({ min: from, max: to }),
      })
    fc.assert(
      fc.property(
        rectangle(1, 32_768),
        fc.array(rectangle(500, 8_000), { minLength: 1, maxLength: 6 }),
        (wanted, areas) => {
          const got = fitted(wanted, areas, least)
          expect(got.width >= least.width && got.height >= least.height).toBe(true)
          expect(
            areas.some(
              ({ x, y, width, height }) =>
                got.x >= x && got.y >= y && got.x + got.width <= x + width && got.y + got.height <= y + height,
            ),
          ).toBe(true)
          expect(fitted(got, areas, least)).toEqual(got)
        },
      ),
    )
    expect(fitted({ x: 5, y: 5, width: 900, height: 900 }, [{ x: 0, y: 0, width: 300, height: 200 }], least)).toEqual({
      x: 0,
      y: 0,
      ...least,
    })
    expect(fitted({ x: 5, y: 5, width: 900, height: 900 }, [], least)).toEqual({ x: 5, y: 5, width: 900, height: 900 })
  })
})
