import { expect, test } from 'vitest'
import {
  createIngestTimeline,
  maxTimelineApart,
  maxTimelineBehind,
  maxTimelineJump,
  type RetimeReason,
} from './ingest-timeline.ts'

/** Times of the frames of one track that arrive in real time, 40 ms apart. */
const times = (stamps: readonly number[], apart = 40): number[] => {
  const timeline = createIngestTimeline()
  return stamps.map((stamp, index) => timeline.frame('video', stamp >>> 0, 5_000_000 + index * apart))
}

interface Put {
  readonly video: number[]
  readonly audio: number[]
  readonly reasons: RetimeReason[]
}
/**
 * Frames of both tracks, 40 and 20 ms apart, media time 0 to `length`, arriving at `rate`; `stamp` gives their
 * timestamps.
 */
function put(length: number, stamp: (kind: 'video' | 'audio', made: number) => number, rate = 1): Put {
  const reasons: RetimeReason[] = []
  const timeline = createIngestTimeline((reason) => reasons.push(reason))
  const put: Put = { video: [], audio: [], reasons }
  for (let made = 0; made < length; made += 20) {
    if (made % 40 === 0) put.video.push(timeline.frame('video', stamp('video', made) >>> 0, 1000 + made / rate))
    put.audio.push(timeline.frame('audio', stamp('audio', made) >>> 0, 1000 + made / rate))
  }
  return put
}
const steady = (length: number, step: number): number[] =>
  Array.from({ length: length / step }, (_, index) => index * step)

test('it begins at 0 wherever the encoder begins', () => {
  expect(times([3_600_000, 3_600_040, 3_600_080])).toEqual([0, 40, 80])
})

test('it goes on across 2^32 and 2^31', () => {
  expect(times([2 ** 32 - 40, 0, 40])).toEqual([0, 40, 80])
  expect(times([2 ** 32 - 1, 2 ** 32])).toEqual([0, 1])
  expect(times([2 ** 31 - 20, 2 ** 31 + 20, 2 ** 31 + 60])).toEqual([0, 40, 80])
})

test('times of a track in the order of B frames never go backward and lose no time', () => {
  expect(times([100, 140, 120, 180, 170, 220])).toEqual([0, 40, 40, 80, 80, 120])
})

test.each([
  ['10 h forward', 36_000_000],
  ['149 h forward', 536_400_000],
  ['half of the range', 2 ** 31],
  ['1 h back', -3_600_000],
  ['just over the limit', 3001],
])('a jump of %s passes as the time that really passed', (_, jump) => {
  expect(times([1000, 1040, 1080 + jump, 1120 + jump, 1160 + jump])).toEqual([0, 40, 80, 120, 160])
})

test('a step of 3 s is a gap of the encoder and is followed, a larger one is a jump', () => {
  expect(times([1000, 1040, 4040, 4080])).toEqual([0, 40, 3040, 3080])
  expect(times([1000, 1040, 4041, 4081])).toEqual([0, 40, 80, 120])
})

test('a step back of up to 100 ms waits for the encoder, a larger one goes on as the frames before it', () => {
  const before = [0, 40, 80, 120, 160, 200, 240, 280, 320, 360, 400, 440]
  const after = (back: number): number[] => times([...before, 440 - back, 480 - back, 520 - back]).slice(before.length)
  expect([after(20), after(100), after(101)]).toEqual([
    [440, 460, 500],
    [440, 440, 440],
    [480, 520, 560],
  ])
})

test.each([
  [9_000, 0, []],
  [8_999, 10, ['apart']],
  [10_500, 500, []],
  [11_000, 1_000, []],
  [11_001, 10, ['apart']],
])('sound that begins at %i beside a picture at 10,000 begins at %i', (stamp, time, reasons) => {
  const told: RetimeReason[] = []
  const timeline = createIngestTimeline((reason) => told.push(reason))
  timeline.frame('video', 10_000, 0)
  expect([timeline.frame('audio', stamp, 10), told]).toEqual([time, reasons])
})

