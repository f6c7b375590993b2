import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { ServiceState } from '../../contract/rpc/index.ts'
import { cutMark } from '../../platform/cut-text.ts'
import { eachLine } from '../supervisor/launcher.ts'
import { logRing } from '../supervisor/log-ring.ts'
import { scratch, until } from '../testing/rig.ts'
import { createPushHistory } from '../channel-status/push-history.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { readFolderFigures } from './folder-figures.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { createRedactor, removedMark } from './redactor.ts'
import { createSupport, maxPart, type SupportPorts } from './support.ts'
import { readSystem } from './system.ts'

const service: ServiceState = {
  phase: 'running',
  since: null,
  attempt: 0,
  attempts: 5,
  nextAttempt: null,
  busySince: null,
  reason: null,
  addresses: {
    api: 'http://127.0.0.1:8710',
    media: 'http://127.0.0.1:8711',
    rtmp: 'rtmp://127.0.0.1:1935',
    publicMedia: null,
  },
  notes: [],
  diskFree: 7,
  recordingRoom: 7,
  timeZone: 'UTC',
  database: null,
}
const off = {
  profileId: 'local',
  phase: 'off',
  host: '127.0.0.1',
  port: 0,
  url: null,
  reason: null,
  open: false,
} as const
const cid = '0123456789abcdef'.repeat(2)

function rig(more: Partial<SupportPorts> = {}) {
  const clock = manualClock()
  const known = createKnownSecrets()
  const history = createPushHistory()
  return {
    clock,
    known,
    history,
    support: createSupport({
      clock,
      redactor: createRedactor({ secrets: () => known.all(), home: '/home/ana' }),
      about: {
        version: '1.2.3',
        shell: 'browser',
        capabilities: ['openLog'],
        shellReason: () => 'no window in /home/ana',
      },
      system: readSystem,
      shell: () => ({ update: null }),
      settings: () => {
        throw new Error('settings.json in /home/ana is damaged')
      },
      profiles: () => [
        {
          id: 'local',
          kind: 'local',
          extended: true,
          media: null,
          name: 'This computer',
          liveUrl: '',
          messagingUrl: '',
          appKey: 'the-app-key',
          secret: 'session',
        },
        {
          id: 'a',
          kind: 'hosted',
          extended: true,
          media: 'https://far.example',
          name: 'Far',
          liveUrl: 'https://u:p@far.example/x',
          messagingUrl: '',
          appKey: 'the-app-key',
          secret: 'missing',
        },
      ],
      service: { state: () => service, lines: () => ['a push of x?wsSecret=abcdef&wsTime=1 was refused'] },
      log: () => [],
      receivers: {
        state: ({ profileId }) => Promise.resolve({ ...off, profileId, mustBeReachable: false, keyKnown: true }),
      },
      copies: { state: ({ profileId }) => ({ ...off, profileId, verification: 'checked', ignored: 0 }) },
      moderators: {
        board: () => ({
          listener: {
            phase: 'listening',
            open: true,
            port: 8443,
            urls: ['https://192.168.1.4:8443', 'https://203.0.113.7:8443'],
            reason: null,
            certificate: 'made',
            fingerprint: null,
            certificateUntil: null,
            failures: 2,
          },
          seats: [],
          unwritten: null,
        }),
      },
      obs: {
        state: () => ({
          phase: 'off',
          reason: null,
          host: '127.0.0.1',
          port: 4455,
          enabled: false,
          password: 'keychain',
          beyond: false,
          nextAttempt: null,
          version: null,
          streaming: null,
          target: null,
          statistics: null,
        }),
      },
      folder: () => Promise.resolve({ free: 1, parts: [], complete: true }),
      vault: { kind: 'session', reason: 'noBus', detail: 'no bus' },
      history,
      ...more,
    }),
  }
}
const read = async (support: ReturnType<typeof rig>['support']) => {
  const { parts, ...bundle } = await support.bundle()
  const part = (about: string) => parts.find((each) => each.about === about)!
  return { ...bundle, parts, part, json: (about: string) => JSON.parse(part(about).text) as Record<string, unknown> }
}

