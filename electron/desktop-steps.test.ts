import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Rpc } from '../contract/rpc/index.ts'
import { failingSteps, failureOf } from '../platform/testing/failing-steps.ts'
import { watchOpen } from '../platform/testing/left-open.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const steps = failingSteps(new URL('desktop.ts', import.meta.url))
const { app, BrowserWindow, control, ipcMain } = await import('./testing/electron-double.ts')
const { startDesktop } = await import('./desktop.ts')
const { scratch } = await import('../companion/testing/rig.ts')

const folder = scratch()
const program = path.join(folder.dir, 'app')
const address = JSON.stringify('http://127.0.0.1:1')
mkdirSync(path.join(program, 'out', 'renderer'), { recursive: true })
mkdirSync(path.join(program, 'out', 'main'), { recursive: true })
writeFileSync(path.join(program, 'out', 'renderer', 'index.html'), '<!doctype html>')
writeFileSync(path.join(program, 'out', 'renderer', 'csp.json'), '{"styles":[]}')
writeFileSync(path.join(program, 'package.json'), '{"type":"module"}')
// In the place of the service: it says that it is there, and ends when it is asked to.
writeFileSync(
  path.join(program, 'out', 'main', 'service.js'),
  `const at = ${address}
const ready = { event: 'ready', appKey: 'k', baseUrl: at, imBaseUrl: at, mediaUrl: at, rtmpUrl: at, linkUrl: at }
process.parentPort.on('message', ({ data }) => {
  if (data.type === 'stop') process.exit(0)
  process.parentPort.postMessage({ type: 'ready', ready, notes: [] })
})
`,
)
app.appPath = program
control.loaded.on('page', ({ webContents }: InstanceType<typeof BrowserWindow>) => {
  ipcMain.emit('sidestage:connect', { sender: webContents, senderFrame: webContents.mainFrame })
  const [port] = webContents.mainFrame.received.at(-1)?.ports ?? []
  if (!port) return
  const link = new RPCLink({ port: port as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] })
  port.start()
  createORPCClient<ContractRouterClient<Rpc>>(link)
    .app.about()
    .catch(() => undefined)
})
const start = () =>
  startDesktop({
    argv: ['--data', path.join(folder.dir, 'data')],
    platform: 'linux',
    print: () => undefined,
    log: () => undefined,
    tether: () => undefined,
  })
const heard = ['before-quit', 'window-all-closed', 'second-instance', 'activate', 'open-url', 'web-contents-created']
/** What Electron would go on with: windows, and who listens to the app or to pages. */
const leftInElectron = (): string[] => [
  ...BrowserWindow.getAllWindows().map(() => 'a window'),
  ...heard.filter((event) => app.listenerCount(event) > 0),
  ...ipcMain.eventNames().map(String),
]

/** Electron closes windows when the app exits. */
const closeWindows = (): void => BrowserWindow.getAllWindows().forEach((window) => window.destroy())
const end = await start()
const all = [...new Set(steps.called)]
await end()
closeWindows()
afterAll(() => folder[Symbol.dispose]())

describe('a start of the desktop', () => {
  it('has the steps of its root', () => {
    expect(all).toEqual(expect.arrayContaining(['claimInstance', 'openVault', 'createCompanion', 'serveIpc']))
    expect(all.length).toBeGreaterThan(25)
  })

  it('leaves nothing open when it was ended', async () => {
    const watch = watchOpen()
    steps.from()
    const endIt = await watch.during(start)
    await endIt()
    closeWindows()
    expect(await watch.left()).toEqual([])
    watch.end()
  })

  it.each(all)('leaves no listener, timer, file, lock or window when %s fails', async (step) => {
    const watch = watchOpen()
    steps.from(step)
    const outcome = await watch.during(start).then(
      (endIt) => endIt(),
      (error: unknown) => error,
    )
    expect(outcome).toEqual(failureOf(step))
    expect([await watch.left(), leftInElectron()]).toEqual([[], []])
    watch.end()
  })
})
