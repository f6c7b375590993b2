import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Measure } from '../../contract/rpc/index.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { openSeatPage, signIn, type SeatPage } from './testing/seat-page.ts'

const folder = scratch()
const pageDir = path.join(folder.dir, 'page')
const profileId = 'local'
let rig: Rig
let roomid = 0
let seat: SeatPage
let seatId = ''

const rpc = () => rig.page.rpc
const running = () => until('the service', () => rig.page.newest('service')?.service.phase === 'running')
const act = (as: 'host' | 'seat', measure: Measure, why = '') =>
  (as === 'seat' ? seat.rpc : rpc()).rooms.act({ profileId, roomid, measure, why })
const newest = async (n: number) => (await rpc().rooms.actions({ profileId, roomid })).slice(0, n)
const announcement = async () =>
  (await rpc().operations.chatrooms.get({ profileId, call: { roomid } })).chatroom.announcement

beforeAll(async () => {
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  rig = await startRig(path.join(folder.dir), { pageDir })
  await running()
  roomid = (await rpc().rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
  await rpc().rooms.enter({ profileId, roomid, renew: false })
  const { code, token, seat: made } = await rpc().seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  seatId = made.id
  const [url = ''] = (await rpc().seats.listen({ on: true, open: false, port: 0 })).urls
  const { cookie } = await signIn(url, { accid: 'mei', token, code })
  seat = await openSeatPage(url, cookie)
  await until('the room', () => rig.page.newest('room')?.panel.phase === 'inside')
  await rpc().messaging.createAccount({ profileId, call: { accid: 'rvb', name: 'Rob' }, keep: false })
})
afterAll(async () => {
  seat?.close()
  await rig?.close()
  folder[Symbol.dispose]()
})

it('what a seat does to room and queue is told by the name of its person, to the host and to seats, then and later', async () => {
  const notices = (events: readonly { readonly type: string }[]) =>
    (events as SeatPage['events']).flatMap((event) => {
      if (event.type !== 'roomPush' || event.push.t !== 'roomMessage' || !('attach' in event.push)) return []
      const { id, data } = JSON.parse(event.push.attach as string) as {
        id: number
        data: { operator: string; opeNick: string }
      }
      return [312, 317, 320].includes(id) ? [[id, data.operator, data.opeNick]] : []
    })
  for (const measure of [
    { kind: 'announce', text: 'from elsewhere' },
    { kind: 'rename', text: 'late night room' },
    { kind: 'slowMode', seconds: 3 },
    { kind: 'queueAdd', key: 'rvb', value: 'song' },
    { kind: 'queueTake' },
    { kind: 'queueClear' },
  ] as const)
    await act('seat', measure)
  await act('host', { kind: 'slowMode', seconds: 0 })
  const wanted = [...[312, 312, 312, 317, 317, 320].map((id) => [id, 'mei', 'Mei']), [312, 'ana', expect.any(String)]]
  for (const events of [rig.page.events, seat.events]) {
    await until('the notices', () => notices(events).length === wanted.length)
    expect(notices(events)).toEqual(wanted)
  }
  const { ret } = await rpc().rooms.history({ profileId, call: { roomid, notices: true } })
  expect(ret.list.filter(({ attach }) => attach.includes('"id":312')).map(({ from }) => from)).toEqual([
    'ana',
    'mei',
    'mei',
    'mei',
  ])
})

it('of two who write over the same announcement the second is told, and replaces it only on purpose', async () => {
  await act('host', { kind: 'announce', text: 'read by both' })
  await act('seat', { kind: 'announce', text: 'of the seat', was: 'read by both' })
  expect(await failureOf(act('host', { kind: 'announce', text: 'of the host', was: 'read by both' }))).toMatchObject({
    kind: 'changed',
    code: 417,
  })
  expect(await announcement()).toBe('of the seat')
  await act('host', { kind: 'announce', text: 'of the host', was: 'of the seat' })
  expect(await announcement()).toBe('of the host')
})

it('of two who mute the same person in the same moment the longer mute holds, and a shorter one that comes second is refused and logged', async () => {
  const mute = (as: 'host' | 'seat', seconds: number, shortens?: boolean) =>
    (as === 'seat' ? seat.rpc : rpc()).rooms.act({
      profileId,
      roomid,
      measure: { kind: 'temporaryMute', target: 'rvb', seconds },
      why: '',
      ...(shortens !== undefined && { shortens }),
    })
  const left = async () =>
    Math.ceil(((await rpc().operations.local.muted({ profileId, call: { roomid } })).ret.list[0]?.seconds ?? 0) / 60)
  for (let round = 0; round < 4; round++) {
    await mute('host', 0)
    const [shorter, longer] = (round % 2 === 0 ? (['host', 'seat'] as const) : (['seat', 'host'] as const)).map(
      (as, index) => mute(as, index === 0 ? 600 : 900).catch((error: unknown) => error),
    )
    const [first, second] = [await shorter, await longer]
    expect(await left()).toBe(15)
    // It came second and was not taken, or came first and was replaced.
    if (first instanceof Error) expect(second).toMatchObject({ action: { result: 'done' }, replaced: 0 })
    else expect(Math.ceil((second as { replaced: number }).replaced / 60)).toBe(10)
  }
  const before = (await newest(1))[0]!.id
  expect(await failureOf(mute('seat', 60))).toMatchObject({
    kind: 'outlasted',
    leftSeconds: expect.closeTo(900, -2) as number,
  })
  expect((await rpc().rooms.actions({ profileId, roomid })).filter(({ id }) => id > before)).toMatchObject([
    {
      operator: 'mei',
      what: { kind: 'temporaryMute', target: 'rvb', seconds: 60 },
      result: 'failed',
      failure: 'outlasted',
    },
  ])
  expect(await left()).toBe(15)
  // Whoever knows that it ends the other one sooner may.
  expect(Math.ceil((await mute('seat', 60, true)).replaced! / 60)).toBe(15)
  expect(await left()).toBe(1)
  expect((await mute('host', 0)).replaced).toBeGreaterThan(0)
})

it('of two who mute the same person in the same moment the log has the one first that took effect first', async () => {
  const mute = (as: 'host' | 'seat', seconds: number) => act(as, { kind: 'temporaryMute', target: 'rvb', seconds })
  for (let round = 0; round < 5; round++) {
    const { action: before } = await mute('host', 0)
    const ofSeat = mute('seat', 600)
    // As soon as it is in the log, and before it took effect: whether a seat may act is asked first.
    while ((await newest(1))[0]!.id === before.id);
    const ofHost = mute('host', 1200)
    const [seats, hosts] = await Promise.all([ofSeat, ofHost])
    expect(seats.action.id).toBeLessThan(hosts.action.id)
    expect([seats.replaced, Math.ceil(hosts.replaced! / 60)]).toEqual([0, 10])
  }
  await mute('host', 0)
})

it('a mute is not taken back where somebody else has set another one since, or lifted it', async () => {
  const mute = (as: 'host' | 'seat', seconds: number) => act(as, { kind: 'temporaryMute', target: 'rvb', seconds })
  const undo = (undoes: number, seconds: number) =>
    rpc().rooms.act({ profileId, roomid, measure: { kind: 'temporaryMute', target: 'rvb', seconds }, why: '', undoes })
  const left = async () =>
    (await rpc().operations.local.muted({ profileId, call: { roomid } })).ret.list[0]?.seconds ?? 0
  const { action } = await mute('host', 600)
  const { action: longer } = await mute('seat', 86_400)
  expect(await failureOf(undo(action.id, 0))).toMatchObject({ kind: 'changed' })
  expect(await left()).toBeGreaterThan(86_000)
  await undo(longer.id, 600)
  expect(await left()).toBeLessThanOrEqual(600)
  const { action: last } = await mute('host', 900)
  await mute('seat', 0)
  expect(await failureOf(undo(last.id, 600))).toMatchObject({ kind: 'changed' })
  expect(await left()).toBe(0)
})

it('an entry of the log takes back only what its measure can take back: the same, in the same room, set the other way', async () => {
  const { action } = await act('host', { kind: 'muteRoom', on: true })
  const other = (await rpc().rooms.create({ profileId, accid: 'zoe', name: 'another room', announcement: '' })).roomid
  const tries = [
    { roomid, measure: { kind: 'slowMode', seconds: 0 }, undoes: action.id },
    { roomid, measure: { kind: 'muteRoom', on: true }, undoes: action.id },
    { roomid: other, measure: { kind: 'muteRoom', on: false }, undoes: action.id },
    { roomid, measure: { kind: 'muteRoom', on: false }, undoes: 9_007_199_254_740_991 },
  ] as const
  for (const each of tries)
    expect(await failureOf(rpc().rooms.act({ profileId, why: '', ...each }))).toMatchObject({ kind: 'absent' })
  expect((await newest(1))[0]).toMatchObject({ id: action.id })
  const { action: undo } = await rpc().rooms.act({
    profileId,
    roomid,
    measure: { kind: 'muteRoom', on: false },
    why: '',
    undoes: action.id,
  })
  expect(undo).toMatchObject({ undoes: action.id })
  const csv = (await rpc().rooms.exportActions({ profileId, roomid, format: 'csv' })).text
    .split('\r\n')
    .map((row) => row.split(','))
  const undone = csv.find(([number]) => number === `"${undo.id}"`)?.[csv[0]!.indexOf('"undoes"')]
  const { text } = await rpc().rooms.exportActions({ profileId, roomid, format: 'json' })
  expect([
    undone,
    (JSON.parse(text) as { id: number; undoes: number }[]).find(({ id }) => id === undo.id)?.undoes,
  ]).toEqual([`"${action.id}"`, action.id])
})

it('an element of the queue with the same key is replaced only on purpose', async () => {
  const queue = async () => (await rpc().operations.queue.list({ profileId, call: { roomid } })).desc.list
  await act('seat', { kind: 'queueAdd', key: 'rvb', value: 'first', fresh: true })
  expect(await failureOf(act('host', { kind: 'queueAdd', key: 'rvb', value: 'second', fresh: true }))).toMatchObject({
    kind: 'changed',
  })
  expect(await queue()).toEqual([{ rvb: 'first' }])
  await act('host', { kind: 'queueAdd', key: 'rvb', value: 'second' })
  expect(await queue()).toEqual([{ rvb: 'second' }])
})

it('the log names nobody whose line it was not: a measure against a line names who said it, or is refused', async () => {
  await rpc().operations.local.setWords({ profileId, call: { words: ['coins'], hold: true } })
  const parameters = { roomid, msgId: 'forged', fromAccid: 'rvb', msgType: 0, attach: 'coins for you' }
  await rpc().console.call({ profileId, path: '/chatroom/sendMsg.action', parameters })
  await rpc().operations.local.setWords({ profileId, call: { words: [], hold: false } })
  const msgid = (await rpc().operations.local.held({ profileId, call: { roomid } })).ret.list[0]!.msgid
  for (const measure of [
    { kind: 'decideHeld', target: 'ana', msgid, allow: true },
    { kind: 'removeLine', target: 'ana', msgid },
  ] as const) {
    expect(await failureOf(act('seat', measure))).toMatchObject({ kind: 'code', code: 618 })
    expect((await newest(1))[0]).toMatchObject({
      what: { kind: measure.kind, target: 'ana' },
      result: 'failed',
      line: null,
    })
  }
  await act('seat', { kind: 'decideHeld', target: 'rvb', msgid, allow: false })
  expect((await newest(1))[0]).toMatchObject({
    what: { kind: 'decideHeld', target: 'rvb' },
    result: 'done',
    line: 'coins for you',
  })
})

it('the log has the text upon which somebody was muted, where it was theirs', async () => {
  const parameters = { roomid, msgId: 'upon', fromAccid: 'rvb', msgType: 0, attach: 'why he was muted' }
  await rpc().console.call({ profileId, path: '/chatroom/sendMsg.action', parameters })
  const upon = (await rpc().rooms.history({ profileId, call: { roomid, accid: 'rvb' } })).ret.list[0]!.msgid
  const take = (measure: Measure) => seat.rpc.rooms.act({ profileId, roomid, measure, why: '', upon })
  await take({ kind: 'temporaryMute', target: 'rvb', seconds: 60 })
  expect((await newest(1))[0]).toMatchObject({
    what: { kind: 'temporaryMute', target: 'rvb' },
    line: 'why he was muted',
  })
  await take({ kind: 'temporaryMute', target: 'rvb', seconds: 0 })
  await rpc().messaging.createAccount({ profileId, call: { accid: 'sol', name: 'Sol' }, keep: false })
  await take({ kind: 'temporaryMute', target: 'sol', seconds: 60 })
  expect((await newest(1))[0]).toMatchObject({
    what: { kind: 'temporaryMute', target: 'sol' },
    result: 'done',
    line: null,
  })
  expect((await rpc().rooms.exportActions({ profileId, roomid, format: 'csv' })).text).toContain('"why he was muted"')
})

it('whoever moderates no more reads nothing that only moderators see', async () => {
  const call = { profileId, call: { roomid } }
  const reads = () => [
    seat.rpc.rooms.actions({ profileId, roomid }),
    seat.rpc.rooms.history(call),
    seat.rpc.operations.local.muted(call),
    seat.rpc.operations.local.blacklisted(call),
    seat.rpc.operations.local.held(call),
  ]
  await Promise.all(reads())
  await act('host', { kind: 'admin', target: 'mei', on: false })
  for (const failure of await Promise.all(reads().map(failureOf)))
    expect(failure).toMatchObject({ kind: 'code', code: 403 })
  await act('host', { kind: 'admin', target: 'mei', on: true })
  await Promise.all(reads())
})

it('of two who decide the same held line in the same moment, or delete the same line, the second is told so and nothing else', async () => {
  const say = (msgId: string, attach: string) =>
    rpc().console.call({
      profileId,
      path: '/chatroom/sendMsg.action',
      parameters: { roomid, msgId, fromAccid: 'rvb', msgType: 0, attach },
    })
  const both = async (measure: Measure, line: string) => {
    const answers = await Promise.allSettled([act('host', measure), act('seat', measure)])
    const failed = answers.findIndex(({ status }) => status === 'rejected')
    expect(answers[1 - failed]?.status).toBe('fulfilled')
    const failure = await failureOf(Promise.reject((answers[failed] as PromiseRejectedResult).reason as Error))
    expect((await newest(2)).find(({ result }) => result === 'failed')).toMatchObject({
      operator: ['ana', 'mei'][failed],
      failure: failure.kind,
      code: 417,
      line,
    })
    return failure
  }
  await rpc().operations.local.setWords({ profileId, call: { words: ['perhaps'], hold: true } })
  await say('h1', 'perhaps so')
  await rpc().operations.local.setWords({ profileId, call: { words: [], hold: false } })
  const [held] = (await rpc().operations.local.held({ profileId, call: { roomid } })).ret.list
  expect(
    await both({ kind: 'decideHeld', target: 'rvb', msgid: held!.msgid, allow: true }, 'perhaps so'),
  ).toMatchObject({ kind: 'decided', code: 417 })
  expect(await both({ kind: 'removeLine', target: 'rvb', msgid: held!.msgid }, 'perhaps so')).toMatchObject({
    kind: 'code',
    code: 417,
  })
})

it('the log has the text of a held line whose decision was refused: dropped by somebody else before, or of somebody who may not speak', async () => {
  await rpc().operations.local.setWords({ profileId, call: { words: ['possibly'], hold: true } })
  for (const attach of ['possibly one', 'possibly two'])
    await rpc().console.call({
      profileId,
      path: '/chatroom/sendMsg.action',
      parameters: { roomid, msgId: attach, fromAccid: 'rvb', msgType: 0, attach },
    })
  await rpc().operations.local.setWords({ profileId, call: { words: [], hold: false } })
  const [two, one] = (await rpc().operations.local.held({ profileId, call: { roomid } })).ret.list
  const decide = (as: 'host' | 'seat', msgid: string, allow: boolean) =>
    act(as, { kind: 'decideHeld', target: 'rvb', msgid, allow })
  await decide('host', one!.msgid, false)
  expect(await failureOf(decide('seat', one!.msgid, true))).toMatchObject({ kind: 'decided' })
  await act('host', { kind: 'mute', target: 'rvb', on: true })
  expect(await failureOf(decide('seat', two!.msgid, true))).toMatchObject({ kind: 'code', code: 403 })
  await act('host', { kind: 'mute', target: 'rvb', on: false })
  const refused = (await newest(5)).filter(({ result }) => result === 'failed')
  expect(refused.map(({ operator, code, line }) => [operator, code, line])).toEqual([
    ['mei', 403, 'possibly two'],
    ['mei', 417, 'possibly one'],
  ])
  const { text } = await rpc().rooms.exportActions({ profileId, roomid, format: 'csv' })
  expect(text).toContain('possibly one')
  await decide('host', two!.msgid, false)
})

it('the log has the text of a deleted and of a held line, names, and who was invited and taken back', async () => {
  const say = (msgId: string, attach: string) =>
    rpc().console.call({
      profileId,
      path: '/chatroom/sendMsg.action',
      parameters: { roomid, msgId, fromAccid: 'rvb', msgType: 0, attach },
    })
  await say('l1', '=buy coins')
  const { ret } = await rpc().rooms.history({ profileId, call: { roomid, accid: 'rvb' } })
  await act('seat', { kind: 'removeLine', target: 'rvb', msgid: ret.list[0]!.msgid }, 'advertising')
  await rpc().operations.local.setWords({ profileId, call: { words: ['maybe'], hold: true } })
  await say('l2', 'maybe not')
  const [held] = (await rpc().operations.local.held({ profileId, call: { roomid } })).ret.list
  await act('host', { kind: 'decideHeld', target: 'rvb', msgid: held!.msgid, allow: false })
  await rpc().operations.local.setWords({ profileId, call: { words: [], hold: false } })
  expect(await newest(2)).toMatchObject([
    { operator: 'ana', what: { kind: 'decideHeld' }, targetName: 'Rob', line: 'maybe not' },
    { operator: 'mei', operatorName: 'Mei', what: { kind: 'removeLine' }, targetName: 'Rob', line: '=buy coins' },
  ])
  const lena = await rpc().seats.invite({ profileId, roomid, accid: 'lena', name: 'Lena' })
  await rpc().seats.revoke({ id: lena.seat.id })
  await rpc().seats.inviteAgain({ id: lena.seat.id })
  const entries = await newest(3)
  expect(entries.map(({ operator, what, result }) => [operator, what, result])).toEqual([
    ['ana', { kind: 'invite', target: 'lena' }, 'done'],
    ['ana', { kind: 'revoke', target: 'lena' }, 'done'],
    ['ana', { kind: 'invite', target: 'lena' }, 'done'],
  ])
  expect(entries.map(({ targetName }) => targetName)).toEqual(['Lena', 'Lena', 'Lena'])
  const { text } = await rpc().rooms.exportActions({ profileId, roomid, format: 'csv' })
  expect(text).toContain(`"mei","Mei","removeLine","rvb","Rob"`)
  expect(text).toContain(`"'=buy coins"`)
})

it('what is begun while the service was killed is in the log as refused, with its reason, of a seat and of the host', async () => {
  const before = (await newest(1))[0]!.id
  process.kill(rig.processes.at(-1)!.pid!, 'SIGKILL')
  expect(await failureOf(act('seat', { kind: 'temporaryMute', target: 'rvb', seconds: 60 }, 'loud'))).toMatchObject({
    kind: 'down',
  })
  expect(await failureOf(act('host', { kind: 'muteRoom', on: true }))).toMatchObject({ kind: 'down' })
  const entries = (await newest(5)).filter(({ id }) => id > before)
  expect(entries).toMatchObject([
    { operator: 'ana', what: { kind: 'muteRoom' }, result: 'failed', failure: 'down' },
    { operator: 'mei', what: { kind: 'temporaryMute' }, why: 'loud', result: 'failed', failure: 'down' },
  ])
  await until(
    'the service to be back',
    async () =>
      (await failureOf(act('seat', { kind: 'temporaryMute', target: 'rvb', seconds: 0 })).catch(() => null)) === null,
  )
  // Nobody could tell names then.
  const { text: csv } = await rpc().rooms.exportActions({ profileId, roomid, format: 'csv' })
  expect(csv).toMatch(/"mei","Mei","temporaryMute","rvb","Rob",[^\n]*"failed"/)
  const { text: json } = await rpc().rooms.exportActions({ profileId, roomid, format: 'json' })
  expect((JSON.parse(json) as typeof entries).find(({ id }) => id === entries[1]!.id)).toMatchObject({
    operatorName: 'Mei',
    targetName: 'Rob',
  })
  expect((await rpc().seats.revoke({ id: seatId })).steps.every(({ ok }) => ok)).toBe(true)
})
