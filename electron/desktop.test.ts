import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { MessagePort } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Rpc } from '../contract/rpc/index.ts'
import { failureOf, scratch, until } from '../companion/testing/rig.ts'
import { DownloadDouble } from './testing/download-double.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { app, BrowserWindow, control, Frame, ipcMain, session } = await import('./testing/electron-double.ts')
const { startDesktop } = await import('./desktop.ts')
const { ownArguments } = await import('./own-arguments.ts')
const { askInstance } = await import('../companion/instance/instance.ts')

const folder = scratch()
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const printed: Record<string, unknown>[] = []
type Window = InstanceType<typeof BrowserWindow>
let end: () => Promise<void>
let window: Window

const connect = (contents: Window['webContents'], frame = contents.mainFrame): void => {
  ipcMain.emit('sidestage:connect', { sender: contents, senderFrame: frame })
}
const clientOf = (port: MessagePort): ContractRouterClient<Rpc> => {
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ port: port as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port.start()
  return rpc
}
const newPort = (): MessagePort => {
  const before = window.webContents.mainFrame.received.length
  connect(window.webContents)
  const [port] = window.webContents.mainFrame.received[before]?.ports ?? []
  if (!port) throw new Error('no port was handed over')
  return port
}
const closed = (port: MessagePort): Promise<true> =>
  new Promise((resolve) => {
    port.once('close', () => {
      resolve(true)
    })
  })

