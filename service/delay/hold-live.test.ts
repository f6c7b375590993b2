import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { live, local, recordings } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { encodeFixture, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { watchPlaylist } from '../hub/testing/playlist-watcher.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame } from '../ingest/testing/rtmp-test-server.ts'
import { FlvReader } from '../media/flv-reader.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { returnsWithin } from './hand-holds.ts'

const run = promisify(execFile)
let folder: ReturnType<typeof temporaryFolder>
let file: string
beforeAll(async () => {
  await requireEncoder()
  folder = temporaryFolder()
  file = await encodeFixture(folder.path, 'push', { duration: 20, gop: 30, sampleRate: 48_000 })
})
afterAll(() => folder.remove())

const undo: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each()
})
async function started(settings: { holdSeconds?: number; delaySeconds?: number } = {}, clock: Clock = systemClock) {
  const service = await startService({ clock })
  undo.push(() => service.close())
  const { ret } = await service.call(live.create, { name: 'Hold' })
  const { cid, pushUrl } = ret!
  expect((await service.call(local.updateHold, { cid, ...settings })).code).toBe(200)
  return { service, cid, pushUrl }
}
const status = async (service: TestService, cid: string): Promise<number | undefined> =>
  (await service.call(live.state, { cid })).ret?.status
const facts = async (service: TestService, cid: string) => (await service.call(local.hold, { cid })).ret!

/** Reads HTTP-FLV: timestamps by track, and whether it has ended. */
function reading(service: TestService, cid: string) {
  const seen = { video: [] as number[], audio: [] as number[], ended: false }
  const stop = new AbortController()
  undo.push(() => stop.abort())
  const reader = new FlvReader(({ kind, timestamp, body }) => {
    if (kind !== 'data' && body[1] === 1) seen[kind].push(timestamp)
  })
  const read = async (): Promise<void> => {
    const answer = await fetch(`${service.service.ready.mediaUrl}/live/${cid}.flv`, { signal: stop.signal })
    for await (const bytes of answer.body!) reader.push(Buffer.from(bytes as Uint8Array))
  }
  read()
    .catch(() => undefined)
    .finally(() => (seen.ended = true))
  return seen
}
const steps = (times: readonly number[]): number[] => times.slice(1).map((time, index) => time - times[index]!)

/** An encoder of its own that sends a key frame and sound, and can go in every way. */
async function encoder(pushUrl: string): Promise<RtmpTestClient> {
  const { port, pathname, search } = new URL(pushUrl)
  const client = await RtmpTestClient.open(Number(port))
  undo.push(() => client.close())
  await client.connect()
  expect(await client.ask('publish', `${pathname.replace('/live/', '')}${search}`)).toBe('NetStream.Publish.Start')
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.audio, 0, aacHeader)
  client.send(rtmpType.video, 0, keyFrame())
  client.send(rtmpType.video, 40, interFrame())
  return client
}

