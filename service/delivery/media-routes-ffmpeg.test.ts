import { systemClock } from '../../platform/clock.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClients } from '../http/clients.ts'
import { createHls, type Hls } from './hls-delivery.ts'
import { mediaRoutes } from './media-routes.ts'
import { startTestServer, testCid, testKey, type TestServer } from '../ingest/testing/rtmp-test-server.ts'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  probePackets,
  temporaryFolder,
  type ProbedPacket,
} from '../hub/testing/fixture.ts'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { watchPlaylist } from '../hub/testing/playlist-watcher.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'

await requireEncoder()

describe('a push from ffmpeg', () => {
  const folder = temporaryFolder()
  let fixture = ''
  let expected: ProbedPacket[] = []
  let server: TestServer
  let hls: Hls
  let app: FastifyInstance
  let url = ''
  /** For waits only: the push itself is in real time. */
  let time: ManualClock
  const encoders = new Set<ChildProcess>()

  beforeAll(async () => {
    fixture = await encodeFixture(folder.path, 'push', { duration: 5, gop: 30, bFrames: 2 })
    expected = await probePackets(fixture)
  })
  afterAll(() => folder.remove())
  beforeEach(async () => {
    server = await startTestServer()
    time = manualClock()
    hls = createHls({ hub: server.hub, clock: { ...systemClock, after: time.after } })
    app = fastify({ forceCloseConnections: true })
    const clients = createClients()
    app.decorateRequest('client')
    app.addHook('onRequest', (request, _reply, done) => {
      request.client = clients.of(request.raw)
      done()
    })
    await app.register(mediaRoutes({ hub: server.hub, hls, clock: systemClock, mayPlay: (cid) => cid === testCid }))
    url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/live/${testCid}`
  })
  afterEach(async () => {
    for (const encoder of encoders) encoder.kill('SIGKILL')
    await server.close()
    hls.close()
    await app.close()
  })

  /** Pushes the fixture in real time; resolves when ffmpeg exits. */
  async function push(signal?: AbortSignal): Promise<void> {
    const child = spawn(
      'ffmpeg',
      [
        '-v',
        'error',
        '-re',
        '-i',
        fixture,
        '-c',
        'copy',
        '-f',
        'flv',
        `rtmp://127.0.0.1:${server.port}/live/${testCid}?${testKey}`,
      ],
      { stdio: 'ignore' },
    )
    encoders.add(child)
    signal?.addEventListener('abort', () => child.kill('SIGKILL'))
    await once(child, 'exit')
    encoders.delete(child)
  }
  const onAir = (): Promise<unknown> => eventually(() => expect(server.hub.stream(testCid)?.video).toBeDefined())
  const of = (packets: readonly ProbedPacket[], kind: 'video' | 'audio'): ProbedPacket[] =>
    packets.filter(({ codec_type }) => codec_type === kind)

  /** Compares with the fixture, both from the first picture. */
  function same(read: readonly ProbedPacket[], tolerance: number): void {
    const origin = (packets: readonly ProbedPacket[]): number => Number(of(packets, 'video')[0]!.dts_time)
    const before = of(expected, 'video')
    const pictures = of(read, 'video')
    expect(pictures).toHaveLength(before.length)
    pictures.forEach((packet, index) => {
      expect(
        Math.abs(Number(packet.pts_time) - origin(read) - Number(before[index]!.pts_time) + origin(expected)),
      ).toBeLessThanOrEqual(tolerance)
      expect(packet.flags.includes('K')).toBe(before[index]!.flags.includes('K'))
    })
    // Audio before the first picture is not sent.
    const sounds = of(read, 'audio')
    const known = of(expected, 'audio')
    expect(known.length - sounds.length).toBeLessThanOrEqual(2)
    sounds.forEach((packet, index) => {
      const other = known[index + known.length - sounds.length]!
      expect(
        Math.abs(Number(packet.pts_time) - origin(read) - Number(other.pts_time) + origin(expected)),
      ).toBeLessThanOrEqual(tolerance)
    })
  }

  it('is read back whole by FLV and by HLS, B-frames and all', { timeout: 60_000 }, async () => {
    const watcher = watchPlaylist(`${url}/playlist.m3u8`)
    const pushing = push()
    await onAir()
    const flv = probePackets(`${url}.flv`)
    const [read] = await Promise.all([flv, pushing])
    same(read, 0.002)
    await eventually(() => expect(server.hub.stream(testCid)).toBeUndefined())
    time.advance(30_000)
    await eventually(() => expect(watcher.playlists[0]?.last.ended).toBe(true))
    const fromAddress = await probePackets(`${url}/playlist.m3u8`)
    await watcher.stop()
    expect(watcher.faults).toEqual([])
    same(fromAddress, 0.002)
    const path = join(folder.path, 'watched.mp4')
    writeFileSync(path, Buffer.concat(watcher.playlists[0]!.parts))
    same(await probePackets(path), 0.002)
    expect(await decodeFaults(path)).toBe('')
    expect(watcher.playlists[0]!.last.independentSegments).toBe(true)
    const length = watcher.playlists[0]!.last.segments.reduce((sum, { duration }) => sum + duration, 0)
    expect(Math.abs(length - 5000)).toBeLessThan(100)
  })

  it('may break and return within the wait, and begins anew after it', { timeout: 90_000 }, async () => {
    const watcher = watchPlaylist(`${url}/playlist.m3u8`)
    const killed = new AbortController()
    const first = push(killed.signal)
    await eventually(() => expect(watcher.playlists[0]?.last.segments.length).toBeGreaterThan(0))
    killed.abort()
    await first
    await push()
    await eventually(() => expect(server.hub.stream(testCid)).toBeUndefined())
    const [before] = watcher.playlists
    expect(before?.last.ended).toBe(false)
    expect(before?.last.segments.filter(({ discontinuity }) => discontinuity)).toHaveLength(1)
    time.advance(30_000)
    await eventually(() => expect(before?.last.ended).toBe(true))
    time.advance(60_000)
    await eventually(() => expect(watcher.status()).toBe(404))
    expect(watcher.playlists).toHaveLength(1)
    const third = push()
    await eventually(() => expect(watcher.playlists).toHaveLength(2))
    expect(watcher.playlists[1]!.last).toMatchObject({ mediaSequence: 0, discontinuitySequence: 0 })
    expect([...watcher.playlists[1]!.uris].filter((uri) => before!.uris.has(uri))).toEqual([])
    await third
    await watcher.stop()
    expect(watcher.faults).toEqual([])
    const path = join(folder.path, 'broken.mp4')
    writeFileSync(path, Buffer.concat(before!.parts))
    const times = of(await probePackets(path), 'video').map(({ dts_time }) => Number(dts_time))
    expect(times.length).toBeGreaterThan(of(expected, 'video').length + 30)
    expect(times.every((time, index) => index === 0 || time > times[index - 1]!)).toBe(true)
  })

  it('starts who joins the next show in that show, and who stayed goes on into it', { timeout: 90_000 }, async () => {
    const watcher = watchPlaylist(`${url}/playlist.m3u8`)
    await push()
    await eventually(() => expect(server.hub.stream(testCid)).toBeUndefined())
    const read = async () => readMediaPlaylist(await (await fetch(`${url}/playlist.m3u8`)).text())
    const old = (await read()).segments.map(({ uri }) => uri)
    await eventually(() => expect(watcher.playlists[0]?.uris.size).toBe(old.length))
    const second = push()
    await onAir()
    const joined = await read()
    expect(joined.mediaSequence).toBe(old.length)
    expect(joined.segments.filter(({ uri }) => old.includes(uri))).toEqual([])
    expect((await fetch(`${url}/${old.at(-1)}`)).status).toBe(200)
    await second
    await eventually(() => expect(server.hub.stream(testCid)).toBeUndefined())
    const last = (await read()).segments.at(-1)!.uri
    await eventually(() => expect(watcher.playlists[0]?.uris.has(last)).toBe(true))
    await watcher.stop()
    // As at the beginning of any show; what the rule prevents, a pause, is there anyway.
    expect(watcher.faults).toEqual([expect.stringMatching(/^only \d+ ms are left after a removal/)])
    expect(watcher.playlists).toHaveLength(1)
    const path = join(folder.path, 'shows.mp4')
    writeFileSync(path, Buffer.concat(watcher.playlists[0]!.parts))
    const times = of(await probePackets(path), 'video').map(({ dts_time }) => Number(dts_time))
    expect(times.length).toBe(2 * of(expected, 'video').length)
    expect(times.every((time, index) => index === 0 || time > times[index - 1]!)).toBe(true)
  })
})
