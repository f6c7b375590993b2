import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { openSeatPage, signIn } from './testing/seat-page.ts'

const folder = scratch()
const profileId = 'local'
let rig: Rig
let cid = ''
let url = ''
let cookie = ''

beforeAll(async () => {
  const pageDir = path.join(folder.dir, 'page')
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  rig = await startRig(folder.dir, { pageDir })
  const { rpc } = rig.page
  await rig.companion.serviceReady(150_000)
  cid = (await rpc.channels.create({ profileId, name: 'Night' })).cid
  const { roomid } = await rpc.rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })
  await rpc.rooms.link({ profileId, cid, roomid })
  const { token, code } = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  url = (await rpc.seats.listen({ on: true, open: false, port: 0 })).urls[0]!
  cookie = (await signIn(url, { accid: 'mei', token, code })).cookie
})
afterAll(async () => {
  await rig?.close()
  folder[Symbol.dispose]()
})

it('a page that is opened while the service is away has its channel when the service is back, and the list of seats keeps it', async () => {
  const starts = rig.processes.length
  process.kill(rig.processes.at(-1)!.pid!, 'SIGKILL')
  await until('the end of the service', () => rig.page.newest('service')?.service.phase === 'restarting')
  const page = await openSeatPage(url, cookie)
  try {
    await until(
      'the service',
      () => rig.processes.length > starts && rig.page.newest('service')?.service.phase === 'running',
    )
    await until('the channel of the page', async () => (await page.rpc.app.about()).seat?.cid === cid)
    expect((await page.rpc.channels.list({ profileId })).channels.map((channel) => channel.cid)).toEqual([cid])
    expect((await rig.page.rpc.seats.board()).seats).toMatchObject([{ accid: 'mei', cid }])
  } finally {
    page.close()
  }
})
