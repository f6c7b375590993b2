import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRooms, type RoomRig } from '../../service/rooms/testing/rig.ts'
import { promised } from '../../service/testing/machine-pace.ts'
import { testCredentials } from '../../service/testing/start-service.ts'
import { type Rig, scratch, startRig } from '../testing/rig.ts'
import { openSeatPage, signIn } from './testing/seat-page.ts'

const folder = scratch()
let hosted: RoomRig
let rig: Rig

beforeAll(async () => {
  const pageDir = path.join(folder.dir, 'page')
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  // A second service stands in as the hosted one.
  hosted = await startRooms()
  rig = await startRig(folder.dir, { pageDir })
  await rig.companion.serviceReady(150_000)
})
afterAll(async () => {
  await rig?.close()
  await hosted?.close()
  folder[Symbol.dispose]()
})

it('open pages of moderators end at once when the profile of their room is removed, and their sessions open nothing any more', async () => {
  const { rpc } = rig.page
  const { baseUrl, imBaseUrl } = hosted.service.ready
  const { id } = await rpc.profiles.add({
    name: 'Far',
    liveUrl: baseUrl,
    messagingUrl: imBaseUrl,
    ...testCredentials,
  })
  const url = (await rpc.seats.listen({ on: true, open: false, port: 0 })).urls[0]!
  const { roomid: near } = await rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'near', announcement: '' })
  const pageOf = async (profileId: string, roomid: number, accid: string) => {
    const { token, code } = await rpc.seats.invite({ profileId, roomid, accid, name: accid })
    const { cookie } = await signIn(url, { accid, token, code })
    return { cookie, page: await openSeatPage(url, cookie) }
  }
  const far = await pageOf(id, await hosted.room(), 'abby')
  const other = await pageOf('local', near, 'mei')
  expect((await far.page.rpc.app.about()).seat).toMatchObject({ profileId: id, accid: 'abby' })
  // The listener looks for pages without a session every 15 s only.
  await promised(3_000, async () => {
    await rpc.profiles.remove({ profileId: id })
    await far.page.closed
  })
  await expect(openSeatPage(url, far.cookie)).rejects.toThrow(/401/)
  expect((await rpc.seats.board()).seats.map(({ accid, pages }) => [accid, pages])).toEqual([['mei', 1]])
  expect((await other.page.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
  other.page.close()
})