test('a killed encoder and its return tear no viewer, playlist or recording', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, duration: 120, filename: 'hold' })
  const first = startPublisher(pushUrl, file)
  await eventually(async () => expect(await status(service, cid)).toBe(3))
  await eventually(() => fetch(`${service.service.ready.mediaUrl}/live/${cid}.flv`, { method: 'HEAD' }))
  const seen = reading(service, cid)
  const playlist = watchPlaylist(`${service.service.ready.mediaUrl}/live/${cid}/playlist.m3u8`)
  undo.push(() => playlist.stop())
  await eventually(() => expect(seen.video.length).toBeGreaterThan(60))
  first.kill('SIGKILL')
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
  const { length } = seen.video
  await eventually(() => expect(seen.video.length).toBeGreaterThan(length + 2))
  expect(await status(service, cid)).toBe(3)
  const state = await fetch(`${service.service.ready.mediaUrl}/watch/${cid}/state`)
  expect(await state.json()).toMatchObject({ live: true, held: expect.any(Number) as number })

  const again = startPublisher(pushUrl, file)
  undo.push(() => again.stop())
  await eventually(async () => expect((await facts(service, cid)).holding).toBe(false))
  expect(await facts(service, cid)).toMatchObject({ lastHeldFor: expect.any(Number) as number })
  const held = seen.video.length
  await eventually(() => expect(seen.video.length).toBeGreaterThan(held + 60))
  expect(seen.ended).toBe(false)
  expect(Math.min(...steps(seen.video), ...steps(seen.audio))).toBeGreaterThanOrEqual(0)
  expect(Math.max(...steps(seen.video))).toBeLessThanOrEqual(1000)
  expect(Math.max(...steps(seen.audio))).toBeLessThanOrEqual(60)
  await again.stop()
  // ffmpeg closes in order when it is asked to end.
  await eventually(async () => expect(await status(service, cid)).toBe(0))
  expect(playlist.faults).toEqual([])
  expect(playlist.playlists).toHaveLength(1)
  expect(playlist.playlists[0]!.last.segments.some(({ discontinuity }) => discontinuity)).toBe(false)
  const movie = path.join(folder.path, 'hls.mp4')
  writeFileSync(movie, Buffer.concat(playlist.playlists[0]!.parts))
  const recorded = await eventually(() => {
    const files = globSync(path.join(service.dataDir, '**/*.mp4'))
    expect(files).toHaveLength(1)
    return files[0]!
  })
  await eventually(async () =>
    expect((await service.call(recordings.videoList, { cid })).ret?.videoList?.length ?? 0).toBe(1),
  )
  for (const each of [movie, recorded]) {
    // In ticks of their own: two pictures within one of a guessed frame rate are no fault.
    const decode = ['-fps_mode', 'passthrough', '-enc_time_base', '1:90000', '-f', 'null', '-']
    const { stderr } = await run('ffmpeg', ['-v', 'warning', '-i', each, ...decode])
    expect(stderr.trim()).toBe('')
  }
})

test('viewers with a delay are told of a hold when they see it, and how late they are', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60, delaySeconds: 3 })
  interface Told {
    readonly held?: number
    readonly goesOn?: number
    readonly newest?: { readonly delay: number }
  }
  const told = async (): Promise<Told> =>
    (await fetch(`${service.service.ready.mediaUrl}/watch/${cid}/state`)).json() as Promise<Told>
  const first = startPublisher(pushUrl, file)
  // The first picture is repeated until the delay is reached.
  await eventually(async () => expect((await told()).held).toBeGreaterThan(0))
  await eventually(async () => expect((await told()).held).toBeUndefined())
  await eventually(async () => expect((await told()).newest?.delay).toBeGreaterThanOrEqual(2_990))
  first.kill('SIGKILL')
  const { since = 0 } = await eventually(async () => {
    const now = await facts(service, cid)
    expect(now.holding).toBe(true)
    return now
  })
  expect((await told()).held).toBeUndefined()
  // The two clocks have other fractions of a ms.
  await eventually(async () => expect(Math.abs((await told()).held! - since - 3000)).toBeLessThanOrEqual(1))
  expect(await told()).not.toHaveProperty('goesOn')
  // From its return on they are told when it ends for them.
  const again = startPublisher(pushUrl, file)
  undo.push(() => again.stop())
  const { lastHeldFor = 0, goesOn: saysOver = 0 } = await eventually(async () => {
    const now = await facts(service, cid)
    expect(now.holding).toBe(false)
    return now
  })
  const { goesOn = 0 } = await told()
  expect(Math.abs(goesOn - saysOver)).toBeLessThanOrEqual(1)
  expect(Math.abs(goesOn - since - lastHeldFor - 3000)).toBeLessThan(500)
  await eventually(async () => expect(await told()).not.toHaveProperty('held'))
  expect(Date.now()).toBeGreaterThanOrEqual(goesOn)
  expect(await facts(service, cid)).not.toHaveProperty('goesOn')
})

test.each(['FCUnpublish', 'deleteStream', 'closeStream'])('an encoder that sends %s ends it at once', async (order) => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  client.command(order, 5, null, order === 'FCUnpublish' ? cid : 1)
  await eventually(() => expect(seen.ended).toBe(true))
  expect(await status(service, cid)).toBe(0)
})

