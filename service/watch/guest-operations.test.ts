import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'

let rig: RoomRig
let roomid: number
beforeAll(async () => {
  rig = await startRooms({ faults: true })
  roomid = await rig.room()
})
afterAll(() => rig.close())

it.each([
  ['without a CheckSum', 613, [['CheckSum', undefined]]],
  ['without an AppKey', 614, [['AppKey', undefined]]],
  ['without a CurTime', 615, [['CurTime', undefined]]],
  ['with a wrong CheckSum', 409, [['CheckSum', '0'.repeat(40)]]],
] as const)('is refused %s', async (_what, code, headers) => {
  expect((await rig.send(local.guests, { roomid, allow: false }, headers)).code).toBe(code)
  expect((await fetch(`${rig.service.ready.mediaUrl}${local.guests.path}`, { method: 'POST' })).status).toBe(404)
})

it('takes a room and whether guests may come, and says when the service itself fails', async () => {
  for (const wrong of [
    { roomid },
    { allow: true },
    { roomid: 0, allow: true },
    { roomid: 'x', allow: true },
    { roomid, allow: 'perhaps' },
  ])
    expect((await rig.send(local.guests, wrong)).code).toBe(631)
  await rig.call(local.faults, { path: local.guests.path, code: 501 })
  expect((await rig.call(local.guests, { roomid, allow: true })).code).toBe(501)
  expect((await rig.call(local.guests, { roomid, allow: true })).code).toBe(200)
})
