import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'

let rig: RoomRig
let [mona, mike]: LinkUser[] = []
let roomid: number
beforeAll(async () => {
  rig = await startRooms()
  roomid = await rig.room({ roles: true })
  await rig.call(local.setWords, { words: ['villain'] })
  ;[mona, mike] = [await rig.user('mona'), await rig.user('mike')]
  for (const user of [mona, mike]) await user.request('roomEnter', { roomid })
})
afterAll(() => rig.close())

/** Flags that the link no longer has. */
const flags = { antispam: true, antispamCustom: 'fine' } as const
const message = (body: string): { scene: string; to: string; type: number; body: string } => ({
  scene: 'p2p',
  to: 'mike',
  type: 0,
  body,
})
const marker = async (): Promise<void> => {
  const clientId = `marker ${mike!.pushed.length}`
  await mona!.request('send', { ...message('{"msg":"marker"}'), clientId })
  await mona!.request('roomSend', { roomid, type: 0, attach: 'marker', clientId })
  await expect
    .poll(() => mike!.pushed.filter((push) => 'clientId' in push && push.clientId === clientId).length)
    .toBe(2)
}

it.each([
  ['a message', () => mona!.request('send', { ...message('{"msg":"so villain"}'), ...flags })],
  [
    'the extension of a message',
    () => mona!.request('send', { ...message('{"msg":"fine"}'), ext: '{"note":"so vill\\u0061in"}' }),
  ],
  ['the text of a push', () => mona!.request('send', { ...message('{"msg":"fine"}'), pushcontent: 'so villain' })],
  [
    'a custom message',
    () => mona!.request('send', { ...message('{"any":{"thing":["so villain"]}}'), type: 100, ...flags }),
  ],
  ['a notification', () => mona!.request('notify', { scene: 'p2p', to: 'mike', attach: '{"note":"so villain"}' })],
  [
    'the text of a push for a notification',
    () => mona!.request('notify', { scene: 'p2p', to: 'mike', attach: '{}', pushcontent: 'so villain' }),
  ],
  [
    'a line of a room',
    () => mona!.request('roomSend', { roomid, type: 0, attach: 'so villain', clientId: 'line', ...flags }),
  ],
  [
    'a custom line of a room',
    () =>
      mona!.request('roomSend', { roomid, type: 100, attach: '{"a":["so villain"]}', clientId: 'custom', ...flags }),
  ],
])('the link has no way around the word list: %s', async (_what, send) => {
  const before = mike!.pushed.length
  await send()
  await marker()
  expect(JSON.stringify(mike!.pushed.slice(before)).includes('villain')).toBe(false)
  expect(mike!.pushed.slice(before).filter((push) => !(push.t === 'roomMessage' && push.type === 5))).toHaveLength(2)
})
