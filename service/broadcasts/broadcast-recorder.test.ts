import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxBroadcastEvents } from '../../contract/operations/broadcasts.ts'
import { rigCid as cid, rigUid, startBroadcasts } from './testing/rig.ts'

type Rig = Awaited<ReturnType<typeof startBroadcasts>>
let rig: Rig
beforeEach(async () => {
  rig = await startBroadcasts()
})
afterEach(() => rig.close())

const changes = () => rig.told.map(({ change, how }) => (how === undefined ? change : `${change} ${how}`))
const pushes = async () => {
  const { broadcastId, began } = (await rig.rows())[0]!
  return (await rig.store.pushesOf(broadcastId)).map((push) => [push.began - began, push.ended - began, push.how])
}

describe('a broadcast', () => {
  it('begins with a push, has what was measured each second, and ends as the push did', async () => {
    const one = await rig.start()
    const began = rig.clock.now()
    await one.push('started')
    const { broadcastId } = (await rig.rows())[0]!
    expect(one.onAir()).toMatchObject({ broadcastId })
    for (const viewers of [0, 4, 2, 8]) {
      one.figures.viewers = viewers
      await rig.pass(10, one)
    }
    await rig.pass(3, one)
    await one.push('ended', 'stopped')
    expect(one.onAir()).toBeUndefined()
    expect(await rig.rows()).toEqual([
      {
        broadcastId,
        uid: rigUid,
        cid,
        channel: 'Show',
        title: '',
        began,
        ended: began + 43_000,
        seen: began + 43_000,
        how: 'stopped',
        node: 'one',
        pushes: 1,
        measured: 43,
        viewers: 10 * (0 + 4 + 2 + 8) + 3 * 8,
        peak: 8,
        leftOut: 0,
      },
    ])
    const samples = await rig.store.samplesOf(broadcastId)
    expect(samples.map(({ at, measured, viewers, peak }) => [at - began, measured, viewers, peak])).toEqual([
      [1000, 10, 0, 0],
      [11_000, 10, 40, 4],
      [21_000, 10, 20, 2],
      [31_000, 10, 80, 8],
      [41_000, 3, 24, 8],
    ])
    expect(samples[0]).toMatchObject({ known: 10, kbps: 40_000, kbpsLow: 4000, millifps: 300_000, keyFrameGap: 2000 })
    expect(changes()).toEqual(['began', 'ended stopped'])
    expect(rig.told[0]).toMatchObject({ cid, broadcastId })
  })

  it('does not go on with a push at a clock that was set back by more', async () => {
    const one = await rig.start()
    await one.push('started')
    await rig.pass(10, one)
    await one.push('ended', 'lost')
    const [{ broadcastId, ended } = {}] = await rig.rows()
    rig.clock.set(-3_600_000)
    await one.push('started')
    expect(await rig.rows()).toMatchObject([{ ended: 0 }, { broadcastId, ended, pushes: 1 }])
  })

  it('goes on with a push within 2 min of its end, and a later one is another', async () => {
    const one = await rig.start()
    await one.push('started')
    one.figures.viewers = 3
    await rig.pass(20, one)
    await one.push('ended', 'lost')
    await rig.pass(120, one)
    await one.push('started')
    expect(await rig.rows()).toMatchObject([{ ended: 0, how: '', pushes: 2, measured: 20 }])
    one.figures.viewers = 1
    await rig.pass(10, one)
    await one.push('ended', 'stopped')
    expect(await rig.rows()).toMatchObject([{ pushes: 2, measured: 30, viewers: 70, peak: 3, how: 'stopped' }])
    expect(await pushes()).toEqual([
      [0, 20_000, 'lost'],
      [140_000, 150_000, 'stopped'],
    ])
    // The pause is told as one: nothing was measured in it.
    const { broadcastId, began } = (await rig.rows())[0]!
    const times = (await rig.store.samplesOf(broadcastId)).map(({ at }) => at - began)
    expect(times).toEqual([1000, 11_000, 141_000])
    await rig.pass(121, one)
    await one.push('started')
    expect(await rig.rows()).toHaveLength(2)
    expect(changes()).toEqual(['began', 'ended lost', 'wentOn', 'ended stopped', 'began'])
  })

  it('goes on when another encoder takes over, with all that was measured before', async () => {
    const one = await rig.start()
    await one.push('started')
    await rig.pass(14, one)
    await one.push('replaced', 'replaced')
    await one.push('started')
    await rig.pass(7, one)
    expect(one.onAir()).toBeDefined()
    await one.push('ended', 'silent')
    expect(await rig.rows()).toMatchObject([{ pushes: 2, measured: 21, how: 'silent' }])
    expect(await pushes()).toEqual([
      [0, 14_000, 'replaced'],
      [14_000, 21_000, 'silent'],
    ])
    expect(changes()).toEqual(['began', 'changed', 'ended silent'])
  })

  it('has what happened in it, each state once, and so many at most', async () => {
    const one = await rig.start()
    await one.push('started')
    await rig.db.deleteFrom('target').execute()
    const at = rig.clock.now()
    const hold = { type: 'hold', at, cid, holdSeconds: 5, delaySeconds: 0 } as const
    const target = {
      type: 'target',
      at,
      cid,
      targetId: 7,
      since: at,
      kbps: 1,
      dropped: 0,
      reconnects: 0,
      tries: 0,
    } as const
    for (const holding of [false, true, true, false]) one.tell({ ...hold, holding, ...(holding && { byHand: true }) })
    for (const state of ['off', 'connecting', 'sending', 'stalled', 'sending']) one.tell({ ...target, state })
    for (const reason of ['closed', 'closed', 'unreachable']) one.tell({ ...target, state: 'retrying', reason })
    for (const state of ['off', 'asked', 'recording', 'recording', 'fileReady'])
      one.tell({ type: 'recording', at, cid, state })
    one.tell({ type: 'recording', at, cid, state: 'stopped', reason: 'space' })
    one.tell({ type: 'push', at, cid, kind: 'stalled', detail: '4000' })
    one.tell({ type: 'push', at, cid, kind: 'codecs', detail: 'H.264' })
    one.tell({ type: 'push', at, cid: 'd'.repeat(32), kind: 'stalled', detail: '4000' })
    await rig.pass(10, one)
    const { broadcastId } = (await rig.rows())[0]!
    const kept = await rig.store.eventsOf(broadcastId)
    expect(kept.map(({ kind, state, detail, targetId }) => [kind, state, detail, targetId])).toEqual([
      ['held', null, 'hand', null],
      ['wentOn', null, null, null],
      ['target', 'sending', null, 7],
      ['target', 'retrying', 'closed', 7],
      ['target', 'retrying', 'unreachable', 7],
      ['recording', 'recording', null, null],
      ['recording', 'stopped', 'space', null],
      ['stalled', null, '4000', null],
    ])
    for (let more = 0; more < maxBroadcastEvents; more++)
      one.tell({ type: 'push', at, cid, kind: 'stalled', detail: '1' })
    await rig.pass(10, one)
    one.tell({ type: 'push', at, cid, kind: 'stalled', detail: '1' })
    await one.push('ended', 'stopped')
    expect(await rig.store.eventsOf(broadcastId)).toHaveLength(maxBroadcastEvents)
    expect(await rig.rows()).toMatchObject([{ leftOut: 9 }])
  })

  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  it.each([
    ['the database is away', new Error('away')],
    ['its disk is full', full],
  ])('loses nothing while %s', async (_what, error) => {
    const one = await rig.start()
    const began = rig.clock.now()
    rig.fault.now = error
    await one.push('started')
    await rig.pass(30, one)
    expect(await rig.rows()).toEqual([])
    rig.fault.now = undefined
    await rig.pass(10, one)
    expect(await rig.rows()).toMatchObject([{ began, measured: 40 }])
    // What is stored without an answer is stored again, and is one.
    await one.push('ended', 'lost')
    rig.fault.after = error
    await one.push('started')
    rig.fault.after = undefined
    await rig.pass(5, one)
    expect(await rig.rows()).toMatchObject([{ pushes: 2, ended: 0 }])
    rig.fault.now = error
    await rig.pass(15, one)
    await one.push('ended', 'stopped')
    await rig.pass(3, one)
    expect(await rig.rows()).toMatchObject([{ ended: 0, measured: 40 }])
    rig.fault.now = undefined
    await rig.pass(10, one)
    expect(await rig.rows()).toMatchObject([{ ended: began + 60_000, how: 'stopped', measured: 60 }])
  })
})

