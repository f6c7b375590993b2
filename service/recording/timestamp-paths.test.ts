import type { Clock } from '../../platform/clock.ts'
import { readFileSync } from 'node:fs'
import {
  array,
  assert as holds,
  asyncProperty,
  constantFrom,
  integer as anyInteger,
  nat,
  record,
  type Arbitrary,
} from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHls, type Hls } from '../delivery/hls-delivery.ts'
import { createIngestPublisher } from '../ingest/ingest-publisher.ts'
import { audioConfiguration, videoConfiguration } from '../hub/testing/packets.ts'
import { framesOf, isSteady, lengthOf, type Stretch, type TimestampPath } from '../hub/testing/timestamp-path.ts'
import { FlvReader } from '../media/flv-reader.ts'
import { SeededRandom } from '../testing/fuzz/random.ts'
import { readMediaPlaylist, refreshFaults, type ReadPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { until } from '../testing/condition.ts'
import { createRig, type RecordingRig } from './testing/rig.ts'

let rig: RecordingRig
const clock: Clock = { now: () => rig.now, monotonic: () => rig.now, after: () => () => undefined }
let hls: Hls
let words: string[] = []
let count = 0
beforeAll(async () => {
  rig = await createRig()
  hls = createHls({ hub: rig.hub, clock })
  rig.hub.on(({ type, remedy }) => {
    if (type === 'retimed' || type === 'leftOut') words.push(remedy ?? '')
  })
})
afterAll(async () => {
  hls.close()
  await rig.close()
})

interface Came {
  /** Time from the first frame to the last, ms. */
  readonly wall: number
  readonly sent: number
  /** Frames in the files, and their length in ms; NaN if not FLV. */
  readonly kept: number
  readonly length: number
  /** Largest drift between video and audio, and largest lag; ms. */
  readonly drift: number
  readonly behind: number
  readonly goesBack: boolean
  readonly segments: number
  readonly words: readonly string[]
}

/** Sends a path through ingest, hub, HLS and recorder; every version of the playlist is checked. */
async function come(path: TimestampPath, format: number, seed: number): Promise<Came> {
  const cid = (++count).toString(16).padStart(32, '0')
  words = []
  rig.now += 60_000
  rig.choice = { format, duration: 3_600_000, filename: '' }
  const begun = rig.now
  const publication = rig.publish(cid)
  const ingest = createIngestPublisher({ target: publication, clock })
  const random = new SeededRandom(seed)
  const send = (type: number, timestamp: number, body: Buffer): void => {
    expect(ingest.message({ type, streamId: 1, timestamp, body })).toBeUndefined()
  }
  send(rtmpType.video, 0, videoConfiguration.body)
  send(rtmpType.audio, 0, audioConfiguration.body)
  const out = { video: 0, audio: 0 }
  const moved: { video?: number; audio?: number } = {}
  let [sent, drift, behind, segments, last] = [0, 0, 0, 0, 0]
  let goesBack = false
  let text: string | undefined
  let playlist: ReadPlaylist | undefined
  const leave = rig.hub.join(
    cid,
    {
      packet({ kind, timestamp, configuration }) {
        if (kind === 'data' || configuration) return
        goesBack ||= timestamp < out[kind]
        behind = Math.max(behind, out[kind === 'video' ? 'audio' : 'video'] - timestamp)
        out[kind] = timestamp
      },
      ended: () => undefined,
    },
    'internal',
  )
  for (const { kind, made, stamp, arrived, keyFrame } of framesOf(path, () => random.below(1000) / 1000)) {
    rig.now = begun + arrived
    last = arrived
    const body = Buffer.alloc(kind === 'video' ? 60 : 20, 1)
    body.set(kind === 'video' ? [keyFrame ? 0x17 : 0x27, 1, 0, 0, 0] : [0xaf, 1])
    send(rtmpType[kind], stamp, body)
    sent += 1
    moved[kind] = out[kind] - made
    drift = Math.max(drift, Math.abs((moved.video ?? 0) - (moved.audio ?? moved.video ?? 0)))
    const now = hls.playlist(cid)?.text
    if (now === undefined || now === text) continue
    text = now
    segments += 1
    const after = readMediaPlaylist(now)
    expect(playlist ? refreshFaults(playlist, after) : []).toEqual([])
    for (const { duration, programDateTime } of after.segments) {
      expect(Math.round(duration / 1000)).toBeLessThanOrEqual(after.targetDuration)
      expect(programDateTime).toBeLessThanOrEqual(rig.now)
    }
    playlist = after
  }
  leave?.()
  publication.end('closed')
  const rows = await until('its files', async () => {
    const all = (await rig.rows()).filter((row) => row.cid === cid)
    return all.length > 0 && all.every(({ state }) => state === 'ready') ? all : undefined
  })
  let kept = 0
  for (const row of rows) {
    const reader = new FlvReader(({ kind, body }) => {
      if (kind !== 'data' && body[1] === 1) kept += 1
    }, 1_000_000)
    if (format === 1) reader.push(readFileSync(rig.path(row)))
  }
  return {
    wall: last,
    sent,
    kept: format === 1 ? kept : Number.NaN,
    length: rows.reduce((sum, { duration }) => sum + duration, 0),
    drift,
    behind,
    goesBack,
    segments,
    words,
  }
}

const stretch = (does: Arbitrary<Stretch['does']>): Arbitrary<Stretch> =>
  record({
    does,
    length: anyInteger({ min: 300, max: 6000 }),
    by: anyInteger({ min: -1_000_000_000, max: 1_000_000_000 }),
  })
const start = nat({ max: 2 ** 32 - 1 })
const formats = constantFrom(0, 1)
const runs = { numRuns: 40, seed: 20_260_101 } as const

describe('a random path of timestamps, through ingest, hub, HLS and recorder', () => {
  it(
    'that is a steady clock at 0.5 to 10 times real time keeps its length and its tracks in step',
    { timeout: 120_000 },
    async () => {
      await holds(
        asyncProperty(
          record({
            start,
            rate: anyInteger({ min: 5, max: 100 }).map((tenths) => tenths / 10),
            late: nat({ max: 200 }),
            stretches: array(stretch(constantFrom('steady' as const)), { minLength: 2, maxLength: 8 }),
          }),
          formats,
          nat(),
          async (path, format, seed) => {
            expect(isSteady(path)).toBe(true)
            const came = await come(path, format, seed)
            expect(came.words).toEqual([])
            expect(came.drift).toBeLessThan(40)
            expect(came.behind).toBeLessThanOrEqual(500)
            expect(came.goesBack).toBe(false)
            expect(Math.abs(came.length - lengthOf(path))).toBeLessThan(lengthOf(path) < 1000 ? 1000 : 100)
            if (format === 1) expect(came.kept).toBe(came.sent)
            if (lengthOf(path) > 8000) expect(came.segments).toBeGreaterThan(1)
          },
        ),
        runs,
      )
    },
  )

  it(
    'that is anything else, pushed in real time, has the length of the time that passed, and nothing is left out in silence',
    { timeout: 120_000 },
    async () => {
      const does = constantFrom<Stretch['does'][]>(
        'steady',
        'jump',
        'back',
        'restart',
        'still',
        'held',
        'apart',
        'soundRestarts',
        'soundStill',
      )
      await holds(
        asyncProperty(
          record({
            start,
            rate: constantFrom(1),
            late: nat({ max: 150 }),
            stretches: array(stretch(does), { minLength: 4, maxLength: 16 }),
          }),
          formats,
          nat(),
          async (path, format, seed) => {
            const came = await come(path, format, seed)
            expect(came.behind).toBeLessThanOrEqual(500)
            expect(came.goesBack).toBe(false)
            expect(Math.abs(came.length - came.wall)).toBeLessThan(1000)
            if (format === 1 && !came.words.some((word) => word.startsWith('leftOut_')))
              expect(came.kept).toBe(came.sent)
            if (came.wall > 10_000) expect(came.segments).toBeGreaterThan(1)
          },
        ),
        runs,
      )
    },
  )
})
