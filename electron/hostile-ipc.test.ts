import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { channels, windowCommands } from './channels.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, control, Frame, ipcMain } = await import('./testing/electron-double.ts')
const { serveIpc } = await import('./ipc.ts')

/** Every channel of the IPC, asked by frames that are not ours and with what no page of ours says. */
type Window = InstanceType<typeof BrowserWindow>
let window: Window
let endIpc: () => void
/** What came through: ports that were attached, and windows that were asked for. */
let through: string[]

const heard = (): string[] => [...ipcMain.eventNames().map(String), ...ipcMain.handlers.keys()]
/** What our page says on each channel. */
const proper: Readonly<Record<string, unknown>> = {
  [channels.connect]: undefined,
  [channels.window]: 'minimize',
  [channels.popOut]: { roomid: 7, profileId: 'local', joined: null },
}
/** Says something on a channel, as a message or as a question, and gives what was answered. */
const say = async (channel: string, frame: unknown, ...said: unknown[]): Promise<unknown> => {
  const event = { sender: window.webContents, senderFrame: frame }
  if (ipcMain.handlers.has(channel)) return ipcMain.asks(channel, event, ...said)
  ipcMain.emit(channel, event, ...said)
  return undefined
}

beforeEach(async () => {
  BrowserWindow.all.length = 0
  control.schemes.set('app', () => Promise.resolve(new Response('<!doctype html>')))
  window = new BrowserWindow({})
  await window.loadURL('app://sidestage/')
  through = []
  const attached = (what: string) => (): { end(): void } => {
    through.push(what)
    return { end: () => undefined }
  }
  const ports = {
    attach: attached('port'),
    attachJoined: attached('joined port'),
    connected: () => undefined,
    popOuts: {
      open: () => {
        through.push('window')
        return Promise.resolve('opened')
      },
      has: () => false,
    },
  }
  endIpc = serveIpc(ports as unknown as Parameters<typeof serveIpc>[0])
})
afterEach(() => {
  endIpc()
})

/** Values that are none of what a channel takes. */
const wrong: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  NaN,
  2 ** 53,
  7n,
  '',
  '7',
  'x'.repeat(1_000_000),
  '../../etc/passwd',
  'https://evil.example/',
  'constructor',
  '__proto__',
  [],
  ['minimize'],
  Array.from({ length: 100_000 }, () => 7),
  {},
  { procedure: 'close' },
  { roomid: 7 },
  { roomid: '7', profileId: 'local', joined: null },
  { roomid: 7, profileId: '../x', joined: null },
  { roomid: 7, profileId: 'local', joined: 'x'.repeat(16) },
  { roomid: 7, profileId: 'local', joined: null, url: 'https://evil.example/' },
  JSON.parse('{"__proto__":{"roomid":7},"roomid":7}'),
]

describe('the channels', () => {
  it('are these, and each is tried here', () => {
    expect(heard().sort()).toEqual(Object.keys(proper).sort())
  })

  it('do for our own page what it asks', async () => {
    for (const channel of heard()) await say(channel, window.webContents.mainFrame, proper[channel])
    expect(through).toEqual(['port', 'window'])
    expect(window.done).toContain('minimize')
  })

  it('hear no frame within a page, none of elsewhere, none that is gone, and no window that is gone', async () => {
    const { webContents } = window
    const before = window.done.length
    const inner = new Frame(webContents, 'app://sidestage/')
    inner.parent = webContents.mainFrame
    const gone = new Frame(webContents, 'app://sidestage/')
    gone.detached = true
    const elsewhere = [
      'https://evil.example/',
      'app://sidestage.evil/',
      'app://user@sidestage/',
      'about:blank',
      'data:text/html,x',
      'file:///x',
      '',
    ].map((url) => new Frame(webContents, url))
    for (const channel of heard())
      for (const frame of [inner, gone, ...elsewhere, null, undefined])
        expect(await say(channel, frame, proper[channel])).toBe(channel === channels.popOut ? 'refused' : undefined)
    window.isGone = true
    webContents.isGone = true
    for (const channel of heard()) await say(channel, webContents.mainFrame, proper[channel])
    expect(through).toEqual([])
    expect(window.done).toHaveLength(before)
    expect([inner, gone, ...elsewhere, webContents.mainFrame].flatMap(({ received }) => received)).toEqual([])
  })

  it('take nothing of a wrong kind, huge, or with more than they know, and go on', async () => {
    const before = window.done.length
    for (const channel of heard())
      for (const value of wrong)
        expect(await say(channel, window.webContents.mainFrame, value), channel).toBe(
          channel === channels.popOut ? 'refused' : undefined,
        )
    expect(through).toEqual([])
    expect(window.done).toHaveLength(before)
    expect(window.webContents.mainFrame.received).toEqual([])
    // What comes behind what is asked is not looked at.
    await say(channels.window, window.webContents.mainFrame, 'minimize', 'close', { procedure: 'close' })
    expect(window.done.slice(before)).toEqual(['minimize'])
    expect(window.isGone).toBe(false)
  })

  it('have procedures of the window that do nothing but to the window that asks', async () => {
    const other = new BrowserWindow({})
    for (const procedure of windowCommands) await say(channels.window, window.webContents.mainFrame, procedure)
    expect(other.done).toEqual([])
    expect([other.isGone, other.isShielded, other.isOnTop]).toEqual([false, false, false])
  })
})
