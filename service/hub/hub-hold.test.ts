import { afterEach, expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { createHub, type Hub, type Publication } from './hub.ts'
import type { HubEvent } from './hub-events.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from './testing/packets.ts'

const cid = 'a'.repeat(32)
const open: Hub[] = []
afterEach(() => {
  for (const hub of open.splice(0)) hub.close()
})

function made(hold = 60_000) {
  const clock = manualClock()
  const setting = { hold }
  const hub = createHub({ clock, holdFor: () => setting.hold })
  open.push(hub)
  const events: HubEvent[] = []
  hub.on((event) => events.push(event))
  const got: MediaPacket[] = []
  const over: string[] = []
  const publish = (): Publication => {
    const publication = hub.publish(cid, { remote: '127.0.0.1' })
    if (publication === 'busy') throw new Error('busy')
    return publication
  }
  const join = () =>
    hub.join(cid, { packet: (packet) => void got.push(packet), ended: (reason) => void over.push(reason) }, 'internal')
  return { clock, setting, hub, events, got, over, publish, join }
}
type Made = ReturnType<typeof made>

/** Sends a GOP every second, 25 pictures each, with sound of 48 kHz. */
function push({ clock }: Made, publication: Publication, seconds: number, from = 0): void {
  publication.packet(videoConfiguration)
  publication.packet(audioConfiguration)
  let sounds = 0
  for (let picture = 0; picture < seconds * 25; picture++) {
    publication.packet(videoFrame(from + picture * 40, picture % 25 === 0, clock.now()))
    for (; sounds * (1024 / 48) < (picture + 1) * 40; sounds++)
      publication.packet({
        ...audioConfiguration,
        timestamp: from + Math.round(sounds * (1024 / 48)),
        body: Buffer.from([0xaf, 1, 0x21]),
        configuration: false,
      })
    clock.advance(40)
  }
}
const of = (packets: readonly MediaPacket[], kind: MediaPacket['kind']): number[] =>
  packets.filter((packet) => packet.kind === kind && !packet.configuration).map(({ timestamp }) => timestamp)
const steps = (times: readonly number[]): number[] => times.slice(1).map((time, index) => time - times[index]!)

test('a lost encoder leaves the key frame once a second and silence without a gap, on the same timeline', () => {
  const all = made()
  const publication = all.publish()
  all.join()
  push(all, publication, 2)
  publication.end('lost')
  const before = all.got.length
  all.clock.advance(10_000)
  const held = all.got.slice(before)
  expect(all.over).toEqual([])
  expect(all.hub.stream(cid)).toBeDefined()
  expect(of(held, 'video').length).toBeGreaterThanOrEqual(10)
  expect(held.filter(({ kind }) => kind === 'video').every(({ keyFrame }) => keyFrame)).toBe(true)
  expect(Math.max(...steps(of(all.got, 'video')))).toBeLessThanOrEqual(1000)
  const sounds = steps(of(all.got, 'audio'))
  expect(Math.min(...sounds)).toBeGreaterThanOrEqual(20)
  expect(Math.max(...sounds)).toBeLessThanOrEqual(23)
  // Both tracks are where real time is.
  expect(Math.abs(of(all.got, 'audio').at(-1)! - 12_000)).toBeLessThanOrEqual(100)
  expect(all.events.map(({ type }) => type)).toContain('held')
  expect(all.hub.held(cid)).toMatchObject({ until: expect.any(Number) })
})

test('the push goes on at the first key frame of the encoder that returns, and no reader is told', () => {
  const all = made()
  const publication = all.publish()
  all.join()
  push(all, publication, 2)
  publication.end('lost')
  all.clock.advance(5000)
  const again = all.publish()
  again.packet(videoConfiguration)
  again.packet(audioConfiguration)
  const waiting = all.got.filter(({ body }) => body[0] === 0x27).length
  again.packet(videoFrame(0, false, all.clock.now()))
  expect(all.got.filter(({ body }) => body[0] === 0x27)).toHaveLength(waiting)
  push(all, again, 2)
  expect(all.over).toEqual([])
  const videos = of(all.got, 'video')
  const audios = of(all.got, 'audio')
  expect(Math.min(...steps(videos))).toBeGreaterThan(0)
  expect(Math.max(...steps(videos))).toBeLessThanOrEqual(1000)
  expect(Math.min(...steps(audios))).toBeGreaterThan(9)
  expect(Math.max(...steps(audios))).toBeLessThanOrEqual(45)
  // 25 pictures a second again, on the time of the clock.
  expect(Math.abs(videos.at(-1)! - audios.at(-1)!)).toBeLessThanOrEqual(40)
  expect(Math.abs(videos.at(-1)! - 9000)).toBeLessThanOrEqual(120)
  expect(all.events.map(({ type }) => type)).toEqual(['started', 'codecs', 'firstKeyFrame', 'held', 'returned'])
  expect(all.hub.held(cid)).toBeUndefined()
})

test('the broadcast ends when the encoder does not return in time: lost, and for readers the show is over', () => {
  const all = made(3000)
  const publication = all.publish()
  all.join()
  push(all, publication, 1)
  publication.end('lost')
  all.clock.advance(2900)
  expect(all.over).toEqual([])
  all.clock.advance(200)
  expect(all.over).toEqual(['closed'])
  expect(all.hub.stream(cid)).toBeUndefined()
  expect(all.events.at(-1)).toMatchObject({ type: 'ended', detail: 'lost' })
})

test('an encoder that closes in order, a cut and a replaced key end it at once', () => {
  const closed = made()
  const first = closed.publish()
  closed.join()
  push(closed, first, 1)
  first.end('closed')
  expect(closed.over).toEqual(['closed'])

  const cut = made()
  const second = cut.publish()
  cut.join()
  push(cut, second, 1)
  second.end('lost')
  cut.hub.cut(cid, 'disabled')
  expect(cut.over).toEqual(['cut'])
  expect(cut.events.at(-1)).toMatchObject({ type: 'ended', detail: 'disabled' })

  const revoked = made()
  const third = revoked.publish()
  revoked.join()
  push(revoked, third, 1)
  expect(revoked.hub.endHold(cid)).toBe(false)
  third.end('lost')
  expect(revoked.hub.endHold(cid)).toBe(true)
  expect(revoked.over).toEqual(['closed'])
})

test('without a hold, or without a key frame so far, a lost encoder ends the broadcast', () => {
  const none = made(0)
  const first = none.publish()
  none.join()
  push(none, first, 1)
  first.end('lost')
  expect(none.over).toEqual(['lost'])

  const early = made()
  const second = early.publish()
  early.join()
  second.packet(videoConfiguration)
  second.end('lost')
  expect(early.over).toEqual(['lost'])
})

test('an encoder that returns and is lost before a key frame does not prolong the hold', () => {
  const all = made(4000)
  const publication = all.publish()
  all.join()
  push(all, publication, 1)
  publication.end('lost')
  all.clock.advance(3000)
  const again = all.publish()
  again.packet(videoConfiguration)
  // It may take its time for a key frame.
  all.clock.advance(2000)
  expect(all.over).toEqual([])
  again.end('lost')
  all.clock.advance(100)
  expect(all.over).toEqual(['closed'])
})

test('a codec that is refused of an encoder that returns leaves the picture held', () => {
  const all = made()
  const publication = all.publish()
  all.join()
  push(all, publication, 1)
  publication.end('lost')
  const again = all.publish()
  again.end('closed', 'codec')
  expect(all.over).toEqual([])
  expect(all.hub.held(cid)).toBeDefined()
})

test('a publisher that takes over from a silent one keeps the readers', () => {
  const all = made()
  const publication = all.publish()
  let why = ''
  publication.onCut = (reason) => {
    why = reason
  }
  all.join()
  push(all, publication, 1)
  all.clock.advance(3500)
  const other = all.publish()
  expect(why).toBe('replaced')
  push(all, other, 1)
  publication.packet(videoFrame(99_999, true, all.clock.now()))
  expect(all.over).toEqual([])
  expect(Math.max(...steps(of(all.got, 'video')))).toBeLessThanOrEqual(1000)
  expect(of(all.got, 'video').at(-1)).toBeLessThan(10_000)
})

test('another decoder configuration comes right before the first key frame after a hold', () => {
  const all = made()
  const publication = all.publish()
  all.join()
  push(all, publication, 1)
  publication.end('lost')
  all.clock.advance(1500)
  const before = all.got.length
  const again = all.publish()
  const body = Buffer.from(videoConfiguration.body)
  // Another level.
  body[8] = 0x20
  again.packet({ ...videoConfiguration, body })
  all.clock.advance(500)
  expect(all.got.slice(before).some(({ configuration }) => configuration)).toBe(false)
  again.packet(videoFrame(0, true, all.clock.now()))
  const [configuration, key] = all.got.slice(-2)
  expect(configuration).toMatchObject({ kind: 'video', configuration: true })
  expect(configuration!.body.equals(body)).toBe(true)
  expect(key).toMatchObject({ keyFrame: true })
})
