import { ORPCError } from '@orpc/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RoomAction } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { createBounce, useRoomHeld } from './room-held.ts'

const line = (msgid: number, nick = '') => ({
  msgid: String(msgid),
  at: msgid,
  from: `u${msgid}`,
  type: 0,
  attach: `line ${msgid}`,
  nick,
})

let kept: ReturnType<typeof line>[] = []
let refused: number | null = null
/** Somebody else decided first. */
let isDecided = false
let logged: readonly RoomAction[] = []
const stage = () =>
  roomStage(
    {
      'local.held': () => ({ ret: { list: kept, more: kept.length >= 200 } }),
      'local.muted': () => ({ ret: { list: [], more: false } }),
      'local.blacklisted': () => ({ ret: { list: [], more: false } }),
      actions: () => logged,
      act: ({ measure }) => {
        if (measure.kind !== 'decideHeld') throw refusal(400)
        if (isDecided)
          throw new ORPCError('FAILED', {
            data: { kind: 'decided', code: 417, skewSeconds: null, detail: 'let through before' },
          })
        if (refused !== null) throw refusal(refused)
        kept = kept.filter(({ msgid }) => msgid !== measure.msgid)
        return { action: roomAction(measure), taken: null }
      },
    },
    1_000,
  )
beforeEach(() => {
  vi.useFakeTimers()
  kept = [line(3, 'Tre'), line(2)]
  refused = null
  isDecided = false
  logged = []
})
afterEach(() => {
  vi.useRealTimers()
})

it('is looked for only while somebody looks, and new lines come by themselves', async () => {
  const on = stage()
  const held = useRoomHeld()
  const end = held.follow()
  const other = held.follow()
  await vi.advanceTimersByTimeAsync(0)
  expect(held.lines.map(({ nick, text }) => [nick, text])).toEqual([
    ['Tre', 'line 3'],
    ['u2', 'line 2'],
  ])
  kept = [line(4), ...kept]
  await vi.advanceTimersByTimeAsync(3_000)
  expect([held.count, on.calls('local.held').length]).toEqual(['3', 2])
  end()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(on.calls('local.held')).toHaveLength(3)
  other()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(on.calls('local.held')).toHaveLength(3)
})

it('comes by a push while the app sits inside, once, and goes when another moderator decides', async () => {
  const on = stage()
  const held = useRoomHeld()
  await held.look()
  const tell = (push: object, roomid = 7) =>
    held.apply({ type: 'roomPush', profileId: 'local', roomid, push: push as never })
  const pushed = {
    t: 'roomHeld',
    roomid: 7,
    msgid: '9',
    at: 9,
    from: 'u9',
    fromNick: 'Nine',
    fromClientType: 'WEB',
    type: 0,
    attach: '{"msg":"hi"}',
  }
  tell(pushed)
  tell(pushed)
  tell({ ...pushed, msgid: '10' }, 8)
  expect(held.lines.map(({ msgid, text }) => [msgid, text])).toEqual([
    ['9', 'hi'],
    ['3', 'line 3'],
    ['2', 'line 2'],
  ])
  tell({ t: 'roomDecided', roomid: 7, msgid: '3', allow: false })
  expect([held.count, on.calls('local.held').length]).toEqual(['2', 1])
})

it('shows what was caught wherever it stands, told by a push or by the list', async () => {
  const on = stage()
  const held = useRoomHeld()
  const custom = { type: 100, attach: '{"t":"bad word"}', ext: '{"x":"worse"}' }
  kept = [{ ...line(5), ...custom }]
  await held.look()
  held.apply({
    type: 'roomPush',
    profileId: 'local',
    roomid: 7,
    push: {
      t: 'roomHeld',
      roomid: 7,
      msgid: '9',
      at: 9,
      from: 'u9',
      fromNick: '',
      fromClientType: 'WEB',
      ...custom,
    } as never,
  })
  expect(held.lines.map(({ text, more }) => [text, more])).toEqual([
    [custom.attach, custom.ext],
    [custom.attach, custom.ext],
  ])
  expect(on.calls('local.held')).toHaveLength(1)
})

it('goes when it is decided, also when an older answer comes afterwards, and stays with its reason when that failed', async () => {
  const on = stage()
  const held = useRoomHeld()
  await held.look()
  const before = kept
  expect(await held.decide(held.lines[0]!, true)).toBe(true)
  expect(on.calls('act')).toMatchObject([
    { roomid: 7, measure: { kind: 'decideHeld', target: 'u3', msgid: '3', allow: true } },
  ])
  kept = before
  await held.look()
  expect(held.lines.map(({ msgid }) => msgid)).toEqual(['2'])
  refused = 501
  expect(await held.decide(held.lines[0]!, false)).toBe(false)
  expect(held.failures.get('2')).toMatchObject({ code: 501 })
  expect(held.lines).toHaveLength(1)
})

