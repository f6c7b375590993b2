import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Rpc } from '../contract/rpc/index.ts'
import { scratch, until } from '../companion/testing/rig.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { app, BrowserWindow, control, desk, ipcMain } = await import('./testing/electron-double.ts')
const { startDesktop } = await import('./desktop.ts')
const { ownArguments } = await import('./own-arguments.ts')

/** The whole desktop as an installed program, started by an address. */
type Window = InstanceType<typeof BrowserWindow>
const folder = scratch()
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const data = path.join(folder.dir, 'data')
const cid = '0123456789abcdef0123456789abcdef'
const code = 'one-time-code-of-an-invitation'
const logged: string[] = []
let end: () => Promise<void>
let window: Window
let rpc: ContractRouterClient<Rpc>
const routes = (): unknown[] =>
  window.webContents.told.filter(({ channel }) => channel === 'sidestage:show').map(({ said }) => said)
const connect = (contents: Window['webContents']): ContractRouterClient<Rpc> => {
  const before = contents.mainFrame.received.length
  ipcMain.emit('sidestage:connect', { sender: contents, senderFrame: contents.mainFrame })
  const [port] = contents.mainFrame.received[before]?.ports ?? []
  if (!port) throw new Error('no port was handed over')
  const client = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ port: port as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port.start()
  return client
}

beforeAll(async () => {
  const at = path.join(folder.dir, 'app')
  mkdirSync(path.join(at, 'out', 'renderer'), { recursive: true })
  mkdirSync(path.join(at, 'out', 'main'), { recursive: true })
  mkdirSync(data, { recursive: true })
  writeFileSync(path.join(at, 'out', 'renderer', 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(at, 'out', 'renderer', 'csp.json'), '{"styles":[]}')
  writeFileSync(path.join(at, 'package.json'), '{"type":"module"}')
  writeFileSync(
    path.join(at, 'out', 'main', 'service.js'),
    `import ${JSON.stringify(path.join(root, 'service', 'child.ts'))}\n`,
  )
  for (const name of ['node_modules', 'resources']) symlinkSync(path.join(root, name), path.join(at, name))
  // Kept on a display that is gone now.
  writeFileSync(
    path.join(data, 'window.json'),
    JSON.stringify({ bounds: { x: 5_000, y: -400, width: 1_500, height: 900 }, maximized: true }),
  )
  // Damaged: it is told like any store.
  writeFileSync(path.join(data, 'pop-out.json'), 'no place')
  app.appPath = at
  app.isPackaged = true
  control.loaded.once('page', (opened: Window) => {
    window = opened
    expect(routes()).toEqual([])
    rpc = connect(opened.webContents)
    rpc.app.about().catch(expect.unreachable)
  })
  const switches = ['--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  end = await startDesktop({
    argv: [...switches, '--', `sidestage://channel/${cid}`, '--data', '/elsewhere'],
    platform: 'win32',
    print: () => undefined,
    log: (line) => logged.push(line),
    tether: () => undefined,
  })
})
afterAll(async () => {
  await end()
  app.isPackaged = false
  folder[Symbol.dispose]()
})

