import { beforeEach, describe, expect, it } from 'vitest'
import { computed, ref } from 'vue'
import type { RpcClient } from '../../data/client.ts'
import { createRoomList } from './room-list.ts'
import { createRoomTries } from './room-tries.ts'

interface Asked {
  readonly profileId: string
  readonly before?: number
}
const room = (roomid: number) => ({
  roomid,
  name: `Room ${roomid}`,
  creator: 'host',
  valid: true,
  online: 0,
  cid: null,
})

let asked: Asked[]
let answer: (input: Asked) => Promise<unknown>
let kept: Map<string, string>
const profile = ref('local')
/** Rooms 300, 299 and so on, two on each page, down to `last`. */
const pages =
  (last: number) =>
  ({ before = 301 }: Asked): Promise<unknown> => {
    const rooms = [before - 1, before - 2].filter((id) => id >= last).map(room)
    const next = before - 2 > last ? before - 2 : null
    return Promise.resolve({ rooms, next, complete: true })
  }
beforeEach(() => {
  asked = []
  answer = pages(1)
  kept = new Map()
  profile.value = 'local'
})
const stage = () => {
  const { trying, failure } = createRoomTries()
  const rpc = {
    rooms: {
      list: (input: Asked) => {
        asked.push(input)
        return answer(input)
      },
    },
  } as unknown as RpcClient
  const list = createRoomList({
    rpc,
    memory: { read: (key) => kept.get(key) ?? null, write: (key, value) => void kept.set(key, value) },
    profileId: computed(() => profile.value),
    trying,
  })
  return { ...list, failure, ids: () => list.rooms.value?.map(({ roomid }) => roomid) ?? null }
}

describe('the rooms of a profile', () => {
  it('are read page by page down to the one that was shown last, and no further', async () => {
    const on = stage()
    expect([await on.read(), on.ids(), on.hasMore.value]).toEqual([true, [300, 299], true])
    on.remember(296)
    asked = []
    await on.read()
    expect(on.ids()).toEqual([300, 299, 298, 297, 296, 295])
    expect(asked).toEqual([
      { profileId: 'local' },
      { profileId: 'local', before: 299 },
      { profileId: 'local', before: 297 },
    ])
    await on.read(299)
    expect(on.ids()).toEqual([300, 299])
  })

  it('are read to their end where the wanted one is not among them, in 50 pages at most', async () => {
    answer = pages(297)
    const on = stage()
    await on.read(5)
    expect([on.ids(), on.hasMore.value]).toEqual([[300, 299, 298, 297], false])
    answer = pages(1)
    asked = []
    await on.read(5)
    expect([asked.length, on.ids()?.length, on.hasMore.value]).toEqual([50, 100, true])
  })

  it('go on after the last one that was read, until there are no more', async () => {
    answer = pages(297)
    const on = stage()
    await on.more()
    expect(asked).toEqual([])
    await on.read()
    await on.more()
    expect([on.ids(), on.hasMore.value, asked.at(-1)]).toEqual([
      [300, 299, 298, 297],
      false,
      { profileId: 'local', before: 299 },
    ])
    await on.more()
    expect(asked).toHaveLength(2)
  })

  it('take no page that comes after the list was read again or another profile was chosen', async () => {
    const on = stage()
    await on.read()
    const late = Promise.withResolvers<unknown>()
    answer = () => late.promise
    const more = on.more()
    answer = pages(1)
    await on.read()
    late.resolve({ rooms: [room(7)], next: null, complete: true })
    await more
    expect([on.ids(), on.hasMore.value]).toEqual([[300, 299], true])
    const other = Promise.withResolvers<unknown>()
    answer = () => other.promise
    const read = on.read()
    profile.value = 'hosted'
    other.resolve({ rooms: [room(7)], next: null, complete: true })
    await read
    expect(on.ids()).toEqual([300, 299])
  })

  it('stay where they could not be read, which is told', async () => {
    const on = stage()
    await on.read()
    answer = () => Promise.reject(new Error('gone'))
    expect([await on.read(), await on.more()]).toEqual([false, false])
    expect([on.ids(), on.failure.value?.kind]).toEqual([[300, 299], 'offline'])
  })

  it('are forgotten with their end', async () => {
    const on = stage()
    await on.read()
    on.clear()
    expect([on.ids(), on.hasMore.value]).toEqual([null, false])
  })
})

describe('the room that was shown last', () => {
  it('is remembered for its profile, also without a list', () => {
    const on = stage()
    expect(on.remembered()).toBeNull()
    on.remember(7)
    expect([...kept]).toEqual([['sidestage.room.local', '7']])
    expect(on.remembered()).toBe(7)
    profile.value = 'hosted'
    expect(on.remembered()).toBeNull()
  })

  it('is the first one of the list where it is not in it, and none where the list is empty', async () => {
    const on = stage()
    on.remember(299)
    await on.read()
    expect(on.remembered()).toBe(299)
    on.remember(7)
    expect(on.remembered()).toBe(300)
    answer = () => Promise.resolve({ rooms: [], next: null, complete: true })
    await on.read()
    expect(on.remembered()).toBeNull()
  })

  it.each(['x', '0', '-3', ''])('is none where what was kept is no number: “%s”', (value) => {
    kept.set('sidestage.room.local', value)
    expect(stage().remembered()).toBeNull()
  })
})
