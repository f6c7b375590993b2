import { expect, it } from 'vitest'
import type { Figures, RecordingState, Seat } from '../../../contract/rpc/index.ts'
import type { Failure } from '../../data/failure.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import type { GoLiveFacts, LineName, ShareSeen } from './go-live-facts.ts'
import { goLiveLines } from './go-live-lines.ts'

const now = 1_000_000_000
const figures = {
  kbps: 6_000,
  fps: 60,
  height: 1080,
  videoCodec: 'H.264 High 4.2',
  audioCodec: 'AAC-LC',
  sampleRate: 48_000,
  audioGap: 24,
} as Figures
const seat = (name: string, pages: number): Seat => ({ name, pages, roomid: 7, state: 'active' }) as Seat
const failure = (kind: Failure['kind'], code: number | null = null): { failure: Failure } => ({
  failure: { kind, code, skewSeconds: null, detail: 'why' },
})
const stopped = (reason: RecordingState['reason']): RecordingState => ({
  state: 'stopped',
  reason,
  since: null,
  bytes: 0,
  cut: null,
})
const room = { roomid: 7, name: 'Hall', valid: true, muted: false, online: 12 }
const shared = (
  change: { access?: Partial<ShareSeen['access']>; reach?: Partial<ShareSeen['reach']> } = {},
): ShareSeen => ({
  access: {
    mode: 'everybody',
    closed: false,
    passphrase: false,
    embedOrigins: [],
    viewers: 0,
    links: [],
    ...change.access,
  },
  reach: {
    reach: 'port',
    freeHere: false,
    rtmp: false,
    url: 'https://radio.example:8443',
    results: [{ reach: 'port', state: 'works' }],
    doors: [{ name: 'media', host: '::', port: 8443, tls: true }],
    encryption: 'vouched',
    proxies: [],
    fixed: [],
    ...change.reach,
  },
})
const ready: GoLiveFacts = {
  lost: null,
  local: true,
  extended: true,
  now,
  live: true,
  held: null,
  disabled: false,
  figures,
  rate: 60,
  refused: null,
  profile: { value: { milliseconds: 12 } },
  card: { value: { expires: now + 3 * 86_400_000 } },
  flv: { value: { flv: true, keyFrame: true, audio: true, media: 1_200 } },
  hls: { value: { segments: 6, readable: true } },
  recording: { wished: true, running: true, state: null },
  diskFree: 412.5e9,
  recordingRoom: 412e9,
  recordedKbps: 6_012,
  share: { value: shared() },
  targets: { value: { targets: [], needs: 0, budget: 0, waiting: 0 } },
  room: { value: room },
  seats: { value: { listening: true, seats: [seat('Mei', 1)] } },
}
const lineOf = (name: LineName, change: Partial<GoLiveFacts>) =>
  goLiveLines({ ...ready, ...change }).find((line) => line.name === name)

it('is in order from the first line to the last when everything is', () => {
  expect(goLiveLines(ready).map(({ name, state, fix }) => [name, state, fix])).toEqual(
    [
      'profile',
      'key',
      'ingest',
      'flv',
      'hls',
      'audio',
      'recording',
      'disk',
      'share',
      'targets',
      'room',
      'moderators',
    ].map((name) => [name, 'ok', null]),
  )
  expect(lineOf('ingest', {})?.named).toEqual({ codecs: 'H.264 High 4.2 1080p60, AAC-LC 48 kHz' })
})

it('claims nothing while the page hears nothing of the app', () => {
  const { failure: lost } = failure('offline')
  expect(goLiveLines({ ...ready, lost }).map(({ name, state, says, fix }) => [name, state, says, fix])).toEqual([
    ['profile', 'fault', 'wait', 'again'],
    ...['key', 'ingest', 'flv', 'hls', 'audio', 'recording', 'disk', 'share', 'targets', 'room', 'moderators'].map(
      (name) => [name, 'wait', 'unknown', null],
    ),
  ])
  // The service is late, or gone: the same, and only one that is gone is started.
  for (const [kind, fix] of [
    ['late', 'again'],
    ['down', 'restart'],
  ] as const)
    expect(goLiveLines({ ...ready, lost: failure(kind).failure }).map((line) => [line.state, line.fix])).toEqual([
      ['fault', fix],
      ...Array.from({ length: 11 }, () => ['wait', null]),
    ])
})

