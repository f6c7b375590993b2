import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { scratch, until } from '../testing/rig.ts'
import { openAssets } from './assets.ts'
import { createPageServer } from './page-server.ts'
import { createCompanionBounds } from '../listener-bounds.ts'

it('ends a page that gives no sign of life, and keeps one that only says nothing', async () => {
  using folder = scratch()
  const page = path.join(folder.dir, 'page')
  mkdirSync(page)
  writeFileSync(path.join(page, 'index.html'), '<!doctype html>')
  writeFileSync(path.join(page, 'csp.json'), JSON.stringify({ styles: [`sha256-${'A'.repeat(43)}=`] }))
  let gone = 0
  const server = await createPageServer({
    assets: await openAssets(page),
    relay: { fetch: () => Promise.reject(new Error('no media here')) },
    authority: { trade: () => Promise.resolve(undefined), knows: () => true, door: 'link' },
    attach: (line) => {
      line.onClose(() => {
        gone += 1
      })
    },
    host: '127.0.0.1',
    bounds: createCompanionBounds({ log: () => undefined }).page,
    port: 0,
    names: () => ['127.0.0.1'],
    pagesMost: 2,
    aliveEvery: 200,
  })
  const origin = `http://127.0.0.1:${server.port}`
  const open = async (autoPong: boolean): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, { headers: { origin, cookie: `sidestage_${server.port}=x` }, autoPong })
    socket.on('error', () => undefined)
    await once(socket, 'open')
    return socket
  }
  try {
    const quiet = await open(true)
    let pings = 0
    quiet.on('ping', () => {
      pings += 1
    })
    // A network that went without a word: it is open for the system, and nothing comes back.
    const dead = await open(false)
    await until('the end of the dead page', () => dead.readyState === WebSocket.CLOSED)
    await until('further questions', () => pings >= 4)
    expect([quiet.readyState, gone]).toEqual([WebSocket.OPEN, 1])
    // Its place is free again.
    const next = await open(true)
    expect(next.readyState).toBe(WebSocket.OPEN)
  } finally {
    await server.close()
  }
})
