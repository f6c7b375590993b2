import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RecallRequest } from './recall.ts'
import { outgoing, startSender, type SenderRig } from './testing/rig.ts'

let rig: SenderRig
beforeEach(async () => {
  rig = await startSender()
})
afterEach(() => rig.close())

const code = async (done: Promise<unknown>): Promise<unknown> =>
  done.then(() => 200).catch((error: { code?: unknown }) => error.code)
const history = async (accid: string, recalled = false) =>
  (
    await rig.stream.history({
      uid: 1,
      accid,
      peer: { scene: 'p2p', accid: accid === 'ann' ? 'bob' : 'ann' },
      ascending: true,
      limit: 10,
      recalled,
    })
  ).map(({ frame }) => frame)
const missed = async (accid: string) =>
  (await rig.stream.since({ uid: 1, accid, after: 0, limit: 100 })).events.map(({ frame }) => frame.t)
const request = (
  { msgid, timetag }: { msgid: number; timetag: number },
  more: Partial<RecallRequest> = {},
): RecallRequest => ({
  uid: 1,
  from: 'ann',
  scene: 'p2p',
  to: 'bob',
  msgid,
  timetag,
  ...more,
})

describe('a recall', () => {
  it('takes the message out of history, offline and roaming messages, and tells both sides', async () => {
    const sent = await rig.sender.send(outgoing({ ext: 'secret', pushcontent: 'secret' }))
    rig.clock.advance(5000)
    await rig.recall(request(sent, { msg: 'sorry', to: 'BOB', session: 's1' }))
    expect([await history('ann'), await history('bob')]).toEqual([[], []])
    expect([await missed('bob'), await missed('ann')]).toEqual([['recall'], ['recall']])
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
    expect(rig.delivered[1]).toMatchObject({
      origin: 's1',
      frame: {
        t: 'recall',
        msgid: sent.msgid,
        timetag: sent.timetag,
        scene: 'p2p',
        from: 'ann',
        to: 'bob',
        msg: 'sorry',
        at: rig.clock.now(),
      },
    })
    const [left] = await history('bob', true)
    expect(left).toMatchObject({ t: 'message', seq: sent.msgid, recalled: true, body: '' })
    expect(JSON.stringify(await rig.stream.find(1, sent.msgid))).not.toMatch(/secret|hello/)
  })

  it('is possible up to two minutes, to the millisecond', async () => {
    const [one, two] = [await rig.sender.send(outgoing()), await rig.sender.send(outgoing())]
    rig.clock.advance(120_000)
    expect(await code(rig.recall(request(one)))).toBe(200)
    rig.clock.advance(1)
    expect(await code(rig.recall(request(two)))).toBe(414)
    expect((await history('bob')).length).toBe(1)
  })

  it.each([
    ['another id', (sent: { msgid: number; timetag: number }) => request({ ...sent, msgid: sent.msgid + 1 })],
    ['another time', (sent: { msgid: number; timetag: number }) => request({ ...sent, timetag: sent.timetag + 1 })],
    ['another sender', (sent: { msgid: number; timetag: number }) => request(sent, { from: 'bob' })],
    ['another receiver', (sent: { msgid: number; timetag: number }) => request(sent, { to: 'eve' })],
    ['a team', (sent: { msgid: number; timetag: number }) => request(sent, { scene: 'team', to: '7' })],
    ['another application', (sent: { msgid: number; timetag: number }) => request(sent, { uid: 2 })],
  ])('does nothing for %s', async (_what, wrong) => {
    const sent = await rig.sender.send(outgoing())
    expect(await code(rig.recall(wrong(sent)))).toBe(200)
    expect([(await history('bob')).length, rig.delivered.length]).toEqual([1, 1])
  })

  it('happens once', async () => {
    const sent = await rig.sender.send(outgoing())
    await Promise.all([rig.recall(request(sent)), rig.recall(request(sent))])
    await rig.recall(request(sent))
    expect(rig.delivered.map(({ frame }) => frame.t)).toEqual(['message', 'recall'])
  })

  it('of a team message needs the sender still in the team', async () => {
    const team = { scene: 'team', to: '7' } as const
    const [one, two] = [await rig.sender.send(outgoing(team)), await rig.sender.send(outgoing(team))]
    await rig.recall(request(one, team))
    expect(rig.delivered[2]).toMatchObject({ to: { tid: 7 }, frame: { t: 'recall', msgid: one.msgid } })
    rig.members.get(7)!.delete('ann')
    expect(await code(rig.recall(request(two, team)))).toBe(403)
    expect(await missed('bob')).toEqual(['message', 'recall'])
  })

  it('of a hidden message is told to its sender alone', async () => {
    rig.blacklisted.add('bob ann')
    const sent = await rig.sender.send(outgoing())
    await rig.recall(request(sent))
    expect(rig.delivered[1]!.hidden).toBe(true)
    expect([await missed('ann'), await missed('bob')]).toEqual([['recall'], []])
  })

  it('does nothing to a notice of a team, which its sender did not write', async () => {
    const { seq, at } = await rig.stream.publish({
      uid: 1,
      from: 'ann',
      to: { tid: 7 },
      frame: {
        t: 'message',
        scene: 'team',
        from: 'ann',
        to: '7',
        type: 5,
        body: '{}',
        fromClientType: 'REST',
        push: false,
        badge: false,
      },
      keep: { history: true, roam: true, offline: true },
    })
    await rig.recall(request({ msgid: seq, timetag: at }, { scene: 'team', to: '7' }))
    expect(rig.delivered.map(({ frame }) => frame.t)).toEqual(['message'])
  })

  it('of any age is possible where the caller asks for it', async () => {
    const sent = await rig.sender.send(outgoing())
    rig.clock.advance(86_400_000)
    await rig.recall(request(sent, { anyAge: true }))
    expect(await history('bob')).toEqual([])
  })
})
