import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, history, local, messages, teams } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let clock: ManualWallClock
let service: TestService
let tid: string
beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
  for (const accid of ['ann', 'bob', 'eve', 'max']) await service.call(accounts.create, { accid })
  tid = (await service.call(teams.create, { tname: 'crew', owner: 'ann', members: ['bob'] })).tid!
})
afterEach(() => service.close())

const send = (from: string, msg = 'hello') =>
  service.call(messages.send, { from, ope: 1, to: tid, type: 0, body: JSON.stringify({ msg }) })
const notify = (from: string) => service.call(messages.notify, { from, msgtype: 1, to: tid, attach: '{}' })
const read = async (accid: string): Promise<unknown[]> => {
  const { msgs } = await service.call(history.team, { tid, accid, limit: 100, reverse: 1 })
  return msgs!.filter(({ type }) => type !== 5).map(({ body }) => (body as { msg: string }).msg)
}

describe('a message to a team', () => {
  it('is in the history of every member', async () => {
    expect((await send('bob')).data).toMatchObject({ timetag: clock.now(), antispam: false })
    expect([await read('ann'), await read('BOB')]).toEqual([['hello'], ['hello']])
  })

  it('is refused with 403 for who is not in the team, and for a member that is muted', async () => {
    expect([(await send('eve')).code, (await notify('eve')).code]).toEqual([403, 403])
    await service.call(teams.muteTlist, { tid, owner: 'ann', accid: 'bob', mute: 1 })
    expect([(await send('bob')).code, (await notify('bob')).code, (await send('ann')).code]).toEqual([403, 403, 200])
    await service.call(teams.muteTlist, { tid, owner: 'ann', accid: 'bob', mute: 0 })
    await service.call(teams.muteTlistAll, { tid, owner: 'ann', mute: true })
    expect([(await send('bob')).code, (await send('ann')).code]).toEqual([403, 200])
    await service.call(teams.muteTlistAll, { tid, owner: 'ann', mute: false })
    expect((await send('bob', 'again')).code).toBe(200)
    expect(await read('ann')).toEqual(['hello', 'hello', 'again'])
  })

  it('is refused with 414 once the team is dissolved, and for a team of another application', async () => {
    for (const accid of ['ann', 'bob']) await service.other.call(accounts.create, { accid })
    const foreign = { from: 'ann', ope: 1, to: tid, type: 0, body: '{"msg":"x"}' } as const
    expect((await service.other.call(messages.send, foreign)).code).toBe(414)
    await service.call(teams.remove, { tid, owner: 'ann' })
    expect([(await send('ann')).code, (await notify('ann')).code]).toEqual([414, 414])
  })

  it('that the word list catches is seen by its sender alone', async () => {
    await service.call(local.setWords, { words: ['bad'] })
    expect((await send('bob', 'bad')).data).toMatchObject({ antispam: true })
    expect([await read('bob'), await read('ann')]).toEqual([['bad'], []])
  })
})

describe('queryTeamMsg', () => {
  it('gives notifications of the team too, with their body', async () => {
    const { msgs } = await service.call(history.team, { tid, accid: 'bob', limit: 10 })
    expect(msgs![0]).toMatchObject({ type: 5, body: { tid: Number(tid), tname: 'crew', ope: 0, accids: ['bob'] } })
  })

  it('shows a member what was sent since it came, also when it comes again', async () => {
    await send('ann', 'before')
    await service.call(teams.add, { tid, owner: 'ann', members: ['max'] })
    await send('ann', 'after')
    expect([await read('max'), await read('bob')]).toEqual([['after'], ['before', 'after']])
    await service.call(teams.leave, { tid, accid: 'max' })
    expect((await service.call(history.team, { tid, accid: 'max', limit: 10 })).code).toBe(403)
    await send('ann', 'between')
    await service.call(teams.add, { tid, owner: 'ann', members: ['max'] })
    await send('ann', 'now')
    expect(await read('max')).toEqual(['now'])
  })

  it.each([
    ['a stranger', { accid: 'eve' }, 403],
    ['an account that is not registered', { accid: 'nobody' }, 414],
    ['a team that is not there', { tid: '4711' }, 414],
    ['a team that cannot be', { tid: 'crew' }, 414],
    ['a limit of 101', { limit: 101 }, 414],
    ['another order', { reverse: 0 }, 414],
    ['a window that ends before it begins', { begintime: 9, endtime: 8 }, 414],
  ])('answers %s with its code', async (_what, wrong, code) => {
    expect((await service.send(history.team, { tid, accid: 'bob', limit: 1, ...wrong })).code).toBe(code)
  })
})

describe('recall of a team message', () => {
  it('empties it for all, and is refused with 403 when its sender has left', async () => {
    const [one, two] = [(await send('bob', 'one')).data!, (await send('bob', 'two')).data!]
    const recall = async ({ msgid, timetag }: { msgid: number; timetag: number }) =>
      (await service.call(messages.recall, { deleteMsgid: msgid, timetag, type: 8, from: 'bob', to: tid })).code
    expect(await recall(one)).toBe(200)
    expect(await read('ann')).toEqual(['two'])
    await service.call(teams.leave, { tid, accid: 'bob' })
    expect(await recall(two)).toBe(403)
    expect(await recall(one)).toBe(200)
    expect(await read('ann')).toEqual(['two'])
  })
})