it('tells versions, states and figures in eleven parts, each without what is secret', async () => {
  const { support, known } = rig()
  known.note('the-app-key')
  const { part, json, parts, name } = await read(support)
  expect(name).toMatch(/^sidestage-support-\d{8}-\d{6}$/)
  expect(parts.map(({ file }) => file)).toHaveLength(11)
  expect(new Set(parts.map(({ file }) => file)).size).toBe(11)
  expect(json('app')).toMatchObject({
    version: '1.2.3',
    shell: 'browser',
    shellReason: 'no window in ~',
    system: { platform: process.platform, architecture: process.arch },
  })
  expect(json('app')['system']).not.toHaveProperty('home')
  expect(json('profiles')).toEqual([
    { id: 'local', kind: 'local', name: 'This computer', liveUrl: '', messagingUrl: '', kept: 'session' },
    {
      id: 'a',
      kind: 'hosted',
      name: 'Far',
      liveUrl: 'https://[removed]@far.example/x',
      messagingUrl: '',
      kept: 'missing',
    },
  ])
  expect(part('serviceLog')).toEqual({
    about: 'serviceLog',
    file: 'service-log.txt',
    text: 'a push of x?wsSecret=[removed]&wsTime=1 was refused\n',
    removed: 1,
    cut: false,
  })
  expect(json('listeners')).toMatchObject({
    service: [
      { name: 'api', tls: false },
      { name: 'media', tls: false },
      { name: 'rtmp', tls: false },
    ],
    receivers: [
      { profile: 'local', callbacks: { phase: 'off', tls: false }, copies: { phase: 'off' } },
      { profile: 'a' },
    ],
    moderators: { phase: 'listening', port: 8443, addresses: 2, tls: true, failures: 2 },
  })
  expect(json('obs')).toMatchObject({ port: 4455, phase: 'off', kept: 'keychain' })
  expect(json('keychain')).toMatchObject({ kind: 'session', reason: 'noBus' })
  expect(JSON.stringify(parts)).not.toMatch(/the-app-key|u:p|home\/ana|203\.0\.113/)
})

it('says what of it could not be read, and tells the rest', async () => {
  const { json } = await read(rig().support)
  expect(json('settings')).toEqual({ fault: 'settings.json in ~ is damaged' })
  expect(json('service')).toMatchObject({ phase: 'running' })
})

it('holds the newest lines of a log and no more than a part may have', async () => {
  const lines = Array.from({ length: 500 }, (_, n) => `${n} ${'x'.repeat(1_900)}`)
  const { part } = await read(rig({ log: () => lines, service: { state: () => service, lines: () => [] } }).support)
  const { text, cut } = part('appLog')
  expect(text.length).toBeLessThanOrEqual(maxPart)
  expect(text.length).toBeGreaterThan(maxPart - 4_000)
  expect([cut, text.startsWith('0 '), text.endsWith(`499 ${'x'.repeat(1_900)}\n`)]).toEqual([true, false, true])
  expect(part('serviceLog')).toMatchObject({ text: '', cut: false })
})

it('tells no part of a secret that lies across the end of a long line of a log, as the process wrote it or as it was kept', async () => {
  const secret = encodeURIComponent('canary/0123456789abcdef')
  const known = createKnownSecrets()
  known.note(decodeURIComponent(secret))
  for (const most of [2_000, 4_000])
    for (const behind of [5, 12, secret.length - 1]) {
      const ring = logRing(() => known.all())
      const stream = new PassThrough()
      eachLine(stream, ring.add)
      // What the ring masks makes room for the end of what the process wrote.
      const masked = most > 2_000 ? ` token=${'t'.repeat(2_500)} ` : ''
      const line = masked + 'x'.repeat(most - masked.length - cutMark.length - behind - 1) + ' ' + secret
      for (const part of [line, 'y'.repeat(5_000), '\n']) stream.write(part)
      await until('the line', () => ring.lines().length === 1)
      const redactor = createRedactor({ secrets: () => known.all(), home: '/home/ana' })
      const { part } = await read(rig({ log: ring.lines, redactor }).support)
      expect(part('appLog').text).toContain(` ${removedMark}${cutMark}`)
      expect(part('appLog').text).not.toContain('canary')
    }
})

it('tells how the pushes of the last minutes went', async () => {
  const { support, history, clock } = rig()
  const none = {
    keyFrameGap: null,
    keyFrameGapMax: null,
    kbpsDeviation: null,
    fpsDeclared: null,
    audioGap: null,
    width: null,
    height: null,
  } as const
  const more = {
    videoCodec: null,
    audioCodec: null,
    sampleRate: null,
    audioChannels: null,
    encoder: null,
    viewers: null,
  } as const
  const at = clock.now()
  for (const [n, kbps] of [1000, 2000, null].entries())
    history.note({
      type: 'figures',
      profileId: 'local',
      cid,
      at: at + n,
      figures: { kbps, fps: 30, drift: null, ...none, ...more },
    })
  history.note({
    type: 'push',
    profileId: 'local',
    cid,
    at,
    kind: 'refused',
    detail: 'key is wsSecret=abc',
    remedy: null,
  })
  const { part, json } = await read(support)
  expect(json('health')).toEqual([
    {
      profile: 'local',
      channel: cid,
      seconds: 3,
      kbps: { least: 1000, mean: 1500, most: 2000 },
      fps: { least: 30, mean: 30, most: 30 },
      drift: null,
      turns: [{ at, kind: 'refused', detail: 'key is wsSecret=[removed]', remedy: null }],
      columns: 'at kbps fps drift',
      samples: [`${at} 1000 30 -`, `${at + 1} 2000 30 -`, `${at + 2} - 30 -`],
    },
  ])
  expect(part('health').removed).toBe(1)
})

