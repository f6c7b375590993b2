import { defineStore } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { roomStage } from '../../testing/room-stage.ts'
import { useRoomPeople } from './room-people.ts'
import { useRoomPerson } from './room-person.ts'

const start = 1_000_000
const member = (accid: string, more: object = {}) => ({
  roomid: 7,
  accid,
  nick: accid,
  type: 3,
  onlineStat: true,
  enterTime: start,
  ...more,
})
let muted: readonly object[]
let blacklisted: readonly object[]
let inside: readonly ReturnType<typeof member>[]
let mutedAnswer: Promise<unknown> | undefined
beforeEach(() => {
  vi.useFakeTimers()
  muted = [{ accid: 'lee', permanent: false, seconds: 337 }]
  blacklisted = []
  inside = [member('lee', { tempMuted: true, tempMuteTtl: 400 }), member('ana')]
  mutedAnswer = undefined
})
afterEach(() => {
  vi.useRealTimers()
})

const stage = () => {
  const on = roomStage(
    {
      'chatrooms.queryMembers': ({ call }: { call: { accids: string[] } }) => ({
        desc: { data: inside.filter(({ accid }) => call.accids.includes(accid)) },
      }),
      'chatrooms.membersByPage': ({ call }: { call: { type: number } }) => ({
        desc: { data: call.type === 1 ? inside : [] },
      }),
      'queue.list': () => ({ desc: { list: [] } }),
      'local.muted': async () => {
        const list = muted
        await mutedAnswer
        return { ret: { list, more: false } }
      },
      'local.blacklisted': () => ({ ret: { list: blacklisted, more: false } }),
      history: () => ({ ret: { list: [], more: false } }),
      actions: () => [],
      note: () => ({ text: '' }),
    },
    start,
  )
  let number = 0
  return {
    ...on,
    people: useRoomPeople(),
    person: (accid: string) => defineStore(`person ${accid}`, () => useRoomPerson(accid))(),
    notice: (id: number, target: string, more: object = {}): void => {
      number += 1
      on.room.apply({
        type: 'roomPush',
        profileId: 'local',
        roomid: 7,
        push: {
          t: 'roomMessage',
          roomid: 7,
          msgid: `notice ${number}`,
          at: start + number,
          from: 'mei',
          fromNick: 'Mei',
          fromClientType: 'WEB',
          type: 5,
          attach: JSON.stringify({
            id,
            data: { operator: 'mei', opeNick: 'Mei', target: [target], tarNick: [target], ext: '', ...more },
          }),
        },
      })
    },
  }
}

it('says the same rest of a mute in the list, on the card and among the muted, whenever each was read', async () => {
  const { room, people, person, time } = stage()
  await room.readPeople()
  // Each of them reads at another moment, and the service gives whole seconds.
  time.now += 700
  await people.refresh()
  time.now += 700
  const lee = person('lee')
  await vi.advanceTimersByTimeAsync(0)
  const listed = people.lists.get('temporary')!.people.find(({ accid }) => accid === 'lee')!
  const until = start + 337_000
  expect([people.current(listed).mutedUntil, people.restricted?.map((each) => each.mutedUntil), lee.inForce]).toEqual([
    until,
    [until],
    [{ kind: 'temporaryMute', until }],
  ])
})

it('follows the measures of other moderators at once in every place, and asks nothing for it', async () => {
  const { room, people, person, notice, calls } = stage()
  await people.refresh()
  await room.readPeople()
  const ana = person('ana')
  await vi.advanceTimersByTimeAsync(0)
  const asked = () =>
    (['local.muted', 'local.blacklisted', 'chatrooms.membersByPage'] as const).map(
      (procedure) => calls(procedure).length,
    )
  const before = asked()
  const places = () => [
    room.restricted.length,
    people.restricted?.map(({ accid }) => accid),
    ana.inForce.map(({ kind }) => kind),
  ]
  for (const [id, more, wanted] of [
    [314, { muteDuration: 60 }, ['temporaryMute']],
    // The one that ends by itself comes last: its going moves nothing.
    [305, {}, ['mute', 'temporaryMute']],
    [315, { muteDuration: 0 }, ['mute']],
    [303, {}, ['mute', 'blacklist']],
    [306, {}, ['blacklist']],
    [304, {}, []],
  ] as const) {
    notice(id, 'ana', more)
    expect([id, ...places()]).toEqual([
      id,
      wanted.length > 0 ? 2 : 1,
      wanted.length > 0 ? ['ana', 'lee'] : ['lee'],
      [...wanted],
    ])
  }
  expect(asked()).toEqual(before)
})

it('reads the lists again within a second after such a notice, once for many', async () => {
  const { notice, calls } = stage()
  for (let number = 0; number < 50; number++) notice(number % 2 === 0 ? 314 : 315, 'ana', { muteDuration: 9 })
  await vi.advanceTimersByTimeAsync(999)
  expect(calls('local.muted')).toHaveLength(1)
})

it('does not take back what a notice said by an answer that is older', async () => {
  const { room, notice } = stage()
  await room.readPeople()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  mutedAnswer = promise
  const reading = room.readPeople()
  notice(315, 'lee', { muteDuration: 0 })
  resolve(undefined)
  await reading
  expect(room.restricted).toEqual([])
})

it('puts in who comes and takes out who goes, and reads nothing again for a crowd', async () => {
  const { room, notice, calls } = stage()
  await room.readPeople()
  const before = calls('chatrooms.membersByPage').length
  for (let number = 0; number < 50; number++) notice(301, `p${number}`)
  for (let number = 0; number < 49; number++) notice(302, `p${number}`)
  notice(302, 'lee')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(room.people.map(({ accid, online }) => [accid, online])).toEqual([
    ['ana', true],
    ['p49', true],
  ])
  expect(calls('chatrooms.membersByPage')).toHaveLength(before)
  for (let number = 0; number < 1_000; number++) notice(301, `crowd${number}`)
  expect([room.people.length <= 200, room.morePeople]).toEqual([true, true])
})
