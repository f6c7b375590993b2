import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LiveCallback } from '../../contract/callbacks/live.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import { silentLog } from '../log.ts'
import { liveKind } from './callbacks.ts'
import { createLiveCallbacks, type LiveCallbacks } from './live-callbacks.ts'
import { startRig, type Rig } from './testing/rig.ts'

const cid = '0123456789abcdef0123456789abcdef'
const url = 'http://receiver.example/live'
let rig: Rig
let clock: ManualClock
/** Of each node, what its hub tells. */
let nodes: LiveCallbacks[]
let known: Map<string, { readonly uid: number; readonly name: string }>
let fault: Error | undefined

beforeEach(async () => {
  clock = manualClock()
  rig = await startRig()
  // What is tested is what is given to the outbox.
  await rig.outbox.close()
  nodes = []
  fault = undefined
  known = new Map([[cid, { uid: rig.uid, name: 'Show' }]])
})
afterEach(async () => {
  for (const node of nodes) await node.close()
  await rig.close()
})

/** A service with a name of its own, over the one store. */
function node(name = 'one', beforeWriting?: () => Promise<void>) {
  let hear: (event: HubEvent) => void = () => {}
  const made = createLiveCallbacks({
    store: {
      db: rig.store.db,
      async durable(work) {
        if (fault) throw fault
        await beforeWriting?.()
        return rig.store.durable(work)
      },
    },
    outbox: rig.outbox,
    hub: {
      on(listener) {
        hear = listener
        return () => void (hear = () => {})
      },
    },
    channels: { get: (one) => (known.has(one) ? { row: known.get(one)! } : undefined) },
    node: name,
    clock,
    log: silentLog,
  })
  nodes.push(made)
  const tell = async (type: HubEvent['type'], detail?: string): Promise<void> => {
    hear({ type, cid, at: clock.now(), ...(detail !== undefined && { detail }) })
    await made.settled()
  }
  return { ...made, tell }
}
/** Bodies that were queued, the oldest first, without the ids. */
async function told(): Promise<Omit<LiveCallback, 'nId'>[]> {
  const rows = await rig.outbox.list(rig.uid, 100, undefined, liveKind)
  return rows.toReversed().map(({ body, nId, line }) => {
    const { nId: inside, ...fields } = JSON.parse(body) as LiveCallback
    expect([inside, line]).toEqual([nId, `${rig.uid}:live:${cid}`])
    return fields
  })
}
/** Passes time in steps of a look. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 15_000) {
    clock.advance(15_000)
    for (const each of nodes) await each.settled()
  }
}
const events = async (): Promise<string[]> => (await told()).map(({ event }) => event)

describe('with an address', () => {
  beforeEach(() => rig.callbacks.setLiveAddress(rig.uid, url))

  it('the begin and the end of a broadcast are told once each, with their times and the reason', async () => {
    const one = node()
    const began = clock.now()
    await one.tell('started')
    await one.tell('firstKeyFrame')
    await pass(60_000)
    await one.tell('ended', 'stopped')
    const fields = { uid: String(rig.uid), cid, name: 'Show', beginTime: String(began) }
    expect(await told()).toEqual([
      { event: 'live.started', ...fields },
      { event: 'live.ended', ...fields, endTime: String(began + 60_000), reason: 'stopped' },
    ])
    await pass(120_000)
    expect(await told()).toHaveLength(2)
  })

  it('a hold, its return and another encoder that takes over are one broadcast', async () => {
    const one = node()
    await one.tell('started')
    for (const type of ['held', 'returned', 'replaced', 'started', 'stalled'] as const) await one.tell(type, 'lost')
    await pass(3 * 60_000)
    expect(await events()).toEqual(['live.started'])
    await one.tell('ended', 'lost')
    await one.tell('started')
    expect(await events()).toEqual(['live.started', 'live.ended', 'live.started'])
  })

  it('a restart is no end: the push that comes back is not told again', async () => {
    const before = node()
    await before.tell('started')
    before.ending()
    await before.tell('ended', 'lost')
    await before.close()
    clock.advance(20_000)
    const after = node()
    await after.tell('started')
    await pass(120_000)
    expect(await events()).toEqual(['live.started'])
    await after.tell('ended', 'stopped')
    expect(await events()).toEqual(['live.started', 'live.ended'])
  })

  it('so is a hub that closes by itself', async () => {
    const one = node()
    await one.tell('started')
    await one.tell('ended', 'closing')
    expect(await events()).toEqual(['live.started'])
  })

  it('a push that does not come back after a kill has ended when it was last seen', async () => {
    const killed = node()
    const began = clock.now()
    await killed.tell('started')
    await pass(45_000)
    // Nothing of it runs any more.
    nodes = []
    await killed.close()
    clock.advance(30_000)
    node()
    await pass(45_000)
    expect(await events()).toEqual(['live.started'])
    await pass(30_000)
    expect((await told())[1]).toMatchObject({
      event: 'live.ended',
      beginTime: String(began),
      endTime: String(began + 45_000),
      reason: 'lost',
    })
    await pass(120_000)
    expect(await told()).toHaveLength(2)
  })

  it('a push of the next day is another broadcast, though the service was down when the first one ended', async () => {
    const killed = node()
    await killed.tell('started')
    nodes = []
    await killed.close()
    clock.advance(16 * 60_000)
    await node().tell('started')
    expect(await events()).toEqual(['live.started', 'live.ended', 'live.started'])
  })

  it('of two nodes the one that has the push tells, and a push that moves goes on', async () => {
    const [one, two] = [node('one'), node('two')]
    await one.tell('started')
    await pass(120_000)
    // It moves: the other node has it before the first one notices the loss.
    await two.tell('started')
    await one.tell('ended', 'silent')
    await pass(120_000)
    expect(await events()).toEqual(['live.started'])
    await two.tell('ended', 'stopped')
    expect(await events()).toEqual(['live.started', 'live.ended'])
  })

  it('the end of a push of a node that is gone is told by one of the others', async () => {
    const [one] = [node('one'), node('two'), node('three')]
    await one.tell('started')
    await pass(60_000)
    await one.close()
    nodes.shift()
    await pass(45_000)
    expect(await events()).toEqual(['live.started'])
    await pass(30_000)
    expect(await events()).toEqual(['live.started', 'live.ended'])
  })

  it('nobody ends a push that comes back while its end is about to be told', async () => {
    const killed = node()
    await killed.tell('started')
    nodes = []
    await killed.close()
    const seen: string[] = []
    node('late', async () => {
      if (seen.push('about to') === 1) await back.tell('started')
    })
    await pass(30_000)
    // It looks for what is gone later than the other one.
    const back = node('back')
    await pass(60_000)
    expect(seen).toHaveLength(1)
    expect(await events()).toEqual(['live.started'])
  })

  it('the end of a deleted channel is told with the name that it had', async () => {
    const one = node()
    await one.tell('started')
    known.clear()
    await one.tell('ended', 'deleted')
    expect((await told())[1]).toMatchObject({ event: 'live.ended', name: 'Show', reason: 'deleted' })
  })

  it('what the disk refuses is told later, in its order', async () => {
    const one = node()
    fault = new Error('the disk is full')
    const began = clock.now()
    await one.tell('started')
    clock.advance(1000)
    await one.tell('ended', 'stopped')
    clock.advance(1000)
    await one.tell('started')
    expect(await told()).toEqual([])
    fault = undefined
    clock.advance(5000)
    await one.settled()
    expect((await told()).map(({ event, beginTime, endTime }) => [event, beginTime, endTime])).toEqual([
      ['live.started', String(began), undefined],
      ['live.ended', String(began), String(began + 1000)],
      ['live.started', String(began + 2000), undefined],
    ])
  })

  it('without an address from then on nothing more is told, and nothing is kept', async () => {
    const one = node()
    await one.tell('started')
    await rig.callbacks.setLiveAddress(rig.uid, undefined)
    await one.tell('ended', 'stopped')
    expect(await events()).toEqual(['live.started'])
    expect(await rig.store.db.selectFrom('toldPush').selectAll().execute()).toEqual([])
  })
})

it('an address that is set while a push is on air is told of the next one', async () => {
  const one = node()
  await one.tell('started')
  await rig.callbacks.setLiveAddress(rig.uid, url)
  await one.tell('ended', 'stopped')
  expect(await told()).toEqual([])
  await one.tell('started')
  expect(await events()).toEqual(['live.started'])
})
