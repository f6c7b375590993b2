import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Channel, Figures, Profile, ServiceState, Tally } from '../../contract/rpc/state.ts'
import type { Delivery, Receiver } from '../../contract/rpc/receivers.ts'

/** What the fake companion plays. */
export type Scenario =
  | 'full'
  | 'empty'
  | 'fault'
  | 'stopped'
  | 'hosted'
  | 'hostedFault'
  | 'failing'
  | 'loading'
  | 'expiring'
  | 'expired'
  | 'poor'
  | 'download'
  | 'recording'
  | 'diskFull'
  | 'many'

const day = 86_400_000
const hour = 3_600_000
const minute = 60_000

const names: readonly [string, string, number, boolean][] = [
  ['LateNight_Radio', '7e3a91c4', 1, false],
  ['深夜电台', 'b81f02de', 1, false],
  ['Speedrun_Weekly', '04ac7f39', 0, true],
  ['Kitchen_Cam', 'c2d95510', 0, false],
  ['周末音乐现场', '5fe6b07a', 0, true],
  ['Studio_B_backup', 'e90d3c88', 2, false],
  ['Chess_with_Ana', '1a77f4e2', 0, false],
  ['早间新闻速读', '92bb6d15', 0, true],
  ['Garage_Build_Log', 'df4018a3', 2, false],
  ['test_loop_1080', '3c08e7b6', 0, false],
  ['城市骑行记', '68f1ac90', 0, true],
  ['Sunday_Vinyl_Replay', '0b7d93ce', 0, false],
  ['露营直播间', 'f46a2e81', 0, false],
  ['Vinyl_Hour', 'a5530e4d', 0, false],
  ['Harbour_Lights', '2b41d7c0', 0, false],
  ['Pixel_Workshop', '77e0a915', 2, false],
  ['城南旧事夜读', 'c0ffee12', 0, false],
  ['Debate_Night', '91ac04fe', 0, false],
  ['Rehearsal_Room', '5d2e88b3', 2, false],
  ['Bird_Feeder', '38a6c1d9', 0, false],
]

const idOf = (start: string): string => (start + '0123456789abcdef'.repeat(2)).slice(0, 32)

/** Channels like those in the pictures. */
export const makeChannels = (now: number): Channel[] =>
  names.map(([name, start, status, needRecord], index) => ({
    cid: idOf(start),
    name,
    status,
    needRecord,
    created: now - (index * 3.7 + 9) * day - index * 47 * minute,
    format: index % 4 === 3 ? 'flv' : 'mp4',
    duration: index % 3 === 1 ? 60 : 120,
    filename: '',
  }))

/** More channels than a screen draws at once. */
export const manyChannels = (now: number): Channel[] =>
  Array.from({ length: 1_000 }, (_, index) => ({
    cid: index.toString(16).padStart(8, '0') + '0123456789abcdef01234567',
    name: `Stage_${String(index + 1).padStart(4, '0')}`,
    status: index % 50 === 0 ? 1 : 0,
    needRecord: index % 3 === 0,
    created: now - index * hour,
    format: 'mp4',
    duration: 120,
    filename: '',
  }))

/** Tallies of those channels. */
export const makeTallies = (channels: readonly Channel[], now: number, scenario: Scenario): Tally[] =>
  channels.map((channel, index) => ({
    cid: channel.cid,
    status: channel.status,
    since:
      channel.status === 1 || channel.status === 3
        ? now - (index === 0 ? 102 * minute + 8_000 : 27 * minute + 51_000)
        : null,
    viewers: channel.status === 1 || channel.status === 3 ? (index === 0 ? 1_284 : 316) : 0,
    keyExpires: expiryOf(index, now, scenario),
  }))

const expiryOf = (index: number, now: number, scenario: Scenario): number => {
  if (index === 0 && scenario === 'expired') return now - 62 * minute
  if (index === 0 && scenario === 'expiring') return now + 5 * hour + 21 * minute
  if (index === 2) return now + 18 * hour + 6 * minute
  if (index === 4) return now - hour
  return now + (26 - index) * day + index * 3 * hour + 12 * minute
}

/** Figures of a healthy or poor push, moving a little with time. */
export const makeFigures = (at: number, index: number, scenario: Scenario): Figures => {
  const wave = Math.sin(at / 4_000) * 0.03 + Math.sin(at / 1_300) * 0.02
  const poor = scenario === 'poor'
  return {
    kbps: poor ? 180 + wave * 400 : (index === 0 ? 6_012 : 4_488) * (1 + wave),
    fps: poor ? 11.8 + wave * 10 : 60 + wave,
    keyFrameGap: poor ? 8_000 : 2_000,
    keyFrameGapMax: poor ? 8_000 : 2_000,
    kbpsDeviation: poor ? 40 : 160,
    fpsDeclared: poor ? 30 : 60,
    drift: poor ? 1_840 : Math.round(wave * 600),
    audioGap: poor ? 64 : 24,
    width: 1920,
    height: 1080,
    videoCodec: 'H.264 High 4.2',
    audioCodec: 'AAC-LC',
    sampleRate: 48_000,
    audioChannels: 2,
    encoder: 'obs-output module',
    viewers: index === 0 ? 1_284 : 316,
  }
}

