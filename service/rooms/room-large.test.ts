import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'
import { countEvery } from './room-counts.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
beforeAll(async () => {
  rig = await startRooms()
})
afterAll(() => rig.close())

/** Notices of a room received by a user, as `301 mona`. */
const notices = (user: LinkUser, roomid: number): string[] =>
  user.of('roomMessage').flatMap((push) => {
    if (push.roomid !== roomid || push.type !== 5) return []
    const { id, data } = JSON.parse(push.attach) as { id: number; data: { target?: readonly string[] } }
    return [`${id} ${data.target?.join(' ') ?? ''}`]
  })
const counts = (user: LinkUser, roomid: number) => user.of('roomCount').filter((push) => push.roomid === roomid)

it('above the limit only creator and admins are told who comes and goes; the others how many are online, at most once a second', async () => {
  const { code } = await rig.call(local.updateSettings, { roomNotices: 3 })
  expect(code).toBe(200)
  const roomid = await rig.room({ roles: true })
  const [cara, adam, mona, mike, stan] = await Promise.all(
    ['cara', 'adam', 'mona', 'mike', 'stan'].map((accid) => rig.user(accid)),
  )
  for (const user of [cara!, mona!, adam!]) await user.request('roomEnter', { roomid })
  // Three is the limit, not above: all are told of the third.
  await eventually(() => expect(notices(mona!, roomid)).toEqual(['301 mona', '301 adam']))
  expect(counts(mona!, roomid)).toEqual([])

  const began = performance.now()
  await mike!.request('roomEnter', { roomid })
  for (let round = 0; round < 4; round++) {
    await stan!.request('roomEnter', { roomid })
    await stan!.request('roomLeave', { roomid })
  }
  await eventually(() => expect(notices(cara!, roomid).slice(-2)).toEqual(['301 stan', '302 stan']))
  await eventually(() => expect(notices(adam!, roomid).slice(-2)).toEqual(['301 stan', '302 stan']))
  await eventually(() => expect(counts(mona!, roomid).at(-1)).toMatchObject({ online: 4 }))
  const seconds = Math.ceil((performance.now() - began) / countEvery)
  expect(counts(mona!, roomid).length).toBeLessThanOrEqual(seconds + 1)
  expect(Object.keys(counts(mona!, roomid).at(-1)!).toSorted()).toEqual(['online', 'roomid', 't'])
  expect(counts(cara!, roomid).at(-1)).toMatchObject({ online: 4, people: 4, robots: 0, muted: 2, blacklisted: 1 })

  // Measures are announced to all in a large room too, after earlier notices.
  expect(await rig.mute(roomid, 'mike', 60)).toBe(200)
  await eventually(() => expect(notices(mona!, roomid).at(-1)).toBe('314 mike'))
  expect(notices(mona!, roomid)).toEqual(['301 mona', '301 adam', '314 mike'])
})
