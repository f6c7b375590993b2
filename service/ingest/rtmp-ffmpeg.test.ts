import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { MediaPacket } from '../timeline/packet.ts'
import { startTestServer, testCid, testKey, type TestServer } from './testing/rtmp-test-server.ts'
import { eventually } from '../testing/eventually.ts'

const folder = mkdtempSync(join(tmpdir(), 'sidestage-rtmp-'))
const fixture = join(folder, 'fixture.flv')
const seconds = 6
const frames = seconds * 25
const running = new Set<ChildProcess>()
let started: TestServer | undefined

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
const run = (command: string, ...args: string[]): { child: ChildProcess; ended: Promise<Ran> } => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes.toString()
  })
  return {
    child,
    ended: once(child, 'close').then(([code]) => {
      running.delete(child)
      return { code: code as number | null, out, err }
    }),
  }
}
const url = (server: TestServer, key = testKey): string =>
  `rtmp://127.0.0.1:${server.port}/live/${testCid}${key === '' ? '' : `?${key}`}`
const push = (server: TestServer, ...more: string[]): ReturnType<typeof run> =>
  run('ffmpeg', '-v', 'error', ...more, '-re', '-i', fixture, '-c', 'copy', '-f', 'flv', url(server))
interface Probed {
  streams: { codec_type: string; codec_name: string; nb_read_packets: string; width?: number; has_b_frames?: number }[]
}
const probe = async (address: string): Promise<Probed> => {
  const { out, err } = await run('ffprobe', '-v', 'error', '-count_packets', '-show_streams', '-of', 'json', address)
    .ended
  if (out === '') throw new Error(err)
  return JSON.parse(out) as Probed
}

beforeAll(async () => {
  const made = await run(
    'ffmpeg',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=640x360:r=25:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=r=48000:d=${seconds}`,
    '-ac',
    '2',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-bf',
    '2',
    '-g',
    '50',
    '-sc_threshold',
    '0',
    '-c:a',
    'aac',
    '-f',
    'flv',
    fixture,
  ).ended
  if (made.code !== 0) throw new Error(made.err)
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  await started?.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('ffmpeg publishes with B-frames; ffprobe reads every frame back over RTMP; the end is told', async () => {
  const server = (started = await startTestServer())
  const publisher = push(server)
  await eventually(() => expect(server.hub.stream(testCid)?.video).toBeDefined())
  const got: MediaPacket[] = []
  server.hub.join(testCid, { packet: (packet) => void got.push(packet), ended: () => undefined }, 'internal')
  const [probed, { code, err }] = await Promise.all([probe(url(server, '')), publisher.ended])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const counts = Object.fromEntries(probed.streams.map((stream) => [stream.codec_type, Number(stream.nb_read_packets)]))
  const video = probed.streams.find((stream) => stream.codec_type === 'video')
  expect(video).toMatchObject({ codec_name: 'h264', width: 640, has_b_frames: 2 })
  expect(counts['video']).toBe(frames)
  expect(counts['audio']).toBeGreaterThanOrEqual(Math.floor((seconds * 48_000) / 1024) - 1)
  expect(got.filter((packet) => packet.kind === 'video' && !packet.configuration)).toHaveLength(frames)
  const times = got.map((packet) => packet.timestamp)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(seconds * 1000 - 200)
  expect(times.at(-1)! - times[0]!).toBeLessThan(seconds * 1000 + 200)
  expect(server.events.map((event) => event.type)).toEqual(['started', 'codecs', 'firstKeyFrame', 'ended'])
  expect(server.events[1]?.detail).toBe('H.264 High 3.0 640x360, AAC-LC 48 kHz stereo')
  expect(server.events.at(-1)?.detail).toBe('stopped')
})

test('a player that joins late begins at the key frame of the cached GOP', async () => {
  const server = (started = await startTestServer())
  const publisher = push(server)
  await eventually(() => expect(server.hub.figures(testCid)?.keyFrameGap).toBe(2000))
  const probed = await probe(url(server, ''))
  await publisher.ended
  // The first GOP of 2 s is gone; the second is complete.
  expect(probed.streams.find((stream) => stream.codec_type === 'video')?.nb_read_packets).toBe(String(frames - 50))
})

test('ffmpeg with a wrong key is told why and does not go on air', async () => {
  const server = (started = await startTestServer())
  const { code, err } = await run(
    'ffmpeg',
    '-v',
    'error',
    '-re',
    '-i',
    fixture,
    '-c',
    'copy',
    '-f',
    'flv',
    url(server, 'wsSecret=wrong&wsTime=4102444800'),
  ).ended
  expect(code).not.toBe(0)
  expect(err).toContain('The stream key is not one of this service; copy it again.')
  expect(server.events.map((event) => event.type)).toEqual(['refused'])
})

test('a killed ffmpeg is lost at once and may come back with the same address', async () => {
  const server = (started = await startTestServer())
  const first = push(server)
  await eventually(() => expect(server.events.at(-1)?.type).toBe('firstKeyFrame'))
  first.child.kill('SIGKILL')
  await eventually(() => expect(server.events.at(-1)).toMatchObject({ type: 'ended', detail: 'lost' }))
  const second = push(server)
  await eventually(() => expect(server.events.at(-1)?.type).toBe('firstKeyFrame'))
  second.child.kill('SIGKILL')
})

test('figures follow a real push', async () => {
  const server = (started = await startTestServer())
  const publisher = push(server)
  await eventually(() => expect(server.hub.figures(testCid)?.keyFrameGap).toBe(2000))
  await eventually(() => expect(Math.abs((server.hub.figures(testCid)?.millifps ?? 0) - 25_000)).toBeLessThan(2500))
  expect(server.hub.figures(testCid)).toMatchObject({
    width: 640,
    height: 360,
    videoCodec: 'H.264 High 3.0',
    audioCodec: 'AAC-LC',
    sampleRate: 48_000,
    audioChannels: 2,
    keyFrameGap: 2000,
  })
  expect(server.hub.figures(testCid)?.encoder).toMatch(/^Lavf/)
  expect(server.hub.figures(testCid)?.kbps).toBeGreaterThan(50)
  publisher.child.kill('SIGKILL')
})