describe('after a start', () => {
  it('a broadcast of before ends when it was seen last, as restarted', async () => {
    const before = await rig.start()
    const began = rig.clock.now()
    await before.push('started')
    await rig.pass(25, before)
    await before.kill()
    const after = await rig.start()
    await rig.pass(1, after)
    expect(await rig.rows()).toMatchObject([{ ended: began + 20_000, how: 'restarted', measured: 20 }])
    expect(await pushes()).toEqual([[0, 20_000, 'restarted']])
    expect(changes()).toEqual(['began', 'ended restarted'])
  })

  it('goes on with the encoder that comes back, at once or after it was ended, with a gap', async () => {
    const before = await rig.start()
    await before.push('started')
    await rig.pass(25, before)
    await before.kill()
    const after = await rig.start()
    await after.push('started')
    await rig.pass(10, after)
    expect(await rig.rows()).toMatchObject([{ ended: 0, pushes: 2, measured: 30, node: 'one' }])
    expect(await pushes()).toEqual([
      [0, 20_000, 'restarted'],
      [25_000, -(await rig.rows())[0]!.began, ''],
    ])
    await after.kill()
    const last = await rig.start()
    await rig.pass(60, last)
    await last.push('started')
    expect(await rig.rows()).toMatchObject([{ ended: 0, pushes: 3 }])
  })

  it('one that was closed says so, and the push that ends with it is no other end', async () => {
    const before = await rig.start()
    await before.push('started')
    before.recorder.ending()
    await before.push('ended', 'lost')
    await before.stop()
    expect(await rig.rows()).toMatchObject([{ how: 'closing' }])
    expect(changes()).toEqual(['began', 'ended closing'])
  })
})

