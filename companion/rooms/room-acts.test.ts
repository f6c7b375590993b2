import { beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { chatrooms, local, queue } from '../../contract/operations/index.ts'
import type { MeasureCall, RoomAction } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { Failure } from '../failure.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { actRates } from './act-rates.ts'
import { createActionEntries } from './action-entries.ts'
import { openActionLog, type ActionLog } from './action-log.ts'
import { maxText } from './action-texts.ts'
import { createRoomActs } from './room-acts.ts'
import type { RoomPanels } from './room-panels.ts'
import { answeringClient } from './testing/answering-client.ts'
import { isLocal } from '../profiles/profiles.ts'

const roomid = 7
const call = (more: Partial<MeasureCall> = {}): MeasureCall => ({
  profileId: 'local',
  roomid,
  measure: { kind: 'mute', target: 'ana', on: true },
  why: 'spam',
  ...more,
})

/** Acts over a service with these answers and a log of its own; `told` is what hosted rooms are told. */
function stage(dir: string) {
  const clock = manualClock()
  const answers = new Map<Operation, unknown>([
    [local.roomPeople, { ret: { list: [{ accid: 'mei', type: 2, nick: 'Mei', seconds: 0 }] } }],
    [chatrooms.membersByPage, { desc: { data: [{ accid: 'mei', type: 2 }] } }],
    [chatrooms.queryMembers, { desc: { data: [] } }],
    [chatrooms.sendMsg, { desc: { time: '55', msgid_client: 'id', fromNick: 'Nick' } }],
  ])
  const { client, calls } = answeringClient((operation) => {
    const answer = answers.get(operation) ?? { ret: { list: [] }, desc: { data: [] } }
    if (answer instanceof Error) throw answer
    return answer
  })
  const actions: ActionLog = openActionLog(`${dir}/actions.db`)
  const told: unknown[] = []
  const saidOnLink: unknown[] = []
  const logged: string[] = []
  const room = { phase: undefined as string | undefined, creator: 'host' as string | Error, known: 'host' }
  const port = {
    client: () => Promise.resolve(client),
    isExtended: isLocal,
    log: (line: string) => void logged.push(line),
  }
  const acts = createRoomActs({
    ...port,
    clock,
    random: (bytes) => Buffer.alloc(bytes, 0xab),
    directory: {
      creator: () => (room.creator instanceof Error ? Promise.reject(room.creator) : Promise.resolve(room.creator)),
      creatorAsKnown: () => Promise.resolve(room.known),
    },
    panels: {
      find: () => (room.phase === undefined ? undefined : ({ phase: room.phase } as ReturnType<RoomPanels['find']>)),
      of: () =>
        ({
          say: (...given: unknown[]) => {
            saidOnLink.push(given)
            return Promise.resolve({ msgid: 'of the link', at: 1 })
          },
        }) as unknown as RoomPanels,
    },
    hosted: {
      said: (profileId, said) => {
        told.push(['said', profileId, said])
        return { t: 'roomMessage', msgid: 'hashed', fromClientType: 'REST', type: 0, ...said }
      },
      acted: (...given) => void told.push(['acted', ...given]),
    },
    actions,
    entries: createActionEntries({ actions, now: () => clock.now(), ...port }),
  })
  const entriesOf = (profileId = 'local'): RoomAction[] => actions.list({ profileId, limit: 100 })
  const called = (operation: Operation) => calls.flatMap(([of, args]) => (of === operation ? [args] : []))
  let isOpen = true
  const closeLog = (): void => {
    if (isOpen) actions.close()
    isOpen = false
  }
  return { acts, clock, answers, calls, called, closeLog, told, saidOnLink, logged, room, entriesOf }
}
let on: ReturnType<typeof stage>
beforeEach(() => {
  const folder = scratch()
  on = stage(folder.dir)
  return () => {
    on.closeLog()
    folder[Symbol.dispose]()
  }
})
const refusal = new Failure('code', 'not allowed', { code: 403 })

describe('a line', () => {
  it('goes over the link while the app is inside, and through the API as the creator otherwise', async () => {
    on.room.phase = 'inside'
    expect(await on.acts.say('local', roomid, 'hello')).toEqual({ msgid: 'of the link', at: 1 })
    expect(on.saidOnLink).toEqual([[roomid, 'hello', 'ab'.repeat(16)]])
    expect(on.calls).toEqual([])
    for (const phase of ['waiting', 'refused', undefined]) {
      on.room.phase = phase
      expect(await on.acts.say('local', roomid, 'hello')).toEqual({ msgid: 'id', at: 55 })
    }
    expect(on.saidOnLink).toHaveLength(1)
    const sent = { roomid, msgId: 'ab'.repeat(16), fromAccid: 'host', msgType: 0, attach: 'hello' }
    expect(on.called(chatrooms.sendMsg)).toEqual([sent, sent, sent])
    expect(on.told).toEqual([])
  })

  it('of a moderator is said in their name, not over the link of the host', async () => {
    on.room.phase = 'inside'
    await on.acts.say('local', roomid, 'hello', 'mei')
    expect(on.saidOnLink).toEqual([])
    expect(on.calls.map(([operation]) => operation)).toEqual([local.roomPeople, chatrooms.sendMsg])
    expect(on.called(chatrooms.sendMsg)).toMatchObject([{ fromAccid: 'mei' }])
    on.answers.set(local.roomPeople, { ret: { list: [{ accid: 'mei', type: 0 }] } })
    expect(await failureOf(on.acts.say('local', roomid, 'hello', 'mei'))).toMatchObject({ kind: 'code', code: 403 })
    expect(on.called(chatrooms.sendMsg)).toHaveLength(1)
  })

  it('on a hosted service goes through the API and is shown before its copy comes', async () => {
    on.room.phase = 'inside'
    expect(await on.acts.say('h', roomid, 'hello')).toEqual({ msgid: 'hashed', at: 55 })
    const said = { roomid, at: 55, from: 'host', fromNick: 'Nick', attach: 'hello', clientId: 'ab'.repeat(16) }
    expect(on.told).toEqual([['said', 'h', said]])
    expect(on.saidOnLink).toEqual([])
  })

  it('is refused with code 416 when a moderator says too many, and not when the host does', async () => {
    for (let said = 0; said < actRates.seat.calls.atOnce; said++) await on.acts.say('local', roomid, 'x', 'mei')
    expect(await failureOf(on.acts.say('local', roomid, 'x', 'mei'))).toMatchObject({ kind: 'code', code: 416 })
    for (let said = 0; said < actRates.seat.calls.atOnce + 1; said++) await on.acts.say('local', roomid, 'x')
    // Each room has a rate of its own.
    await on.acts.say('local', 8, 'x', 'mei')
    await on.acts.say('h', roomid, 'x', 'mei')
  })
})

describe('a measure', () => {
  it('is logged with its outcome', async () => {
    const { action, taken } = await on.acts.act(call())
    expect(action).toMatchObject({
      operator: 'host',
      what: { kind: 'mute', target: 'ana', on: true },
      why: 'spam',
      undoes: null,
      result: 'done',
      code: 200,
      detail: '',
      at: on.clock.now(),
    })
    expect(taken).toBeNull()
    expect(on.entriesOf()).toEqual([action])
    expect(on.called(chatrooms.setMemberRole)).toMatchObject([{ operator: 'host', target: 'ana', notifyExt: 'spam' }])
  })

  it('whose answer is still to come stands in the log as unknown', async () => {
    const answer = Promise.withResolvers<object>()
    on.answers.set(chatrooms.setMemberRole, answer.promise)
    const acting = on.acts.act(call())
    await until('the call', () => on.called(chatrooms.setMemberRole).length === 1)
    expect(on.entriesOf()).toMatchObject([{ result: 'unknown', code: null }])
    answer.resolve({})
    expect((await acting).action.result).toBe('done')
  })

  it('on the same person waits for the one before, and one on another does not', async () => {
    const answer = Promise.withResolvers<object>()
    on.answers.set(chatrooms.setMemberRole, answer.promise)
    const first = on.acts.act(call())
    await until('the first call', () => on.called(chatrooms.setMemberRole).length === 1)
    const second = on.acts.act(call({ measure: { kind: 'mute', target: 'ana', on: false } }))
    const other = on.acts.act(call({ measure: { kind: 'mute', target: 'ben', on: true } }))
    await until('the other call', () => on.called(chatrooms.setMemberRole).length === 2)
    expect(on.called(chatrooms.setMemberRole)).toMatchObject([{ target: 'ana' }, { target: 'ben' }])
    answer.resolve({})
    await Promise.all([first, second, other])
    expect(on.called(chatrooms.setMemberRole)[2]).toMatchObject({ target: 'ana', optvalue: false })
  })

  it('of a moderator names them as operator and seat, and is refused', async () => {
    expect((await on.acts.act(call(), 'mei')).action).toMatchObject({ operator: 'mei', operatorName: 'Mei' })
    on.answers.set(local.roomPeople, { ret: { list: [] } })
    expect(await failureOf(on.acts.act(call(), 'mei'))).toMatchObject({ kind: 'code', code: 403 })
    expect(on.entriesOf()[0]).toMatchObject({ operator: 'mei', result: 'failed', code: 403, failure: 'code' })
    expect(on.called(chatrooms.setMemberRole)).toHaveLength(1)
  })

  it('that is refused is thrown and logged with the code', async () => {
    on.answers.set(chatrooms.setMemberRole, refusal)
    expect(await failureOf(on.acts.act(call()))).toMatchObject({ kind: 'code', code: 403 })
    expect(on.entriesOf()).toMatchObject([{ result: 'failed', code: 403, failure: 'code', detail: 'not allowed' }])
  })

  it('is logged with an empty operator while the creator is not known', async () => {
    on.room.known = ''
    await on.acts.act(call())
    expect(on.called(chatrooms.setMemberRole)).toMatchObject([{ operator: 'host' }])
    on.room.creator = new Failure('unreachable', 'away')
    expect(await failureOf(on.acts.act(call()))).toMatchObject({ kind: 'unreachable' })
    expect(on.entriesOf()).toMatchObject([
      { operator: '', result: 'failed', failure: 'unreachable' },
      { operator: '', result: 'done' },
    ])
    expect(on.called(chatrooms.setMemberRole)).toHaveLength(1)
  })

  it('that takes an element of the queue gives it back, and logs it with a bounded length', async () => {
    const taken = { key: 'k', value: 'v'.repeat(maxText + 5) }
    on.answers.set(queue.poll, { desc: taken })
    const done = await on.acts.act(call({ profileId: 'h', measure: { kind: 'queueTake' } }))
    expect(done.taken).toEqual(taken)
    expect(JSON.parse(done.action.detail)).toEqual({ key: 'k', value: `${'v'.repeat(maxText)}… [1000/1005]` })
  })

  it('on a line logs the text that the service gives, and upon a line the text of that line', async () => {
    on.answers.set(local.removeLine, { ret: { attach: 'deleted' } })
    on.answers.set(local.roomLine, { ret: { from: 'ana', attach: 'the reason' } })
    const removed = await on.acts.act(call({ measure: { kind: 'removeLine', target: 'ana', msgid: 'm' } }))
    expect(removed.action.line).toBe('deleted')
    expect(on.called(local.roomLine)).toEqual([])
    expect((await on.acts.act(call({ upon: 'm' }))).action.line).toBe('the reason')
    on.answers.set(chatrooms.setMemberRole, refusal)
    await failureOf(on.acts.act(call({ upon: 'm' })))
    expect(on.entriesOf()[0]).toMatchObject({ result: 'failed', line: 'the reason' })
  })

  it('tells hosted rooms what was done, and of a refused one only that it changed', async () => {
    await on.acts.act(call({ profileId: 'h' }))
    await on.acts.act(call())
    on.answers.set(chatrooms.setMemberRole, refusal)
    await failureOf(on.acts.act(call({ profileId: 'h' })))
    const { measure } = call()
    expect(on.told).toEqual([['acted', 'h', roomid, 'host', measure]])
    on.answers.set(chatrooms.get, { chatroom: { announcement: 'other' } })
    const announce = { kind: 'announce', text: 'mine', was: 'read' } as const
    expect(await failureOf(on.acts.act(call({ profileId: 'h', measure: announce })))).toMatchObject({ kind: 'changed' })
    expect(on.told.slice(1)).toEqual([['acted', 'h', roomid, 'host', announce]])
  })

  it('may end a longer mute only where that is confirmed, and tells how long it was', async () => {
    on.answers.set(local.roomPeople, { ret: { list: [{ accid: 'ana', nick: 'Ana', seconds: 300 }] } })
    const mute = call({ measure: { kind: 'temporaryMute', target: 'ana', seconds: 60 } })
    expect(await failureOf(on.acts.act(mute))).toMatchObject({ kind: 'outlasted', leftSeconds: 300 })
    expect(await on.acts.act({ ...mute, shortens: true })).toMatchObject({ replaced: 300 })
  })

  it('undoes a timed mute only while what is left of it by now is what is in force', async () => {
    const left = (seconds: number) =>
      on.answers.set(local.roomPeople, { ret: { list: [{ accid: 'ana', nick: '', seconds }] } })
    const { id } = (await on.acts.act(call({ measure: { kind: 'temporaryMute', target: 'ana', seconds: 600 } }))).action
    const undo = call({ measure: { kind: 'temporaryMute', target: 'ana', seconds: 0 }, undoes: id })
    on.clock.advance(200_000)
    left(600)
    expect(await failureOf(on.acts.act(undo))).toMatchObject({ kind: 'changed' })
    left(400)
    expect((await on.acts.act(undo)).action).toMatchObject({ undoes: id, result: 'done' })
    on.clock.advance(900_000)
    left(0)
    await on.acts.act(undo)
  })

  it('undoes only an entry of this room that it is the opposite of, and is not logged otherwise', async () => {
    const { id } = (await on.acts.act(call())).action
    const unmute = { kind: 'mute', target: 'ana', on: false } as const
    for (const wrong of [
      call({ undoes: id }),
      call({ measure: unmute, undoes: id + 1 }),
      call({ measure: unmute, undoes: id, roomid: 8 }),
      call({ measure: unmute, undoes: id, profileId: 'h' }),
    ])
      expect(await failureOf(on.acts.act(wrong))).toMatchObject({ kind: 'absent' })
    expect([on.entriesOf().length, on.entriesOf('h').length]).toEqual([1, 0])
    expect((await on.acts.act(call({ measure: unmute, undoes: id }))).action.undoes).toBe(id)
  })

  it('that holds and could not be logged is told as unlogged, with what was taken', async () => {
    const answer = Promise.withResolvers<object>()
    on.answers.set(queue.poll, answer.promise)
    const acting = failureOf(on.acts.act(call({ profileId: 'h', measure: { kind: 'queueTake' } })))
    await until('the call', () => on.called(queue.poll).length === 1)
    on.closeLog()
    answer.resolve({ desc: { key: 'k', value: 'v' } })
    expect(await acting).toMatchObject({
      kind: 'unlogged',
      detail: expect.stringContaining('{"key":"k","value":"v"}') as string,
    })
  })

  it('of a revoked moderator is logged as not done, within their rate', async () => {
    const { measure } = call()
    await on.acts.refused('local', roomid, measure, 'late', 'mei')
    expect(on.entriesOf()).toMatchObject([
      { operator: 'mei', what: measure, why: 'late', result: 'failed', code: 403, failure: 'code' },
    ])
    expect(on.called(chatrooms.setMemberRole)).toEqual([])
    for (let times = 1; times < actRates.seat.calls.atOnce; times++)
      await on.acts.refused('local', roomid, measure, 'late', 'mei')
    expect(await failureOf(on.acts.refused('local', roomid, measure, 'late', 'mei'))).toMatchObject({ code: 416 })
  })
})

describe('the check of a read', () => {
  it('asks whether the account moderates the room', async () => {
    await on.acts.mustModerateToRead('local', roomid, 'mei')
    expect(on.called(local.roomPeople)).toEqual([{ roomid, accids: ['mei'] }])
    expect(await failureOf(on.acts.mustModerateToRead('h', roomid, 'rob'))).toMatchObject({ kind: 'code', code: 403 })
    await on.acts.mustModerateToRead('h', roomid, 'mei')
    const before = on.calls.length
    await on.acts.mustModerateToRead('h', roomid, 'mei')
    expect(on.calls).toHaveLength(before)
    on.clock.advance(30_000)
    await on.acts.mustModerateToRead('h', roomid, 'mei')
    expect(on.calls.length).toBeGreaterThan(before)
  })
})

describe('what is done to moderators', () => {
  const invite = { kind: 'invite', target: 'mei' } as const
  it('is logged as done by the creator, and gives what it came to', async () => {
    expect(await on.acts.record('local', roomid, invite, () => Promise.resolve('made'))).toBe('made')
    expect(on.entriesOf()).toMatchObject([{ operator: 'host', what: invite, result: 'done', code: 200, detail: '' }])
  })

  it('is logged as partly done with what is left, of a bounded length', async () => {
    const left = (value: string) => value
    await on.acts.record('local', roomid, invite, () => Promise.resolve('x'.repeat(600)), left)
    await on.acts.record('local', roomid, invite, () => Promise.resolve(''), left)
    expect(on.entriesOf()).toMatchObject([
      { result: 'done', code: 200, detail: '' },
      { result: 'partly', code: null, detail: 'x'.repeat(500) },
    ])
  })

  it('that failed is logged as failed, and thrown', async () => {
    expect(await failureOf(on.acts.record('local', roomid, invite, () => Promise.reject(refusal)))).toMatchObject({
      code: 403,
    })
    expect(on.entriesOf()).toMatchObject([{ what: invite, result: 'failed', code: 403 }])
  })

  it('is done also where the log cannot be written, which is told to the log of the app', async () => {
    on.closeLog()
    expect(await on.acts.record('local', roomid, invite, () => Promise.resolve('made'))).toBe('made')
    expect(await failureOf(on.acts.record('local', roomid, invite, () => Promise.reject(refusal)))).toMatchObject({
      code: 403,
    })
    expect(on.logged.map((line) => line.split(',')[0])).toEqual([
      'not in the log of actions: invite',
      'not in the log of actions: invite',
    ])
  })
})

describe('the rate of a moderator', () => {
  it('counts the bytes of what they say, and asks nothing of the service beyond it', async () => {
    const half = 'x'.repeat(64 * 1024 - 2)
    for (let said = 0; said < 2; said++) await on.acts.say('local', roomid, half, 'mei')
    const before = on.calls.length
    expect(await failureOf(on.acts.say('local', roomid, '', 'mei'))).toMatchObject({ kind: 'code', code: 416 })
    expect(on.calls).toHaveLength(before)
    await on.acts.say('local', roomid, half)
    expect(on.called(chatrooms.sendMsg).at(-1)).toMatchObject({ fromAccid: 'host' })
  })

  it('is one for what they say, do, and are refused, and what is beyond it is not in the log', async () => {
    const { calls, bytes } = actRates.seat
    for (let done = 0; done < calls.atOnce - 2; done++) await on.acts.say('local', roomid, 'x', 'mei')
    await on.acts.act(call(), 'mei')
    await on.acts.refused('local', roomid, call().measure, '', 'mei')
    expect(await failureOf(on.acts.act(call(), 'mei'))).toMatchObject({ kind: 'code', code: 416 })
    expect(on.entriesOf()).toHaveLength(2)
    on.clock.advance(3_600_000)
    // The reason is counted with the measure.
    await on.acts.act(call({ why: 'x'.repeat(bytes.atOnce) }), 'mei')
    expect(await failureOf(on.acts.say('local', roomid, 'x', 'mei'))).toMatchObject({ code: 416 })
    expect(await failureOf(on.acts.act(call(), 'mei'))).toMatchObject({ code: 416 })
  })

  it('of the host is for measures only, and another one than that of each moderator', async () => {
    for (let done = 0; done < actRates.host.calls.atOnce; done++)
      await on.acts.act(call({ measure: { kind: 'queueClear' }, why: '' }))
    expect(await failureOf(on.acts.act(call()))).toMatchObject({ kind: 'code', code: 416 })
    await on.acts.say('local', roomid, 'x')
    expect((await on.acts.act(call(), 'mei')).action.result).toBe('done')
  })
})
