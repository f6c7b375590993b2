import { expect, it } from 'vitest'
import { sources, untruths, wantedFigures, type Answer, type Facts, type ShownFigure } from '../e2e/truth.ts'

const now = Date.UTC(2026, 0, 5, 12, 0, 0)
const cid = 'a'
const facts: Omit<Facts, 'shown'> = {
  now,
  began: now - 60_000,
  timeZone: 'Asia/Kathmandu',
  hostedChosen: false,
  isDown: false,
  windowLamp: 'recording',
  cid,
  addresses: { api: 'http://127.0.0.1:1234', rtmp: 'rtmp://127.0.0.1:1935' },
  channels: new Map<string, Answer>([
    [cid, { cid, status: 3, ctime: now - 3_600_000, needRecord: 1, format: 0, duration: 60 }],
    ['b', { cid: 'b', status: 0, ctime: now - 3_600_000, needRecord: 0, format: 1, duration: 60 }],
  ]),
  details: new Map<string, Answer>([
    [cid, { cid, status: 3, keyExpires: now + 5 * 86_400_000 }],
    ['b', { cid: 'b', status: 0 }],
  ]),
  files: new Map<string, Answer>([['7', { cid, vid: 7, begin: now - 81_000, end: now - 20_000 }]]),
  broadcasts: new Map<string, Answer>([
    ['show', { cid, began: now - 82_000, ended: now - 19_000, peak: 12 }],
    ['unrecorded', { cid: 'b', began: now - 600_000, ended: now - 500_000 }],
  ]),
  written: 5_000_000,
  free: 40e9,
  reserve: 512 * 1024 ** 2,
  pushes: new Map([
    [cid, { started: now - 42_000, sending: now - 41_000, kbps: 1300, fps: 30, pause: 0.5, behind: 2 }],
  ]),
  watching: new Map([[cid, 2]]),
  removed: 3,
  probed: new Map([['7', { bytes: 12_000_000, duration: 61_000, format: 'MP4', made: now - 20_000 }]]),
  growing: new Map([[cid, now - 20_000]]),
  keyEnds: new Map([[cid, now + 5 * 86_400_000]]),
  answered: now,
  delay: 700,
  dropped: 3,
}
const hosted: Partial<Facts> = { hostedChosen: true, answered: now - 20_000 }
const idle: Partial<Facts> = { channels: new Map([['b', { cid: 'b', status: 0 }]]), cid: 'b', details: new Map() }