it('counts a data folder by the names that the app gave', async () => {
  using folder = scratch()
  const put = (name: string, bytes: number): void => {
    mkdirSync(path.dirname(path.join(folder.dir, name)), { recursive: true })
    writeFileSync(path.join(folder.dir, name), Buffer.alloc(bytes))
  }
  put('profiles.json', 10)
  put('service/recordings/a-name-that-a-person-gave/1.mp4', 100)
  put('service/recordings/2.mp4', 50)
  put('service/sidestage.db', 7)
  const { free, parts, complete } = await readFolderFigures(folder.dir)
  expect(free).toBeGreaterThan(0)
  expect(complete).toBe(true)
  expect([...parts].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'profiles.json', files: 1, bytes: 10 },
    { name: 'service/recordings', files: 2, bytes: 150 },
    { name: 'service/sidestage.db', files: 1, bytes: 7 },
  ])
  // Moved elsewhere, the service's folder is counted where it is.
  using elsewhere = scratch()
  renameSync(path.join(folder.dir, 'service'), path.join(elsewhere.dir, 'moved'))
  expect((await readFolderFigures(folder.dir, path.join(elsewhere.dir, 'moved'))).parts).toEqual(
    expect.arrayContaining([...parts]),
  )
  expect(await readFolderFigures(path.join(folder.dir, 'gone'))).toEqual({ free: null, parts: [], complete: true })
})

it('names the bundle by the time at which it was made', async () => {
  const { support, clock } = rig()
  clock.set(Date.UTC(2026, 10, 27, 5, 6, 7, 8) - clock.now())
  expect(await support.bundle()).toMatchObject({
    made: Date.UTC(2026, 10, 27, 5, 6, 7, 8),
    name: 'sidestage-support-20261127-050607',
  })
})

it('cuts a part that is too long at its end and says so', async () => {
  const { part } = await read(
    rig({
      folder: () =>
        Promise.resolve({ free: 1, parts: [{ name: 'x'.repeat(300_000), files: 1, bytes: 1 }], complete: true }),
    }).support,
  )
  expect([part('data').text.length, part('data').cut]).toEqual([maxPart, true])
  expect(part('obs').cut).toBe(false)
})

it('tells of the 8 latest channels, with their 50 latest turns', async () => {
  const { support, history } = rig()
  const push = (channel: string, at: number): void =>
    history.note({
      type: 'push',
      profileId: 'local',
      cid: channel,
      at,
      kind: at % 2 ? 'ended' : 'started',
      detail: null,
      remedy: null,
    })
  for (let n = 0; n < 10; n++) push(`channel-${n}`, n)
  for (let at = 0; at < 60; at++) push('channel-9', 100 + at)
  const health = (await read(support)).json('health') as unknown as { channel: string; turns: { at: number }[] }[]
  expect(health.map(({ channel }) => channel)).toEqual(Array.from({ length: 8 }, (_, n) => `channel-${n + 2}`))
  expect([health[7]!.turns.length, health[7]!.turns[0]!.at, health[7]!.turns.at(-1)!.at]).toEqual([50, 110, 159])
})

it('says what of a receiver could not be read, where the others are told', async () => {
  const { json } = await read(
    rig({
      receivers: {
        state: ({ profileId }) =>
          profileId === 'a'
            ? Promise.reject(new Error('the keychain is locked'))
            : Promise.resolve({ ...off, profileId, mustBeReachable: false, keyKnown: true }),
      },
    }).support,
  )
  expect(json('listeners')['receivers']).toMatchObject([
    { profile: 'local', callbacks: { phase: 'off' } },
    { profile: 'a', callbacks: 'the keychain is locked', copies: { phase: 'off' } },
  ])
})

it('names the keychain of the system, and the public address among the listeners', async () => {
  for (const [platform, backend] of [
    ['darwin', 'macOS Keychain'],
    ['win32', 'Windows Credential Manager'],
    ['linux', 'Secret Service (libsecret)'],
    ['freebsd', 'none'],
  ] as const) {
    const { json } = await read(rig({ system: () => ({ ...readSystem(), platform }) }).support)
    expect(json('keychain')).toMatchObject({ backend })
  }
  const addresses = { ...service.addresses!, publicMedia: 'https://live.example' }
  const { json } = await read(rig({ service: { state: () => ({ ...service, addresses }), lines: () => [] } }).support)
  expect(json('listeners')['service']).toContainEqual({ name: 'publicMedia', url: 'https://live.example', tls: true })
})

it('gives each part of a bundle 256 KiB of characters', () => {
  expect(maxPart).toBe(262_144)
})

it('fills a part with as many whole lines of a log as it has room for', async () => {
  const lines = Array.from({ length: 300 }, (_, n) => String(n).padEnd(1_023, 'x'))
  const { part } = await read(rig({ log: () => lines }).support)
  const { text, cut } = part('appLog')
  expect([text.length, text.slice(0, 2), cut]).toEqual([262_144, '44', true])
  const fits = await read(rig({ log: () => lines.slice(44) }).support)
  expect(fits.part('appLog')).toMatchObject({ cut: false })
})