it('cannot be let through while its writer is not heard, and says why; it can be dropped', async () => {
  const on = stage()
  const held = useRoomHeld()
  await held.look()
  const [three, two] = held.lines as [(typeof held.lines)[0], (typeof held.lines)[0]]
  // What holds people back is told by the room.
  await on.room.readForce()
  const notice = (id: number, target: string): void =>
    on.room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: {
        t: 'roomMessage',
        roomid: 7,
        msgid: `n${id}${target}`,
        at: id,
        from: 'host',
        fromNick: '',
        fromClientType: 'WEB',
        type: 5,
        attach: JSON.stringify({ id, data: { operator: 'host', target: [target], tarNick: [''], muteDuration: 60 } }),
      } as never,
    })
  expect(held.blocker(three)).toBeNull()
  notice(303, 'u3')
  notice(314, 'u2')
  expect([held.blocker(three), held.blocker(two)]).toEqual(['blacklisted', 'muted'])
  expect(await held.decide(three, true)).toBe(false)
  expect(on.calls('act')).toEqual([])
  on.companion.clock += 60_000
  notice(304, 'u3')
  expect([held.blocker(three), held.blocker(two)]).toEqual([null, null])
  on.room.apply({ type: 'room', panel: { profileId: 'local', roomid: 7, phase: 'inside', muted: true } as never })
  expect(held.blocker(two)).toBe('room')
  expect(await held.decide(two, false)).toBe(true)
})

it('says which line somebody else decided first and how, for a while, and lets the line go', async () => {
  const on = stage()
  const held = useRoomHeld()
  await held.look()
  isDecided = true
  expect(await held.decide(held.lines[0]!, false)).toBe(true)
  expect([held.late?.line.text, held.late?.allow, held.late?.by, held.lines.length]).toEqual(['line 3', null, null, 1])
  held.apply({
    type: 'roomPush',
    profileId: 'local',
    roomid: 7,
    push: { t: 'roomDecided', roomid: 7, msgid: '3', allow: true } as never,
  })
  expect(held.late?.allow).toBe(true)
  on.companion.clock = 11_000
  expect(held.late).toBeNull()
})

it('says who decided a line first, and how, where the log has it: also where the answer is not written down yet', async () => {
  const on = stage()
  const held = useRoomHeld()
  const entry = (id: number, operatorName: string, msgid: string, allow: boolean, result: RoomAction['result']) =>
    roomAction({ kind: 'decideHeld', target: `u${msgid}`, msgid, allow }, { id, operatorName, result })
  logged = [
    entry(5, 'Ana', '3', false, 'failed'),
    entry(4, 'Mei', '3', true, 'done'),
    entry(3, 'Lea', '2', false, 'unknown'),
    { ...entry(2, 'Eve', '3', false, 'done'), what: { kind: 'removeLine', target: 'u3', msgid: '3' } },
  ]
  isDecided = true
  for (const [who, allow] of [
    ['Mei', true],
    ['Lea', false],
  ] as const) {
    await held.look()
    await held.decide(held.lines[0]!, !allow)
    await vi.advanceTimersByTimeAsync(0)
    expect([held.late?.by?.operatorName, held.late?.allow]).toEqual([who, allow])
  }
  expect(on.calls('actions')).toMatchObject([{ roomid: 7, target: 'u3' }, { target: 'u2' }])
})

it('stays where it is while the service is away, is not decided then, and is looked for when it is back', async () => {
  const on = stage()
  const held = useRoomHeld()
  const end = held.follow()
  await vi.advanceTimersByTimeAsync(0)
  on.fault(true)
  expect([held.lines.map(({ msgid }) => msgid), held.count]).toEqual([['3', '2'], '–'])
  expect(await held.decide(held.lines[0]!, false)).toBe(false)
  expect(on.calls('act')).toEqual([])
  kept = [line(2)]
  on.fault(false)
  await vi.advanceTimersByTimeAsync(0)
  expect(held.lines.map(({ msgid }) => msgid)).toEqual(['2'])
  end()
})

