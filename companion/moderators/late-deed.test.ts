import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { openSeatPage, signIn } from './testing/seat-page.ts'

const folder = scratch()
const pageDir = path.join(folder.dir, 'page')
const profileId = 'local'
let rig: Rig
let roomid = 0
let url = ''
const rpc = () => rig.page.rpc

beforeAll(async () => {
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  rig = await startRig(path.join(folder.dir), { pageDir })
  await until('the service', () => rig.page.newest('service')?.service.phase === 'running')
  roomid = (await rpc().rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
  await rpc().messaging.createAccount({ profileId, call: { accid: 'rvb', name: 'Rob' }, keep: false })
  url = (await rpc().seats.listen({ on: true, open: false, port: 0 })).urls[0]!
})
afterAll(async () => {
  await rig?.close()
  folder[Symbol.dispose]()
})

it('a measure that is pressed in the moment when the seat is taken back is in the log, as done or as refused, and done only as that says', async () => {
  const blacklisted = async () =>
    (await rpc().operations.local.blacklisted({ profileId, call: { roomid } })).ret.list.length > 0
  const measure = { kind: 'blacklist', target: 'rvb', on: true } as const
  let invited = await rpc().seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const { id } = invited.seat
  for (const order of ['pressed before', 'taken back before']) {
    const { cookie } = await signIn(url, { accid: 'mei', token: invited.token, code: invited.code })
    const seat = await openSeatPage(url, cookie)
    const press = () => seat.rpc.rooms.act({ profileId, roomid, measure, why: order }).catch(() => undefined)
    const first = order === 'taken back before' ? rpc().seats.revoke({ id }) : press()
    await Promise.all([first, order === 'taken back before' ? press() : rpc().seats.revoke({ id })])
    const rows = async () =>
      (await rpc().rooms.actions({ profileId, roomid, target: 'rvb' })).filter(
        ({ why, result }) => why === order && result !== 'unknown',
      )
    await until('the entry', async () => (await rows()).length === 1)
    const [{ operator, result, code }] = (await rows()) as [Awaited<ReturnType<typeof rows>>[number]]
    expect([operator, result, code]).toEqual(['mei', ...(result === 'done' ? ['done', 200] : ['failed', 403])])
    expect(await blacklisted()).toBe(result === 'done')
    if (result === 'done') await rpc().rooms.act({ profileId, roomid, measure: { ...measure, on: false }, why: '' })
    seat.close()
    invited = await rpc().seats.inviteAgain({ id })
  }
})

it('of a page that was ended and goes on sending no more than a few measures are written down, and nothing is done', async () => {
  const { code, token, seat: made } = await rpc().seats.invite({ profileId, roomid, accid: 'lena', name: 'Lena' })
  const { cookie } = await signIn(url, { accid: 'lena', token, code })
  const seat = await openSeatPage(url, cookie)
  const back = rpc().seats.revoke({ id: made.id })
  const presses = Array.from({ length: 40 }, (_, index) =>
    seat.rpc.rooms
      .act({ profileId, roomid, measure: { kind: 'muteRoom', on: true }, why: `late ${index}` })
      .catch(() => undefined),
  )
  await Promise.all([back, ...presses])
  const rows = async () =>
    (await rpc().rooms.actions({ profileId, roomid })).filter(
      ({ operator, result }) => operator === 'lena' && result === 'failed',
    )
  await until('the entries', async () => (await rows()).length > 0)
  expect((await rows()).length).toBeLessThanOrEqual(8)
  expect((await rpc().operations.chatrooms.get({ profileId, call: { roomid } })).chatroom.muted).toBe(false)
})
