import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { until } from '../testing/condition.ts'
import type { EventReader } from '../testing/event-reader.ts'
import { startPublisher, type Publisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { machinePace, promised } from '../testing/machine-pace.ts'

const folder = temporaryFolder()
let file: string
let service: TestService
let events: EventReader
let publishers: Publisher[]

beforeAll(async () => {
  file = await encodeFixture(folder.path, 'push', { duration: 4, gop: 30, bFrames: 0 })
})
afterAll(() => folder.remove())
beforeEach(async () => {
  publishers = []
  service = await startService()
  events = await service.events()
})
afterEach(async () => {
  events.close()
  await Promise.all(publishers.map((publisher) => publisher.stop()))
  await service.close()
})

const publish = (pushUrl: string): Publisher => {
  const publisher = startPublisher(pushUrl, file)
  publishers.push(publisher)
  return publisher
}
const create = async (name: string) => (await service.call(live.create, { name })).ret!
const statusOf = async (cid: string): Promise<number | undefined> =>
  (await service.call(live.state, { cid })).ret?.status
const onAir = (cid: string) => events.next('tally', (event) => event.cid === cid && event.status === 1)

describe('a push with ffmpeg', () => {
  it('is live in state, details and events within 1 s of its start, with figures each second, and idle when it ends', async () => {
    const { cid, pushUrl } = await create('a')
    const publisher = publish(pushUrl)
    const started = await events.next('push', (event) => event.kind === 'started')
    expect((await onAir(cid)).at - started.at).toBeLessThan(1000 * machinePace())
    expect(await statusOf(cid)).toBe(1)
    expect((await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]).toMatchObject({
      status: 1,
      since: started.at,
    })
    expect((await service.call(live.list, {})).ret!.list[0]).toMatchObject({ cid, status: 1 })

    const full = await events.next(
      'ingest',
      ({ figures }) =>
        figures.millifps !== undefined && figures.keyFrameGap !== undefined && figures.audioCodec !== undefined,
    )
    expect(full).toMatchObject({
      cid,
      figures: { width: 320, height: 180, sampleRate: 44_100, viewers: 0, droppedForReaders: 0, keyFrameGap: 1000 },
    })
    await until('four ingest lines', () => events.events.filter(({ type }) => type === 'ingest').length >= 4)
    const times = events.events.flatMap((event) => (event.type === 'ingest' ? [event.at] : []))
    for (const [index, at] of times.slice(1).entries()) expect(at - times[index]!).toBeGreaterThan(800)
    expect(events.events.filter(({ type }) => type === 'push').map((event) => 'kind' in event && event.kind)).toEqual(
      expect.arrayContaining(['started', 'firstKeyFrame', 'codecs']),
    )

    await publisher.stop()
    await events.next('push', (event) => event.kind === 'ended')
    await events.next('tally', (event) => event.cid === cid && event.status === 0 && event.since === undefined)
    expect(await statusOf(cid)).toBe(0)
  })

  it('is cut within 1 s by pause, refused while paused, and admitted after resume', async () => {
    const { cid, pushUrl } = await create('a')
    const publisher = publish(pushUrl)
    await onAir(cid)
    let gone = false
    publisher.exited.then(() => (gone = true)).catch(expect.unreachable)
    await service.call(live.pause, { cid })
    expect(await statusOf(cid)).toBe(2)
    await promised(1000, () => until('the push ended', () => gone))
    await publish(pushUrl).exited
    expect(await events.next('push', ({ kind }) => kind === 'refused')).toMatchObject({ cid, remedy: 'disabled' })
    expect(await statusOf(cid)).toBe(2)

    await service.call(live.resume, { cid })
    expect(await statusOf(cid)).toBe(0)
    publish(pushUrl)
    await until('on air again', async () => (await statusOf(cid)) === 1)
  })

  it('is cut within 1 s by the batch form and by delete', async () => {
    const [a, b, c] = [await create('a'), await create('b'), await create('c')]
    const running = [a, b, c].map(({ pushUrl }) => publish(pushUrl))
    await Promise.all([a, b, c].map(({ cid }) => onAir(cid)))
    const gone = new Set<number>()
    for (const [index, publisher] of running.entries())
      publisher.exited.then(() => gone.add(index)).catch(expect.unreachable)
    await service.call(live.pauseMany, { cidList: [a.cid] })
    await service.call(live.remove, { cid: b.cid })
    await promised(1000, () => until('two pushes ended', () => gone.has(0) && gone.has(1)))
    expect(gone.has(2)).toBe(false)
    expect(await statusOf(c.cid)).toBe(1)
    await publish(b.pushUrl).exited
    expect((await service.call(live.state, { cid: b.cid })).code).toBe(602)
  })

  it('stays on air when its key is replaced, and then only the new key is admitted', async () => {
    const { cid, pushUrl } = await create('a')
    const publisher = publish(pushUrl)
    await onAir(cid)
    const replaced = (await service.call(local.replaceKey, { cid })).ret!.pushUrl
    await events.next('channel', ({ change }) => change === 'key')
    const later = Date.now() + 500
    await events.next('ingest', ({ at }) => at > later)
    expect(await statusOf(cid)).toBe(1)
    await publisher.stop()
    await publish(pushUrl).exited
    expect(await events.next('push', ({ kind }) => kind === 'refused')).toMatchObject({ cid, remedy: 'key' })
    publish(replaced)
    await until('on air with the new key', async () => (await statusOf(cid)) === 1)
  })

  it.each([
    ['no key', (url: string) => url.split('?')[0]!],
    ['a wrong secret', (url: string) => url.replace(/(?<=wsSecret=)./, (first) => (first === 'f' ? '0' : 'f'))],
    ['another time', (url: string) => url.replace(/wsTime=\d+/, 'wsTime=1999999999')],
  ])('with %s never comes on air', async (_what, change) => {
    const { cid, pushUrl } = await create('a')
    expect(await publish(change(pushUrl)).exited).not.toBe(0)
    expect(await statusOf(cid)).toBe(0)
    expect(events.events.filter((event) => event.type === 'tally' && event.status === 1)).toEqual([])
  })

  it('comes back after a restart of the service with the same address', async () => {
    const { cid, pushUrl } = await create('a')
    publish(pushUrl)
    await onAir(cid)
    const { port } = new URL(service.service.ready.rtmpUrl)
    await service.stop()
    const again = await startService({ dataDir: service.dataDir, rtmp: { host: '127.0.0.1', port: Number(port) } })
    expect((await again.call(live.state, { cid })).ret?.status).toBe(0)
    expect((await again.call(live.address, { cid })).ret?.pushUrl).toBe(pushUrl)
    publish(pushUrl)
    await until('on air again', async () => (await again.call(live.state, { cid })).ret?.status === 1)
    await again.stop()
  })
})
