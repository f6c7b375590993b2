import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { computed, ref } from 'vue'
import type { RpcClient } from '../../data/client.ts'
import type { RoomNotice } from './room-log.ts'
import { createRoomMembers } from './room-members.ts'
import { createRoomTries } from './room-tries.ts'

interface Call {
  readonly profileId: string
  readonly call: { readonly roomid: number; readonly type?: number; readonly limit?: number; readonly after?: string }
}
const member = (accid: string, more: object = {}) => ({ accid, nick: accid, type: 3, onlineStat: true, ...more })
const person = (accid: string, more: object = {}) => ({
  accid,
  nick: accid,
  type: 3,
  online: true,
  robot: false,
  since: null,
  ...more,
})
const notice = (id: number, target: readonly string[], names: readonly string[] = []): RoomNotice => ({
  id,
  operator: '',
  target,
  names,
  why: '',
  seconds: null,
  expired: false,
  stillMuted: false,
})
const [entered, left] = [301, 302]

let calls: string[]
let fixed: object[]
let others: object[]
let queue: Record<string, unknown>[]
let muted: readonly string[][]
let hold: Promise<void>
let forces: unknown[]
const roomid = ref<number | null>(7)
const profile = ref('local')
const companion = { extended: true }
beforeEach(() => {
  vi.useFakeTimers()
  calls = []
  fixed = []
  others = []
  queue = []
  muted = [[]]
  hold = Promise.resolve()
  forces = []
  roomid.value = 7
  profile.value = 'local'
  companion.extended = true
})
afterEach(() => {
  vi.useRealTimers()
})

function stage() {
  let wasRead = 0
  const { trying, failure } = createRoomTries()
  const note = async (what: string): Promise<void> => {
    calls.push(what)
    await hold
  }
  const rpc = {
    operations: {
      chatrooms: {
        membersByPage: async ({ call }: Call) => {
          await note(`members ${call.roomid} ${call.type} ${call.limit}`)
          return { desc: { data: call.type === 0 ? fixed : others } }
        },
        queryMembers: async ({ profileId, call }: Call & { call: { accids: string[] } }) => {
          await note(`query ${profileId} ${call.roomid} ${call.accids.join()}`)
          return { desc: { data: [{ accid: 'ana', type: 2 }] } }
        },
      },
      queue: {
        list: async ({ call }: Call) => {
          await note(`queue ${call.roomid}`)
          return { desc: { list: queue } }
        },
      },
      local: {
        muted: async ({ call }: Call) => {
          await note(`muted ${call.after ?? ''}`)
          const page = call.after === undefined ? 0 : 1
          return {
            ret: {
              list: (muted[page] ?? []).map((accid) => ({ accid, permanent: true, seconds: 0 })),
              more: page + 1 < muted.length,
            },
          }
        },
        blacklisted: async ({ call }: Call) => {
          await note(`blacklisted ${call.after ?? ''}`)
          return { ret: { list: [{ accid: 'lee', at: 5 }], more: false } }
        },
      },
    },
  } as unknown as RpcClient
  const members = createRoomMembers({
    rpc,
    companion,
    profileId: computed(() => profile.value),
    roomid,
    force: {
      reading: () => {
        calls.push('reading')
        return (lists) => forces.push(lists)
      },
    },
    trying,
    wasRead: () => (wasRead += 1),
  })
  return { ...members, failure, wasRead: () => wasRead }
}

