import type { RecordedFile } from '../../contract/rpc/index.ts'
import type { Broadcast, Sample } from '../features/broadcasts/broadcast.ts'

const minute = 60_000
/** Id of the broadcasts of tests. */
export const broadcastId = 'b'.repeat(24)

/** What is otherwise in a broadcast; undefined takes a member away. */
export type BroadcastChange = { readonly [K in keyof Broadcast]?: Broadcast[K] | undefined }

/** What was measured in a minute. */
export const sampleAt = (at: number, change: Partial<Sample> = {}): Sample => ({
  at,
  seconds: 60,
  viewers: 200_000,
  peak: 210,
  kbps: 6000,
  kbpsLow: 5800,
  millifps: 30_000,
  millifpsLow: 29_900,
  keyFrameGap: 2000,
  audioGap: 25,
  ...change,
})

/**
 * A broadcast that is over: 60 min, a minute without a push, and 52 min. A raid after 70 min, too little data after 90
 * min, a picture held by hand after 20 min.
 */
export function makeBroadcast(began: number, cid: string, change: BroadcastChange = {}): Broadcast {
  const pushList = [
    { began, ended: began + 60 * minute, how: 'lost' },
    { began: began + 61 * minute, ended: began + 113 * minute, how: 'stopped' },
  ]
  const samples = pushList.flatMap((push) =>
    Array.from({ length: (push.ended - push.began) / minute }, (_, index) => {
      const at = push.began + index * minute
      const minutes = (at - began) / minute
      const viewers = minutes < 70 ? 2 * minutes : 318 - 4 * (minutes - 70)
      const kbps = 5950 + ((minutes * 37) % 11) * 14
      const some = { viewers: viewers * 1000, peak: viewers, kbps, kbpsLow: kbps - 160 }
      if (minutes === 20) return { at, seconds: 60, viewers: 40_000, peak: 40 }
      return sampleAt(at, minutes >= 90 && minutes < 94 ? { ...some, kbps: 240, kbpsLow: 180 } : some)
    }),
  )
  const made: Broadcast = {
    broadcastId,
    cid,
    channel: 'live_main',
    title: 'Night Radio 214',
    began,
    ended: began + 113 * minute,
    how: 'stopped',
    clean: true,
    pushes: 2,
    viewers: 151_400,
    peak: 318,
    pushList,
    samples,
    events: [
      { at: began + 20 * minute, kind: 'held', detail: 'hand' },
      { at: began + 20 * minute + 9_000, kind: 'wentOn' },
      { at: began + 45 * minute, kind: 'target', state: 'retrying', targetId: 1, target: 'YouTube' },
      { at: began + 46 * minute, kind: 'target', state: 'sending', targetId: 1, target: 'YouTube' },
    ],
    eventsLeftOut: 0,
    vids: [2, 1],
    markers: [
      { markerId: 1, at: began + 75 * minute, label: 'Caller from Porto' },
      { markerId: 2, at: began + 60.5 * minute, label: '' },
    ],
    chat: { roomid: 7, lines: 4870, people: 614, held: 12, caught: 9, removed: 41, measures: 68 },
  }
  const isThere = ([, value]: readonly [string, unknown]): boolean => value !== undefined
  return Object.fromEntries(Object.entries({ ...made, ...change }).filter(isThere)) as Broadcast
}

/** Two files and a clip of that broadcast, newest first. */
export function broadcastFiles(began: number, cid: string): RecordedFile[] {
  const of = (vid: number, begin: number, minutes: number, change: Partial<RecordedFile> = {}): RecordedFile => ({
    vid,
    cid,
    name: `NightRadio_${vid}`,
    key: `recordings/${vid}.mp4`,
    begin,
    end: begin + minutes * minute,
    format: 'mp4',
    bytes: minutes * 45e6,
    duration: minutes * minute,
    codecs: 'H.264 High 1920x1080 9f31c2, AAC-LC 48000 Hz 2 77ab',
    merged: false,
    ...change,
  })
  const clip = { vids: [1], from: 0, to: minute, early: 0, begin: began + 33 * minute }
  return [
    of(3, began + 140 * minute, 1, { name: 'Lighthouse horn', merged: true, clip }),
    of(2, began + 61 * minute, 52),
    of(1, began, 60),
  ]
}