it.each<[LineName, string, Partial<GoLiveFacts>, string, string, string | null]>([
  ['profile', 'not tried', { profile: null }, 'wait', 'wait', null],
  ['profile', 'service down', { profile: failure('down') }, 'fault', 'wait', 'restart'],
  ['profile', 'clock off', { profile: failure('clock'), local: false }, 'fault', 'wait', 'again'],
  ['profile', 'host gone', { profile: failure('unreachable'), local: false }, 'fault', 'wait', 'profiles'],
  ['key', 'expired', { card: { value: { expires: now } } }, 'fault', 'key.expired', 'renew'],
  ['key', 'about to expire', { card: { value: { expires: now + 3_600_000 } } }, 'warn', 'key.soon', 'renew'],
  ['key', 'without an end', { card: { value: { expires: null } } }, 'ok', 'key.endless', null],
  ['key', 'not readable', { card: failure('unreachable'), local: false }, 'fault', 'wait', 'profiles'],
  ['ingest', 'no push', { live: false }, 'fault', 'ingest.none', 'copy'],
  ['ingest', 'silent', { figures: { ...figures, kbps: 0 } }, 'fault', 'ingest.silent', 'again'],
  [
    'recording',
    'of the held picture',
    { held: { lost: true }, figures: { ...figures, kbps: 0 } },
    'ok',
    'recording.held',
    null,
  ],
  ['recording', 'not growing', { figures: { ...figures, kbps: 0 } }, 'wait', 'recording.silent', null],
  [
    'ingest',
    'refused by an expired key',
    { live: false, refused: { why: 'expired', from: '' } },
    'fault',
    'ingest.refused_expired',
    'renew',
  ],
  [
    'ingest',
    'refused for its codec',
    { live: false, refused: { why: 'hevc', from: '' } },
    'fault',
    'ingest.refused_hevc',
    'again',
  ],
  [
    'ingest',
    'refused for its sound',
    { live: false, refused: { why: 'aac', from: '' } },
    'fault',
    'ingest.refused_aac',
    'again',
  ],
  [
    'ingest',
    'refused by something new',
    { live: false, refused: { why: 'other', from: '' } },
    'fault',
    'ingest.refused_other',
    'copy',
  ],
  [
    'ingest',
    'a stranger with a wrong key',
    { live: false, refused: { why: 'keyFrom', from: '203.0.113.9' } },
    'fault',
    'ingest.refused_keyFrom',
    'copy',
  ],
  ['ingest', 'disabled', { live: false, disabled: true }, 'fault', 'ingest.disabled', 'resume'],
  ['ingest', 'hosted', { local: false, extended: false, figures: null }, 'ok', 'ingest.live', null],
  ['flv', 'no push', { live: false, flv: null }, 'wait', 'waitPush', null],
  ['flv', 'no answer', { flv: failure('offline') }, 'fault', 'flv.failed', 'again'],
  [
    'flv',
    'no picture',
    { flv: { value: { flv: true, keyFrame: false, audio: true, media: 900 } } },
    'fault',
    'flv.noPicture',
    'again',
  ],
  [
    'flv',
    'one frame',
    { flv: { value: { flv: true, keyFrame: true, audio: false, media: 0 } } },
    'fault',
    'flv.short',
    'again',
  ],
  ['flv', 'no address', { flv: { value: null } }, 'none', 'flv.none', null],
  ['hls', 'no segment yet', { hls: { value: { segments: 0, readable: false } } }, 'wait', 'hls.empty', null],
  ['hls', 'a broken segment', { hls: { value: { segments: 3, readable: false } } }, 'fault', 'hls.broken', 'again'],
  ['hls', 'no answer', { hls: failure('offline') }, 'fault', 'hls.failed', 'again'],
  [
    'audio',
    'none in the stream',
    { flv: { value: { flv: true, keyFrame: true, audio: false, media: 3_000 } } },
    'fault',
    'audio.missing',
    'again',
  ],
  ['audio', 'a hole', { figures: { ...figures, audioGap: 4_000 } }, 'fault', 'audio.gaps', 'again'],
  ['audio', 'not looked yet', { flv: null }, 'wait', 'wait', null],
  [
    'recording',
    'off as set',
    { recording: { wished: false, running: false, state: null } },
    'ok',
    'recording.off',
    null,
  ],
  [
    'recording',
    'on though set off',
    { recording: { wished: false, running: true, state: null } },
    'warn',
    'recording.unwished',
    null,
  ],
  [
    'recording',
    'wished, before the push',
    { live: false, recording: { wished: true, running: false, state: null } },
    'ok',
    'recording.armed',
    null,
  ],
  [
    'recording',
    'wished, of a disabled channel',
    { live: false, disabled: true, recording: { wished: true, running: false, state: null } },
    'warn',
    'recording.disabled',
    null,
  ],
  [
    'recording',
    'wished, not begun',
    { recording: { wished: true, running: false, state: null } },
    'wait',
    'recording.waiting',
    null,
  ],
  [
    'recording',
    'stopped',
    { recording: { wished: true, running: false, state: stopped('readonly') } },
    'fault',
    'recording.stopped_readonly',
    'folder',
  ],
  [
    'recording',
    'stopped for want of space',
    { recording: { wished: true, running: false, state: stopped('space') } },
    'fault',
    'recording.stopped_space',
    'recordings',
  ],
  [
    'disk',
    'under the reserve',
    { recording: { wished: true, running: false, state: stopped('space') } },
    'fault',
    'disk.full',
    'recordings',
  ],
  ['disk', 'an hour left', { recordingRoom: 2.7e9 }, 'warn', 'disk.low', 'recordings'],
  ['disk', 'little, no bitrate known', { recordingRoom: 2.7e9, live: false }, 'warn', 'disk.ok', 'recordings'],
  ['disk', 'hosted', { local: false, extended: false, recordingRoom: null }, 'none', 'disk.none', null],
  ['room', 'none linked', { room: { value: null } }, 'warn', 'room.none', 'room'],
  ['room', 'closed', { room: { value: { ...room, valid: false } } }, 'fault', 'room.closed', 'openRoom'],
  ['room', 'muted', { room: { value: { ...room, muted: true } } }, 'warn', 'room.muted', 'unmute'],
  ['room', 'gone', { room: failure('code', 404) }, 'fault', 'wait', 'room'],
  [
    'moderators',
    'nobody online',
    { seats: { value: { listening: true, seats: [seat('Mei', 0)] } } },
    'warn',
    'moderators.nobody',
    'moderators',
  ],
  [
    'moderators',
    'nobody invited',
    { seats: { value: { listening: true, seats: [] } } },
    'warn',
    'moderators.none',
    'moderators',
  ],
  [
    'moderators',
    'nothing listens',
    { seats: { value: { listening: false, seats: [seat('Mei', 0)] } } },
    'warn',
    'moderators.off',
    'moderators',
  ],
  ['moderators', 'no room', { room: { value: null } }, 'warn', 'moderators.noRoom', 'room'],
])('%s: %s', (name, _what, change, state, says, fix) => {
  expect(lineOf(name, change)).toMatchObject({ state, says, fix })
})