beforeAll(async () => {
  // The page is a stand-in; the service is the real one from its source.
  const at = path.join(folder.dir, 'app')
  mkdirSync(path.join(at, 'out', 'renderer'), { recursive: true })
  mkdirSync(path.join(at, 'out', 'main'), { recursive: true })
  writeFileSync(path.join(at, 'out', 'renderer', 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(at, 'out', 'renderer', 'csp.json'), '{"styles":[]}')
  writeFileSync(path.join(at, 'package.json'), '{"type":"module"}')
  writeFileSync(
    path.join(at, 'out', 'main', 'service.js'),
    `import ${JSON.stringify(path.join(root, 'service', 'child.ts'))}\n`,
  )
  symlinkSync(path.join(root, 'node_modules'), path.join(at, 'node_modules'))
  app.appPath = at
  control.loaded.once('page', (opened: Window) => {
    window = opened
    clientOf(newPort()).app.about().catch(expect.unreachable)
  })
  end = await startDesktop({
    argv: [
      '--enable-logging',
      '--data',
      path.join(folder.dir, 'data'),
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
      '--inspect-something',
    ],
    platform: 'win32',
    print: (line) => {
      printed.push(line as Record<string, unknown>)
    },
    log: () => undefined,
    tether: () => undefined,
  })
})
afterAll(async () => {
  await end()
  folder[Symbol.dispose]()
})

describe('the desktop', () => {
  it('says that it is ready when its page has loaded, is connected, and the service runs', () => {
    expect(printed.map((line) => line['event'])).toEqual(['window', 'ready'])
    expect(printed[1]).toMatchObject({ shell: 'electron', url: 'app://sidestage/', service: { event: 'ready' } })
  })

  it('keeps its data, and the window its own, below the data folder', () => {
    expect(app.paths.get('userData')).toBe(path.join(folder.dir, 'data', 'window'))
  })

  it('promises a tray only where one came about: here its pictures are missing', async () => {
    const { capabilities } = await clientOf(newPort()).app.about()
    expect(capabilities).toContain('clipboard')
    expect(capabilities).not.toContain('tray')
  })

  it('takes no folder that a page typed: here a person chooses it in a dialog', async () => {
    expect(await failureOf(clientOf(newPort()).computer.typeFolder({ path: folder.dir }))).toMatchObject({
      kind: 'absent',
    })
  })

  it('reads its own switches out of a command line that others have added to', () => {
    expect(
      ownArguments([
        '--type=x',
        '--data',
        '/d',
        '--no-sandbox',
        '--api-port',
        '1',
        'file',
        '--shell',
        'browser',
        '--recording-minute',
        '900',
      ]),
    ).toEqual(['--data', '/d', '--api-port', '1', '--recording-minute', '900'])
  })
})

describe('every window', () => {
  it('is sandboxed, isolated, without Node, and under web security', () => {
    expect(app.isSandboxed).toBe(true)
    for (const one of BrowserWindow.all) {
      expect(one.options.webPreferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        webviewTag: false,
        experimentalFeatures: false,
        navigateOnDragDrop: false,
      })
    }
  })

  it('goes nowhere: navigation, redirect, new window and webview are denied', () => {
    const contents = window.webContents
    for (const url of [
      'https://evil.example/',
      'file:///etc/passwd',
      'app://evil/',
      'app://sidestage.evil/',
      'app://user@sidestage/',
      'javascript:alert(1)',
      'data:text/html,x',
      'about:blank',
    ]) {
      expect(contents.attempts('will-navigate', { url }), url).toBe(false)
      expect(contents.attempts('will-frame-navigate', { url }), url).toBe(false)
      expect(contents.attempts('will-redirect', { url }), url).toBe(false)
      expect(contents.openHandler?.({ url })).toEqual({ action: 'deny' })
    }
    expect(contents.openHandler?.({ url: 'app://sidestage/' })).toEqual({ action: 'deny' })
    expect(contents.attempts('will-attach-webview', { url: 'app://sidestage/' })).toBe(false)
    expect(contents.attempts('will-frame-navigate', { url: 'app://sidestage/', isMainFrame: false })).toBe(false)
    expect(contents.attempts('will-navigate', { url: 'app://sidestage/' })).toBe(true)
  })

  it('has no permission, device, screen, download or request beyond its own scheme', () => {
    const { defaultSession } = session
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'clipboard-sanitized-write',
      'openExternal',
      'fullscreen',
      'hid',
    ]) {
      let decided: boolean | undefined
      defaultSession.permission?.({}, permission, (allowed) => {
        decided = allowed
      })
      expect(decided, permission).toBe(false)
    }
    expect(defaultSession.check?.()).toBe(false)
    expect(defaultSession.device?.()).toBe(false)
    expect(
      defaultSession.downloads(new DownloadDouble(['https://cdn.example/x.exe'], 'x.exe'), window.webContents),
    ).toBe(false)
    expect(
      defaultSession.downloads(
        new DownloadDouble([`app://sidestage/media/${'A'.repeat(32)}/7.mp4`], 'x.mp4'),
        window.webContents,
      ),
    ).toBe(true)
    const isCancelled = (url: string): boolean => {
      let cancel = false
      defaultSession.before?.({ url }, (answer) => {
        cancel = answer.cancel
      })
      return cancel
    }
    expect(
      [
        'http://127.0.0.1/',
        'https://cdn.example/x.js',
        'file:///etc/passwd',
        'ws://127.0.0.1/',
        'data:text/html,x',
        'blob:https://x.example/1',
      ].map(isCancelled),
    ).toEqual(Array.from({ length: 6 }, () => true))
    expect(
      ['app://sidestage/assets/x.js', 'blob:app://sidestage/1', 'data:image/png;base64,'].map(isCancelled),
    ).toEqual([false, false, false])
  })
})

describe('the scheme', () => {
  const fetchAt = (url: string, init: RequestInit = {}): Promise<Response> =>
    control.schemes.get('app')?.(new Request(url, init)) ?? Promise.reject(new Error('no scheme'))

  it('is standard and secure, and bypasses no policy', () => {
    expect(control.privileges).toEqual([
      {
        scheme: 'app',
        privileges: {
          standard: true,
          secure: true,
          supportFetchAPI: true,
          stream: true,
          bypassCSP: false,
          allowServiceWorkers: false,
          corsEnabled: false,
        },
      },
    ])
  })

  it('serves the built page under the whole policy, and nothing else', async () => {
    const page = await fetchAt('app://sidestage/')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    for (const url of [
      'app://sidestage/../package.json',
      'app://sidestage/%2e%2e/package.json',
      'app://sidestage/csp.json',
      'app://other/index.html',
      'app://sidestage/..%5c..%5cpackage.json',
    ])
      expect((await fetchAt(url)).status, url).toBe(404)
    expect((await fetchAt('app://sidestage/', { method: 'POST', body: 'x' })).status).toBe(405)
    expect((await fetchAt(`app://sidestage/media/${'A'.repeat(32)}/x.flv`)).status).toBe(404)
  })
})

