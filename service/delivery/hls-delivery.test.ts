import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createHub, type Hub, type Publication } from '../hub/hub.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { createHls, type Hls } from './hls-delivery.ts'

const cid = 'c'.repeat(32)
let clock: ManualClock
let hub: Hub
let hls: Hls
let logged: unknown[][]
beforeEach(() => {
  clock = manualClock()
  hub = createHub({ clock, silenceLimit: 1e9 })
  logged = []
  hls = createHls({ hub, clock, log: { info: (details, sentence) => logged.push([details, sentence]) } })
  return () => {
    hub.close()
    hls.close()
  }
})

/** A push of 25 pictures a second, a key frame every 2 s. */
function push(into: Hub = hub): { readonly publication: Publication; readonly go: (seconds: number) => void } {
  const publication = into.publish(cid, { remote: 'test' })
  if (publication === 'busy') throw new Error('busy')
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet({ ...packet, arrived: clock.now() })
  let frame = 0
  return {
    publication,
    go(seconds) {
      for (let left = seconds * 25; left > 0; left--) {
        publication.packet(videoFrame(frame * 40, frame % 50 === 0, clock.now()))
        frame++
        clock.advance(40)
      }
    },
  }
}
const text = (): string | undefined => hls.playlist(cid)?.text
const isEnded = (): boolean => readMediaPlaylist(text()!).ended

it('has no playlist before a push, one without a text before the first segment, then its text', () => {
  expect([hls.playlist(cid), hls.file(cid, 'x.m4s')]).toEqual([undefined, undefined])
  const { go } = push()
  expect(hls.playlist(cid)).toEqual({ text: undefined })
  go(3)
  expect(readMediaPlaylist(text()!).segments.map(({ duration }) => duration)).toEqual([2000])
})

it('names its files by the time when the playlist began, in base 36', () => {
  const tag = clock.now().toString(36)
  push().go(5)
  expect(readMediaPlaylist(text()!).segments.map(({ uri, map }) => [uri, map])).toEqual([
    [`${tag}-0.m4s`, `${tag}-0.mp4`],
    [`${tag}-1.m4s`, `${tag}-0.mp4`],
  ])
  expect(hls.file(cid, `${tag}-0.m4s`)?.type).toBe('video/iso.segment')
  expect(hls.file('d'.repeat(32), `${tag}-0.m4s`)).toBeUndefined()
})

it('stays open for 30 s after a push, ended for 60 s more, and is logged with its end', () => {
  const { publication, go } = push()
  go(3)
  publication.end('lost')
  clock.advance(29_999)
  expect([isEnded(), logged]).toEqual([false, []])
  clock.advance(1)
  expect([isEnded(), logged]).toEqual([true, [[{ cid }, 'the HLS playlist ended']]])
  clock.advance(59_999)
  expect(isEnded()).toBe(true)
  clock.advance(1)
  expect(hls.playlist(cid)).toBeUndefined()
})

it('ends at once when the channel is cut, and goes away after 60 s', () => {
  const { go } = push()
  go(3)
  hub.cut(cid, 'deleted')
  expect([isEnded(), logged.length]).toEqual([true, 1])
  clock.advance(59_999)
  expect(text()).toBeDefined()
  clock.advance(1)
  expect(hls.playlist(cid)).toBeUndefined()
})

it('is gone at once after a push that is cut without a segment, and after 30 s otherwise', () => {
  push()
  hub.cut(cid, 'deleted')
  expect([hls.playlist(cid), clock.waiting()]).toEqual([undefined, 0])
  push().publication.end('closed')
  expect(hls.playlist(cid)).toBeUndefined()
  expect(clock.waiting()).toBe(1)
  clock.advance(30_000)
  expect([clock.waiting(), logged.length]).toEqual([0, 2])
})

it('has the rest of a push that is closed as its last segment', () => {
  const { publication, go } = push()
  go(3)
  publication.end('closed')
  expect(readMediaPlaylist(text()!).segments.map(({ duration }) => duration)).toEqual([2000, 1000])
})

it('continues with a push that comes within 30 s, and is not ended by the time of the push before', () => {
  const first = push()
  first.go(3)
  first.publication.end('lost')
  clock.advance(29_000)
  push().go(3)
  expect(isEnded()).toBe(false)
  expect(readMediaPlaylist(text()!).segments.map(({ discontinuity }) => discontinuity)).toEqual([false, false, true])
})

it('begins with its own first segment after a push that its publisher ended, and goes on counting', async () => {
  const first = push()
  first.go(5)
  first.publication.end('closed')
  const before = readMediaPlaylist(text()!)
  clock.advance(7000)
  const second = push()
  // Who joins waits for the first segment of this show, and who stayed does too.
  expect(hls.playlist(cid)).toEqual({ text: undefined })
  const waiting = hls.firstPlaylist(cid)
  second.go(3)
  const now = readMediaPlaylist((await waiting)!)
  expect(now).toMatchObject({ ended: false, mediaSequence: before.segments.length, discontinuitySequence: 0 })
  expect(now.segments.map(({ discontinuity }) => discontinuity)).toEqual([true])
  for (const { uri } of before.segments) expect(hls.file(cid, uri), uri).toBeDefined()
  // A publisher that is lost and comes back is another matter.
  second.publication.end('lost')
  push().go(3)
  expect(readMediaPlaylist(text()!)).toMatchObject({ mediaSequence: before.segments.length })
})