test('viewers are told to which delay a held picture grows, and of none where it is held by hand', async () => {
  const { service, cid, pushUrl } = await started()
  const publisher = startPublisher(pushUrl, file)
  undo.push(() => publisher.stop())
  const state = async () =>
    (await (await fetch(`${service.service.ready.mediaUrl}/watch/${cid}/state`)).json()) as WatchState
  await eventually(async () => expect(await state()).toHaveProperty('newest'))
  expect(await state()).not.toHaveProperty('held')
  await service.call(local.updateHold, { cid, delaySeconds: 3 })
  await eventually(async () =>
    expect(await state()).toMatchObject({ held: expect.any(Number) as number, growsTo: 3000 }),
  )
  await service.call(local.holdNow, { cid })
  expect(await state()).toMatchObject({ held: expect.any(Number) as number })
  expect(await state()).not.toHaveProperty('growsTo')
  expect(await state()).not.toHaveProperty('goesOn')
  const events = await service.events()
  undo.push(() => events.close())
  await service.call(local.holdBack, { cid })
  // First as if a key frame came at once, then once one has come.
  const over = await events.next('hold', ({ holding }) => !holding)
  // The clock is read for each of them.
  expect(over.goesOn! - over.at).toBeGreaterThan(2_000)
  expect(over.goesOn! - over.at).toBeLessThan(4_000)
  await events.next('hold', (event) => event.goesOn !== undefined && event !== over)
  const { goesOn = 0, ...grows } = await state()
  expect(grows).toMatchObject({ held: expect.any(Number) as number, growsTo: 3000 })
  expect(goesOn - grows.time).toBeGreaterThan(2_000)
  await eventually(async () => expect(await state()).not.toHaveProperty('held'))
  expect(Date.now()).toBeGreaterThanOrEqual(goesOn)
  expect(await state()).not.toHaveProperty('growsTo')
})

test('a connection that only ends is a lost encoder, which another address of the channel may continue', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  const events = await service.events()
  undo.push(() => events.close())
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  client.socket.end()
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
  await encoder(pushUrl)
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: false }))
  expect(seen.ended).toBe(false)
  expect(await status(service, cid)).toBe(1)
  await eventually(() =>
    expect(events.events.filter(({ type }) => type === 'hold')).toContainEqual(
      expect.objectContaining({ holding: true }),
    ),
  )
})

test('a loss of the encoder that nobody heard of is told after the gap', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  const before = await service.events()
  const client = await encoder(pushUrl)
  const { place } = await before.next('push', ({ kind }) => kind === 'codecs')
  before.close()
  client.socket.end()
  const { since } = await eventually(async () => {
    const now = await facts(service, cid)
    expect(now.holding).toBe(true)
    return now
  })
  await encoder(pushUrl)
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: false }))
  const after = await service.events({ after: place! })
  undo.push(() => after.close())
  await after.next('hold', ({ lastHeld }) => lastHeld === since)
  const holds = after.events.flatMap((event) => (event.type === 'hold' ? [event] : []))
  expect(holds[0]).toMatchObject({ holding: true, since })
  expect(holds.map((event) => event.place).filter((one) => one !== undefined && one <= place!)).toEqual([])
})

test('a hold that runs out with its push is told as none after which the picture went on', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 1 })
  const events = await service.events()
  undo.push(() => events.close())
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  client.socket.end()
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
  await events.next('push', ({ kind }) => kind === 'ended')
  await eventually(() =>
    expect(events.events.findLast(({ type }) => type === 'hold')).toMatchObject({ holding: false }),
  )
  const told = events.events.filter(({ type }) => type === 'hold')
  expect(told.filter((one) => 'lastHeld' in one)).toEqual([])
})

test.each(['pause', 'delete', 'key'])('%s ends a hold at once', async (how) => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 600 })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  client.close()
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
  if (how === 'pause') await service.call(live.pause, { cid })
  else if (how === 'delete') await service.call(live.remove, { cid })
  else await service.call(local.replaceKey, { cid })
  await eventually(() => expect(seen.ended).toBe(true))
})