it('names the days and the clock of a key apart, so that each language has its own word', () => {
  expect(lineOf('key', {})?.named).toEqual({ days: 3, clock: '00:00' })
  expect(lineOf('key', { card: { value: { expires: now + 3_600_000 } } })?.named).toEqual({ clock: '01:00' })
})

const certificate = { names: ['radio.example'], issuer: 'R11', expires: now + 80 * 86_400_000, vouched: true }
it.each<[string, Parameters<typeof shared>[0], string, string]>([
  ['was turned off', { access: { closed: true } }, 'fault', 'share.closed'],
  [
    'has a router that refused',
    { reach: { mapping: { state: 'failed' }, results: [{ reach: 'port', state: 'fault', reason: 'noMapping' }] } },
    'fault',
    'share.fault_port',
  ],
  [
    'is being measured',
    { reach: { results: [{ reach: 'port', state: 'unchecked' }], measuring: true } },
    'warn',
    'share.measuring',
  ],
  [
    'has a router that nobody reaches',
    {
      reach: {
        mapping: { state: 'failed' },
        results: [{ reach: 'port', state: 'fault', reason: 'noPublicAddress' }],
      },
    },
    'fault',
    'share.fault_port',
  ],
  [
    'does not work as it was chosen',
    { reach: { results: [{ reach: 'port', state: 'fault', reason: 'noCertificate' }] } },
    'fault',
    'share.fault_port',
  ],
  [
    'has a certificate that expired',
    { reach: { certificate: { ...certificate, expires: now } } },
    'fault',
    'share.expired',
  ],
  [
    'has a certificate that ends within two weeks',
    { reach: { certificate: { ...certificate, expires: now + 13 * 86_400_000 } } },
    'warn',
    'share.expires',
  ],
  [
    'keeps an earlier certificate',
    { reach: { certificate, certificateFault: { reason: 'otherKey', file: '/key.pem' } } },
    'warn',
    'share.certificate',
  ],
  ['lets in only by links, and none is good', { access: { mode: 'links' } }, 'warn', 'share.nobody'],
  ['is not encrypted', { reach: { encryption: 'none' } }, 'warn', 'share.plain'],
  [
    'was not seen from outside',
    { reach: { results: [{ reach: 'port', state: 'unchecked' }] } },
    'warn',
    'share.unchecked',
  ],
])('leads to the sheet of who can watch where it %s', (_what, change, state, says) => {
  expect(lineOf('share', { share: { value: shared(change) } })).toMatchObject({ state, says, fix: 'share' })
})

