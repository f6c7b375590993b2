import { beforeEach, describe, expect, it } from 'vitest'
import type { AppEvent, EventFor, NoticeKind, Settings } from '../contract/rpc/index.ts'
import { type OnAirBoard, createOnAirBoard } from './on-air-state.ts'
import { createNotices, minDisk, type Notice, noticeApart } from './notices.ts'
import { wordsOf } from './words.ts'

const cid = 'a'.repeat(32)
const all: NoticeKind[] = ['onAir', 'pushLost', 'recordingStopped', 'diskLow', 'signInFailed']
let air: OnAirBoard
let shown: Notice[]
let now: number
let looking: boolean
let notices: ReturnType<typeof createNotices>

const hear = (event: EventFor<'desktop'>): void => {
  const before = air.now()
  air.take(event)
  notices.hear(event, before)
}
const settings = (kinds: NoticeKind[]): void => {
  hear({
    type: 'settings',
    settings: { theme: 'dark', language: 'en', notices: kinds, closeToTray: false } as unknown as Settings,
  })
}
const tally = (status: number, fault: (AppEvent & { type: 'tallies' })['fault'] = null, profileId = 'local'): void => {
  hear({
    type: 'tallies',
    profileId,
    at: 1,
    source: 'event',
    fault,
    tallies: [{ cid, status, since: 1, viewers: 0, keyExpires: null }],
  })
}
const recording = (state: 'off' | 'asked' | 'recording' | 'stopped', reason: 'space' | null = null): void => {
  hear({
    type: 'recording',
    profileId: 'local',
    cid,
    at: 1,
    recording: { state, reason, since: null, bytes: 0, cut: null },
  })
}
const disk = (recordingRoom: number | null): void => {
  hear({
    type: 'service',
    service: {
      phase: 'running',
      recordingRoom,
      diskFree: recordingRoom === null ? null : recordingRoom + 512 * 1024 ** 2,
    } as never,
  })
}
const failures = (count: number): void => {
  hear({ type: 'seats', board: { listener: { failures: count }, seats: [] } as never })
}
const titles = (): string[] => shown.splice(0).map(({ title }) => title)

beforeEach(() => {
  air = createOnAirBoard({ now: () => now })
  air.call('local', cid, 'Late night')
  shown = []
  now = 1_000_000
  looking = false
  notices = createNotices({
    air,
    words: () => wordsOf('en', 'en'),
    isLooking: () => looking,
    show: (notice) => shown.push(notice),
    clock: { now: () => now },
  })
  settings(all)
})

describe('a notification', () => {
  it('tells that a channel went on air and off it, and leads to it', () => {
    tally(0)
    tally(1)
    tally(3)
    expect(shown).toEqual([
      { title: 'On air', body: '“Late night” is on air.', route: `/studio/${cid}`, profileId: 'local' },
    ])
    tally(0)
    expect(shown[1]).toEqual({
      title: 'Off air',
      body: 'The push of “Late night” has ended.',
      route: `/studio/${cid}`,
      profileId: 'local',
    })
  })

  it('does not tell what was so when the app began, nor that it is on air to who looks at it', () => {
    tally(1)
    expect(titles()).toEqual([])
    tally(0)
    expect(titles()).toEqual(['Off air'])
    looking = true
    now += noticeApart
    tally(1)
    expect(titles()).toEqual([])
  })

  it('takes a poll that failed, or a service that restarts, for no end; and tells it when it was one', () => {
    tally(0)
    tally(1)
    titles()
    tally(1, 'poll')
    tally(1)
    expect(titles()).toEqual([])
    tally(1, 'lost')
    tally(0)
    expect(titles()).toEqual(['Off air'])
  })

  it('tells that recording stopped, and why', () => {
    recording('recording')
    recording('recording')
    recording('stopped', 'space')
    recording('stopped', 'space')
    expect(shown.map(({ body, route }) => [body, route])).toEqual([
      ['“a channel” is no longer recorded: the disk is full.', `/studio/${cid}`],
    ])
    shown = []
    recording('off')
    now += noticeApart
    recording('recording')
    recording('off')
    expect(titles()).toEqual([])
  })

  it('tells once that the disk fills, and again only after there was room', () => {
    disk(null)
    disk(minDisk + 1)
    disk(minDisk - 1)
    now += noticeApart
    disk(minDisk - 2)
    disk(minDisk * 1.1)
    disk(minDisk - 2)
    expect(shown.map(({ route }) => route)).toEqual(['/settings/recordings'])
    disk(minDisk * 2)
    now += noticeApart
    disk(1)
    expect(shown).toHaveLength(2)
    expect(shown[1]?.body).toBe('0.0 GB are left for recordings.')
  })

  it('tells of failed sign-ins, and is not flooded by who provokes them', () => {
    failures(3)
    expect(titles()).toEqual([])
    for (let count = 4; count < 1_000; count++) failures(count)
    expect(titles()).toEqual(['A moderator’s sign-in failed'])
    failures(0)
    now += noticeApart
    failures(1)
    expect(titles()).toHaveLength(1)
  })

  it('is only of the kinds that the settings name', () => {
    for (const kind of all) {
      settings(all.filter((each) => each !== kind))
      now += noticeApart * 10
      tally(0)
      tally(1)
      tally(0)
      recording('recording')
      recording('stopped')
      recording('off')
      disk(minDisk * 2)
      disk(1)
      failures(now)
      failures(now + 1)
      expect(new Set(titles()).size, kind).toBe(all.length - 1)
    }
    settings([])
    now += noticeApart * 10
    tally(1)
    tally(0)
    expect(titles()).toEqual([])
  })
})

it('a notification comes at most every 30 s about one thing, and of the disk below 5 GiB', () => {
  expect([noticeApart, minDisk]).toEqual([30_000, 5_368_709_120])
})
