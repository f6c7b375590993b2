import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { eventually } from '../testing/eventually.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { DelayedLine } from './delayed-line.ts'
import { segmentFiles, type SegmentFiles } from './segment-file.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

async function made(delay: number, given?: SegmentFiles) {
  const clock = manualClock()
  const place = path.join(folder.path, 'delay')
  const files = given ?? (await segmentFiles(place, 0))
  const got: (MediaPacket & { readonly out: number })[] = []
  const over: string[] = []
  const began = clock.monotonic()
  const line: DelayedLine = new DelayedLine({
    cid: 'a'.repeat(32),
    clock,
    log: undefined,
    files,
    name: 'line',
    delay,
    longGop: () => undefined,
    changed: () => undefined,
    over: () => undefined,
  })
  line.join(
    {
      packet: (packet) => void got.push({ ...packet, out: clock.monotonic() - began }),
      ended: (reason) => void over.push(reason),
    },
    'internal',
  )
  let at = 0
  let sounds = 0
  let pad = Buffer.alloc(0)
  /** A GOP a second, each picture with its time in its body; `real` waits for the disk meanwhile. */
  const push = async (seconds: number): Promise<void> => {
    if (at === 0) {
      line.packet(videoConfiguration)
      line.packet(audioConfiguration)
    }
    for (const until = at + seconds * 1000; at < until; at += 40) {
      const picture = videoFrame(at, at % 1000 === 0, clock.now())
      const time = Buffer.alloc(8)
      time.writeDoubleBE(at)
      line.packet({ ...picture, body: Buffer.concat([picture.body, time, pad]) })
      for (; sounds * (1024 / 48) < at + 40; sounds++)
        line.packet({
          ...audioConfiguration,
          timestamp: Math.round(sounds * (1024 / 48)),
          body: Buffer.from([0xaf, 1, 0x21]),
          configuration: false,
        })
      clock.advance(40)
      // Files are written and read meanwhile.
      if (at % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return {
    clock,
    place,
    line,
    got,
    over,
    push,
    fatten: (bytes: number) => {
      pad = Buffer.alloc(bytes, 1)
    },
    now: () => clock.monotonic() - began,
    /** Media time of the pictures that were sent. */
    made: () => pictures(got).map(({ body }) => body.readDoubleBE(11)),
  }
}
const pictures = <T extends MediaPacket>(packets: readonly T[]): T[] =>
  packets.filter(({ kind, configuration }) => kind === 'video' && !configuration)
const steps = (times: readonly number[]): number[] => times.slice(1).map((time, index) => time - times[index]!)
const of = (packets: readonly MediaPacket[], kind: MediaPacket['kind']): number[] =>
  packets.filter((packet) => packet.kind === kind && !packet.configuration).map(({ timestamp }) => timestamp)
/** Neither track goes back or has a gap, and they are together at the end. */
const continuous = (packets: readonly MediaPacket[]): void => {
  const video = of(packets, 'video')
  const audio = of(packets, 'audio')
  expect(Math.min(...steps(video))).toBeGreaterThan(0)
  expect(Math.max(...steps(video))).toBeLessThanOrEqual(1040)
  expect(Math.min(...steps(audio))).toBeGreaterThan(9)
  expect(Math.max(...steps(audio))).toBeLessThanOrEqual(45)
}

test('without delay packets pass at once and as they are', async () => {
  const { line, got, push } = await made(0)
  line.packet(videoConfiguration)
  const key = videoFrame(0, true, 0)
  line.packet(key)
  expect(got).toHaveLength(2)
  expect(got[1]!.body).toBe(key.body)
  await push(1)
})

test('media comes as late as asked for, after the first picture was repeated until then', async () => {
  const { got, push, made: times, now } = await made(5000)
  await push(4)
  expect(new Set(times())).toEqual(new Set([0]))
  expect(times().length).toBeGreaterThanOrEqual(4)
  await push(6)
  continuous(got)
  expect(Math.abs(now() - 5000 - times().at(-1)!)).toBeLessThanOrEqual(80)
  // The tracks keep their distance.
  expect(Math.abs(of(got, 'video').at(-1)! - of(got, 'audio').at(-1)!)).toBeLessThanOrEqual(40)
})

test('a longer delay repeats the picture, a shorter one jumps to a key frame', async () => {
  const { line, got, push, made: times, now } = await made(0)
  await push(3)
  line.setDelay(4000)
  expect(line.state).toMatchObject({ delay: 4000, isGrowing: true })
  const before = got.length
  await push(3)
  expect(pictures(got.slice(before)).every(({ keyFrame }) => keyFrame)).toBe(true)
  await push(3)
  expect(line.state.isGrowing).toBe(false)
  expect(Math.abs(now() - 4000 - times().at(-1)!)).toBeLessThanOrEqual(80)
  line.setDelay(1000)
  await push(3)
  expect(Math.abs(now() - 1000 - times().at(-1)!)).toBeLessThanOrEqual(80)
  line.setDelay(0)
  await push(3)
  expect(now() - times().at(-1)!).toBeLessThanOrEqual(40)
  continuous(got)
})

test('a dump discards what was not sent and goes on with the present', async () => {
  const { line, got, push, made: times, now } = await made(6000)
  await push(10)
  const sent = new Set(times())
  const discarded = line.dump()
  expect(Math.abs(discarded - 6000)).toBeLessThanOrEqual(80)
  await push(3)
  const later = times().filter((time) => !sent.has(time))
  expect(Math.min(...later)).toBeGreaterThanOrEqual(10_000)
  expect(now() - times().at(-1)!).toBeLessThanOrEqual(40)
  expect(line.state.delay).toBe(0)
  continuous(got)
})

test.each([0, 3000])(
  'held by hand, viewers get nothing of what was on its way or came meanwhile, delay %i',
  async (delay) => {
    const { line, got, push, made: times, over, now } = await made(delay)
    await push(5.4)
    const last = Math.max(...times())
    line.hold()
    expect(line.state.byHand).toBeGreaterThan(0)
    await push(4)
    expect(Math.max(...times())).toBe(last)
    line.back()
    expect(line.state).toMatchObject({ byHand: undefined, isGrowing: delay > 0, delay })
    await push(3 + delay / 1000)
    expect(over).toEqual([])
    // From the first key frame after it on, and as late as everything else.
    expect(Math.min(...times().filter((time) => time > last))).toBe(10_000)
    expect(Math.abs(now() - delay - times().at(-1)!)).toBeLessThanOrEqual(80)
    expect(line.state.isGrowing).toBe(false)
    continuous(got)
  },
)

test('a configuration that comes while it is held by hand is that of what follows', async () => {
  for (const delay of [0, 3000]) {
    const { line, got, push } = await made(delay)
    await push(5)
    line.hold()
    const other = { ...videoConfiguration, body: Buffer.concat([videoConfiguration.body, Buffer.from([7])]) }
    line.packet(other)
    await push(2)
    expect(got.map(({ body }) => body)).not.toContain(other.body)
    line.back()
    await push(2 + delay / 1000)
    const at = got.findIndex(({ body }) => body === other.body)
    expect(at).toBeGreaterThan(0)
    expect(got.slice(at).find(({ kind, configuration }) => kind === 'video' && !configuration)?.keyFrame).toBe(true)
  }
})

test('held by hand again before its delay is reached, nothing of the time between is shown', async () => {
  const { line, push, made: times, got } = await made(3000)
  await push(5)
  const last = Math.max(...times())
  line.hold()
  await push(1)
  line.back()
  await push(2)
  line.hold()
  await push(5)
  line.back()
  await push(5)
  expect(Math.min(...times().filter((time) => time > last))).toBe(13_000)
  continuous(got)
})

test('beyond 20 s nothing of a hold by hand is on the disk, and its end has the whole delay again', async () => {
  const { line, push, place, made: times } = await made(30_000)
  await push(40)
  await eventually(() => expect(readdirSync(place).length).toBeGreaterThan(3))
  const last = Math.max(...times())
  line.hold()
  await push(40)
  await eventually(() => expect(readdirSync(place)).toEqual([]))
  expect([line.memory, Math.max(...times())]).toEqual([0, last])
  line.back()
  await push(29)
  expect(Math.max(...times())).toBe(last)
  await eventually(async () => {
    await push(0.4)
    expect(Math.max(...times())).toBeGreaterThanOrEqual(80_000)
  })
})

test('after Back to live it tells when the picture goes on: a delay after the first key frame', async () => {
  const { clock, line, push, made: times } = await made(10_000)
  await push(4)
  expect(line.state.goesOn).toBe(clock.now() - 4_000 + 10_000)
  await push(8)
  expect(line.state).toMatchObject({ goesOn: undefined, isGrowing: false })
  line.hold()
  await push(2.4)
  expect(line.state.goesOn).toBeUndefined()
  line.back()
  // A key frame is still to come.
  expect(line.state.goesOn).toBe(clock.now() + 10_000)
  await push(0.6)
  expect(line.state.goesOn).toBe(clock.now() + 10_000)
  const first = clock.now()
  await push(9.96)
  expect([line.state.goesOn, times().at(-1)]).toEqual([first + 10_000, 2_000])
  await push(0.16)
  expect(line.state.goesOn).toBeUndefined()
  expect(times().at(-1)).toBeGreaterThanOrEqual(15_000)
})

test.each([0, 10_000])('held by hand before any picture, it says so until there is one, with %i ms', async (delay) => {
  const { clock, line, got, push } = await made(delay)
  const since = clock.now() - 60_000
  line.hold(since)
  await push(1)
  expect(line.state).toMatchObject({ byHand: since, noPictureSince: since, goesOn: undefined })
  line.back()
  const back = clock.now()
  await push(delay > 0 ? 9.96 : 0)
  expect(pictures(got)).toEqual([])
  if (delay > 0)
    expect(line.state).toMatchObject({ byHand: undefined, noPictureSince: since, goesOn: back + delay, delay })
  await push(1)
  expect(pictures(got).length).toBeGreaterThan(10)
  expect(line.state).toMatchObject({ noPictureSince: undefined, goesOn: undefined })
})

test('what waits at the end of a push is still sent, then the end', async () => {
  const { line, push, made: times, clock, over } = await made(4000)
  await push(6)
  line.ended('closed')
  expect(over).toEqual([])
  clock.advance(3900)
  expect(over).toEqual([])
  clock.advance(200)
  expect(over).toEqual(['closed'])
  expect(times().at(-1)).toBe(5960)
})

test('a cut ends it at once, and so does a dump after the push', async () => {
  const cut = await made(4000)
  await cut.push(6)
  cut.line.ended('cut')
  expect(cut.over).toEqual(['cut'])
  const dumped = await made(4000)
  await dumped.push(6)
  dumped.line.ended('lost')
  dumped.line.dump()
  expect(dumped.over).toEqual(['lost'])
})

test('a push that begins while the rest of another is sent follows for the same readers', async () => {
  const { line, got, push, clock, over } = await made(4000)
  await push(6)
  line.ended('lost')
  clock.advance(2000)
  line.follow()
  await push(8)
  expect(over).toEqual([])
  continuous(got)
})

test('beyond 20 s it comes from files, each removed once it was read, and memory stays small', async () => {
  const all = await made(60_000)
  const { line, got, push, place, made: times, now } = all
  all.fatten(20_000)
  for (let round = 0; round < 60; round++) {
    await push(2)
    // The disk is slower than this clock.
    await eventually(async () => {
      await push(0.04)
      expect(line.memory).toBeLessThan(20 * 25 * 20_500)
      if (now() > 61_000) expect(now() - 60_000 - times().at(-1)!).toBeLessThanOrEqual(200)
    })
  }
  expect(of(got, 'video').length).toBeGreaterThan(1000)
  expect(Math.min(...steps(of(got, 'video')))).toBeGreaterThan(0)
  const files = readdirSync(place).length
  expect(files).toBeGreaterThan(5)
  expect(files).toBeLessThan(41)
  await line.close()
  expect(readdirSync(place)).toEqual([])
})

test('files of a run before are gone', async () => {
  const place = path.join(folder.path, 'delay')
  const files = await segmentFiles(place, 0)
  await files.write('old', Buffer.from('media'))
  await segmentFiles(place, 0)
  expect(existsSync(place)).toBe(true)
  expect(readdirSync(place)).toEqual([])
})

test('on a full disk nothing is sent before its time, and it says so', async () => {
  const full = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
  const files = { write: full, read: full, remove: () => Promise.resolve() }
  const { line, got, push, made: times, now } = await made(40_000, files)
  await push(30)
  await eventually(() => expect(line.state).toMatchObject({ fault: 'disk', delay: 40_000 }))
  await push(20)
  expect(Math.abs(now() - 40_000 - times().at(-1)!)).toBeLessThanOrEqual(80)
  expect(line.state.isGrowing).toBe(false)
  continuous(got)
})

test('what neither disk nor memory holds is left out, the picture is held there, and nothing comes too early', async () => {
  const full = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
  const files = { write: full, read: full, remove: () => Promise.resolve() }
  const { line, got, push, fatten, made: times, now } = await made(60_000, files)
  fatten(200_000)
  // 5 MB a second: memory holds 20 s of it.
  for (let second = 0; second < 150; second++) {
    await push(1)
    expect(line.memory).toBeLessThan(110 * 1024 * 1024)
    const newest = times().at(-1)
    if (newest !== undefined && now() > 61_000) expect(now() - newest).toBeGreaterThanOrEqual(59_900)
  }
  expect(line.state).toMatchObject({ fault: 'disk', delay: 60_000 })
  const seen = times()
  // It came to the second part of the show, and left something out before.
  expect(Math.max(...seen)).toBeGreaterThan(60_000)
  expect(Math.max(...steps(seen))).toBeGreaterThan(5_000)
  continuous(got)
})

test('a disk that gets full during a delay takes nothing away: all comes at its time, and it says so', async () => {
  const disk = await segmentFiles(path.join(folder.path, 'filling'), 0)
  let isFull = false
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const write = (name: string, media: Buffer) => (isFull ? Promise.reject(full) : disk.write(name, media))
  const { line, got, over, push, made: times, now } = await made(60_000, { ...disk, write })
  const files = (): string[] => readdirSync(path.join(folder.path, 'filling'))
  const pushes = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await push(1)
      // The disk is slower than this clock.
      await eventually(async () => {
        await push(0.04)
        if (now() > 61_000) expect(Math.abs(now() - 60_000 - times().at(-1)!)).toBeLessThanOrEqual(200)
      })
    }
  }
  await pushes(80)
  await eventually(() => expect([line.state.fault, files().length > 5]).toEqual([undefined, true]))
  isFull = true
  await pushes(100)
  expect(line.state).toMatchObject({ fault: 'disk', delay: 60_000 })
  continuous(got)
  // What was on the disk and what was not: no picture is missing, and none came before another one.
  const shown = [...new Set(times())]
  expect(new Set(steps(shown))).toEqual(new Set([40]))
  expect(shown.length).toBeGreaterThan(2_500)
  expect([over, files()]).toEqual([[], []])
})

test('a disk without more than its reserve takes nothing', async () => {
  const files = await segmentFiles(path.join(folder.path, 'small'), 2 ** 60)
  await expect(files.write('one', Buffer.from('media'))).rejects.toMatchObject({ code: 'ENOSPC' })
})

test('what was sent has its delay and the time at which it went out, also after the delay was changed', async () => {
  const { line, got, push, clock } = await made(5000)
  expect(line.sent.newest).toBeUndefined()
  await push(2)
  expect(line.sent.heldSince).toBeGreaterThan(0)
  await push(10)
  const told = line.sent.newest!
  expect(Math.abs(told.delay - 5000)).toBeLessThanOrEqual(40)
  expect(clock.now() - told.sent).toBeLessThanOrEqual(40)
  expect(told.timestamp).toBe(of(got, 'video').at(-1))
  expect(line.sent.heldSince).toBeUndefined()
  line.setDelay(8000)
  await push(12)
  expect(Math.abs(line.sent.newest!.delay - 8000)).toBeLessThanOrEqual(40)
  // Dates of HLS are made of them, and never go back.
  expect(Math.min(...steps(pictures(got).map(({ arrived }) => arrived)))).toBeGreaterThanOrEqual(0)
  expect(Math.abs(pictures(got).at(-1)!.arrived - clock.now())).toBeLessThanOrEqual(40)
})