describe('of several services', () => {
  it('a push that comes to another one is of the same broadcast, which the first does not end', async () => {
    const [a, b] = [await rig.start('a'), await rig.start('b')]
    await a.push('started')
    await rig.pass(10, a, b)
    await b.push('started')
    await a.push('ended', 'replaced')
    await rig.pass(20, a, b)
    expect(await rig.rows()).toMatchObject([{ ended: 0, pushes: 2, node: 'b' }])
    await b.push('ended', 'stopped')
    expect(await rig.rows()).toMatchObject([{ how: 'stopped', pushes: 2 }])
  })

  it('one of a lost service ends a minute later, and no earlier', async () => {
    const [a, b] = [await rig.start('a'), await rig.start('b')]
    const began = rig.clock.now()
    await a.push('started')
    await rig.pass(20, a, b)
    await a.kill()
    await rig.pass(60, b)
    expect(await rig.rows()).toMatchObject([{ ended: 0 }])
    await rig.pass(12, b)
    expect(await rig.rows()).toMatchObject([{ ended: began + 20_000, how: 'node' }])
  })
})

describe('retention', () => {
  const day = 86_400_000
  const add = async (began: number, ended: number): Promise<string> => {
    const broadcastId = String(began).padStart(24, '0')
    const row = { broadcastId, uid: rigUid, cid, channel: 'Show', title: '', began, ended, seen: ended, how: 'lost' }
    const figures = { node: 'one', pushes: 1, measured: 1, viewers: 0, peak: 0, leftOut: 0 }
    await rig.db
      .insertInto('broadcast')
      .values({ ...row, ...figures })
      .execute()
    const push = { broadcastId, number: 1, began, ended, how: 'lost' }
    await rig.db.insertInto('broadcastPush').values(push).execute()
    return broadcastId
  }
  const left = async () => (await rig.rows()).map(({ broadcastId }) => broadcastId)

  it('removes what is too old or too many, with its parts, and never one on air', async () => {
    const now = rig.clock.now()
    const onAir = await add(now - 900 * day, 0)
    const old = await add(now - 500 * day, now - 500 * day + 1)
    const long = await add(now - 401 * day, now - 399 * day)
    const [third, second, first] = [await add(now - 3, now), await add(now - 2, now), await add(now - 1, now)]
    const gone = await rig.store.removeOld(rigUid, now - 400 * day, 100)
    expect(gone).toEqual([{ broadcastId: old, cid }])
    expect(await rig.store.removeOld(rigUid, now - 400 * day, 100)).toEqual([])
    expect(await left()).toEqual([onAir, long, third, second, first])
    expect(await rig.store.pushesOf(old)).toEqual([])
    expect(await rig.store.pushesOf(long)).toHaveLength(1)
    await rig.store.removeOld(rigUid, now - 400 * day, 2)
    expect(await left()).toEqual([onAir, second, first])
    expect(await rig.store.removeOld(rigUid + 1, now, 0)).toEqual([])
  })
})