/** A figure as it must stand, and as it must not; `state` and `of` where it has them, what is otherwise than in `facts`. */
interface Case {
  readonly true: string
  readonly lies: readonly string[]
  readonly of?: string
  readonly at?: number
  /** The state that is true; those that are not take the place of the texts. */
  readonly state?: string
  readonly facts?: Partial<Facts>
}
const cases: Readonly<Record<string, readonly Case[]>> = {
  hold: [
    {
      true: 'Hold Off If the encoder is lost, the broadcast ends. Hold now Delay for viewers Lowest 10 s 30 s Other…',
      lies: [
        'Hold Holding 0:12 Delay for viewers Lowest',
        'Hold Ready, not in use Delay for viewers Lowest',
        'Hold Off Delay for viewers growing to 30 s',
        'Hold Off Delay for viewers reached, 30.0 s',
        'Hold Off Last used 16:40:00, 12 s',
      ],
    },
  ],
  targets: [{ true: 'Also send to Twitch, YouTube…', lies: ['Targets 1 of 1 sending', 'Upload needed: 6.0 Mbps'] }],
  lamp: [
    { of: 'window', true: '', state: 'recording', lies: ['live', 'idle', 'fault'] },
    { of: cid, true: '', state: 'recording', lies: ['live', 'idle', 'armed'] },
  ],
  running: [{ true: '00:00:41', lies: ['00:00:30', '00:00:38', '00:00:43', '00:01:41'] }],
  recordingClock: [{ true: '00:00:19', lies: ['00:00:15', '00:00:21', '00:00:41'] }],
  service: [{ true: 'Service running', lies: ['Service restarting', 'Service', ''] }],
  address: [{ of: 'api', true: 'api 127.0.0.1:1234', lies: ['api 127.0.0.1:1235'] }],
  tallyAge: [{ true: 'Tallies 22 s old', lies: ['Tallies 3 s old', 'Tallies 60 s old'], facts: hosted }],
  hostedNote: [
    {
      true: 'Tallies polled 22 s ago',
      lies: ['Tallies polled 3 s ago', 'Tallies polled 60 s ago', 'Tallies'],
      facts: hosted,
    },
  ],
  onAir: [{ true: '1 on air', lies: ['2 on air', 'None on air', 'No channels'] }],
  recorded: [{ true: '1 recorded', lies: ['2 recorded', 'none'] }],
  disk: [{ true: '40.0 GB free', lies: ['39.0 GB free', '40.0 MB free'] }],
  clock: [{ true: '17:45:00', lies: ['12:00:00', '17:46:00'] }],
  zone: [{ true: 'UTC+5:45', lies: ['UTC', 'UTC+5'] }],
  since: [
    { of: cid, true: '00:00:41', lies: ['00:00:30', '–'] },
    { of: 'b', true: '–', lies: ['00:00:41'] },
  ],
  kbps: [
    { of: cid, true: '1,250', lies: ['800', '1,050', '1,550', '–'] },
    { true: '–', lies: ['1,250', '0'], facts: idle },
  ],
  viewers: [
    { of: cid, true: '2', lies: ['1', '3', '–'] },
    { true: '–', lies: ['2', '0'], facts: idle },
  ],
  broadcastBegan: [{ of: 'show', true: '2026-01-05 17:43', lies: ['2026-01-05 17:45', '–'] }],
  broadcastLength: [{ of: 'show', true: '00:01:03', lies: ['00:00:41', '01:01:03'] }],
  broadcastBytes: [{ of: 'show', true: '12.0 MB', lies: ['13.0 MB', '12.0 GB'] }],
  broadcastFiles: [
    { of: 'show', true: '1 file', lies: ['2 files', 'not recorded'] },
    { of: 'show', true: 'on air, 1 file', lies: ['on air, 2 files'] },
    { of: 'unrecorded', true: 'not recorded', lies: ['1 file'] },
  ],
  part: [{ of: '7', true: 'Part 1', lies: ['Part 2', 'Part'] }],
  filesRemoved: [{ true: '3 deleted', lies: ['2 deleted', '', '1 of 3 deleted.'] }],
  fps: [
    { true: '30.0', lies: ['25.0', '28.0', '60', '–'] },
    { true: '–', lies: ['30.0'], facts: idle },
  ],
  keyFrameGap: [
    { true: '2.0 s', lies: ['1.0 s', '1.8 s', '4.0 s', '–'] },
    { true: '–', lies: ['2.0 s'], facts: idle },
  ],
  delay: [
    { true: '0.8 s', lies: ['1.5 s', '4.0 s', '–'] },
    { true: '–', lies: ['0.8 s'], facts: idle },
  ],
  dropped: [
    { true: '3', lies: ['90', '4', '–'] },
    { true: '–', lies: ['3'], facts: idle },
  ],
  last: [{ of: 'fps', true: 'was 30.0', lies: ['was 12.0'], facts: idle }],
  why: [
    {
      true: 'Bitrate, frames, sound and clock are in their ranges.',
      lies: [
        '',
        'Only 12.0 frames a second come.',
        'Sound is missing.',
        'The clock is 28 ms off.',
        'Measured from the 5th second of a push.',
      ],
    },
    {
      true: 'The push fell 2.4 s behind the clock.',
      lies: ['The push fell 4.0 s behind the clock.', 'The push runs 2.0 s ahead of the clock.'],
    },
    {
      true: '29.2 frames a second arrive.',
      lies: ['24.0 frames a second arrive.', '2.0 s pass between key frames.', 'Sound was missing for 2.0 s.'],
    },
    { true: 'The bitrate is 1,250 kbps.', lies: ['The bitrate is 900 kbps.', 'The bitrate varies by 30 %.'] },
    { true: 'Nothing is on air.', lies: ['Only 12.0 frames a second come.'], facts: idle },
  ],
  delayBadge: [{ true: 'FLV 0.8 s', lies: ['FLV 1.5 s', 'FLV 4.0 s', 'FLV'] }],
  sound: [
    { true: '−18.1 dB', lies: ['−16.9 dB', '−20.0 dB', '18.1 dB', 'Silence', 'Clipping', 'No sound'] },
    { true: 'Paused', lies: ['−60.0 dB'] },
    { true: '–', lies: ['−18.1 dB'], facts: idle },
  ],
  soundPeak: [{ true: 'Peak −17.9 dB, held 2 s', lies: ['Peak −9.4 dB, held 2 s', 'Peak −∞ dB, held 2 s'] }],
  loudness: [{ true: ' · loudness −18.6 LUFS', lies: [' · loudness −21.6 LUFS', ' · loudness −16.0 LUFS'] }],
  previewFigures: [
    {
      true: '1,400 kbps · 30.0 fps · 3 dropped',
      lies: [
        '400 kbps · 30.0 fps · 3 dropped',
        '1,000 kbps · 30.0 fps · 3 dropped',
        '1,400 kbps · 27.0 fps · 3 dropped',
        '1,400 kbps · 15.0 fps · 3 dropped',
        '1,400 kbps · 30.0 fps · 99 dropped',
      ],
    },
  ],
  count: [
    { of: 'all', true: '2', lies: ['1', '–'] },
    { of: 'onAir', true: '1', lies: ['0', '2'] },
  ],
  rows: [{ true: '1–2 of 2', lies: ['1–1 of 1', '1–2 of 3'] }],
  created: [{ of: cid, true: '2026-01-05 16:45', lies: ['2026-01-05 11:00', '2026-01-05 16:46'] }],
  keyLeft: [{ of: cid, true: '5d 00:00', lies: ['5d 01:00', '4d 00:00', '6d 00:00', '–'] }],
  recordingSetting: [
    { of: cid, true: 'MP4 · 60 min', lies: ['FLV · 60 min', 'MP4 · 30 min', 'MP4 · 600 min', 'MP4 · 160 min', 'Off'] },
    { of: cid, true: 'MP4, 60 min slices', lies: ['MP4, 6 min slices'] },
  ],
  recordingTime: [{ true: '00:00:19', lies: ['00:00:10', '00:00:16', '00:00:21', '00:00:41', '–'] }],
  recordingBytes: [{ true: '5.0 MB', lies: ['4.0 MB', '4.6 MB', '6.0 MB', '5.0 kB'] }],
  recordingCut: [{ true: '00:59:41', lies: ['00:59:00', '00:59:38', '00:59:43', '01:00:00', '–'] }],
  diskRoom: [
    { true: '39.5 GB', lies: ['40.9 GB', '3.9 GB'] },
    { true: '67 h', lies: ['30 h', '55 h', '79 h', '90 h', '67 min'] },
  ],
  readyFile: [
    { of: '7', true: '17:45:42 · 12.0 MB', lies: ['17:45:42 · 11.0 MB', '12:00:42 · 12.0 MB', '17:40:42 · 12.0 MB'] },
  ],
  titleCount: [
    { true: '0 / 128', lies: ['1 / 128', '0 / 80', ''] },
    { of: 'Radio 夜', true: '7 / 128', lies: ['9 / 128', '5 / 128'] },
  ],
  logLine: [
    { at: now - 5000, true: '17:44:55 Published', lies: ['17:44:56 Published', '11:59:55 Published'] },
    { at: now - 130_000, true: '', lies: ['17:42:50 Published'], facts: {} },
    { of: 'started', at: now - 41_000, true: '17:44:19 Push started', lies: ['17:44:20 Push started'] },
    { of: 'started', at: now - 30_000, true: '', lies: ['17:44:30 Push started'] },
    {
      of: 'stalled',
      at: now - 5000,
      true: '17:44:55 Nothing came from the encoder for 1.5 s',
      lies: ['17:44:55 Nothing came from the encoder for 4.2 s'],
    },
    { of: 'recordingStarted', at: now - 19_000, true: '17:44:41 Recording started', lies: [] },
    { of: 'recordingStarted', at: now - 10_000, true: '', lies: ['17:44:50 Recording started'] },
    { of: 'recordingEnded', at: now - 10_000, true: '', lies: ['17:44:50 Recording ended'] },
    {
      of: 'codecs',
      at: now - 40_000,
      true: '17:44:20 Codecs: H.264 High 3.0 640x360, AAC-LC 48 kHz mono',
      lies: ['17:44:20 Codecs: H.264 High 3.0 1280x720, AAC-LC 48 kHz mono'],
    },
  ],
  broadcastPeak: [{ of: 'show', true: 'peak 12', lies: ['peak 13', 'peak 0', 'peak 1'] }],
  readyChecks: [
    { true: 'All good · 8 checks', lies: ['All good · 0 checks', '8 of 7 ready, 1 to look at'], facts: idle },
    { true: '7 of 8 ready, 1 to look at', lies: ['7 of 8 ready, 2 to look at'], facts: idle },
    { true: 'Checking, 3 of 8', lies: ['Checking, 9 of 8'], facts: idle },
    { true: '', lies: ['All good · 8 checks'] },
  ],
  readyLine: [
    { of: 'disk', true: 'Disk 40 GB free, 39.5 GB of it for recordings.', lies: ['Disk 60 GB free'] },
    { of: 'share', true: 'Who can watch Nobody can watch.', lies: ['Who can watch 3 people'] },
  ],
  checks: [{ true: '0 of 0', lies: ['3 of 3', '0 of 7'] }],
  check: [
    { of: 'accepted', true: '', state: 'ok', lies: ['wait', 'fault'] },
    { of: 'gap', true: 'A key frame every 2.0 s', state: 'ok', lies: ['fault'] },
    { of: 'callback', true: '', state: 'wait', lies: ['ok'] },
    { of: 'service', true: 'Ready for the encoder 127.0.0.1:1935', state: 'ok', lies: ['fault'] },
  ],
  begin: [
    {
      of: '7',
      true: '2026-01-05 17:44:40',
      lies: ['2026-01-05 17:44:41', '2026-01-05 17:44:37', '2026-01-05 17:40:40', '2026-01-05 11:59:40'],
    },
  ],
  duration: [{ of: '7', true: '00:01:01', lies: ['00:00:59', '00:01:04'] }],
  bytes: [{ of: '7', true: '12.0 MB', lies: ['11.0 MB', '12.0 GB'] }],
  format: [{ of: '7', true: 'MP4', lies: ['FLV'] }],
  sum: [
    {
      true: '1 file · 12.0 MB · 00:01:01',
      lies: ['2 files · 12.0 MB · 00:01:01', '1 file · 13.0 MB · 00:01:01', '1 file · 12.0 MB · 00:02:01'],
    },
  ],
  page: [{ of: '1', true: '1 / 1', lies: ['1 / 2', '1 / 9'] }],
  range: [
    { true: '2025-12-30 – 2026-01-05', lies: ['2025-12-29 – 2026-01-04', '1999-01-01 – 2026-01-05', '2025-12-30'] },
  ],
  tick: [{ true: 'Mon 5', lies: ['Tue 6', '09:00'] }],
}