test('no track falls more than 500 ms behind the other, neither its frames nor its configurations', () => {
  const timeline = createIngestTimeline()
  for (let made = 0; made <= 2_000; made += 40) timeline.frame('video', made, made)
  expect(timeline.mark('audio')).toBe(1_500)
  expect([timeline.frame('audio', 1_000, 2_010), timeline.frame('audio', 1_020, 2_020)]).toEqual([1_500, 1_500])
})

test('a real pause of up to 10 s is kept, and of a longer one 10 s', () => {
  for (const pause of [9000, 3_600_000]) {
    const timeline = createIngestTimeline()
    expect(timeline.frame('video', 0, 0)).toBe(0)
    const after = timeline.frame('video', pause, pause)
    expect(after).toBe(pause === 9000 ? 9000 : 10_000)
    expect(timeline.frame('video', pause + 40, pause + 40)).toBe(after + 40)
  }
})

test.each([0.3, 0.5, 1, 2, 10, 1000])('a steady clock at %s times real time is followed to the millisecond', (rate) => {
  const { video, audio, reasons } = put(60_000, (_, made) => made + 90_000, rate)
  expect(video).toEqual(steady(60_000, 40))
  expect(audio).toEqual(steady(60_000, 20))
  expect(reasons).toEqual([])
})

test('a picture once a second is followed as well, with its sound', () => {
  const reasons: string[] = []
  const timeline = createIngestTimeline((reason) => reasons.push(reason))
  for (let made = 0; made < 30_000; made += 20) {
    if (made % 1000 === 0) expect(timeline.frame('video', made, made / 10)).toBe(made)
    expect(timeline.frame('audio', made, made / 10)).toBe(made)
  }
  expect(reasons).toEqual([])
})

test.each([
  ['sound 3 s before the picture', (kind: string, made: number) => (kind === 'audio' ? made : made + 3000)],
  ['sound 3 s after the picture', (kind: string, made: number) => (kind === 'audio' ? made + 3000 : made)],
])('%s: the tracks are put together, once', (_, stamp) => {
  const { video, audio, reasons } = put(20_000, stamp)
  expect(video).toEqual(steady(20_000, 40))
  expect(audio).toEqual(steady(20_000, 20))
  expect(reasons).toEqual(['apart'])
})

test('a jump that both tracks make is made together: sound and picture stay in step', () => {
  const { video, audio, reasons } = put(20_000, (_, made) => (made < 10_000 ? made : made + 36_000_000))
  expect(video).toEqual(steady(20_000, 40))
  expect(audio).toEqual(steady(20_000, 20))
  expect(reasons).toEqual(['jump'])
})

test.each([
  ['back to 0 every 1.5 s', (_kind: string, made: number) => made % 1500, 'back'],
  ['back to 0 every 90 ms', (_kind: string, made: number) => made % 90, 'still'],
  ['always the same', () => 7, 'still'],
  ['always the same of the sound', (kind: string, made: number) => (kind === 'audio' ? 7 : made), 'still'],
  ['a tenth of the time', (_kind: string, made: number) => made / 10, 'still'],
  [
    'a jump of the sound alone',
    (kind: string, made: number) => made + (kind === 'audio' ? Math.floor(made / 5000) * 60_000 : 0),
    'jump',
  ],
  ['sound at twice the rate', (kind: string, made: number) => (kind === 'audio' ? 2 * made : made), 'apart'],
] as const)('timestamps that are no clock (%s) pass as the time that really passed', (_, stamp, reason) => {
  const { video, audio, reasons } = put(60_000, stamp)
  for (const track of [video, audio]) {
    expect(track).toEqual(track.toSorted((one, other) => one - other))
    expect(Math.abs(track.at(-1)! - 60_000)).toBeLessThan(600)
  }
  expect(reasons).toContain(reason)
})

test('after timestamps stood still both tracks go on in step', () => {
  const { video, audio } = put(20_000, (_, made) => (made < 5000 ? made : made < 9000 ? 5000 : made - 4000))
  const lag = video.slice(250).map((time, index) => time - audio[2 * (index + 250)]!)
  expect(Math.max(...lag.map(Math.abs))).toBeLessThan(40)
  expect(Math.abs(video.at(-1)! - 19_960)).toBeLessThan(500)
})