/** The embedded service in each scenario. */
export const makeService = (now: number, scenario: Scenario): ServiceState => {
  const down = scenario === 'fault' || scenario === 'stopped'
  return {
    phase: scenario === 'fault' ? 'restarting' : scenario === 'stopped' ? 'stopped' : 'running',
    since: down ? now - 14_000 : null,
    attempt: scenario === 'stopped' ? 5 : down ? 2 : 0,
    attempts: 5,
    nextAttempt: scenario === 'fault' ? now + 600_000 : null,
    reason: down ? reasonOf('service', 'failed', { system: 'Port 1935 is still held by the old process' }) : null,
    addresses: down
      ? null
      : {
          api: 'http://127.0.0.1:8710',
          media: 'http://127.0.0.1:8711',
          rtmp: 'rtmp://127.0.0.1:1935/live',
          publicMedia: null,
        },
    busySince: null,
    notes: [],
    diskFree: 412e9,
    recordingRoom: 411.4e9,
    database: null,
    timeZone: 'Asia/Shanghai',
  }
}

/** This computer and one hosted service. */
export const makeProfiles = (scenario: Scenario): Profile[] => [
  {
    id: 'local',
    kind: 'local',
    extended: true,
    media: null,
    name: 'This computer',
    liveUrl: 'http://127.0.0.1:8710',
    messagingUrl: 'http://127.0.0.1:8710/nimserver',
    appKey: 'local',
    secret: scenario === 'poor' ? 'session' : 'keychain',
  },
  {
    id: 'hosted-1',
    kind: 'hosted',
    extended: false,
    media: null,
    name: 'Harbour production',
    liveUrl: 'https://live.example.com',
    messagingUrl: 'https://im.example.com/nimserver',
    appKey: '45c6af3c98409b18a84451215d0bdd6e',
    secret: scenario === 'hostedFault' ? 'missing' : 'keychain',
  },
]

/** These profiles, with an own service elsewhere in place of the hosted one. */
export const makeExtendedProfiles = (): Profile[] =>
  makeProfiles('full').map((one) =>
    one.kind === 'hosted' ? { ...one, extended: true, media: 'https://media.example.com' } : one,
  )

/** Events of a running push from its begin. */
export const makeLog = (cid: string, since: number): Extract<AppEvent, { type: 'push' }>[] => [
  {
    type: 'push',
    profileId: 'local',
    cid,
    at: since - 95_000,
    kind: 'refused',
    detail: 'wsSecret did not match',
    remedy: 'key',
  },
  { type: 'push', profileId: 'local', cid, at: since, kind: 'started', detail: null, remedy: null },
  { type: 'push', profileId: 'local', cid, at: since + 800, kind: 'firstKeyFrame', detail: null, remedy: null },
  {
    type: 'push',
    profileId: 'local',
    cid,
    at: since + 810,
    kind: 'codecs',
    detail: 'H.264 High 4.2 1920x1080, AAC-LC 48 kHz',
    remedy: null,
  },
]

/** The receiver of callbacks, listening. */
export const makeReceiver = (profileId: string): Receiver => ({
  profileId,
  phase: 'listening',
  host: '127.0.0.1',
  port: 9000,
  url: 'http://127.0.0.1:9000/callback',
  reason: null,
  mustBeReachable: profileId !== 'local',
  open: false,
  keyKnown: true,
})

/** Callbacks that came in: one of each verdict, newest first. */
export const makeDeliveries = (at: number): Delivery[] =>
  (['accepted', 'duplicate', 'forged', 'unreadable'] as const).map((verdict, index) => ({
    id: 4 - index,
    at: at - index * 60_000,
    verdict,
    stale: verdict === 'duplicate',
    test: verdict === 'forged' ? 'tamper' : null,
    from: '127.0.0.1',
    why:
      verdict === 'forged'
        ? { code: 'signature', params: {} }
        : verdict === 'unreadable'
          ? { code: 'body', params: {} }
          : null,
    fields:
      verdict === 'unreadable'
        ? {}
        : {
            video_name: '晚会_20270115-080000_20270115-082000',
            orig_video_key: '4711-00001.mp4',
            uid: '1000000001',
            vid: '4711',
            cid: '0123456789abcdef0123456789abcdef',
            beginTime: '1800000000000',
            endTime: '1800001200000',
            nId: '8f21c7',
          },
  }))
