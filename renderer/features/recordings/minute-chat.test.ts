import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { describe, expect, it } from 'vitest'
import type { RpcClient } from '../../data/client.ts'
import { minuteOf, saidBy, secondsOf, useMinuteChat } from './minute-chat.ts'
import { servicesKey } from '../../data/services.ts'
import { around } from '../../ui/chat-log.ts'

const minute = Date.UTC(2026, 10, 21, 20, 46)
interface Entry {
  readonly msgid: string
  readonly at: number
  readonly type: number
}

/** A channel whose room has these lines, answered by pages as the service does: newest first. */
function stage(lines: readonly Entry[], room: number | null = 7) {
  const calls: { readonly beginTime: number; readonly endTime: number }[] = []
  const state = { failing: false, room }
  const rpc = {
    rooms: {
      linked: () => Promise.resolve({ roomid: state.room }),
      history: ({ call }: { call: { beginTime: number; endTime: number; before?: string; limit: number } }) => {
        calls.push(call)
        if (state.failing) return Promise.reject(new Error('refused'))
        const rest = lines
          .filter(
            ({ at, msgid }) =>
              at >= call.beginTime && at <= call.endTime && Number(msgid) < Number(call.before ?? Infinity),
          )
          .sort((one, other) => other.at - one.at || Number(other.msgid) - Number(one.msgid))
        // Fewer than were asked for are no end.
        const list = rest.slice(0, Math.min(call.limit, 900)).map((line) => ({
          ...line,
          from: 'ana',
          nick: '',
          attach: `line ${line.msgid}`,
          removed: false,
          clientId: '',
        }))
        return Promise.resolve({ ret: { list, more: rest.length > list.length } })
      },
    },
  } as unknown as RpcClient
  const app = createApp({})
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const wanted = ref<{ profileId: string; cid: string; at: number } | null>({
    profileId: 'local',
    cid: 'c',
    at: minute + 12_000,
  })
  const scope = effectScope()
  const chat = app.runWithContext(() => scope.run(() => useMinuteChat(wanted))!)
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await nextTick()
  }
  return { calls, state, wanted, chat, settled, scope }
}
const line = (msgid: number, at: number, type = 0): Entry => ({ msgid: String(msgid), at, type })

describe('the playing second among the lines', () => {
  const said = [{ at: 10 }, { at: 20 }, { at: 20 }, { at: 30 }]
  it.each([
    [5, 0],
    [10, 1],
    [20, 3],
    [29, 3],
    [99, 4],
  ])('at %i comes after %i of them', (at, place) => {
    expect(saidBy(said, at)).toBe(place)
    expect(saidBy([], at)).toBe(0)
  })

  it('shows the lines around it, and counts the rest', () => {
    const all = Array.from({ length: 10 }, (_, index) => index)
    expect(around(all, 5, 2)).toEqual({ earlier: 3, lines: [3, 4, 5, 6], later: 3 })
    expect(around(all, 0, 2)).toEqual({ earlier: 0, lines: [0, 1], later: 8 })
    expect(around(all, 10, 2)).toEqual({ earlier: 8, lines: [8, 9], later: 0 })
    expect(around([], 0, 2)).toEqual({ earlier: 0, lines: [], later: 0 })
  })

  it('is line time less the begin of the file, and within the file', () => {
    const file = { begin: minute, end: minute + 3_600_000 }
    expect(secondsOf(minute + 12_345, file)).toBe(12.345)
    expect(secondsOf(minute - 1, file)).toBe(0)
    expect(secondsOf(minute + 3_600_001, file)).toBe(3600)
    expect(secondsOf(minute + 5000, { begin: minute, end: null })).toBe(5)
  })

  it('is in a whole minute of the clock', () => {
    expect(minuteOf(minute)).toEqual({ begin: minute, end: minute + 59_999 })
    expect(minuteOf(minute + 59_999)).toEqual({ begin: minute, end: minute + 59_999 })
  })
})

describe('the chat of a minute', () => {
  it('is what was said from its begin to its end, in the order of the times, without notifications', async () => {
    const { chat, settled } = stage([
      line(1, minute - 1),
      line(3, minute + 30_000),
      line(2, minute),
      line(4, minute + 59_999),
      line(5, minute + 60_000),
      line(6, minute + 1, 5),
    ])
    await settled()
    expect(chat.lines.value?.map(({ msgid, nick, text }) => [msgid, nick, text])).toEqual([
      ['2', 'ana', 'line 2'],
      ['3', 'ana', 'line 3'],
      ['4', 'ana', 'line 4'],
    ])
  })

  it('changes when the player comes to the next minute, and is asked for once', async () => {
    const { chat, calls, wanted, settled } = stage([line(1, minute), line(2, minute + 60_000)])
    await settled()
    wanted.value = { ...wanted.value!, at: minute + 13_000 }
    await settled()
    expect(calls).toHaveLength(1)
    wanted.value = { ...wanted.value!, at: minute + 60_000 }
    await settled()
    expect(chat.lines.value?.map(({ msgid }) => msgid)).toEqual(['2'])
    wanted.value = { ...wanted.value!, at: minute }
    await settled()
    expect(chat.lines.value?.map(({ msgid }) => msgid)).toEqual(['1'])
    expect(calls).toHaveLength(2)
  })

  it('of a fast room is put together from several answers, also of one millisecond', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => line(index + 1, minute + (index < 2000 ? 50 : 100)))
    const { chat, calls, settled } = stage(lines)
    await settled()
    expect(chat.lines.value).toHaveLength(3000)
    expect(calls.length).toBeGreaterThan(3)
  })

  it('is nothing where no room is linked, and a failure says so until it is asked again', async () => {
    const none = stage([], null)
    await none.settled()
    expect([none.chat.roomid.value, none.chat.lines.value, none.calls]).toEqual([null, undefined, []])
    const { chat, state, settled } = stage([line(1, minute)])
    state.failing = true
    await settled()
    expect(chat.failure.value).not.toBeNull()
    expect(chat.lines.value).toBeUndefined()
    state.failing = false
    await chat.load()
    expect([chat.failure.value, chat.lines.value?.length]).toEqual([null, 1])
  })

  it('of another channel is that of its own room', async () => {
    const { chat, state, wanted, settled, scope } = stage([line(1, minute)])
    await settled()
    state.room = null
    wanted.value = { ...wanted.value!, cid: 'd' }
    await settled()
    expect([chat.roomid.value, chat.lines.value]).toEqual([null, undefined])
    scope.stop()
  })

  it('is put together from five answers at most', async () => {
    const { chat, calls, settled } = stage(Array.from({ length: 5_000 }, (_, index) => line(index + 1, minute + index)))
    await settled()
    expect([calls.length, chat.lines.value?.length]).toEqual([5, 4_500])
  })

  it('is kept for the last eight minutes, and asked for again after them', async () => {
    const { calls, wanted, settled } = stage([])
    const go = async (index: number): Promise<void> => {
      wanted.value = { ...wanted.value!, at: minute + index * 60_000 }
      await settled()
    }
    for (let index = 0; index < 8; index++) await go(index)
    expect(calls).toHaveLength(8)
    await go(0)
    expect(calls).toHaveLength(8)
    await go(8)
    await go(1)
    expect(calls).toHaveLength(9)
    await go(0)
    expect(calls.map(({ beginTime }) => (beginTime - minute) / 60_000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 0])
  })
})