test('held now, viewers get the picture while the push goes on, and come back without a step back', async () => {
  const { service, cid, pushUrl } = await started()
  expect((await service.call(local.holdNow, { cid })).code).toBe(631)
  const push = startPublisher(pushUrl, file)
  undo.push(() => push.stop())
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(30))
  expect((await service.call(local.holdNow, { cid })).ret).toMatchObject({ holding: true, byHand: true })
  const { length } = seen.video
  await eventually(() => expect(seen.video.length).toBeGreaterThan(length + 2))
  expect(seen.video.length - length).toBeLessThan(10)
  await service.call(local.holdBack, { cid })
  await eventually(() => expect(seen.video.length).toBeGreaterThan(length + 40))
  expect(await facts(service, cid)).toMatchObject({ holding: false, lastHeldFor: expect.any(Number) as number })
  expect(Math.min(...steps(seen.video), ...steps(seen.audio))).toBeGreaterThanOrEqual(0)
})

test.each([-3_600_000, 3_600_000])(
  'how long it was held is what passed, also when the clock is set by %i ms',
  async (by) => {
    let set = 0
    const { service, cid, pushUrl } = await started({}, { ...systemClock, now: () => Date.now() + set })
    await encoder(pushUrl)
    await eventually(async () => expect(await status(service, cid)).toBe(1))
    const began = performance.now()
    expect((await service.call(local.holdNow, { cid })).code).toBe(200)
    await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
    set = by
    expect((await service.call(local.holdBack, { cid })).code).not.toBe(500)
    await eventually(async () => expect((await facts(service, cid)).lastHeldFor).toBeDefined())
    const { lastHeldFor } = await facts(service, cid)
    expect(lastHeldFor).toBeGreaterThan(0)
    expect(lastHeldFor).toBeLessThanOrEqual(performance.now() - began)
  },
)

test('a hold by hand ends with its broadcast when the encoder is stopped in order', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  expect((await service.call(local.holdNow, { cid })).ret).toMatchObject({ byHand: true })
  client.command('FCUnpublish', 5, null, cid)
  await eventually(() => expect(seen.ended).toBe(true))
  expect(await facts(service, cid)).toMatchObject({ holding: false })
  await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  expect(await facts(service, cid)).toMatchObject({ holding: false })
})

test.each([0, 1])('a hold by hand lasts over a loss that is longer than a hold of %i s', async (holdSeconds) => {
  const { service, cid, pushUrl } = await started({ holdSeconds })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const { since } = (await service.call(local.holdNow, { cid })).ret!
  client.socket.destroy()
  await eventually(async () => expect(await status(service, cid)).toBe(0))
  expect(await facts(service, cid)).toMatchObject({ holding: false })
  const again = await encoder(pushUrl)
  const seen = reading(service, cid)
  expect(await facts(service, cid)).toMatchObject({ holding: true, byHand: true, since })
  again.send(rtmpType.video, 80, keyFrame())
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  // Not even a picture of what is there now.
  expect(seen.video).toEqual([])
  await service.call(local.holdBack, { cid })
  again.send(rtmpType.video, 1_000, keyFrame())
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  // Lost again without a hold by hand: the next one is shown.
  again.socket.destroy()
  await eventually(async () => expect(await status(service, cid)).toBe(0))
  await encoder(pushUrl)
  expect(await facts(service, cid)).toMatchObject({ holding: false })
})

test('only a hold by hand outlasts its broadcast: after any other the next one is seen', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 1 })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  client.socket.destroy()
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ holding: true }))
  await eventually(async () => expect(await status(service, cid)).toBe(0))
  await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(() => expect(seen.video.length).toBeGreaterThan(0))
  expect(await facts(service, cid)).toMatchObject({ holding: false })
})

test('after a loss Back to live and a pause end a hold by hand before the encoder is back', async () => {
  const { service, cid, pushUrl } = await started()
  for (const end of [
    () => service.call(local.holdBack, { cid }),
    async () => {
      await service.call(live.pause, { cid })
      return service.call(live.resume, { cid })
    },
  ]) {
    const client = await encoder(pushUrl)
    await service.call(local.holdNow, { cid })
    client.socket.destroy()
    await eventually(async () => expect(await status(service, cid)).toBe(0))
    expect((await end()).code).toBe(200)
    const again = await encoder(pushUrl)
    expect(await facts(service, cid)).toMatchObject({ holding: false })
    again.command('FCUnpublish', 5, null, cid)
    await eventually(async () => expect(await status(service, cid)).toBe(0))
  }
})

