import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { TestService } from '../testing/start-service.ts'
import { nodesOf, push, type Encoder, type Nodes } from './testing/nodes.ts'

let nodes: Nodes
/** Offset of the clock of both nodes, in ms. */
let ahead = 0
const clock: Clock = { ...systemClock, now: () => Date.now() + ahead }
let a: TestService
let b: TestService
const encoders: Encoder[] = []
beforeEach(async () => {
  ahead = 0
  nodes = await nodesOf()
  a = await nodes.start('a', { clock })
  b = await nodes.start('b', { clock })
})
afterEach(async () => {
  for (const encoder of encoders.splice(0)) encoder.close()
  await nodes.close()
})
const publish = async (to: TestService, pushUrl: string) => {
  const pushed = await push(to.service.listening.rtmp, pushUrl)
  encoders.push(pushed.encoder)
  return pushed
}
const begin = async (to: TestService, pushUrl: string): Promise<Encoder> => {
  const { code, encoder } = await publish(to, pushUrl)
  expect(code).toBe('NetStream.Publish.Start')
  return encoder
}
const isStatus = (service: TestService, cid: string, status: number) =>
  eventually(async () => expect(await nodes.status(service, cid)).toBe(status))
const sinceOf = async (service: TestService, cid: string) =>
  (await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.since

describeOnRedis('a push at one of two nodes', () => {
  it('is on air at both, with its start and recording, and idle at both when it ends', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const events = await b.events()
    const encoder = await begin(a, pushUrl)
    await isStatus(b, cid, 1)
    expect(await sinceOf(b, cid)).toBe(await sinceOf(a, cid))
    await events.next('tally', (event) => event.cid === cid && event.status === 1)
    await events.next('push', (event) => event.cid === cid && event.kind === 'firstKeyFrame')
    expect((await b.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 1, duration: 120 })).code).toBe(200)
    await isStatus(a, cid, 3)
    await isStatus(b, cid, 3)
    expect((await b.call(live.list, {})).ret!.list).toMatchObject([{ cid, status: 3 }])
    // A node that starts now knows it too.
    const late = await nodes.start('c')
    await isStatus(late, cid, 3)
    await b.call(recordings.setAlwaysRecord, { cid, needRecord: 0 })
    await isStatus(b, cid, 1)
    encoder.close()
    await isStatus(b, cid, 0)
    await isStatus(a, cid, 0)
    const tallies = events.events.filter((event) => event.type === 'tally').map(({ status }) => status)
    events.close()
    expect(tallies.filter((status, n) => status !== tallies[n - 1])).toEqual([1, 3, 1, 0])
  })

  it('keeps others out at both while its encoder sends, and is taken over at the other one after 3 s', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const first = await begin(a, pushUrl)
    const events = await a.events()
    expect((await publish(b, pushUrl)).code).toBe('NetStream.Publish.BadName')
    await events.next('push', (event) => event.kind === 'refused' && event.remedy === 'busy')
    const before = await sinceOf(a, cid)
    first.silence()
    const silent = performance.now()
    await eventually(async () => expect((await publish(b, pushUrl)).code).toBe('NetStream.Publish.Start'))
    expect(performance.now() - silent).toBeGreaterThan(2900)
    // The encoder that was silent is disconnected, and both know where the push is.
    await first.client.until(() => first.client.ended)
    expect(first.client.statuses().at(-1)?.code).toBe('NetStream.Publish.Failed')
    await eventually(async () => expect(await sinceOf(a, cid)).toBe(await sinceOf(b, cid)))
    expect(await sinceOf(a, cid)).toBeGreaterThan(before!)
    expect(await nodes.status(a, cid)).toBe(1)
    expect((await publish(a, pushUrl)).code).toBe('NetStream.Publish.BadName')
    events.close()
  })

  it('goes to the other node at once when its encoder ends or is lost there', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const encoder = await begin(from, pushUrl)
      await isStatus(to, cid, 1)
      encoder.close()
      await isStatus(from, cid, 0)
      const again = await begin(to, pushUrl)
      await isStatus(from, cid, 1)
      again.close()
      await isStatus(to, cid, 0)
    }
  })

  it('returns at the other node by an address that has expired meanwhile', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const { pushUrl: other } = await nodes.channel('b')
    const encoder = await begin(a, pushUrl)
    await isStatus(b, cid, 1)
    ahead = Number(new URL(pushUrl).searchParams.get('wsTime')) * 1000 - Date.now() + 60_000
    // Each takes calls of that time once it goes by it.
    await isStatus(a, cid, 1)
    await isStatus(b, cid, 1)
    const before = a.service.mediaPackets()
    await eventually(() => expect(a.service.mediaPackets()).toBeGreaterThan(before + 4))
    encoder.close()
    await isStatus(b, cid, 0)
    expect((await publish(b, other)).code).toBe('NetStream.Publish.Rejected')
    await begin(b, pushUrl)
  })

  it('is cut by a pause at the other node, deleted there, and its held picture ended by a new key', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const encoder = await begin(a, pushUrl)
    await isStatus(b, cid, 1)
    expect((await b.call(live.pause, { cid })).code).toBe(200)
    const paused = performance.now()
    await encoder.client.until(() => encoder.client.ended)
    expect(performance.now() - paused).toBeLessThan(1000)
    expect((await publish(a, pushUrl)).code).toBe('NetStream.Publish.Rejected')
    await isStatus(a, cid, 2)
    await b.call(live.resume, { cid })
    await isStatus(a, cid, 0)

    await b.call(local.updateHold, { cid, holdSeconds: 60 })
    await eventually(async () => expect((await a.call(local.hold, { cid })).ret!.holdSeconds).toBe(60))
    const events = await a.events()
    const held = await begin(a, pushUrl)
    await events.next('push', (event) => event.kind === 'firstKeyFrame')
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
    held.close()
    await eventually(async () => expect((await a.call(local.hold, { cid })).ret!.holding).toBe(true))
    expect(await nodes.status(b, cid)).toBe(1)
    await b.call(local.replaceKey, { cid })
    await events.next('push', (event) => event.kind === 'ended')
    await isStatus(b, cid, 0)
    events.close()

    const { cid: other, pushUrl: otherUrl } = await nodes.channel('b')
    const third = await begin(a, otherUrl)
    await isStatus(b, other, 1)
    await b.call(live.remove, { cid: other })
    await third.client.until(() => third.client.ended)
  })

  it('held at one node goes on at the other, to which its encoder returns', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    await a.call(local.updateHold, { cid, holdSeconds: 60 })
    const events = await a.events()
    const encoder = await begin(a, pushUrl)
    await events.next('push', (event) => event.kind === 'firstKeyFrame')
    events.close()
    const since = await sinceOf(a, cid)
    encoder.close()
    await eventually(async () => expect((await a.call(local.hold, { cid })).ret!.holding).toBe(true))
    await eventually(async () => expect((await publish(b, pushUrl)).code).toBe('NetStream.Publish.Start'))
    await eventually(async () => expect((await a.call(local.hold, { cid })).ret!.holding).toBe(false))
    await eventually(async () => expect(await sinceOf(a, cid)).toBeGreaterThan(since!))
  })
})