it('begins with its own first segment after a push whose publisher did not return within the hold', () => {
  const held = createHub({ clock, silenceLimit: 1e9, holdFor: () => 4000 })
  const ofHeld = createHls({ hub: held, clock })
  onTestFinished(() => {
    held.close()
    ofHeld.close()
  })
  const list = () => ofHeld.playlist(cid)?.text
  const first = push(held)
  first.go(5)
  first.publication.end('lost')
  clock.advance(3900)
  // Within the hold it is the same show, with the segments of the held picture.
  const returned = push(held)
  returned.go(3)
  const before = readMediaPlaylist(list()!)
  expect(before.segments.length).toBeGreaterThan(3)
  returned.publication.end('lost')
  clock.advance(5000)
  expect(held.stream(cid)).toBeUndefined()
  const second = push(held)
  expect(ofHeld.playlist(cid)).toEqual({ text: undefined })
  second.go(3)
  const now = readMediaPlaylist(list()!)
  expect(now.segments.map(({ discontinuity }) => discontinuity)).toEqual([true])
  expect(now.mediaSequence).toBeGreaterThanOrEqual(before.mediaSequence + before.segments.length)
})

it('begins anew with a push that comes after the end, whose playlist no longer takes the new one away', () => {
  const first = push()
  first.go(3)
  first.publication.end('lost')
  clock.advance(31_000)
  expect(isEnded()).toBe(true)
  push().go(3)
  expect(readMediaPlaylist(text()!).segments).toHaveLength(1)
  clock.advance(60_000)
  expect(text()).toBeDefined()
})

it('lets who asks first wait 10 s for a segment, and no longer than for that segment', async () => {
  const { go } = push()
  let answer: string | undefined | false = false
  const waiting = hls.firstPlaylist(cid).then((found) => (answer = found))
  clock.advance(9999)
  await Promise.resolve()
  expect(answer).toBe(false)
  clock.advance(1)
  expect(await waiting).toBeUndefined()
  const again = hls.firstPlaylist(cid)
  go(3)
  expect(await again).toBe(text())
  // There is one: nobody waits.
  const before = clock.waiting()
  expect(await hls.firstPlaylist(cid)).toBe(text())
  expect(clock.waiting()).toBe(before)
  expect(await hls.firstPlaylist('d'.repeat(32))).toBeUndefined()
})

it('has room again for others when those that waited in vain have gone', async () => {
  push()
  for (let round = 0; round < 2; round++) {
    const waiting = Array.from({ length: 1000 }, () => hls.firstPlaylist(cid))
    expect(clock.waiting()).toBe(1000)
    expect(await hls.firstPlaylist(cid)).toBeUndefined()
    clock.advance(10_000)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]))
  }
})

it('takes back its wait when a first segment comes or the push ends', async () => {
  const { publication } = push()
  const waiting = hls.firstPlaylist(cid)
  expect(clock.waiting()).toBe(1)
  publication.end('lost')
  expect(await waiting).toBeUndefined()
  // Only the wait for the publisher is left.
  expect(clock.waiting()).toBe(1)
})

it('counts its viewers for the hub, for three target durations of this playlist, while the channel has one', () => {
  const { publication, go } = push()
  hls.seen(cid, '192.0.2.1', 'a')
  expect(hub.viewers(cid)).toBe(1)
  go(3)
  hls.seen(cid, '192.0.2.2', 'b')
  hls.left(cid, '192.0.2.1', 'a')
  expect(hub.viewers(cid)).toBe(1)
  hls.seen('d'.repeat(32), '192.0.2.1', 'a')
  expect(hub.viewers('d'.repeat(32))).toBe(0)
  publication.end('lost')
  clock.advance(90_000)
  expect(hub.viewers(cid)).toBe(0)
})

it('reports what it leaves out to the hub', () => {
  const told: unknown[] = []
  hub.on(({ type, remedy }) => {
    if (type === 'leftOut') told.push(remedy)
  })
  const publication = hub.publish(cid, { remote: 'test' }) as Publication
  publication.packet({ ...audioConfiguration, arrived: clock.now() })
  const sound = { ...audioConfiguration, configuration: false, body: Buffer.from('af0121', 'hex') }
  publication.packet({ ...sound, arrived: clock.now() })
  for (let each = 0; each < 20; each++) publication.packet({ ...sound, timestamp: 2000, arrived: clock.now() + 2000 })
  expect(told).toEqual(['leftOut_sound'])
})

it('hears no push any more after it is closed, and counts nobody', () => {
  push().go(3)
  hls.seen(cid, '192.0.2.1', 'a')
  expect(hub.viewers(cid)).toBe(1)
  hls.close()
  expect([hls.playlist(cid), hub.viewers(cid), clock.waiting()]).toEqual([undefined, 0, 0])
  const other = 'd'.repeat(32)
  hub.publish(other, { remote: 'test' })
  expect(hls.playlist(other)).toBeUndefined()
})