describe('the port', () => {
  it('goes to the top frame of our own origin only', () => {
    const { webContents } = window
    const before = webContents.mainFrame.received.length
    const inner = new Frame(webContents, 'app://sidestage/')
    inner.parent = webContents.mainFrame
    const elsewhere = new Frame(webContents, 'https://evil.example/')
    const gone = new Frame(webContents, 'app://sidestage/')
    gone.detached = true
    const looksOurs = new Frame(webContents, 'app://sidestage/')
    for (const frame of [inner, elsewhere, gone, looksOurs]) {
      connect(webContents, frame)
      expect(frame.received).toEqual([])
    }
    ipcMain.emit('sidestage:connect', { sender: webContents, senderFrame: null })
    const own = webContents.mainFrame
    own.url = 'app://sidestage.evil.example/'
    connect(webContents)
    own.url = 'app://sidestage/'
    expect(own.received).toHaveLength(before)
  })

  it('is one per frame: a new one closes the one before', async () => {
    const first = newPort()
    const isClosed = closed(first)
    first.start()
    const second = newPort()
    await isClosed
    expect((await clientOf(second).app.about()).shell).toBe('electron')
  })

  it('is closed on navigation and on a crash, but not on a step within the page', async () => {
    for (const [event, details] of [
      ['did-start-navigation', [{ isMainFrame: true, isSameDocument: false }]],
      ['render-process-gone', [{}, { reason: 'crashed' }]],
    ] as const) {
      const port = newPort()
      const rpc = clientOf(port)
      await rpc.app.about()
      window.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true })
      window.webContents.emit('did-start-navigation', { isMainFrame: false, isSameDocument: false })
      await rpc.app.about()
      const isClosed = closed(port)
      window.webContents.emit(event, ...details)
      expect(await isClosed).toBe(true)
    }
  })

  it('takes text only, and ends at anything else or at too much', async () => {
    for (const message of [
      { i: '1', p: { u: '/app/about' } },
      new Uint8Array(4),
      7,
      null,
      'x'.repeat(262_145),
      '',
      '{',
      'null',
      '[]',
      '{"i":1}',
      '{"p":{}}',
    ]) {
      const port = newPort()
      const isClosed = closed(port)
      port.start()
      port.postMessage(message)
      expect(await isClosed).toBe(true)
    }
  })
})

describe('the procedures of the window', () => {
  it('do what they say, for our page only', () => {
    const ask = (procedure: unknown, frame = window.webContents.mainFrame): void => {
      ipcMain.emit('sidestage:window', { sender: window.webContents, senderFrame: frame }, procedure)
    }
    const before = window.done.length
    for (const procedure of [
      'minimize',
      'toggleMaximize',
      'toggleMaximize',
      'destroy',
      'constructor',
      7,
      null,
      { procedure: 'close' },
    ])
      ask(procedure)
    ask('minimize', new Frame(window.webContents, 'https://evil.example/'))
    expect(window.done.slice(before)).toEqual(['minimize', 'maximize', 'unmaximize'])
  })
})

describe('copying a secret', () => {
  it('puts it on the clipboard without handing it to the page', async () => {
    const rpc = clientOf(newPort())
    const { cid } = await rpc.channels.create({ profileId: 'local', name: 'copied' })
    expect(await rpc.push.copy({ profileId: 'local', cid, part: 'key' })).toEqual({ text: null })
    expect(control.clipboard).toMatch(new RegExp(`^${cid}\\?wsSecret=`))
  })
})