it('counts honestly beyond what is listed', async () => {
  stage()
  kept = Array.from({ length: 200 }, (_, index) => line(index + 1))
  const held = useRoomHeld()
  await held.look()
  expect(held.count).toBe('200+')
})

it('is not asked of a hosted profile or a service that is down, and never shown in another room', async () => {
  const on = stage()
  const held = useRoomHeld()
  const end = held.follow()
  await vi.advanceTimersByTimeAsync(0)
  on.room.roomid = 8
  expect(held.lines).toEqual([])
  await vi.advanceTimersByTimeAsync(0)
  expect(on.calls('local.held').at(-1)).toMatchObject({ call: { roomid: 8 } })
  on.fault(true)
  const asked = on.calls('local.held').length
  await vi.advanceTimersByTimeAsync(20_000)
  on.fault(false)
  on.companion.choose('h')
  await vi.advanceTimersByTimeAsync(20_000)
  expect(on.calls('local.held').length).toBeLessThanOrEqual(asked + 1)
  expect(on.calls('local.held').every((input) => (input as { profileId: string }).profileId === 'local')).toBe(true)
  end()
})

it('takes a second press within 300 ms for a bounce of the key, and each of a row of them', () => {
  const isBounce = createBounce()
  expect([1_000, 1_180, 1_430, 1_730, 5_000].map((at) => isBounce(at, true))).toEqual([false, true, true, false, false])
  // Another key is meant.
  expect([isBounce(5_050, false), isBounce(5_100, true), isBounce(5_350, true)]).toEqual([false, false, true])
})

it.each([
  ['inside', 30_000, false],
  ['waiting', 3_000, false],
  ['inside', 10_000, true],
] as const)('is looked for again while the app is %s after %i ms, where it failed: %s', async (phase, pause, fails) => {
  const on = stage()
  on.room.apply({ type: 'room', panel: { profileId: 'local', roomid: 7, phase } as never })
  const held = useRoomHeld()
  if (fails) kept = null as never
  const end = held.follow()
  await vi.advanceTimersByTimeAsync(0)
  expect(held.failure !== null).toBe(fails)
  await vi.advanceTimersByTimeAsync(pause - 1)
  expect(on.calls('local.held')).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(on.calls('local.held')).toHaveLength(2)
  end()
})

it('is looked for at once when the app is inside again', async () => {
  const on = stage()
  const panel = (phase: string): void =>
    on.room.apply({ type: 'room', panel: { profileId: 'local', roomid: 7, phase } as never })
  panel('waiting')
  const held = useRoomHeld()
  const end = held.follow()
  await vi.advanceTimersByTimeAsync(0)
  panel('inside')
  await vi.advanceTimersByTimeAsync(0)
  expect(on.calls('local.held')).toHaveLength(2)
  end()
})

it('is decided once while it is decided, and can be tried again after a refusal', async () => {
  const on = stage()
  const held = useRoomHeld()
  await held.look()
  const [first] = held.lines
  const deciding = held.decide(first!, true)
  expect([held.busy.has('3'), await held.decide(first!, false)]).toEqual([true, false])
  expect(await deciding).toBe(true)
  expect([held.busy.size, on.calls('act').length]).toEqual([0, 1])
  refused = 501
  const [second] = held.lines
  await held.decide(second!, true)
  expect(held.failures.has('2')).toBe(true)
  refused = null
  expect(await held.decide(second!, true)).toBe(true)
  expect([held.failures.has('2'), held.lines]).toEqual([false, []])
})

it('counts those that come beyond what is listed, and has the newest', async () => {
  stage()
  kept = Array.from({ length: 199 }, (_, index) => line(200 - index))
  const held = useRoomHeld()
  expect(held.count).toBe('–')
  await held.look()
  expect(held.count).toBe('199')
  const push = (msgid: number): void =>
    held.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: { ...line(msgid), t: 'roomHeld', roomid: 7, fromNick: '', fromClientType: 'WEB' } as never,
    })
  push(300)
  expect(held.count).toBe('200')
  push(301)
  expect([held.count, held.lines[0]?.msgid, held.lines.at(-1)?.msgid]).toEqual(['200+', '301', '3'])
})

it('shows 4,096 characters of what was caught, and of what came with it', async () => {
  stage()
  kept = [{ ...line(5), type: 100, attach: 'x'.repeat(5_000), ext: 'y'.repeat(5_000) } as never]
  const held = useRoomHeld()
  await held.look()
  expect(held.lines.map(({ text, more }) => [text.length, more.length])).toEqual([[4096, 4096]])
})