test('a hold by hand outlasts an encoder that is lost and returns', async () => {
  const { service, cid, pushUrl } = await started({ holdSeconds: 60 })
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  await service.call(local.holdNow, { cid })
  client.socket.destroy()
  await eventually(async () =>
    expect(await facts(service, cid)).toMatchObject({ byHand: true, until: expect.any(Number) as number }),
  )
  await encoder(pushUrl)
  await eventually(async () => expect(await facts(service, cid)).not.toHaveProperty('until'))
  expect(await facts(service, cid)).toMatchObject({ holding: true, byHand: true })
})

test('a lost push that was held by hand tells until when the next one is held, and no delay grows', async () => {
  const { service, cid, pushUrl } = await started({ delaySeconds: 3 })
  const told = await service.events()
  undo.push(() => told.close())
  const client = await encoder(pushUrl)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  await service.call(local.holdNow, { cid })
  const held = await facts(service, cid)
  expect(held).toMatchObject({ byHand: true, delayed: 3000 })
  expect(held).not.toHaveProperty('delayChanging')
  client.socket.destroy()
  const { at, nextHeldUntil } = await told.next('hold', (event) => event.nextHeldUntil !== undefined)
  expect(Math.abs(nextHeldUntil! - at - returnsWithin)).toBeLessThan(1_000)
  await encoder(pushUrl)
  const back = await told.next('hold', ({ noPicture }) => noPicture === true)
  expect(back).toMatchObject({ holding: true, byHand: true })
  expect(back).not.toHaveProperty('nextHeldUntil')
})

test('a delay is for viewers, not for the app’s own preview, and leaves no files behind', async () => {
  const { service, cid, pushUrl } = await started({ delaySeconds: 3 })
  const push = startPublisher(pushUrl, file)
  await eventually(async () => expect(await status(service, cid)).toBe(1))
  const seen = reading(service, cid)
  await eventually(async () => expect(await facts(service, cid)).toMatchObject({ delayed: 3000, delayChanging: true }))
  await eventually(() => expect(seen.video.length).toBeGreaterThan(60))
  expect(await facts(service, cid)).not.toHaveProperty('delayChanging')
  const { ret } = await service.call(local.dumpDelay, { cid })
  expect(Math.abs(ret!.discarded - 3000)).toBeLessThan(500)
  expect(await facts(service, cid)).toMatchObject({ delayed: 0 })
  await push.stop()
  const place = path.join(service.dataDir, 'delay')
  writeFileSync(path.join(place, 'left'), 'media')
  await service.stop()
  const next = await startService({ dataDir: service.dataDir })
  expect(existsSync(place)).toBe(true)
  expect(readdirSync(place)).toEqual([])
  await next.stop()
  rmSync(service.dataDir, { recursive: true, force: true })
})

test('settings are bounded, kept over a restart and forgotten with the channel', async () => {
  const { service, cid } = await started()
  expect((await service.call(local.updateHold, { cid, holdSeconds: 3601 })).code).toBe(631)
  expect((await service.call(local.updateHold, { cid, delaySeconds: -1 })).code).toBe(631)
  expect((await service.call(local.updateHold, { cid: 'f'.repeat(32), holdSeconds: 1 })).code).toBe(618)
  expect((await service.other.call(local.hold, { cid })).code).toBe(617)
  expect((await service.call(local.holdBack, { cid })).code).toBe(631)
  expect((await service.call(local.dumpDelay, { cid })).code).toBe(631)
  await service.call(local.updateHold, { cid, holdSeconds: 120 })
  await service.call(local.updateHold, { cid, delaySeconds: 30 })
  await service.stop()
  const next = await startService({ dataDir: service.dataDir })
  undo.push(() => next.stop())
  expect(await facts(next, cid)).toEqual({ holdSeconds: 120, delaySeconds: 30, holding: false })
  expect((await next.call(live.remove, { cid })).code).toBe(200)
  expect((await next.call(local.hold, { cid })).code).toBe(618)
})