it.each<[Partial<ShareSeen['reach']>, string]>([
  [{ reach: 'computer', results: [{ reach: 'computer', state: 'works' }] }, 'share.ok_computer'],
  [{ reach: 'computer', results: [{ reach: 'computer', state: 'fault', reason: 'taken' }] }, 'share.fault_computer'],
  [{}, 'share.ok_port'],
  [{ results: [{ reach: 'port', state: 'fault', reason: 'taken' }] }, 'share.fault_port'],
])('names of a service elsewhere its computer, not this one: %o', (reach, says) => {
  const share = { value: shared({ reach }) }
  expect([lineOf('share', { share })?.says, lineOf('share', { share, local: false })?.says]).toEqual([
    says,
    `${says}There`,
  ])
})

it('says of the disk of a service elsewhere where it is, and of a stock one that it is not told', () => {
  expect(lineOf('disk', { local: false })).toMatchObject({ state: 'none', says: 'disk.elsewhere' })
  expect(lineOf('disk', { local: false, extended: false })).toMatchObject({ state: 'none', says: 'disk.none' })
})

it('takes what came from outside for proof that the port is forwarded, whatever the router said', () => {
  const reach = { mapping: { state: 'failed' } }
  expect(lineOf('share', { share: { value: shared({ reach }) } })).toMatchObject({ state: 'ok', says: 'share.ok_port' })
})

it.each([
  ['portClosed', 'share.why.portClosed'],
  ['noCertificate', 'share.why.noCertificate'],
  ['of another service', 'goLive.share.unsaid'],
])('says why the chosen reach fails: %s', (reason, cause) => {
  const reach = { results: [{ reach: 'port', state: 'fault', reason }] }
  expect(lineOf('share', { share: { value: shared({ reach }) } })?.cause).toBe(cause)
})

