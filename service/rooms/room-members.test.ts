import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { createRoomMembers, type RoomMembers } from './room-members.ts'
import { startStoredRoom, storedUid, type StoredRoom, type ToldFrame } from './testing/stored-room.ts'

let rig: StoredRoom
let members: RoomMembers
/** What was asked of the ends of temporary mutes. */
let ends: string[]
beforeEach(async () => {
  rig = await startStoredRoom()
  onTestFinished(() => rig.close())
  ends = []
  members = createRoomMembers(rig.context, {
    adjustForClockChange: () => {
      ends.push('clock')
      return Promise.resolve()
    },
    expect: () => void ends.push('expect'),
  })
})
const cara = { accid: 'cara', clientType: 'WEB' } as const
const set = (target: string, option: (typeof roleOptions)[keyof typeof roleOptions], on = true, notifyExt?: string) =>
  members.setRole(storedUid, 7, { operator: cara, target, option, on, notifyExt })
const mute = (target: string, seconds: number, needNotify = true) =>
  members.muteForAWhile(storedUid, 7, { operator: cara, target, seconds, needNotify, notifyExt: 'e' })
const notices = (told: ToldFrame[]) =>
  told.splice(0).map((frame) => {
    if (frame.t !== 'roomMessage') return frame
    const { id, data } = JSON.parse(String(frame['attach'])) as { id: number; data: Record<string, unknown> }
    return { id, ...data, by: frame['fromClientType'] }
  })

describe('a role', () => {
  it.each([
    [roleOptions.admin, 'admin', 307, 308],
    [roleOptions.ordinary, 'ordinary', 309, 310],
    [roleOptions.mute, 'muted', 305, 306],
    [roleOptions.blacklist, 'blacklisted', 303, 304],
  ] as const)(
    '%i is stored as %s, and told with %i when it is set and %i when it is unset',
    async (option, mark, on, off) => {
      const told = rig.enter('mike')
      await set('mona', option, true, 'why')
      expect((await rig.reread()).members.get('mona')).toMatchObject({ [mark]: 1 })
      await set('mona', option, false)
      expect([rig.room.members.has('mona'), (await rig.reread()).members.has('mona')]).toEqual([false, false])
      const about = { operator: 'cara', target: ['mona'], tarNick: ['MONA'], by: 'WEB' }
      expect(notices(told)).toMatchObject([
        { id: on, ...about, ext: 'why' },
        { id: off, ...about, ext: '' },
      ])
    },
  )

  it('takes the time of its change, later than any other of the room; a temporary mute does not', async () => {
    await set('mona', roleOptions.ordinary)
    await set('mike', roleOptions.ordinary)
    const [mona, mike] = ['mona', 'mike'].map((accid) => rig.room.members.get(accid)!.updated)
    expect(mike).toBeGreaterThan(mona!)
    await mute('mona', 60)
    expect(rig.room.members.get('mona')!.updated).toBe(mona)
    await set('mona', roleOptions.mute)
    expect(rig.room.members.get('mona')!.updated).toBeGreaterThan(mike!)
  })
})

describe('somebody who is blacklisted', () => {
  it('is told with all others, learns that they are out, and hears nothing more', async () => {
    const [mike, one, two] = [rig.enter('mike'), rig.enter('mona', 'one'), rig.enter('mona', 'two')]
    const before = rig.touched()
    await set('mona', roleOptions.blacklist, true, 'why')
    const both = [
      { id: 303, target: ['mona'], ext: 'why' },
      { id: 313, operator: 'cara', target: ['mona'], ext: 'why' },
    ]
    expect(notices(mike)).toMatchObject(both)
    for (const told of [one, two])
      expect(notices(told)).toMatchObject([...both, { t: 'roomOut', roomid: 7, reason: 'blacklisted' }])
    expect([rig.room.inside.has('mona'), rig.registry.ofSession('one')]).toEqual([false, []])
    // Once for the member, and once when it is outside.
    expect(rig.touched() - before).toBe(2)
    await set('nora', roleOptions.mute)
    expect([notices(one), notices(mike)]).toMatchObject([[], [{ id: 305 }]])
  })

  it('and is not inside is not put out; a robot is, also of what is stored', async () => {
    const told = rig.enter('mike')
    await set('mona', roleOptions.blacklist)
    expect(notices(told)).toMatchObject([{ id: 303 }])
    await rig.context.commit(rig.room, { robots: [{ roomid: 7, accid: 'stan', ext: '', entered: 1 }] })
    await set('stan', roleOptions.blacklist)
    expect(notices(told)).toMatchObject([{ id: 303 }, { id: 313, target: ['stan'] }])
    expect([rig.room.robots.size, (await rig.reread()).robots.size]).toEqual([0, 0])
    // Taking somebody off the blacklist puts nobody out.
    await set('stan', roleOptions.blacklist, false)
    expect(notices(told)).toMatchObject([{ id: 304 }])
  })
})

describe('a temporary mute', () => {
  it('is stored with its end and, where that is to be told, with who set it', async () => {
    const told = rig.enter('mike')
    await mute('mona', 60)
    await mute('nora', 90, false)
    const now = rig.clock.now()
    const stored = (await rig.reread()).members
    expect(stored.get('mona')).toMatchObject({ mutedUntil: now + 60_000, mutedBy: 'cara' })
    expect(stored.get('nora')).toMatchObject({ mutedUntil: now + 90_000, mutedBy: null })
    await mute('mona', 0)
    expect(rig.room.members.has('mona')).toBe(false)
    expect(notices(told)).toMatchObject([
      { id: 314, operator: 'cara', target: ['mona'], ext: 'e', muteDuration: 60 },
      { id: 315, operator: 'cara', target: ['mona'], ext: 'e', muteDuration: 0 },
    ])
  })

  it('corrects the others for a clock that was set before it, and is waited for after it', async () => {
    await mute('mona', 60)
    expect(ends).toEqual(['clock', 'expect'])
  })

  it('of as long as one that runs is refused, and the end of one that is over is nothing', async () => {
    const told = rig.enter('mike')
    await mute('mona', 60)
    await expect(mute('mona', 60)).rejects.toMatchObject({ code: 417, message: 'mona is muted for 60 seconds already' })
    notices(told)
    await mute('nora', 0)
    expect(notices(told)).toEqual([])
  })

  it('of somebody who is limited already takes no further place of the limit', async () => {
    rig.limits.roomLimited = 2
    await mute('mona', 60)
    await set('nora', roleOptions.mute)
    await mute('mona', 90)
    await mute('nora', 90)
    await set('mona', roleOptions.blacklist)
    await expect(mute('mike', 60)).rejects.toMatchObject({
      code: 419,
      message: '2 people are blacklisted or muted already',
    })
    await expect(set('mike', roleOptions.blacklist)).rejects.toMatchObject({ code: 419 })
    // Roles are not counted.
    expect(await set('mike', roleOptions.ordinary)).toBe('ordinary')
  })
})

it('an admin who is made an ordinary member leaves a place for another one, and no admin is muted', async () => {
  rig.limits.roomAdmins = 1
  expect(await set('adam', roleOptions.admin)).toBe('admin')
  await expect(set('mona', roleOptions.admin)).rejects.toMatchObject({
    code: 419,
    message: 'the room has 1 admins already',
  })
  await set('adam', roleOptions.admin, false)
  expect(await set('mona', roleOptions.admin)).toBe('admin')
  await expect(set('mona', roleOptions.mute)).rejects.toMatchObject({
    code: 403,
    message: 'not allowed on the admin of the room',
  })
})
