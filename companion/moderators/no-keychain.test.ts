import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch, startRig, until } from '../testing/rig.ts'
import { openSeatPage, signIn } from './testing/seat-page.ts'

/** What Settings and the guide say of a computer without a keychain, where tokens end with the app. */
it('refuses sign-ins after a restart without a keychain until the moderator is invited again, and keeps browsers signed in', async () => {
  using folder = scratch()
  const pageDir = path.join(folder.dir, 'page')
  const profileId = 'local'
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  const first = await startRig(folder.dir, { pageDir })
  await until('the service', () => first.page.newest('service')?.service.phase === 'running')
  const { roomid } = await first.page.rpc.rooms.create({
    profileId,
    accid: 'ana',
    name: 'night room',
    announcement: '',
  })
  const invited = await first.page.rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const { port } = await first.page.rpc.seats.listen({ on: true, open: false, port: 0 })
  // A cookie is one of a port, so the port stays.
  const before = await first.page.rpc.seats.listen({ on: true, open: false, port })
  const { status, cookie } = await signIn(before.urls[0]!, { accid: 'mei', token: invited.token, code: invited.code })
  expect(status).toBe(204)
  await first.close()

  const second = await startRig(folder.dir, { pageDir })
  const { rpc } = second.page
  await until('the service', () => second.page.newest('service')?.service.phase === 'running')
  const { listener } = await rpc.seats.board()
  expect(listener).toMatchObject({ phase: 'listening', port })
  const url = listener.urls[0]!
  expect((await signIn(url, { accid: 'mei', token: invited.token })).status).toBe(401)
  const page = await openSeatPage(url, cookie)
  expect((await page.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
  expect(await page.rpc.rooms.enter({ profileId, roomid, renew: false })).toMatchObject({ roomid, accid: 'mei' })
  await page.rpc.rooms.act({ profileId, roomid, measure: { kind: 'muteRoom', on: true }, why: '' })
  page.close()
  const again = await rpc.seats.inviteAgain({ id: invited.seat.id })
  expect((await signIn(url, { accid: 'mei', token: again.token, code: again.code })).status).toBe(204)
  await second.close()
})