describe('the people of a room', () => {
  it('are the fixed members and then the others, each with a name, a role and since when', async () => {
    fixed = [member('mei', { type: 2, onlineStat: false })]
    others = [member('bot', { isRobot: true }), member('lee', { nick: '', enterTime: 50 })]
    const on = stage()
    await on.readPeople()
    expect(on.people.value).toEqual([
      person('mei', { type: 2, online: false }),
      person('bot', { robot: true }),
      person('lee', { since: 50 }),
    ])
    expect([on.morePeople.value, on.reads.value, on.wasRead()]).toEqual([false, 1, 1])
    expect(calls.filter((call) => call.startsWith('members'))).toEqual(['members 7 0 100', 'members 7 1 100'])
  })

  it.each([
    [100, 0, true],
    [0, 100, true],
    [99, 99, false],
  ])('may be more where a page is full: %i fixed and %i others: %s', async (first, second, isMore) => {
    fixed = Array.from({ length: first }, (_, index) => member(`f${index}`))
    others = Array.from({ length: second }, (_, index) => member(`o${index}`))
    const on = stage()
    await on.readPeople()
    expect(on.morePeople.value).toBe(isMore)
  })

  it('come with the queue and with what is in force, whose pages are all read', async () => {
    queue = [{ ana: 'a song', 7: 5 }, { lee: 'another' }]
    muted = [['a', 'b'], ['c']]
    const on = stage()
    await on.readPeople()
    expect(on.queue.value).toEqual([
      { key: '7', value: '5' },
      { key: 'ana', value: 'a song' },
      { key: 'lee', value: 'another' },
    ])
    expect(forces).toEqual([
      {
        muted: ['a', 'b', 'c'].map((accid) => ({ accid, permanent: true, seconds: 0 })),
        blacklisted: [{ accid: 'lee', at: 5 }],
      },
    ])
    expect(calls).toContain('muted b')
    // Notices since count more than the answer.
    expect(calls.indexOf('reading')).toBeLessThan(calls.indexOf('muted '))
  })

  it('of a hosted profile come without what is in force', async () => {
    companion.extended = false
    const on = stage()
    await on.readPeople()
    expect([forces, calls.filter((call) => /muted|blacklisted|reading/.test(call))]).toEqual([[], []])
  })

  it.each([
    ['another room', () => void (roomid.value = 8)],
    ['another profile', () => void (profile.value = 'hosted')],
  ])('are not those of %s that is shown since, nor is its queue', async (_case, change) => {
    fixed = [member('mei')]
    queue = [{ ana: 'a song' }]
    const gate = Promise.withResolvers<void>()
    hold = gate.promise
    const on = stage()
    const reading = on.readPeople()
    change()
    gate.resolve()
    await reading
    expect([on.people.value, on.queue.value, forces, on.reads.value, on.wasRead()]).toEqual([[], [], [], 0, 0])
  })

  it('are asked of nobody without a room', async () => {
    roomid.value = null
    const on = stage()
    await on.readPeople()
    await on.readForce()
    expect([await on.ask(['ana']), calls]).toEqual([[], []])
  })

  it('stay where they could not be read, which is told', async () => {
    fixed = [member('mei')]
    const on = stage()
    await on.readPeople()
    hold = Promise.reject(new Error('gone'))
    await on.readPeople()
    expect([on.people.value.length, on.reads.value, on.failure.value?.kind]).toEqual([1, 1, 'offline'])
  })

  it('are read half a second after it was wished for, once for many wishes', async () => {
    const on = stage()
    on.readPeopleSoon()
    await vi.advanceTimersByTimeAsync(400)
    on.readPeopleSoon()
    await vi.advanceTimersByTimeAsync(99)
    expect(calls).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(calls.filter((call) => call.startsWith('members'))).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(calls.filter((call) => call.startsWith('members'))).toHaveLength(2)
    on.readQueueSoon()
    calls = []
    await vi.advanceTimersByTimeAsync(500)
    expect(calls).toEqual(['queue 7'])
  })

  it('are asked for their roles in the room that is shown', async () => {
    const on = stage()
    expect(await on.ask(['ana', 'lee'])).toEqual([{ accid: 'ana', type: 2 }])
    expect(calls).toEqual(['query local 7 ana,lee'])
  })

  it('are nobody once the room is cleared', async () => {
    fixed = [member('mei')]
    queue = [{ ana: 'a song' }]
    const on = stage()
    await on.readPeople()
    on.clear()
    expect([on.people.value, on.queue.value]).toEqual([[], []])
  })
})

describe('somebody who comes or goes', () => {
  it('is added at the end as a viewer who came then, by the name that was told', () => {
    const on = stage()
    on.people.value = [person('mei')]
    on.moved(notice(entered, ['lee', 'kim'], ['Lee']), 90)
    expect(on.people.value).toEqual([
      person('mei'),
      person('lee', { nick: 'Lee', since: 90 }),
      person('kim', { since: 90 }),
    ])
  })

  it('is online again where they are known, as what they are', () => {
    const on = stage()
    on.people.value = [person('mei', { type: 2, online: false, since: 3 })]
    on.moved(notice(entered, ['mei'], ['Other']), 90)
    expect(on.people.value).toEqual([person('mei', { type: 2, since: 3 })])
  })

  it('is no longer there as a viewer, and only away as a member', () => {
    const on = stage()
    on.people.value = [person('lee'), person('mei', { type: 0 }), person('kim')]
    on.moved(notice(left, ['lee', 'mei']), 90)
    expect(on.people.value).toEqual([person('kim'), person('mei', { type: 0, online: false })])
  })

  it('is added to no list that is too long, which there are more of then', () => {
    const on = stage()
    const many = Array.from({ length: 199 }, (_, index) => person(`p${index}`))
    on.people.value = many
    on.moved(notice(entered, ['lee']), 90)
    expect([on.people.value.length, on.morePeople.value]).toEqual([200, false])
    on.moved(notice(entered, ['kim']), 91)
    expect([on.people.value.length, on.morePeople.value]).toEqual([200, true])
    expect(on.people.value.some(({ accid }) => accid === 'kim')).toBe(false)
  })
})

it('somebody who took a new name has it, and keeps the one before where none was told', () => {
  const on = stage()
  on.people.value = [person('lee', { nick: 'Lee' }), person('kim', { nick: 'Kim' }), person('mei', { nick: 'Mei' })]
  on.renamed(notice(316, ['kim', 'mei'], ['Kay']))
  expect(on.people.value.map(({ nick }) => nick)).toEqual(['Lee', 'Kay', 'Mei'])
})