test('packets that the network held back and then gave all at once keep their times', () => {
  const timeline = createIngestTimeline()
  for (let made = 0; made < 30_000; made += 20) {
    const arrived = made < 8000 || made >= 14_000 ? made : 14_000
    if (made % 40 === 0) expect(timeline.frame('video', made, arrived)).toBe(made)
    expect(timeline.frame('audio', made, arrived)).toBe(made)
  }
})

test('a clock of arrivals that goes back harms nothing', () => {
  const timeline = createIngestTimeline()
  expect(
    [0, 40, 80, 120].map((stamp, index) => timeline.frame('video', stamp, [1000, 1040, 200, 240][index]!)),
  ).toEqual([0, 40, 80, 120])
})

test('a configuration and data take a time at which nothing of theirs goes back', () => {
  const timeline = createIngestTimeline()
  expect([timeline.mark('data'), timeline.mark('video'), timeline.mark('audio')]).toEqual([0, 0, 0])
  for (let made = 0; made < 4000; made += 40) timeline.frame('video', made, made)
  expect(timeline.mark('video')).toBe(3960)
  expect(timeline.mark('data')).toBe(3960)
  const audio = timeline.mark('audio')
  expect(timeline.frame('audio', 3500, 4000)).toBeGreaterThanOrEqual(audio)
})

test('a hostile stream of wild timestamps never goes backward and never runs far ahead of the clock', () => {
  let seed = 42
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed
  }
  const timeline = createIngestTimeline()
  let last = 0
  for (let index = 0; index < 10_000; index++) {
    const time = timeline.frame('video', random(), index)
    expect(time).toBeGreaterThanOrEqual(last)
    last = time
  }
  expect(Math.abs(last - 10_000)).toBeLessThan(1000)
})

test('a track that stays too far behind is brought to 450 ms behind the other after a second, and told', () => {
  const reasons: RetimeReason[] = []
  const timeline = createIngestTimeline((reason) => reasons.push(reason))
  const sound = new Map<number, number>()
  for (let now = 0; now <= 2_020; now += 20) {
    if (now % 40 === 0) timeline.frame('video', now, now)
    if (now >= 1_000) sound.set(now, timeline.frame('audio', now - 700, now))
  }
  expect([1_000, 1_020, 1_980, 2_000, 2_020].map((now) => sound.get(now))).toEqual([500, 500, 1_460, 1_550, 1_570])
  expect(reasons).toEqual(['apart'])
})

test('a frame is at most 3 s ahead of the one before, tracks 1 s apart when they begin and 500 ms afterwards', () => {
  expect([maxTimelineJump, maxTimelineApart, maxTimelineBehind]).toEqual([3_000, 1_000, 500])
})

test('timestamps that stand still are replaced by arrival times after 250 ms, those that crawl after 1 s', () => {
  expect(times(Array.from({ length: 9 }, () => 7))).toEqual([0, 0, 0, 0, 0, 0, 0, 280, 320])
  const crawling = (step: number): number[] => times(Array.from({ length: 27 }, (_, index) => index * step)).slice(24)
  // At first by what passed since the frame before and 500 ms.
  expect(crawling(9)).toEqual([216, 216 + 40 + 500, 1040])
  // A quarter of the time is a clock.
  expect(crawling(10)).toEqual([240, 250, 260])
})

test('timestamps that stood still are a clock again when they run at half of the time for 250 ms', () => {
  const after = (step: number): number[] =>
    times([...Array.from({ length: 8 }, () => 7), ...Array.from({ length: 16 }, (_, index) => 7 + (index + 1) * step)])
      .map((time, index, all) => time - (all[index - 1] ?? 0))
      .slice(-8)
  expect(after(19)).toEqual(Array.from({ length: 8 }, () => 40))
  expect(after(20)).toEqual(Array.from({ length: 8 }, () => 20))
})

test('the frame before a jump is as long as the one before, 100 ms at most, also when the next is early', () => {
  const jumped = (gap: number): number => {
    const timeline = createIngestTimeline()
    timeline.frame('video', 0, 0)
    timeline.frame('video', gap, gap)
    return timeline.frame('video', gap + 36_000_000, gap + 10) - gap
  }
  expect([jumped(40), jumped(100), jumped(500)]).toEqual([40, 100, 100])
})