describe('a recorded file', () => {
  it('is shown in the system’s folder by its number, and only where the service keeps it', async () => {
    const rpc = clientOf(newPort())
    expect((await rpc.app.about()).capabilities).toContain('showInFolder')
    const { cid } = await rpc.channels.create({ profileId: 'local', name: 'shown' })
    const data = path.join(folder.dir, 'data', 'service')
    // As the recorder would have listed it.
    const outside = new DatabaseSync(path.join(data, 'sidestage.db'))
    outside.exec('pragma busy_timeout = 5000')
    const { lastInsertRowid } = outside
      .prepare(
        `insert into recording (cid, uid, state, format, merged, slice, beginTime, filename, endTime, completed, name, fileKey, bytes, duration, codecs) select cid, uid, 'ready', 0, 0, 0, 1, '', 2, 2, 'n', 'k', 1, 1, '' from channel where cid = ?`,
      )
      .run(cid)
    outside.close()
    const vid = Number(lastInsertRowid)
    const on = { profileId: 'local', vid }
    expect((await failureOf(rpc.recordings.show(on))).kind).toBe('absent')
    expect(control.shown).toEqual([])
    const file = path.join(data, 'recordings', cid, `${vid}.mp4`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, 'x')
    await rpc.recordings.show(on)
    expect(control.shown).toEqual([file])
    expect((await failureOf(rpc.recordings.show({ ...on, vid: vid + 1 }))).code).toBe(618)
    expect(control.shown).toHaveLength(1)
  })
})

describe('a room’s own window', () => {
  const place = { roomid: 7, profileId: 'local', joined: null }
  const ask = (asked: unknown): Promise<unknown> =>
    ipcMain.asks('sidestage:pop-out', { sender: window.webContents, senderFrame: window.webContents.mainFrame }, asked)
  const rooms = (): Window[] => BrowserWindow.all.filter((one) => one !== window && !one.isGone)

  it('has a port of its own, and goes nowhere', async () => {
    expect((await clientOf(newPort()).app.about()).capabilities).toContain('stayOnTop')
    expect(await ask(place)).toBe('opened')
    expect(await ask(7)).toBe('refused')
    const [room] = rooms()
    if (!room) throw new Error('no window')
    expect(rooms()).toHaveLength(1)
    connect(room.webContents)
    const [port] = room.webContents.mainFrame.received[0]?.ports ?? []
    if (!port) throw new Error('no port was handed over')
    const rpc = clientOf(port)
    expect((await rpc.app.about()).shell).toBe('electron')
    const { webContents } = room
    expect(
      ['https://evil.example/', 'file:///etc/passwd', 'javascript:alert(1)'].map((url) =>
        webContents.attempts('will-navigate', { url }),
      ),
    ).toEqual([false, false, false])
    expect(webContents.attempts('will-redirect', { url: 'app://sidestage/' })).toBe(false)
    expect(webContents.openHandler?.({ url: 'app://sidestage/#/pop-out/room/8' })).toEqual({ action: 'deny' })
    const isClosed = closed(port)
    room.close()
    expect(await isClosed).toBe(true)
    expect(app.exitCode).toBeUndefined()
  })

  it('is still open when the main window is closed below', async () => {
    expect(await ask(place)).toBe('opened')
    rooms()[0]?.setBounds({ x: 40, y: 50, width: 400, height: 600 })
    expect(rooms()).toHaveLength(1)
  })
})

describe('a second instance', () => {
  it('brings the window of the first to the front', async () => {
    const before = window.done.length
    expect(await askInstance(path.join(folder.dir, 'data'), 2_000)).toMatchObject({
      shell: 'electron',
      pid: process.pid,
    })
    expect(window.done.slice(before)).toContain('focus')
  })
})

describe('the end', () => {
  it('closes ports and the service in order when the last window is closed', async () => {
    const port = newPort()
    const isClosed = closed(port)
    port.start()
    const pid = control.utilities[0]?.pid ?? 0
    window.close()
    expect(await isClosed).toBe(true)
    await until('the exit', () => app.exitCode !== undefined)
    expect(app.exitCode).toBe(0)
    expect(BrowserWindow.all.every((one) => one.isGone)).toBe(true)
    expect(JSON.parse(readFileSync(path.join(folder.dir, 'data', 'pop-out.json'), 'utf8'))).toEqual({
      x: 40,
      y: 50,
      width: 400,
      height: 600,
    })
    await expect(
      ipcMain.asks('sidestage:pop-out', { sender: window.webContents, senderFrame: null }, 7),
    ).rejects.toThrow()
    expect(() => process.kill(pid, 0)).toThrow()
    const before = window.webContents.mainFrame.received.length
    connect(window.webContents)
    expect(window.webContents.mainFrame.received).toHaveLength(before)
  })
})
