import { describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { accounts, chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import type { LoggedAction, Measure } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { failureOf } from '../testing/rig.ts'
import { carryOut, maxLine, takesBack } from './measures.ts'
import { answeringClient } from './testing/answering-client.ts'

const roomid = 7
const operator = 'host'
interface Circumstances {
  /** An Error is what a call is refused with. */
  readonly answers?: readonly (readonly [Operation, unknown])[]
  readonly isExtended?: boolean
  readonly why?: string
  readonly left?: number
  readonly shortens?: boolean
}
/** Carries a measure out at a service with these answers. */
function carry(measure: Measure, { answers = [], ...more }: Circumstances = {}) {
  const { client, calls } = answeringClient((operation) => {
    const [, answer] = answers.find(([of]) => of === operation) ?? []
    if (answer instanceof Error) throw answer
    return answer ?? { ret: { list: [] }, desc: { data: [], list: [] } }
  })
  return { work: carryOut(client, { roomid, operator, measure, why: '', isExtended: true, ...more }), calls }
}
const refusal = (code: number) => new Failure('code', `answered ${code}`, { code })
const nothing = { taken: null, line: null }

it('somebody is muted also while a hosted service does not say for how long they are already', async () => {
  // A service that is too busy for one call and not for the next cannot be had from outside.
  const { work, calls } = carry(
    { kind: 'temporaryMute', target: 'adam', seconds: 60 },
    { isExtended: false, answers: [[chatrooms.queryMembers, new Failure('refused', 'busy', { code: 416 })]] },
  )
  expect(await work).toEqual(nothing)
  expect(calls.map(([operation]) => operation)).toEqual([chatrooms.queryMembers, chatrooms.temporaryMute])
})

it('nobody is muted after a fault of the app itself', async () => {
  const { work, calls } = carry(
    { kind: 'temporaryMute', target: 'adam', seconds: 60 },
    { isExtended: false, answers: [[chatrooms.queryMembers, new TypeError('a fault')]] },
  )
  await expect(work).rejects.toThrow('a fault')
  expect(calls).toHaveLength(1)
})

const role = { roomid, operator, target: 'ana' }
describe('a measure becomes one call with the operator and what it names', () => {
  it.each<[Measure, Operation, object]>([
    [{ kind: 'mute', target: 'ana', on: true }, chatrooms.setMemberRole, { ...role, opt: -2, optvalue: true }],
    [{ kind: 'mute', target: 'ana', on: false }, chatrooms.setMemberRole, { ...role, opt: -2, optvalue: false }],
    [{ kind: 'blacklist', target: 'ana', on: true }, chatrooms.setMemberRole, { ...role, opt: -1, optvalue: true }],
    [{ kind: 'admin', target: 'ana', on: true }, chatrooms.setMemberRole, { ...role, opt: 1, optvalue: true }],
    [{ kind: 'ordinary', target: 'ana', on: false }, chatrooms.setMemberRole, { ...role, opt: 2, optvalue: false }],
    [{ kind: 'muteRoom', on: true }, chatrooms.muteRoom, { roomid, operator, mute: true }],
    [{ kind: 'muteRoom', on: false }, chatrooms.muteRoom, { roomid, operator, mute: false }],
    [{ kind: 'openRoom', on: false }, chatrooms.toggleCloseStat, { roomid, operator, valid: false }],
    [{ kind: 'openRoom', on: true }, chatrooms.toggleCloseStat, { roomid, operator, valid: true }],
  ])('on every service: %j', async (measure, operation, args) => {
    for (const isExtended of [true, false]) {
      const { work, calls } = carry(measure, { isExtended })
      expect(await work).toEqual(nothing)
      expect(calls).toEqual([[operation, args]])
    }
  })

  it.each<[Measure, Operation, object]>([
    [{ kind: 'announce', text: 'new' }, local.changeRoom, { roomid, operator, announcement: 'new' }],
    [{ kind: 'announce', text: 'new', was: '' }, local.changeRoom, { roomid, operator, announcement: 'new', was: '' }],
    [{ kind: 'rename', text: 'Name' }, local.changeRoom, { roomid, operator, name: 'Name' }],
    [{ kind: 'slowMode', seconds: 9 }, local.slowMode, { roomid, operator, seconds: 9 }],
    [
      { kind: 'queueAdd', key: 'k', value: 'v' },
      local.changeQueue,
      { roomid, operator, change: 1, key: 'k', value: 'v', fresh: false },
    ],
    [
      { kind: 'queueAdd', key: 'k', value: 'v', fresh: true },
      local.changeQueue,
      { roomid, operator, change: 1, key: 'k', value: 'v', fresh: true },
    ],
    [{ kind: 'queueClear' }, local.changeQueue, { roomid, operator, change: 3 }],
  ])('on the embedded service: %j', async (measure, operation, args) => {
    const { work, calls } = carry(measure)
    expect(await work).toEqual(nothing)
    expect(calls).toEqual([[operation, args]])
  })

  it.each<[Measure, Operation, object]>([
    [{ kind: 'announce', text: 'new' }, chatrooms.update, { roomid, announcement: 'new' }],
    [{ kind: 'rename', text: 'Name' }, chatrooms.update, { roomid, name: 'Name' }],
    [{ kind: 'queueAdd', key: 'k', value: 'v' }, queue.offer, { roomid, key: 'k', value: 'v' }],
    [{ kind: 'queueClear' }, queue.drop, { roomid }],
  ])('on a hosted service: %j', async (measure, operation, args) => {
    const { work, calls } = carry(measure, { isExtended: false })
    expect(await work).toEqual(nothing)
    expect(calls).toEqual([[operation, args]])
  })

  it.each<Measure>([
    { kind: 'removeLine', target: 'ana', msgid: '1' },
    { kind: 'decideHeld', target: 'ana', msgid: '1', allow: true },
    { kind: 'slowMode', seconds: 5 },
  ])('and a hosted service is not asked for what it does not offer: %j', async (measure) => {
    const { work, calls } = carry(measure, { isExtended: false })
    expect(await failureOf(work)).toMatchObject({ kind: 'absent' })
    expect(calls).toEqual([])
  })

  it('that tells the room the reason, where one was given', async () => {
    const line = { ret: { from: 'ana', nick: 'Ana', type: 0, attach: 'x' } }
    for (const [measure, isExtended] of [
      [{ kind: 'mute', target: 'ana', on: true }, true],
      [{ kind: 'temporaryMute', target: 'ana', seconds: 60 }, true],
      [{ kind: 'removeLine', target: 'ana', msgid: '1' }, true],
      [{ kind: 'muteRoom', on: true }, true],
      [{ kind: 'announce', text: 'new' }, true],
      [{ kind: 'announce', text: 'new' }, false],
      [{ kind: 'robots', accids: ['ana'], on: true }, true],
    ] as const) {
      const { work, calls } = carry(measure.kind === 'robots' ? { ...measure, accids: [...measure.accids] } : measure, {
        isExtended,
        why: 'spoilers',
        answers: [
          [local.removeLine, line],
          [accounts.getUinfos, { uinfos: [{ accid: 'ana' }] }],
          [robots.add, { desc: { failAccids: '[]', successAccids: '["ana"]' } }],
        ],
      })
      await work
      expect(calls.at(-1)?.[1], JSON.stringify(measure)).toMatchObject({ notifyExt: 'spoilers' })
    }
  })
})

describe('a timed mute', () => {
  const mute = (seconds: number): Measure => ({ kind: 'temporaryMute', target: 'ana', seconds })
  const people = (...list: object[]) => [[local.roomPeople, { ret: { list } }]] as const
  const inside = (...data: object[]) => [[chatrooms.queryMembers, { desc: { data } }]] as const

  it('asks for its target only and tells how long they were muted before', async () => {
    const { work, calls } = carry(mute(600), { answers: people({ accid: 'ana', seconds: 200 }) })
    expect(await work).toEqual({ ...nothing, replaced: 200 })
    expect(calls).toEqual([
      [local.roomPeople, { roomid, accids: ['ana'] }],
      [chatrooms.temporaryMute, { roomid, operator, target: 'ana', muteDuration: 600 }],
    ])
    expect(await carry(mute(600)).work).toEqual({ ...nothing, replaced: 0 })
  })

  it('on a hosted service tells it of who is inside, and of others that it is not known', async () => {
    const hosted = (data: object[]) => carry(mute(600), { isExtended: false, answers: inside(...data) }).work
    expect(
      await hosted([
        { accid: 'mei', tempMuteTtl: 9 },
        { accid: 'ana', tempMuteTtl: 200 },
      ]),
    ).toMatchObject({
      replaced: 200,
    })
    expect(await hosted([{ accid: 'ana' }])).toMatchObject({ replaced: 0 })
    expect(await hosted([{ accid: 'mei', tempMuteTtl: 9 }])).toEqual(nothing)
  })

  it('is refused when it ends sooner than the one in force, and not carried out', async () => {
    const { work, calls } = carry(mute(60), { answers: people({ seconds: 61 }) })
    expect(await failureOf(work)).toMatchObject({ kind: 'outlasted', leftSeconds: 61 })
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['as long as the one in force', mute(60), {}],
    ['one that may shorten it', mute(10), { shortens: true }],
    ['one that lifts it', mute(0), {}],
    ['one that undoes it', mute(10), { left: 60 }],
  ])('is carried out: %s', async (_what, measure, more) => {
    const { work, calls } = carry(measure, { answers: people({ seconds: 60 }), ...more })
    expect(await work).toMatchObject({ replaced: 60 })
    expect(calls).toHaveLength(2)
  })

  it('undoes an earlier one only while so many seconds are left, give or take five', async () => {
    const undone = (replaced: number) => carry(mute(0), { left: 100, answers: people({ seconds: replaced }) })
    for (const replaced of [95, 100, 105]) expect(await undone(replaced).work).toMatchObject({ replaced })
    for (const replaced of [0, 94, 106]) {
      const { work, calls } = undone(replaced)
      expect(await failureOf(work)).toMatchObject({ kind: 'changed', code: 417 })
      expect(calls).toHaveLength(1)
    }
  })

  it('is undone also where it is not known how much is left', async () => {
    const { work, calls } = carry(mute(0), { left: 100, isExtended: false, answers: inside() })
    expect(await work).toEqual(nothing)
    expect(calls).toHaveLength(2)
  })
})

describe('a line', () => {
  const line = (attach: string) => ({ ret: { from: 'ana', nick: 'Ana', type: 0, attach } })
  const removal: Measure = { kind: 'removeLine', target: 'ana', msgid: 'm1' }
  const decision: Measure = { kind: 'decideHeld', target: 'ana', msgid: 'm1', allow: false }

  it('is deleted with its sender named, and comes back for the log with a bounded length', async () => {
    const { work, calls } = carry(removal, { answers: [[local.removeLine, line('x'.repeat(maxLine + 1))]] })
    expect(await work).toEqual({ taken: null, line: 'x'.repeat(maxLine) })
    expect(calls).toEqual([[local.removeLine, { roomid, operator, msgid: 'm1', sender: 'ana' }]])
  })

  it('that is held is released or dropped as was decided', async () => {
    for (const allow of [true, false]) {
      const { work, calls } = carry({ ...decision, allow }, { answers: [[local.decideHeld, line('held')]] })
      expect(await work).toEqual({ taken: null, line: 'held' })
      expect(calls).toEqual([[local.decideHeld, { roomid, msgid: 'm1', sender: 'ana', allow }]])
    }
  })

  it('that somebody else decided is told as decided, and any other refusal as it is', async () => {
    const refused = (error: Error) => failureOf(carry(decision, { answers: [[local.decideHeld, error]] }).work)
    expect(await refused(refusal(417))).toMatchObject({ kind: 'decided', code: 417 })
    expect(await refused(refusal(404))).toMatchObject({ kind: 'code', code: 404 })
  })
})

describe('what somebody else changed meanwhile', () => {
  it.each<[Measure, Operation]>([
    [{ kind: 'announce', text: 'mine', was: 'read' }, local.changeRoom],
    [{ kind: 'queueAdd', key: 'k', value: 'v', fresh: true }, local.changeQueue],
  ])('is told as changed by the embedded service, and any other refusal as it is: %j', async (measure, operation) => {
    const refused = (error: Error) => failureOf(carry(measure, { answers: [[operation, error]] }).work)
    expect(await refused(refusal(417))).toMatchObject({ kind: 'changed', code: 417 })
    expect(await refused(refusal(403))).toMatchObject({ kind: 'code', code: 403 })
  })

  it('is not overwritten on a hosted service: the announcement is read first', async () => {
    const measure: Measure = { kind: 'announce', text: 'mine', was: 'read' }
    const now = (announcement: string) => [[chatrooms.get, { chatroom: { announcement } }]] as const
    const same = carry(measure, { isExtended: false, answers: now('read') })
    await same.work
    expect(same.calls).toEqual([
      [chatrooms.get, { roomid }],
      [chatrooms.update, { roomid, announcement: 'mine' }],
    ])
    const other = carry(measure, { isExtended: false, answers: now('other') })
    expect(await failureOf(other.work)).toMatchObject({ kind: 'changed', code: 417 })
    expect(other.calls).toHaveLength(1)
  })

  it('is not overwritten on a hosted service: a fresh element is looked for in the queue', async () => {
    const measure: Measure = { kind: 'queueAdd', key: 'k', value: 'v', fresh: true }
    const has = (...list: object[]) => [[queue.list, { desc: { list } }]] as const
    const free = carry(measure, { isExtended: false, answers: has({ other: 'v' }) })
    await free.work
    expect(free.calls.map(([operation]) => operation)).toEqual([queue.list, queue.offer])
    const taken = carry(measure, { isExtended: false, answers: has({ other: 'v' }, { k: 'first' }) })
    expect(await failureOf(taken.work)).toMatchObject({ kind: 'changed', code: 417 })
    expect(taken.calls).toHaveLength(1)
  })
})

describe('an element of the queue', () => {
  it('is taken by its key or from the front, and comes back', async () => {
    for (const key of [undefined, 'k']) {
      const measure: Measure = { kind: 'queueTake', ...(key !== undefined && { key }) }
      const wanted = { roomid, ...(key !== undefined && { key }) }
      const taken = { key: 'k', value: 'v' }
      const embedded = carry(measure, { answers: [[local.changeQueue, { ret: taken }]] })
      expect(await embedded.work).toEqual({ taken, line: null })
      expect(embedded.calls).toEqual([[local.changeQueue, { ...wanted, operator, change: 2 }]])
      const hosted = carry(measure, { isExtended: false, answers: [[queue.poll, { desc: taken }]] })
      expect(await hosted.work).toEqual({ taken, line: null })
      expect(hosted.calls).toEqual([[queue.poll, wanted]])
    }
  })
})

describe('robots', () => {
  const add = (accids: string[]): Measure => ({ kind: 'robots', accids, on: true })
  const registered = (...accids: string[]) =>
    [accounts.getUinfos, { uinfos: accids.map((accid) => ({ accid })) }] as const
  const added = (failAccids: string[], successAccids: string[]) =>
    [
      robots.add,
      { desc: { failAccids: JSON.stringify(failAccids), successAccids: JSON.stringify(successAccids) } },
    ] as const

  it('are added once each, in lower case, after all of them were found registered', async () => {
    const { work, calls } = carry(add(['Ana', 'ana', 'ben']), {
      answers: [registered('ana', 'ben'), added([], ['ana', 'ben'])],
    })
    expect(await work).toEqual(nothing)
    expect(calls).toEqual([
      [accounts.getUinfos, { accids: ['ana', 'ben'] }],
      [robots.add, { roomid, accids: ['ana', 'ben'] }],
    ])
  })

  it('are not added while one is not registered, who is named', async () => {
    const { work, calls } = carry(add(['ana', 'who', 'ben']), { answers: [registered('ana')] })
    expect(await failureOf(work)).toMatchObject({ kind: 'missing', code: 414, detail: 'not registered: who, ben' })
    expect(calls).toHaveLength(1)
  })

  it('that were added are removed again when another could not be', async () => {
    const { work, calls } = carry(add(['ana', 'ben']), {
      answers: [registered('ana', 'ben'), added(['ben'], ['ana'])],
    })
    expect(await failureOf(work)).toMatchObject({ kind: 'code', code: 417 })
    expect(calls.at(-1)).toEqual([robots.remove, { roomid, accids: ['ana'] }])
  })

  it('are not removed when none was added', async () => {
    const { work, calls } = carry(add(['ben']), { answers: [registered('ben'), added(['ben'], [])] })
    expect(await failureOf(work)).toMatchObject({ kind: 'code', code: 417 })
    expect(calls.at(-1)?.[0]).toBe(robots.add)
  })

  it('are removed without asking who they are, and those that are none are named', async () => {
    const remove = (failAccids: string) =>
      carry({ kind: 'robots', accids: ['Ana'], on: false }, { answers: [[robots.remove, { desc: { failAccids } }]] })
    const done = remove('[]')
    expect(await done.work).toEqual(nothing)
    expect(done.calls).toEqual([[robots.remove, { roomid, accids: ['ana'] }]])
    expect(await failureOf(remove('["ana"]').work)).toMatchObject({
      kind: 'absent',
      code: 200,
      detail: 'no robots: ["ana"]',
    })
  })
})

describe('what undoes an action', () => {
  const timed = { kind: 'temporaryMute', target: 'ana', seconds: 60 } as const
  const lift = { ...timed, seconds: 0 }
  const muted = { kind: 'mute', target: 'ana', on: true } as const
  it.each<[string, Measure, LoggedAction, boolean]>([
    ['a lifted timed mute', lift, timed, true],
    ['a timed mute that was a lifting itself', timed, lift, false],
    ['a timed mute of somebody else', { ...lift, target: 'ben' }, timed, false],
    ['the opposite', { ...muted, on: false }, muted, true],
    ['the opposite of a lifting', muted, { ...muted, on: false }, true],
    ['the same again', muted, muted, false],
    ['the opposite for somebody else', { ...muted, on: false, target: 'ben' }, muted, false],
    ['another kind', { kind: 'blacklist', target: 'ana', on: false }, muted, false],
    ['a room that is opened', { kind: 'openRoom', on: true }, { kind: 'openRoom', on: false }, true],
    ['another announcement', { kind: 'announce', text: 'a' }, { kind: 'announce', text: 'b' }, false],
    ['an invitation', lift, { kind: 'invite', target: 'ana' }, false],
  ])('%s', (_what, measure, action, does) => {
    expect(takesBack(measure, action)).toBe(does)
  })
})

it('of a line that is deleted or decided on 4,096 characters are kept', () => {
  expect(maxLine).toBe(4_096)
})