describe('an address that the system hands over', () => {
  it('is shown when it started the app, as soon as the page listens', () => {
    // What an address says comes behind the end of all switches.
    expect(desk.schemes).toEqual(['sidestage --'])
    expect(routes()).toEqual([{ route: `/studio/${cid}`, profileId: null }])
  })

  it('changes no switch, wherever it stands on the command line', () => {
    expect(ownArguments(['--api-port', '1', `sidestage://channel/${cid}`, '--data', '/elsewhere'])).toEqual([
      '--api-port',
      '1',
    ])
    expect(ownArguments(['SIDESTAGE:x" --data', '--data', '/elsewhere'])).toEqual([])
    expect(app.paths.get('userData')).toBe(path.join(data, 'window'))
  })

  it('brings the window to the front and is shown when it came to a second instance, or by macOS', () => {
    const before = window.done.length
    app.emit('second-instance', {}, ['sidestage.exe', '--', 'sidestage://room/7'])
    expect(window.done.slice(before)).toContain('focus')
    let isPrevented = false
    app.emit(
      'open-url',
      { preventDefault: () => (isPrevented = true) },
      `sidestage://join?host=10.0.0.7:7443&code=${code}&fp=${'AB'.repeat(32)}`,
    )
    expect(isPrevented).toBe(true)
    expect(routes().slice(1)).toEqual([
      { route: '/room?open=7', profileId: null },
      { route: expect.stringMatching(/^\/join\b/) as string, profileId: null },
    ])
  })

  it('of another form shows nothing, and is logged without a word of it', () => {
    const before = routes().length
    for (const address of [
      `sidestage://evil/${code}`,
      `sidestage://channel/${code}`,
      'sidestage:',
      `SideStage://join?${code}`,
    ])
      app.emit('second-instance', {}, ['sidestage.exe', address])
    app.emit('open-url', { preventDefault: () => undefined }, `https://${code}/`)
    app.emit('second-instance', {}, ['sidestage.exe', '--data', '/x'])
    expect(routes()).toHaveLength(before)
    expect(logged.filter((line) => line.includes('an address'))).toHaveLength(5)
    expect(logged.join('\n')).not.toContain(code)
  })
})

describe('the window', () => {
  it('stands where it was as far as the displays allow', () => {
    expect(window.bounds).toEqual({ x: 420, y: 0, width: 1_500, height: 900 })
    expect(window.isMaximized()).toBe(true)
  })

  it('is kept out of recordings of the screen while its page shows a secret', () => {
    const ask = (procedure: string, sender = window.webContents): void => {
      ipcMain.emit('sidestage:window', { sender, senderFrame: sender.mainFrame }, procedure)
    }
    ask('shield')
    expect(window.isShielded).toBe(true)
    ask('unshield')
    expect(window.isShielded).toBe(false)
    ask('shield')
    ask('unshield', new BrowserWindow({}).webContents)
    expect(window.isShielded).toBe(true)
    BrowserWindow.all.pop()
  })

  it('has a tray that speaks the language of the settings and opens it again', async () => {
    expect((await rpc.app.about()).capabilities).toEqual(
      expect.arrayContaining(['tray', 'globalKeys', 'notifications', 'startAtLogin']),
    )
    await rpc.app.changeSettings({ language: 'zh', closeToTray: true })
    const [tray] = desk.trays
    await until('the language', () => tray?.menu.some(({ label }) => label === '打开 Sidestage'))
    window.close()
    expect([window.isGone, window.isHidden]).toEqual([false, true])
    await until('a word about it', () => desk.notices.some(({ options }) => options.title === 'Sidestage 仍在运行'))
    tray?.choose('打开')
    expect(window.isHidden).toBe(false)
    window.hide()
    app.emit('activate')
    expect(window.isHidden).toBe(false)
  })

  it('tells of a place of a window that is damaged, and opens', async () => {
    expect(logged.filter((line) => line.includes('set aside: pop-out.json'))).toHaveLength(1)
    expect((await rpc.keeping.list()).entries.filter(({ where }) => where === 'app').map(({ paths }) => paths)).toEqual(
      [['pop-out.json']],
    )
  })

  it('gives back its keys, its tray and its place at the end', async () => {
    await rpc.app.changeSettings({ globalKeys: { panic: 'F9' } })
    await until('the key', () => desk.keys.has('F9'))
    window.unmaximize()
    window.setBounds({ x: 10, y: 20, width: 1_200, height: 800 })
    desk.trays[0]?.choose('退出')
    await until('the exit', () => app.exitCode !== undefined)
    expect(desk.keys.size).toBe(0)
    expect(desk.trays[0]?.isGone).toBe(true)
    expect(JSON.parse(readFileSync(path.join(data, 'window.json'), 'utf8'))).toEqual({
      bounds: { x: 10, y: 20, width: 1_200, height: 800 },
      maximized: false,
    })
  })
})