it('says of the disk what the status bar says, and beside it what recordings may use of that', () => {
  expect(lineOf('disk', { diskFree: 3.2e9, recordingRoom: 2.7e9 })?.named).toMatchObject({
    free: '3.20 GB',
    size: '2.70 GB',
  })
})

it('does not take a fault of a reach that is not chosen, nor a certificate that is not used, for one', () => {
  const results = [
    { reach: 'home', state: 'works' },
    { reach: 'port', state: 'fault', reason: 'noCertificate' },
  ]
  const reach = { reach: 'home', results, encryption: 'none', certificate: { ...certificate, expires: now } }
  expect(lineOf('share', { share: { value: shared({ reach }) } })).toMatchObject({ state: 'ok', says: 'share.ok_home' })
})

it.each<[string, Parameters<typeof makeTarget>[1], string, string]>([
  ['refused the push', { state: 'refused' }, 'fault', 'targets.refused'],
  ['refused it in words', { state: 'refused', answer: 'Already publishing' }, 'fault', 'targets.refusedSays'],
  ['has none', { state: 'noKey', hasKey: false }, 'warn', 'targets.noKey'],
  ['has none before the push', { state: 'off', hasKey: false }, 'warn', 'targets.noKey'],
  ['is not reached', { state: 'retrying' }, 'warn', 'targets.troubled'],
])('leads to a target that %s', (_what, change, state, says) => {
  const board = {
    targets: [makeTarget(1), makeTarget(2, { ...change, name: 'Campus' })],
    needs: 0,
    budget: 0,
    waiting: 0,
  }
  expect(lineOf('targets', { targets: { value: board } })).toMatchObject({
    state,
    says,
    named: { name: 'Campus' },
    fix: 'target',
    targetId: 2,
  })
})

it.each([
  [9_500, 'warn', 'targets.near'],
  [12_000, 'fault', 'targets.over'],
] as const)('measures %d kbit/s that targets need by what may go up', (needs, state, says) => {
  const board = { targets: [makeTarget(1)], needs, budget: 10_000, waiting: 0 }
  expect(lineOf('targets', { targets: { value: board } })).toMatchObject({ state, says, fix: 'share' })
  expect(lineOf('targets', { targets: { value: { ...board, budget: 0 } } })).toMatchObject({ state: 'ok', count: 1 })
})

it('says neither of a hosted service', () => {
  for (const name of ['share', 'targets'] as const)
    expect(lineOf(name, { local: false, extended: false })?.state).toBe('none')
})

it('has a line for each target that is at fault', () => {
  const targets = [
    makeTarget(1),
    makeTarget(2, { name: 'NoKey', state: 'noKey', hasKey: false }),
    makeTarget(3, { name: 'Denied', state: 'refused' }),
    makeTarget(4, { name: 'Nowhere', state: 'retrying' }),
  ]
  const lines = goLiveLines({ ...ready, targets: { value: { targets, needs: 12_000, budget: 10_000, waiting: 0 } } })
  expect(
    lines
      .filter(({ name }) => name === 'targets')
      .map(({ state, says, named, targetId }) => [state, says, named['name'], targetId]),
  ).toEqual([
    ['fault', 'targets.refused', 'Denied', 3],
    ['warn', 'targets.noKey', 'NoKey', 2],
    ['warn', 'targets.troubled', 'Nowhere', 4],
    ['fault', 'targets.over', undefined, null],
  ])
})

it.each([
  ['by hand', { lost: false }, 'ok', 'ingest.ok'],
  ['as the encoder is lost', { lost: true }, 'fault', 'ingest.held'],
] as const)('says of no sound that it comes while the picture is held %s', (_why, held, state, says) => {
  expect(lineOf('audio', { held })).toMatchObject({ state: 'warn', says: 'audio.held' })
  expect(lineOf('ingest', { held })).toMatchObject({ state, says })
})
