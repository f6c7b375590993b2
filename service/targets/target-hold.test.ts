import { hash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { encodeFixture, fixturePackets, temporaryFolder } from '../hub/testing/fixture.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame } from '../ingest/testing/rtmp-test-server.ts'
import { FlvReader } from '../media/flv-reader.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { until } from '../testing/condition.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { startNodeMediaServerTarget } from './testing/node-media-server.ts'
import { startNginxTarget } from './testing/nginx-target.ts'

/** Hold and delay as a server meets them that the push goes on to. */
const folder = temporaryFolder()
let file: string
let service: TestService
const undo: (() => unknown)[] = []
beforeAll(async () => {
  file = await encodeFixture(folder.path, 'push', { duration: 6, gop: 30, bFrames: 2, sampleRate: 48_000 })
})
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each()
})
afterAll(() => folder.remove())

async function create(settings: { holdSeconds?: number; delaySeconds?: number }, url: string, key: string) {
  service = await startService()
  undo.push(() => service.close())
  const { cid, pushUrl } = (await service.call(live.create, { name: 'There' })).ret!
  expect((await service.call(local.updateHold, { cid, ...settings })).code).toBe(200)
  expect((await service.call(local.addTarget, { cid, name: 'there', url, key, start: 'push' })).code).toBe(200)
  return { cid, pushUrl }
}
const listed = async (cid: string) => (await service.call(local.targets, { cid })).ret!.list[0]!
const sends = (cid: string) => until('the target sends', async () => (await listed(cid)).state === 'sending')
const hashOf = (body: Buffer): string => hash('sha1', body, 'hex')

interface Unit {
  readonly kind: 'audio' | 'video'
  readonly timestamp: number
  readonly body: Buffer
}
/** Access units of an FLV that may still be written. */
function unitsOf(bytes: Buffer): Unit[] {
  const units: Unit[] = []
  const reader = new FlvReader(({ kind, timestamp, body }) => {
    if (kind !== 'data' && body[1] === 1) units.push({ kind, timestamp, body })
  })
  reader.push(bytes)
  return units
}

it('a killed encoder and its return are one push to the server, which gets the held picture between', async () => {
  const nginx = await startNginxTarget()
  undo.push(() => nginx.stop())
  const key = 'held-key-of-a-target'
  const { cid, pushUrl } = await create({ holdSeconds: 60 }, nginx.rtmpUrl, key)
  const there = (): Unit[] => unitsOf(nginx.recorded(key) ?? Buffer.alloc(0))
  const first = startPublisher(pushUrl, file)
  await sends(cid)
  await until('some seconds are there', () => there().length > 150)
  first.kill('SIGKILL')
  await first.exited
  await until('it is held', async () => (await service.call(local.hold, { cid })).ret!.holding)
  const before = there().length
  await until('the held picture goes on', () => there().length > before + 50)
  expect(await listed(cid)).toMatchObject({ state: 'sending', reconnects: 0 })

  const held = there().length
  const again = startPublisher(pushUrl, file)
  undo.push(() => again.stop())
  await until('the encoder is back', async () => !(await service.call(local.hold, { cid })).ret!.holding)
  const pushed = new Set(fixturePackets(file).map(({ body }) => hashOf(body)))
  // Inter frames are of the encoder only: what is held is a key frame.
  const moves = ({ kind, body }: Unit): boolean => kind === 'video' && body[0]! >> 4 === 2 && pushed.has(hashOf(body))
  await until('its picture is there', () => there().slice(held).filter(moves).length > 60)
  expect(await listed(cid)).toMatchObject({ state: 'sending', reconnects: 0 })
  expect(nginx.publishes(key)).toBe(1)
  for (const track of ['video', 'audio'] as const) {
    const times = there().flatMap(({ kind, timestamp }) => (kind === track ? [timestamp] : []))
    const steps = times.slice(1).map((time, index) => time - times[index]!)
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...steps)).toBeLessThanOrEqual(1000)
  }
})

it('a server that is sent no picture waits, and the push is sent from Back to live on', async () => {
  const nginx = await startNginxTarget()
  undo.push(() => nginx.stop())
  const key = 'waiting-key-of-a-target'
  const { cid, pushUrl } = await create({ holdSeconds: 0 }, nginx.rtmpUrl, key)
  const first = startPublisher(pushUrl, file)
  await sends(cid)
  expect((await service.call(local.holdNow, { cid })).code).toBe(200)
  first.kill('SIGKILL')
  await first.exited
  await until('it is off air', async () => (await listed(cid)).state === 'off')
  const events = await service.events()
  undo.push(() => events.close())
  const again = startPublisher(pushUrl, file)
  undo.push(() => again.stop())
  await until('it waits', async () => (await listed(cid)).state === 'waiting')
  const before = Date.now()
  expect((await service.call(local.holdBack, { cid })).code).toBe(200)
  await sends(cid)
  const told = events.events.flatMap((event) => (event.type === 'target' && event.cid === cid ? [event] : []))
  expect([...new Set(told.map(({ state }) => state))]).toEqual(['connecting', 'waiting', 'sending'])
  expect((await listed(cid)).since).toBeGreaterThanOrEqual(before)
})

