import { beforeEach, describe, expect, it } from 'vitest'
import { ORPCError } from '@orpc/client'
import type { Measure, RoomPanel } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { createRoomRefusals } from './room-refusals.ts'
import { useRoomTrouble } from './room-trouble.ts'

const inside: RoomPanel = {
  profileId: 'local',
  roomid: 7,
  phase: 'inside',
  reason: null,
  accid: 'host',
  name: 'Seven',
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: 1,
  counts: null,
}
/** What the service refuses: measures, or everything as while it is down. */
let refuses: 'nothing' | 'measures' | 'everything' = 'nothing'
const down = new ORPCError('FAILED', { data: { kind: 'down', code: null, skewSeconds: null, detail: 'killed' } })
const list =
  <T>(answer: T) =>
  (): T => {
    if (refuses === 'everything') throw down
    return answer
  }
let answered: Promise<void> = Promise.resolve()
const stage = () => {
  const on = roomStage(
    {
      'chatrooms.membersByPage': list({ desc: { data: [] } }),
      list: list({
        rooms: [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }],
        next: null,
        complete: true,
      }),
      'queue.list': list({ desc: { list: [] } }),
      'local.muted': list({ ret: { list: [], more: false } }),
      'local.blacklisted': list({ ret: { list: [], more: false } }),
      history: list({ ret: { list: [], more: false } }),
      enter: list(inside),
      act: async ({ measure }: { measure: Measure }) => {
        if (refuses === 'everything') throw down
        if (refuses === 'measures') throw refusal(417)
        await answered
        return { action: roomAction(measure), taken: null }
      },
    },
    1_000,
  )
  let lines = 0
  const told = (id: number, target: readonly string[] = [], more: object = {}): void => {
    const attach = JSON.stringify({
      id,
      data: { operator: 'mei', opeNick: 'Mei', target, tarNick: target, ext: '', ...more },
    })
    const push = {
      t: 'roomMessage',
      roomid: 7,
      msgid: `n${++lines}`,
      at: 2_000 + lines,
      from: 'mei',
      fromNick: 'Mei',
      fromClientType: 'WEB',
      type: 5,
      attach,
    } as const
    on.room.apply({ type: 'roomPush', profileId: 'local', roomid: 7, push })
  }
  return { ...on, told, trouble: useRoomTrouble(), refused: () => on.room.refusals.map(({ measure }) => measure) }
}
let on: ReturnType<typeof stage>
beforeEach(() => {
  refuses = 'nothing'
  answered = Promise.resolve()
  on = stage()
})
const mute = (target: string, isOn = true): Measure => ({ kind: 'mute', target, on: isOn })

describe('a measure that was refused', () => {
  it.each<Measure>([
    mute('lee'),
    { kind: 'temporaryMute', target: 'lee', seconds: 60 },
    { kind: 'blacklist', target: 'lee', on: true },
    { kind: 'removeLine', target: 'lee', msgid: '4' },
    { kind: 'muteRoom', on: true },
    { kind: 'openRoom', on: false },
    { kind: 'slowMode', seconds: 30 },
    { kind: 'announce', text: 'Call-in' },
    { kind: 'rename', text: 'Eight' },
    { kind: 'queueClear' },
  ])(
    'as the service was killed stays when it is back and whatever else is done, until it is closed: $kind',
    async (measure) => {
      on.room.apply({ type: 'room', panel: inside })
      on.fault(true)
      refuses = 'everything'
      on.room.apply({ type: 'room', panel: { ...inside, phase: 'waiting' } })
      expect(await on.room.act(measure)).toBe(false)
      await expect.poll(() => on.room.failure?.kind).toBe('down')
      refuses = 'nothing'
      on.fault(false)
      on.room.apply({ type: 'room', panel: inside })
      await on.room.open(7)
      await on.room.act(mute('kim'))
      expect([on.refused(), on.trouble.shown]).toEqual([[measure], null])
      expect(on.trouble.closeNext()).toBe(true)
      expect(on.refused()).toEqual([])
    },
  )

  it('goes once the same is done, or something else to the same person, by this page or by others, and not by what is about others', async () => {
    const [lee, kim, ray, room, line]: readonly Measure[] = [
      mute('lee'),
      mute('kim'),
      mute('ray'),
      { kind: 'muteRoom', on: true },
      { kind: 'removeLine', target: 'lee', msgid: '4' },
    ]
    refuses = 'measures'
    for (const measure of [lee!, lee!, kim!, ray!, room!, line!]) await on.room.act(measure)
    expect(on.refused()).toEqual([lee, kim, ray, room, line])
    refuses = 'nothing'
    await on.room.act({ kind: 'blacklist', target: 'lee', on: true })
    expect(on.refused()).toEqual([kim, ray, room, line])
    on.told(314, ['sam', 'kim'], { muteDuration: 60 })
    expect(on.refused()).toEqual([ray, room, line])
    // Nobody did these.
    on.told(302, ['ray'])
    on.told(315, ['ray'], { expired: true })
    on.told(319)
    expect(on.refused()).toEqual([ray, room, line])
    on.told(318)
    await on.room.act(ray!)
    expect(on.refused()).toEqual([line])
    on.room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: { t: 'roomRecall', roomid: 7, msgid: '4', at: 50, from: 'lee', clientId: 'c', operator: 'mei' },
    })
    expect(on.refused()).toEqual([])
  })

  it('is of its own room', async () => {
    refuses = 'measures'
    await on.room.act(mute('lee'))
    on.room.roomid = 8
    expect(on.refused()).toEqual([])
    expect(on.trouble.closeNext()).toBe(false)
    on.room.roomid = 7
    expect(on.refused()).toEqual([mute('lee')])
  })

  it('offers no undo of an older one', async () => {
    await on.room.act(mute('lee'))
    expect(on.room.undoable).not.toBeNull()
    refuses = 'measures'
    await on.room.act({ kind: 'blacklist', target: 'kim', on: true })
    expect(on.room.undoable).toBeNull()
  })
})

