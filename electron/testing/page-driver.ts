import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { Rpc } from '../../contract/rpc/index.ts'
import { app, BrowserWindow, control, desk } from './electron-double.ts'

/**
 * Plays the page inside the process of the built bundle: loads the built preload as the sandbox would, connects as the renderer does,
 * makes a few calls, and prints what it found as one JSON line.
 */
control.exits = true
const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
const ports = new Promise<MessagePort>((resolve) => {
  Object.assign(globalThis, {
    window: {
      location: { origin: 'app://sidestage' },
      postMessage: (message: { type: string }, target: string, transfer: MessagePort[]) => {
        const port = transfer[0]
        if (message.type === 'sidestage:port' && target === 'app://sidestage' && port) resolve(port)
      },
    },
  })
})

async function play(window: BrowserWindow): Promise<void> {
  createRequire(import.meta.url)(path.join(app.getAppPath(), 'out', 'preload', 'preload.cjs'))
  control.frame = window.webContents.mainFrame
  const bridge = control.exposed['sidestage'] as {
    shell: string
    connect(): void
    pin(): void
    unpin(): void
    popOut(room: unknown): Promise<string>
  }
  bridge.connect()
  const port = await ports
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ port: port as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port.start()
  const about = await rpc.app.about()
  for await (const event of await rpc.app.events())
    if (event.type === 'service' && event.service.phase === 'running') break
  const { cid } = await rpc.channels.create({ profileId: 'local', name: 'from_the_bundle' })
  const { key } = await rpc.push.reveal({ profileId: 'local', cid })
  const copied = await rpc.push.copy({ profileId: 'local', cid, part: 'key' })
  const media = await rpc.preview.open({ profileId: 'local', cid })
  const refused = await control.schemes.get('app')?.(new Request(`app://sidestage/media/${'A'.repeat(32)}/x.flv`))
  const asked = { roomid: 7, profileId: 'local', joined: null }
  const answers = [await bridge.popOut(asked), await bridge.popOut(7), await bridge.popOut(asked)]
  const [, room] = BrowserWindow.all
  bridge.unpin()
  const wasOnTop = room?.isOnTop
  if (room) control.frame = room.webContents.mainFrame
  bridge.unpin()
  print({
    event: 'driven',
    popOut: {
      answers,
      windows: BrowserWindow.all.length,
      url: room?.webContents.getURL(),
      preferences: room?.options.webPreferences,
      onTop: [wasOnTop, room?.isOnTop],
      isGuarded: room?.webContents.attempts('will-navigate', { url: 'https://evil.example/' }) === false,
    },
    about,
    bridge: Object.keys(bridge).sort(),
    cid,
    page: control.page?.headers,
    hasPage: control.page?.text.includes('<div id="app">'),
    preferences: window.options.webPreferences,
    privileges: control.privileges,
    isSandboxed: app.isSandboxed,
    copied: copied.text === null && control.clipboard === key,
    media,
    refused: refused?.status,
    utility: control.utilities[0]?.pid,
    tray: desk.trays.map(({ tip, menu }) => [tip, menu.length > 2]),
    schemes: desk.schemes,
  })
}
control.loaded.once('page', (window: BrowserWindow) => {
  play(window).catch((error: unknown) => {
    print({ event: 'driven', fault: String(error) })
  })
})