it('a delay is one for the server too, which gets the same access units that much later', async () => {
  const server = await startNodeMediaServerTarget()
  undo.push(() => server.stop())
  const key = 'late-key-of-a-target'
  const seconds = 5
  const { cid, pushUrl } = await create({ delaySeconds: seconds }, server.rtmpUrl, key)
  const { port, pathname, search } = new URL(pushUrl)
  const encoder = await RtmpTestClient.open(Number(port))
  undo.push(() => encoder.close())
  await encoder.connect()
  expect(await encoder.ask('publish', `${pathname.replace('/live/', '')}${search}`)).toBe('NetStream.Publish.Start')
  encoder.send(rtmpType.video, 0, avcHeader)
  encoder.send(rtmpType.audio, 0, aacHeader)
  const sent: { id: string; at: number }[] = []
  const begun = performance.now()
  const timer = setInterval(() => {
    const frame = sent.length % 25 === 0 ? keyFrame() : interFrame()
    // Each is another one.
    frame.writeUInt32BE(sent.length, 20)
    const at = performance.now()
    encoder.send(rtmpType.video, Math.round(at - begun), frame)
    sent.push({ id: hashOf(frame), at })
  }, 40)
  undo.push(() => clearInterval(timer))
  await sends(cid)
  const stop = new AbortController()
  undo.push(() => stop.abort())
  const player = await fetch(server.flvUrl(key), { signal: stop.signal })
  const got: { id: string; at: number }[] = []
  const reader = new FlvReader(({ kind, body }) => {
    if (kind === 'video' && body[1] === 1) got.push({ id: hashOf(body), at: performance.now() })
  })
  for await (const bytes of player.body!) {
    reader.push(Buffer.from(bytes as Uint8Array))
    if (got.length > 100) break
  }
  const ids = sent.map(({ id }) => id)
  // The first picture of a push is shown until the second is due.
  const due = got.slice(got.findIndex(({ id }) => id === ids[1]))
  expect(due.length).toBeGreaterThan(50)
  expect(due.map(({ id }) => id)).toEqual(ids.slice(1, due.length + 1))
  const late = due.map(({ at }, index) => at - sent[index + 1]!.at).sort((a, b) => a - b)
  expect(late[0]).toBeGreaterThanOrEqual(seconds * 1000 - 100)
  expect(late[late.length >> 1]).toBeLessThan(seconds * 1000 + 1000)
})

it('what targets need is told once it is measured, and stays so while the encoder is lost', async () => {
  const nginx = await startNginxTarget()
  undo.push(() => nginx.stop())
  const { cid, pushUrl } = await create({ holdSeconds: 60 }, nginx.rtmpUrl, 'needed-key-of-a-target')
  const away = { cid, name: 'away', url: 'rtmp://127.0.0.1:9/app', key: 'away-key-of-a-target' }
  expect((await service.call(local.addTarget, away)).code).toBe(200)
  const told: number[] = []
  const needs = async (): Promise<number> => {
    told.push((await service.call(local.targets, { cid })).ret!.needs)
    return told.at(-1)!
  }
  const first = startPublisher(pushUrl, file)
  await until('it is on air', async () => (await service.call(live.state, { cid })).ret?.status === 1)
  expect(await needs()).toBe(0)
  await sends(cid)
  const before = await needs()
  expect(before).toBeGreaterThan(0)
  first.kill('SIGKILL')
  await first.exited
  await until('it is held', async () => (await service.call(local.hold, { cid })).ret!.holding)
  told.length = 0
  const events = await service.events()
  undo.push(() => events.close())
  const arrives = (): number | undefined =>
    events.events.flatMap((event) => (event.type === 'ingest' && event.cid === cid ? [event.figures.kbps] : [])).at(-1)
  await until('nothing arrives any more', async () => (await needs()) > 0 && arrives() === 0)
  expect(new Set(told).size).toBe(1)
  const again = startPublisher(pushUrl, file)
  undo.push(() => again.stop())
  await until('it is measured again', async () => (await needs()) !== told[0] && arrives() !== 0)
  expect(Math.min(...told)).toBeGreaterThan(before / 2)
  expect(Math.max(...told)).toBeLessThan(before * 2)
})