describe('an undo goes when what it would take back was taken back', () => {
  const cases: readonly (readonly [Measure, number, number])[] = [
    [{ kind: 'muteRoom', on: true }, 318, 319],
    [{ kind: 'muteRoom', on: false }, 319, 318],
    [mute('lee'), 305, 306],
    [{ kind: 'temporaryMute', target: 'lee', seconds: 60 }, 314, 315],
    [{ kind: 'blacklist', target: 'lee', on: true }, 303, 304],
    [{ kind: 'blacklist', target: 'lee', on: false }, 304, 303],
    [{ kind: 'admin', target: 'lee', on: true }, 307, 308],
    [{ kind: 'ordinary', target: 'lee', on: true }, 309, 310],
  ]
  it.each(cases)('by somebody else: %j', async (measure, own, back) => {
    await on.room.act(measure)
    on.told(own, ['lee'])
    if ('target' in measure) on.told(back, ['kim'])
    expect(on.room.undoable).not.toBeNull()
    on.told(back, ['lee'])
    expect(on.room.undoable).toBeNull()
  })

  it.each(cases)('by somebody else before its answer came: %j', async (measure, own, back) => {
    let answer = (): void => undefined
    answered = new Promise((resolve) => (answer = resolve))
    const done = on.room.act(measure)
    await expect.poll(() => on.calls('act')).toHaveLength(1)
    on.told(own, ['lee'])
    on.told(back, ['lee'])
    answer()
    await done
    expect(on.room.undoable).toBeNull()
  })

  it('by hand here, and is offered of a lift that takes back something older', async () => {
    const pairs: readonly (readonly [Measure, Measure])[] = [
      [
        { kind: 'muteRoom', on: true },
        { kind: 'muteRoom', on: false },
      ],
      [mute('lee'), mute('lee', false)],
      [
        { kind: 'robots', accids: ['bot'], on: true },
        { kind: 'robots', accids: ['bot'], on: false },
      ],
    ]
    for (const [measure, lift] of pairs) {
      await on.room.act(measure)
      expect(on.room.undoable).not.toBeNull()
      await on.room.act(lift)
      expect(on.room.undoable).toBeNull()
      await on.room.act(measure)
      on.time.now += 6_000
      await on.room.act(lift)
      expect(on.room.undoable?.action.what).toEqual(lift)
    }
  })
})

describe('what was refused and is kept', () => {
  const failure = { kind: 'late', code: null, skewSeconds: null, detail: '' } as const
  const refusal7 = (measure: Measure, at = 'local 7') => ({ at, measure, failure })
  const measures = (refusals: ReturnType<typeof createRoomRefusals>): Measure[] =>
    refusals.all.value.map(({ measure }) => measure)

  it('is once of each line, person, element of the queue and kind, the newest last', () => {
    const refusals = createRoomRefusals()
    const line = (msgid: string): Measure => ({ kind: 'removeLine', target: 'lee', msgid })
    const all: Measure[] = [
      line('1'),
      line('2'),
      mute('lee'),
      mute('kim'),
      { kind: 'queueTake', key: 'a' },
      { kind: 'queueTake', key: 'b' },
      { kind: 'slowMode', seconds: 5 },
      { kind: 'muteRoom', on: true },
    ]
    for (const measure of all) refusals.refused(refusal7(measure))
    expect(measures(refusals)).toEqual(all)
    const again: Measure[] = [
      line('1'),
      { kind: 'blacklist', target: 'lee', on: true },
      { kind: 'queueTake', key: 'a' },
      { kind: 'slowMode', seconds: 9 },
    ]
    for (const measure of again) refusals.refused(refusal7(measure))
    expect(measures(refusals)).toEqual([all[1], all[3], all[5], all[7], ...again])
  })

  it('goes with what is done in the same room, and closed with that room alone', () => {
    const refusals = createRoomRefusals()
    refusals.refused(refusal7(mute('lee')))
    refusals.refused(refusal7(mute('lee'), 'local 8'))
    refusals.done('local 7', { kind: 'temporaryMute', target: 'lee', seconds: 5 })
    expect(refusals.all.value.map(({ at }) => at)).toEqual(['local 8'])
    refusals.close('local 7')
    expect(refusals.all.value).toHaveLength(1)
    refusals.close('local 8')
    expect(refusals.all.value).toEqual([])
  })

  it('goes with its line where somebody deleted that', () => {
    const refusals = createRoomRefusals()
    refusals.refused(refusal7({ kind: 'removeLine', target: 'lee', msgid: '1' }))
    refusals.removed('local 8', '1')
    refusals.removed('local 7', '2')
    expect(refusals.all.value).toHaveLength(1)
    refusals.removed('local 7', '1')
    expect(refusals.all.value).toEqual([])
  })

  it('goes when the room tells that it was settled, but not where it was done and only not logged', () => {
    const refusals = createRoomRefusals()
    const muted = {
      id: 305,
      operator: 'mei',
      target: ['lee', 'kim'],
      names: [],
      why: '',
      seconds: null,
      expired: false,
      stillMuted: false,
    }
    const unlogged = { ...refusal7(mute('kim')), failure: { ...failure, kind: 'unlogged' } as const }
    refusals.refused(refusal7(mute('lee')))
    refusals.refused(unlogged)
    refusals.noticed('local 8', muted)
    expect(refusals.all.value).toHaveLength(2)
    refusals.noticed('local 7', muted)
    expect(refusals.all.value).toEqual([unlogged])
  })
})
