import { ORPCError } from '@orpc/client'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Measure } from '../../../contract/rpc/index.ts'
import { roomAction } from '../../testing/room-values.ts'
import { createRoomActs } from './room-acts.ts'
import type { RoomNotice } from './room-log.ts'

const notice = (id: number, target: readonly string[] = ['lee']): RoomNotice => ({
  id,
  operator: 'mei',
  target,
  names: [],
  why: '',
  seconds: null,
  expired: false,
  stillMuted: false,
})
const mute = (on = true, target = 'lee'): Measure => ({ kind: 'mute', target, on })
const timed = (seconds: number): Measure => ({ kind: 'temporaryMute', target: 'lee', seconds })
const outlasts = (leftSeconds: number) =>
  new ORPCError('FAILED', { data: { kind: 'outlasted', code: null, skewSeconds: null, leftSeconds, detail: '' } })

let now: number
let acts: ReturnType<typeof createRoomActs>
beforeEach(() => {
  now = 100_000
  acts = createRoomActs(() => now)
})
interface More {
  readonly replaced?: number
  readonly taken?: { readonly key: string; readonly value: string }
}
const done = (measure: Measure, { taken = null, ...more }: { readonly [K in keyof More]: More[K] | null } = {}) =>
  Promise.resolve({ action: roomAction(measure), taken, ...(more.replaced != null && { replaced: more.replaced }) })
const take = (measure: Measure, more: More = {}, way: { readonly undoes?: number } = {}) =>
  acts.take(measure, way, () => done(measure, more))

describe('a measure that was taken', () => {
  it('can be undone for 5 s from its answer, and is counted', async () => {
    const answer = Promise.withResolvers<Awaited<ReturnType<typeof done>>>()
    const taking = acts.take(mute(), {}, () => answer.promise)
    expect([acts.begun.value, acts.undoable.value]).toEqual([1, null])
    now += 3_000
    answer.resolve(await done(mute()))
    expect(await taking).toBe(true)
    expect(acts.undoable.value).toMatchObject({ action: { what: mute() }, until: 108_000 })
    expect(acts.undoable.value?.inverse()).toEqual(mute(false))
    expect(acts.carried.value).toEqual({ turn: 1, measure: mute() })
    await take(timed(60))
    expect([acts.begun.value, acts.carried.value?.turn]).toEqual([2, 2])
  })

  it('cannot be undone where there is no opposite', async () => {
    await take(mute())
    await take({ kind: 'removeLine', target: 'lee', msgid: '1' })
    expect(acts.undoable.value).toBeNull()
  })

  it('cannot be undone where it takes another back, by its button or by hand within the time', async () => {
    await take(mute(), {}, { undoes: 3 })
    expect(acts.undoable.value).toBeNull()
    await take(mute())
    now += 4_999
    await take(mute(false))
    expect(acts.undoable.value).toBeNull()
  })

  it('can be undone where its opposite could not be undone any more, or was of another person', async () => {
    await take(mute())
    now += 5_000
    await take(mute(false))
    expect(acts.undoable.value?.inverse()).toEqual(mute())
    await take(mute(true, 'kim'))
    expect(acts.undoable.value?.inverse()).toEqual(mute(false, 'kim'))
  })

  it('is undone to what is left then of the mute that it replaced, in whole seconds', async () => {
    await take(timed(600), { replaced: 100 })
    now += 1_500
    expect(acts.undoable.value?.inverse()).toEqual(timed(99))
    now += 200_000
    expect(acts.undoable.value?.inverse()).toEqual(timed(0))
  })

  it('says who was taken from the queue for 5 s', async () => {
    const taken = { key: 'lee', value: 'a song' }
    await take({ kind: 'queueTake' }, { taken })
    expect(acts.taken.value).toEqual({ ...taken, until: 105_000 })
  })
})

describe('a measure that somebody else lifts', () => {
  it('before its answer is not offered for undo', async () => {
    await acts.take(mute(), {}, () => {
      acts.noticed(notice(305))
      acts.noticed(notice(306))
      return done(mute())
    })
    expect(acts.undoable.value).toBeNull()
  })

  it('before its answer, and takes again, is', async () => {
    await acts.take(mute(), {}, () => {
      acts.noticed(notice(306))
      acts.noticed(notice(305))
      acts.noticed(notice(306, ['kim']))
      return done(mute())
    })
    expect(acts.undoable.value).not.toBeNull()
  })

  it('after its answer is offered no longer, where it is that measure of that person', async () => {
    await take(mute())
    for (const other of [notice(306, ['kim']), notice(304), notice(305)]) acts.noticed(other)
    expect(acts.undoable.value).not.toBeNull()
    acts.noticed(notice(306))
    expect(acts.undoable.value).toBeNull()
  })
})

describe('a measure that is refused', () => {
  it('throws, and what could be undone before can be so no more', async () => {
    await take(mute())
    const refused = acts.take(timed(60), {}, () => Promise.reject(new Error('refused')))
    await expect(refused).rejects.toThrow('refused')
    expect([acts.undoable.value, acts.carried.value?.turn]).toEqual([null, 1])
  })

  it('leaves what was taken since', async () => {
    const answer = Promise.withResolvers<Awaited<ReturnType<typeof done>>>()
    const first = acts.take(mute(), {}, () => answer.promise)
    await take(mute(true, 'kim'))
    answer.reject(new Error('refused'))
    await expect(first).rejects.toThrow('refused')
    expect(acts.undoable.value?.inverse()).toEqual(mute(false, 'kim'))
  })

  it.each([
    [20, 120_000, 115_000],
    [10, 110_000, 110_000],
  ])('because a longer mute has %i s left says so, for 15 s at most', async (left, mutedUntil, until) => {
    expect(await acts.take(timed(5), {}, () => Promise.reject(outlasts(left)))).toBe(false)
    expect(acts.outlasted.value).toEqual({ measure: timed(5), mutedUntil, until })
    await take(mute(true, 'kim'))
    expect(acts.outlasted.value).toBeNull()
  })

  it('for that reason though it is no timed mute throws', async () => {
    await expect(acts.take(mute(), {}, () => Promise.reject(outlasts(20)))).rejects.toThrow()
    expect(acts.outlasted.value).toBeNull()
  })
})

describe('another room', () => {
  it('has nothing of what was taken in the one before', async () => {
    await take(mute())
    await take({ kind: 'queueTake' }, { taken: { key: 'lee', value: '' } })
    acts.forget()
    expect([acts.undoable.value, acts.outlasted.value, acts.taken.value, acts.carried.value]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  it('has nothing of an answer that comes late', async () => {
    const answer = Promise.withResolvers<Awaited<ReturnType<typeof done>>>()
    const taking = acts.take(mute(), {}, () => answer.promise)
    const refused = acts.take(timed(5), {}, () => answer.promise.then(() => Promise.reject(outlasts(20))))
    acts.forget()
    answer.resolve(await done(mute(), { taken: { key: 'lee', value: '' } }))
    expect([await taking, await refused]).toEqual([true, false])
    expect([acts.undoable.value, acts.taken.value, acts.carried.value, acts.outlasted.value]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})