const shownAs = (figure: string, { of = '', at = Number.NaN, state = '' }: Case, text: string): ShownFigure => ({
  figure,
  of,
  text,
  state,
  at,
})
const saysTrue = (figure: string, one: Case, shown: ShownFigure): boolean =>
  sources[figure]!(shown, { ...facts, ...one.facts, shown: [] })

it('has a case of every figure; callbacks are none, since no application of the test has a callback address', () => {
  expect(Object.keys(sources).filter((name) => !cases[name])).toEqual(['callbacks'])
  expect(untruths({ ...facts, shown: [shownAs('callbacks', { true: '', lies: [] }, '1 waits')] }, [])).toHaveLength(1)
})

it.each(Object.entries(cases))('%s is told from what is false', (figure, all) => {
  for (const one of all) {
    if (one.true !== '' || one.state !== undefined)
      expect(saysTrue(figure, one, shownAs(figure, one, one.true)), `${figure}: ${one.true}`).toBe(true)
    for (const lie of one.lies) {
      const shown =
        one.state === undefined ? shownAs(figure, one, lie) : { ...shownAs(figure, one, one.true), state: lie }
      expect(saysTrue(figure, one, shown), `${figure}: ${lie}`).toBe(false)
    }
  }
})

it('knows a line of the check with another address, and what a screen leaves out', () => {
  const shown = [
    { figure: 'check', of: 'service', text: 'Ready for the encoder 127.0.0.1:7', state: 'ok', at: Number.NaN },
  ]
  expect(untruths({ ...facts, shown }, [])).toHaveLength(1)
  const wanted = wantedFigures('channels', { ...facts, shown: [] })
  for (const one of ['kbps a', 'kbps b', 'count onAir', 'address rtmp', 'onAir']) expect(wanted).toContain(one)
})

it('counts what has no source, and digits that stand outside of every figure', () => {
  expect(untruths({ ...facts, shown: [shownAs('nobody', { true: '', lies: [] }, '7')] }, ['Health: 7'])).toEqual([
    'nobody has no source',
    'no source: Health: 7',
  ])
})
