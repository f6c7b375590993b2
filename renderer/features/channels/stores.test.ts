import { createPinia, setActivePinia } from 'pinia'
import { ORPCError } from '@orpc/client'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Channel, ServiceState, Tally } from '../../../contract/rpc/state.ts'
import type { RpcClient } from '../../data/client.ts'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { applyEvent } from '../../events.ts'
import { useBlocker } from './blocker.ts'
import { broadcastOf, type LogLine, pushOf, useLive } from './live.ts'
import { useOnAir } from './on-air.ts'
import { usePushCard } from '../studio/push-card.ts'
import { useRecordings } from './recorded.ts'
import { servicesKey } from '../../data/services.ts'

const channel = (cid: string, status = 0): Channel => ({
  cid,
  name: `N_${cid}`,
  status,
  created: 1,
  needRecord: false,
  format: 'mp4',
  duration: 120,
  filename: '',
})
const service = (phase: ServiceState['phase'], attempt = 0): AppEvent => ({
  type: 'service',
  service: {
    phase,
    since: phase === 'running' ? null : 5_000,
    attempt,
    attempts: 5,
    nextAttempt: null,
    busySince: null,
    reason: { code: 'failed', params: { system: 'gone' } },
    addresses: null,
    notes: [],
    diskFree: null,
    recordingRoom: null,
    database: null,
    timeZone: 'UTC',
  },
})
const local = {
  id: 'local',
  kind: 'local',
  extended: true,
  media: null,
  name: 'l',
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret: 'keychain',
} as const
const hosted = { ...local, id: 'h', kind: 'hosted', extended: false } as const

function stage() {
  const pinia = createPinia()
  const app = createApp({})
  let channels: Channel[] = [channel('a', 1), channel('b'), channel('c', 2)]
  let failing: unknown
  let now = 9_000
  const calls: string[] = []
  const kept = new Map<string, string>()
  const answer =
    <T>(name: string, value: (input: never) => T) =>
    (input: unknown): Promise<T> => {
      calls.push(name)
      return failing === undefined ? Promise.resolve(value(input as never)) : Promise.reject(failing as Error)
    }
  const rpc = {
    channels: {
      list: answer('list', () => ({ channels, total: channels.length })),
      create: answer('create', ({ name }: { name: string }) => {
        channels = [...channels, { ...channel('new'), name }]
        return { cid: 'new' }
      }),
      rename: answer('rename', ({ cid, name }: { cid: string; name: string }) => {
        channels = channels.map((each) => (each.cid === cid ? { ...each, name } : each))
      }),
      disable: answer('disable', ({ cids }: { cids: string[] }) => ({
        results: cids.map((cid) => ({ cid, ok: cid !== 'c', code: cid === 'c' ? 629 : null })),
      })),
    },
    push: {
      card: answer('card', ({ cid }: { cid: string }) => ({ server: 's', keyStart: cid, keyEnd: '', expires: null })),
      reveal: answer('reveal', () => ({ key: 'secret-key' })),
      copy: answer('copy', () => ({ text: 'secret-url' })),
    },
  } as unknown as RpcClient
  app.provide(servicesKey, {
    rpc,
    now: () => now,
    memory: { read: (key) => kept.get(key) ?? null, write: (key, value) => void kept.set(key, value) },
  })
  app.use(pinia)
  setActivePinia(pinia)
  return {
    pinia,
    app,
    calls,
    rpc,
    kept,
    fail: (error: unknown) => {
      failing = error
    },
    /** Sets the clock of the computer. */
    at: (time: number) => {
      now = time
    },
    tell: (event: AppEvent) => applyEvent(event, pinia, 9_000),
  }
}

let on: ReturnType<typeof stage>
beforeEach(() => {
  on = stage()
  on.tell({ type: 'profiles', profiles: [local, hosted] })
})
const failed = (code: number): ORPCError<'FAILED', unknown> =>
  new ORPCError('FAILED', { data: { kind: 'code', code, skewSeconds: null, detail: 'd' } })

it('chooses this computer first, remembers another choice, and falls back when it is removed', () => {
  const companion = useCompanion()
  expect(companion.profile?.id).toBe('local')
  companion.choose('h')
  expect(companion.profile?.id).toBe('h')
  expect([...on.kept.values()]).toEqual(['h'])
  on.tell({ type: 'profiles', profiles: [local] })
  expect(companion.profile?.id).toBe('local')
})

it('keeps the old rows and says why when the list cannot be loaded again', async () => {
  const channels = useChannels()
  await channels.refresh()
  expect(channels.rows).toHaveLength(3)
  on.fail(failed(602))
  await channels.refresh()
  expect(channels.rows).toHaveLength(3)
  expect(channels.slice.failure).toMatchObject({ kind: 'code', code: 602 })
})

it('shows the list that was asked for last when answers cross', async () => {
  const channels = useChannels()
  const answers: ((list: { channels: never[] }) => void)[] = []
  const list = on.rpc.channels.list
  Object.assign(on.rpc.channels, { list: () => new Promise((resolve) => answers.push(resolve)) })
  const older = channels.refresh()
  Object.assign(on.rpc.channels, { list })
  await channels.refresh()
  answers[0]?.({ channels: [] })
  await older
  expect(channels.rows).toHaveLength(3)
})

it('reports a batch row by row and keeps the failures at their rows', async () => {
  const channels = useChannels()
  await channels.refresh()
  const done = await channels.batch('disable', ['b', 'c'])
  expect(done.rows.map(({ name, ok }) => [name, ok])).toEqual([
    ['N_b', true],
    ['N_c', false],
  ])
  expect(channels.failures.get('c')).toMatchObject({ code: 629 })
  expect(channels.failures.get('b')).toBeUndefined()
  expect(channels.report).toEqual(done)
  expect(channels.busy.size).toBe(0)
})

it('shows the report of a batch under its own profile only', async () => {
  const channels = useChannels()
  await channels.refresh()
  const done = await channels.batch('disable', ['b', 'c'])
  useCompanion().choose('h')
  expect(channels.report).toBeNull()
  useCompanion().choose('local')
  expect(channels.report).toEqual(done)
})

it('says of each profile why its list did not come, also when another was asked for meanwhile', async () => {
  const channels = useChannels()
  on.fail(failed(602))
  const first = channels.refresh('h')
  on.fail(undefined)
  await Promise.all([first, channels.refresh('local')])
  useCompanion().choose('h')
  expect([channels.slice.failure?.code, channels.slice.loading]).toEqual([602, false])
})

it('tells the tray which channel was opened, once, and again when that did not arrive', async () => {
  const channels = useChannels()
  const told: string[] = []
  let fails = false
  Object.assign(on.rpc, {
    app: {
      open: ({ cid }: { cid: string }) => {
        told.push(cid)
        return fails ? Promise.reject(new Error('gone')) : Promise.resolve()
      },
    },
  })
  channels.open('a')
  channels.open('a')
  fails = true
  channels.open('b')
  await nextTick()
  await nextTick()
  fails = false
  channels.open('b')
  expect(told).toEqual(['a', 'b', 'b'])
})

describe('the title', () => {
  const tallies = (profileId: string, on_: string[], source: 'event' | 'poll' = 'event'): AppEvent => ({
    type: 'tallies',
    profileId,
    at: 9_000,
    source,
    fault: null,
    tallies: on_.map((cid, index) => ({ cid, status: 1, since: 1_000 + index, viewers: 0, keyExpires: null })),
  })

  it('is of what is on air under any profile, and of the channel opened last only when nothing is', async () => {
    const [channels, companion, onAir] = [useChannels(), useCompanion(), useOnAir()]
    Object.assign(on.rpc, { app: { open: () => Promise.resolve() } })
    companion.lineIs('open')
    companion.tick()
    await channels.refresh('local')
    on.tell(tallies('local', ['a']))
    channels.open('b')
    expect([onAir.state, onAir.title?.name]).toEqual(['live', 'N_a'])
    companion.choose('h')
    await channels.refresh('h')
    on.tell(tallies('h', [], 'poll'))
    expect([onAir.state, onAir.title?.name, onAir.title?.profileId]).toEqual(['live', 'N_a', 'local'])
    on.tell(service('restarting', 1))
    expect([onAir.state, onAir.title?.name]).toEqual(['fault', 'N_a'])
    on.tell(service('running'))
    on.tell(tallies('local', []))
    expect([onAir.state, onAir.title?.cid]).toEqual(['idle', 'b'])
  })

  it('says nothing while nothing was told, and a fault when the line is lost', () => {
    const [companion, onAir] = [useCompanion(), useOnAir()]
    expect(onAir.isKnown).toBe(false)
    companion.lineIs('unauthorized')
    expect(onAir.isKnown).toBe(false)
    companion.lineIs('open')
    expect(onAir.isKnown).toBe(false)
    on.tell(tallies('local', []))
    expect([onAir.isKnown, onAir.state]).toEqual([true, 'idle'])
    companion.lineIs('lost')
    expect([onAir.isKnown, onAir.state]).toEqual([true, 'fault'])
  })
})

it('counts what lasts to the last word of it, while nobody vouches for the lamps', () => {
  const [companion, channels] = [useCompanion(), useChannels()]
  const knownAt = (time: number): number => {
    on.at(time)
    companion.tick()
    return channels.knownTo
  }
  companion.lineIs('open')
  expect(knownAt(10_000)).toBe(10_000)
  companion.lineIs('lost')
  expect(knownAt(15_000)).toBe(10_000)
  companion.lineIs('open')
  expect(knownAt(16_000)).toBe(16_000)
  on.tell(service('restarting', 1))
  expect(knownAt(17_000)).toBe(16_000)
  on.tell(service('running'))
  expect(knownAt(18_000)).toBe(18_000)
  // Its tallies come no more: the lamps are in doubt before the line is found to be lost.
  on.tell({
    type: 'tallies',
    profileId: 'local',
    at: 18_000,
    source: 'event',
    fault: 'lost',
    tallies: [],
  })
  const stood = knownAt(19_000)
  expect([channels.unsure, knownAt(60_000)]).toEqual([true, stood])
})

it('shows what is from the last word of the app, however late the line is found to be lost', () => {
  const companion = useCompanion()
  companion.lineIs('open')
  on.at(20_000)
  on.tell(service('running'))
  on.at(28_000)
  companion.lineIs('lost')
  expect(companion.lostAt).toBe(20_000)
  companion.lineIs('open')
  expect(companion.lostAt).toBeNull()
  on.at(40_000)
  companion.heard()
  on.at(48_000)
  companion.lineIs('lost')
  expect(companion.lostAt).toBe(40_000)
})

it('has in the log of a broadcast what came with its push and after it, and of none everything', () => {
  const line = (at: number, kind: LogLine['kind']): LogLine => ({ at, kind, detail: null, remedy: null })
  const [refused, ended, recording, started, before] = [
    line(9_500, 'refused'),
    line(9_000, 'ended'),
    line(5_000, 'recordingStarted'),
    line(5_400, 'started'),
    line(2_000, 'started'),
  ]
  expect(broadcastOf([refused, ended, started, recording, line(3_000, 'ended'), before])).toEqual([
    refused,
    ended,
    started,
    recording,
  ])
  expect(broadcastOf([refused])).toEqual([refused])
})

it('has the broadcast before in its log and end, where a push gave up at once or was refused', () => {
  const line = (at: number, kind: LogLine['kind']): LogLine => ({ at, kind, detail: null, remedy: null })
  const [over, picture, started] = [line(9_000, 'ended'), line(2_500, 'firstKeyFrame'), line(2_000, 'started')]
  // The file of the broadcast is ready while the next push is tried.
  const tried = [line(12_000, 'refused'), line(11_100, 'ended'), line(11_050, 'fileReady'), line(11_000, 'started')]
  const all = [...tried, over, picture, started, line(900, 'ended')]
  expect(broadcastOf(all)).toEqual(all.slice(0, -1))
  expect(pushOf(all)).toEqual([over, picture, started])
  // One that runs may bring something yet; where none ever did, the newest stands.
  expect(broadcastOf(all.slice(3))).toEqual([tried[3]])
  expect(broadcastOf(tried)).toEqual(tried)
})

it('ends no recording while nobody tells of it, and with the service what was on air', () => {
  const live = useLive()
  const tallies = (at: number, status: number, fault: (AppEvent & { type: 'tallies' })['fault'] = null): AppEvent => ({
    type: 'tallies',
    profileId: 'local',
    at,
    source: 'event',
    fault,
    tallies: [{ cid: 'a', status, since: 1, viewers: 0, keyExpires: null }],
  })
  const recording = (at: number, state: 'recording' | 'off'): AppEvent => ({
    type: 'recording',
    profileId: 'local',
    cid: 'a',
    at,
    recording: { state, reason: null, since: null, bytes: 0, cut: null },
  })
  const tell = (...events: readonly AppEvent[]): void => {
    for (const event of events) live.apply(event, 9_000, ['a'])
  }
  const kinds = () =>
    live.logOf('local', 'a').map(({ kind, detail }) => (kind === 'ended' ? `${kind} ${detail}` : kind))
  tell(service('running'), tallies(1, 3), recording(2, 'recording'))
  // The service hangs and goes on.
  tell(tallies(20, 3, 'lost'), recording(20, 'off'), tallies(40, 3), recording(41, 'recording'))
  expect(kinds()).toEqual(['recordingStarted'])
  // What ended meanwhile is told when it answers.
  tell(tallies(50, 3, 'lost'), recording(50, 'off'), tallies(60, 0))
  expect(kinds()).toEqual(['recordingEnded', 'recordingStarted'])
  // It is killed.
  tell(
    recording(100, 'recording'),
    tallies(100, 3),
    tallies(5_000, 3, 'lost'),
    recording(5_000, 'off'),
    service('restarting', 1),
  )
  expect(kinds().slice(0, 3).toSorted()).toEqual(['ended service', 'recordingEnded', 'serviceLost'])
})

it('a batch that could not be asked for at all fails in every row', async () => {
  const channels = useChannels()
  await channels.refresh()
  on.fail(new Error('line lost'))
  const done = await channels.batch('disable', ['a', 'b'])
  expect(done.rows.every((row) => row.failure?.kind === 'offline')).toBe(true)
})

it('changes a lamp only when the service said so', async () => {
  const channels = useChannels()
  await channels.refresh()
  const lampOf = (cid: string) => channels.rows.find((row) => row.cid === cid)?.lamp
  await channels.batch('disable', ['b'])
  expect(lampOf('b')).toBe('idle')
  on.tell({
    type: 'tallies',
    profileId: 'local',
    at: 9_000,
    source: 'event',
    fault: null,
    tallies: [{ cid: 'b', status: 2, since: null, viewers: 0, keyExpires: null }],
  })
  expect(lampOf('b')).toBe('disabled')
})

it('a fault of the service counts for its own profile only, is logged once with its restarts, and reads the list again', async () => {
  const companion = useCompanion()
  const channels = useChannels()
  await channels.refresh()
  for (const event of [
    service('running'),
    service('restarting', 1),
    service('restarting', 1),
    service('restarting', 2),
    service('running'),
  ])
    on.tell(event)
  expect(
    useLive()
      .logOf('local', 'a')
      .map((line) => line.kind)
      .sort(),
  ).toEqual(['serviceBack', 'serviceLost', 'serviceRestart'])
  on.tell(service('restarting', 1))
  expect(companion.fault).not.toBeNull()
  companion.choose('h')
  expect(companion.fault).toBeNull()
  expect(on.calls.filter((call) => call === 'list').length).toBeGreaterThanOrEqual(2)
})

it('says once that the service runs again, whatever becomes of the count of its attempts, and not that it runs when it was not away', async () => {
  await useChannels().refresh()
  const kinds = (): string[] =>
    useLive()
      .logOf('local', 'a')
      .map(({ kind }) => kind)
      .sort()
  for (const event of [service('starting'), service('running'), service('running', 1)]) on.tell(event)
  expect(kinds()).toEqual([])
  for (const event of [service('restarting', 1), service('starting', 1), service('running', 1), service('running')])
    on.tell(event)
  expect(kinds()).toEqual(['serviceBack', 'serviceLost'])
})

it('forgets a file that was ready when it is deleted, and has the lists read again', () => {
  const recordings = useRecordings()
  for (const [cid, vid] of [
    ['a', 7],
    ['b', 8],
  ] as const)
    on.tell({ type: 'recorded', profileId: 'local', cid, at: 1, vid, name: 'n', bytes: 1, merged: false })
  const before = recordings.files
  on.tell({ type: 'unrecorded', profileId: 'local', vids: [7, 9] })
  expect([recordings.readyOf('local', 'a'), recordings.readyOf('local', 'b')?.vid]).toEqual([undefined, 8])
  expect(recordings.files).toBe(before + 1)
})

it('knows the rate at which the disk fills: of all channels that are recorded together', () => {
  const live = useLive()
  const figures = (cid: string, kbps: number): AppEvent => ({
    type: 'figures',
    profileId: 'local',
    cid,
    at: 1,
    figures: { kbps } as never,
  })
  for (const [cid, kbps] of [
    ['a', 3_000],
    ['b', 2_000],
    ['c', 1_000],
  ] as const)
    on.tell(figures(cid, kbps))
  const tally = (cid: string, status: number): Tally => ({ cid, status, since: 1, viewers: 0, keyExpires: null })
  on.tell({
    type: 'tallies',
    profileId: 'local',
    at: 1,
    source: 'event',
    fault: null,
    tallies: [tally('a', 3), tally('b', 3), tally('c', 1)],
  })
  expect(['a', 'c', 'd'].map((cid) => live.recordedKbps('local', cid))).toEqual([5_000, 6_000, null])
  // A silence changes nothing of it, and a second of what was missed little.
  for (let at = 1_000; at <= 60_000; at += 1_000)
    on.tell({ ...figures('a', at < 50_000 ? 3_000 : at === 60_000 ? 9_000 : 0), at } as AppEvent)
  expect(live.recordedKbps('local', 'a')).toBeCloseTo(2_000 + (50 * 3_000 + 9_000) / 51, 0)
})

it('tells a silence of the encoder when it begins, and no second without anything', () => {
  const live = useLive()
  const silences = () => live.logOf('local', 'a').flatMap(({ kind, at }) => (kind === 'silent' ? at : []))
  const tell = (...rates: readonly number[]): void => {
    for (const kbps of rates)
      on.tell({ type: 'figures', profileId: 'local', cid: 'a', at: (time += 1_000), figures: { kbps } as never })
  }
  let time = 0
  tell(0, 0, 3_000, 0, 3_000)
  expect(silences()).toEqual([])
  tell(0, 0)
  expect(silences()).toEqual([5_000])
  tell(0, 0, 3_000)
  expect(silences()).toEqual([5_000])
})

it('lets the clock of a recording stand while nothing comes: it has what is in the file', () => {
  const store = useRecordings()
  const recording = { state: 'recording', reason: null, since: 1_000, recorded: 41_970, bytes: 1, cut: null } as const
  expect(store.recordedOf('local', 'a', 50_000, false)).toBeNull()
  on.tell({ type: 'recording', profileId: 'local', cid: 'a', at: 50_000, recording })
  expect(store.recordedOf('local', 'a', 51_000, false)).toBe(42_970)
  expect(store.recordedOf('local', 'a', 51_000, true)).toBe(41_970)
  // Told every 2 s: whoever does not tell vouches for nothing more.
  expect(store.recordedOf('local', 'a', 90_000, false)).toBe(44_470)
})

it('takes the repeated events of a new subscription once, and keeps two minutes of figures', () => {
  const live = useLive()
  const push: AppEvent = {
    type: 'push',
    profileId: 'local',
    cid: 'a',
    at: 1,
    kind: 'started',
    detail: null,
    remedy: null,
  }
  on.tell(push)
  on.tell(push)
  expect(live.logOf('local', 'a')).toHaveLength(1)
  for (let at = 0; at < 300_000; at += 1_000)
    on.tell({ type: 'figures', profileId: 'local', cid: 'a', at, figures: { kbps: at } as never })
  expect(live.figuresOf('local', 'a')?.history).toHaveLength(120)
  on.tell({ type: 'figures', profileId: 'local', cid: 'a', at: 301_000, figures: null })
  expect(live.figuresOf('local', 'a')).toMatchObject({ figures: null, last: { kbps: 299_000 } })
})

it('keeps begin and files of a broadcast in its log, whoever is refused how often', () => {
  const push = { type: 'push', profileId: 'local', cid: 'a', detail: null } as const
  on.tell({ ...push, at: 0, kind: 'started', remedy: null })
  on.tell({ type: 'recorded', profileId: 'local', cid: 'a', vid: 1, at: 1, name: 'a.mp4', merged: false } as AppEvent)
  for (let at = 2; at < 500; at++) on.tell({ ...push, at, kind: 'refused', remedy: 'key', from: '203.0.113.9' })
  const lines = useLive().logOf('local', 'a')
  expect(lines.filter(({ kind }) => kind === 'refused')).toHaveLength(50)
  expect(lines[0]).toMatchObject({ at: 499, from: '203.0.113.9' })
  expect(lines.slice(-2).map(({ kind }) => kind)).toEqual(['fileReady', 'started'])
})

it('has in its log what came later above what came before it in the same moment, also when it is told again', () => {
  const kinds = ['started', 'firstKeyFrame', 'codecs', 'stalled', 'ended'] as const
  for (let time = 0; time < 2; time++)
    for (const kind of kinds)
      on.tell({ type: 'push', profileId: 'local', cid: 'a', at: 5_000, kind, detail: null, remedy: null })
  expect(
    useLive()
      .logOf('local', 'a')
      .map(({ kind }) => kind),
  ).toEqual(kinds.toReversed())
})

it('bounds the log of a broadcast', () => {
  for (let at = 0; at < 500; at++)
    on.tell({ type: 'push', profileId: 'local', cid: 'a', at, kind: 'stalled', detail: '1', remedy: null })
  const lines = useLive().logOf('local', 'a')
  expect(lines).toHaveLength(200)
  expect(lines[0]?.at).toBe(499)
})

it('shows a key for 8 s, copies without showing, and forgets both when another channel is chosen', async () => {
  vi.useFakeTimers()
  try {
    const copied: string[] = []
    const cid = ref<string | null>('a')
    const scope = effectScope()
    const push = on.app.runWithContext(() =>
      scope.run(() =>
        usePushCard(ref('local'), cid, async (text) => {
          copied.push(text)
        }),
      ),
    )
    if (!push) throw new Error('no card')
    await vi.advanceTimersByTimeAsync(0)
    expect(push.card.value?.keyStart).toBe('a')
    expect(await push.copy('url')).toBe(true)
    expect(copied).toEqual(['secret-url'])
    expect(push.shown.value).toBeNull()
    await push.reveal()
    await vi.advanceTimersByTimeAsync(7_999)
    expect(push.shown.value?.key).toBe('secret-key')
    await vi.advanceTimersByTimeAsync(1)
    expect(push.shown.value).toBeNull()
    await push.reveal()
    cid.value = 'b'
    await nextTick()
    expect(push.shown.value).toBeNull()
    await vi.advanceTimersByTimeAsync(0)
    expect(push.card.value?.keyStart).toBe('b')
    scope.stop()
  } finally {
    vi.useRealTimers()
  }
})

it('says at the card what a refused clipboard or a failed call was', async () => {
  const scope = effectScope()
  const push = on.app.runWithContext(() =>
    scope.run(() => usePushCard(ref('local'), ref('a'), () => Promise.reject(new Error('denied')))),
  )
  if (!push) throw new Error('no card')
  expect(await push.copy('key')).toBe(false)
  expect(push.failure.value).toBeNull()
  on.fail(failed(617))
  await push.reveal()
  expect(push.shown.value).toBeNull()
  expect(push.failure.value).toMatchObject({ code: 617 })
  scope.stop()
})

it('vouches for no lamp while the line is lost, the service is down or silent, or a hosted one has not answered for 20 s', async () => {
  const companion = useCompanion()
  const channels = useChannels()
  const told = (profileId: string, at: number, fault: (AppEvent & { type: 'tallies' })['fault']): void =>
    on.tell({
      type: 'tallies',
      profileId,
      at,
      source: profileId === 'local' ? 'event' : 'poll',
      fault,
      tallies: [{ cid: 'a', status: 1, since: 1, viewers: 0, keyExpires: null }],
    })
  const lamp = () => channels.shownLamp(channel('a'))
  companion.lineIs('open')
  on.tell(service('running'))
  told('local', 9_000, null)
  expect(lamp()).toBe('live')
  on.tell(service('restarting', 1))
  expect(lamp()).toBe('fault')
  on.tell(service('running'))
  expect(lamp()).toBe('live')
  told('local', 9_000, 'lost')
  expect(lamp()).toBe('fault')
  told('local', 9_000, null)
  companion.lineIs('lost')
  useLive().markStale()
  expect(lamp()).toBe('fault')
  // A line that is open again has told nothing yet.
  companion.lineIs('open')
  expect(lamp()).toBe('fault')
  told('local', 9_000, null)
  expect(lamp()).toBe('live')

  companion.choose('h')
  told('h', 0, 'poll')
  expect(lamp()).toBe('fault')
  // Whatever the clock of the companion says, which may be that of another computer.
  told('h', 0, null)
  expect(lamp()).toBe('live')
  told('h', 0, 'poll')
  companion.clock = 9_000 + 20_000
  expect(lamp()).toBe('live')
  companion.clock += 1
  expect(lamp()).toBe('fault')
})

it('is busy with a channel while something is done to it', async () => {
  const channels = useChannels()
  await channels.refresh()
  const reads = () => on.calls.filter((call) => call === 'list').length
  const before = reads()
  const refused = channels.batch('disable', ['c'])
  expect([...channels.busy]).toEqual([['c', 'disable']])
  await refused
  expect([channels.busy.size, reads(), channels.report]).toEqual([0, before, null])
  expect(channels.failures.get('c')).toMatchObject({ kind: 'code', code: 629 })
  const again = channels.batch('disable', ['c'])
  // What failed before is not said of the next attempt.
  expect(channels.failures.get('c')).toBeUndefined()
  await again
  await channels.batch('disable', ['b'])
  expect(reads()).toBe(before + 1)
})

it('renames a channel, reads the list again, and is not busy with it where that was refused', async () => {
  const channels = useChannels()
  await channels.refresh()
  channels.failures.set('b', { kind: 'late', code: null, skewSeconds: null, detail: '' })
  const renaming = channels.rename('b', 'Other')
  expect(channels.busy.get('b')).toBe('rename')
  await renaming
  expect([channels.nameOf('b'), channels.busy.size, channels.failures.size]).toEqual(['Other', 0, 0])
  on.fail(failed(610))
  await expect(channels.rename('b', 'Third')).rejects.toThrow()
  expect([channels.nameOf('b'), channels.busy.size]).toEqual(['Other', 0])
})

it('lists a channel that it made, and says when it is not recorded though that was wished', async () => {
  const channels = useChannels()
  const plain = { record: false, chat: false }
  expect(await channels.create('Made', plain)).toEqual({ cid: 'new', recording: true, hold: true, chat: true })
  expect([channels.nameOf('new'), channels.nameIn('local', 'new'), channels.nameIn('h', 'new')]).toEqual([
    'Made',
    'Made',
    undefined,
  ])
  Object.assign(on.rpc.channels, { create: () => Promise.resolve({ cid: 'new', recording: 'failed' }) })
  expect((await channels.create('Made', { ...plain, record: true })).recording).toBe(false)
})

it('says that a channel is deleted only once the whole list was read', async () => {
  const channels = useChannels()
  expect(channels.isDeleted('x')).toBe(false)
  await channels.refresh()
  expect([channels.isDeleted('x'), channels.isDeleted('a')]).toEqual([true, false])
  on.fail(failed(602))
  await channels.refresh()
  expect(channels.isDeleted('x')).toBe(false)
})

it('has a name for a channel that is not listed, and remembers the one opened last', async () => {
  const channels = useChannels()
  Object.assign(on.rpc, { app: { open: () => Promise.resolve() } })
  await channels.refresh()
  expect([channels.nameOf('x'), channels.first?.cid]).toEqual(['x', 'a'])
  channels.open('b')
  expect([channels.first?.cid, on.kept.get('sidestage.opened')]).toEqual(['b', 'b'])
})

it('says what hinders a change: the line, then the service, then the host of the profile', () => {
  const [companion, blocker] = [useCompanion(), useBlocker()]
  companion.lineIs('open')
  expect(blocker.cause).toBeNull()
  on.tell(service('restarting', 1))
  expect(blocker.cause).toBe('down')
  companion.lineIs('lost')
  expect(blocker.cause).toBe('offline')
  companion.lineIs('open')
  companion.choose('h')
  expect(blocker.cause).toBeNull()
  const failure = { kind: 'unreachable', code: null, skewSeconds: null, detail: '' } as const
  on.tell({ type: 'tallies', profileId: 'h', at: 1, source: 'poll', fault: 'poll', tallies: [], failure })
  expect(blocker.cause).toBe('host')
  companion.choose('local')
  expect(blocker.cause).toBe('down')
})

it('names every channel on air of all profiles, and doubts them while the line is lost', async () => {
  const [companion, onAir] = [useCompanion(), useOnAir()]
  companion.lineIs('open')
  await useChannels().refresh('local')
  on.tell({
    type: 'tallies',
    profileId: 'local',
    at: 9_000,
    source: 'event',
    fault: null,
    tallies: [
      { cid: 'a', status: 1, since: 1, viewers: 0, keyExpires: null },
      { cid: 'b', status: 0, since: null, viewers: 0, keyExpires: null },
    ],
  })
  expect(onAir.channels.map(({ profileId, cid, name, stale }) => [profileId, cid, name, stale])).toEqual([
    ['local', 'a', 'N_a', false],
  ])
  companion.lineIs('lost')
  expect(onAir.channels[0]?.stale).toBe(true)
})

it('counts files and deliveries, and has no merged file for the newest of its channel', () => {
  const recordings = useRecordings()
  const recorded = { type: 'recorded', profileId: 'local', cid: 'a', at: 1, bytes: 1 } as const
  on.tell({ ...recorded, vid: 1, name: 'one', merged: false })
  on.tell({ ...recorded, vid: 2, name: 'merged', merged: true })
  expect([recordings.files, recordings.readyOf('local', 'a')?.name, recordings.readyOf('h', 'a')]).toEqual([
    2,
    'one',
    undefined,
  ])
  on.tell({ type: 'unrecorded', profileId: 'h', vids: [1] })
  expect([recordings.files, recordings.readyOf('local', 'a')?.name]).toEqual([3, 'one'])
})

it('has no recorded time without a recording, and counts from its start where the length is not told', () => {
  const recordings = useRecordings()
  const state = { state: 'recording', reason: null, since: 1_000, bytes: 1, cut: null } as const
  recordings.put('local', 'a', state)
  expect(recordings.recordedOf('local', 'a', 5_000, false)).toBe(4_000)
  recordings.put('local', 'a', { ...state, since: null })
  expect(recordings.recordedOf('local', 'a', 5_000, false)).toBeNull()
  recordings.put('local', 'a', { ...state, state: 'off' })
  expect(recordings.recordedOf('local', 'a', 5_000, false)).toBeNull()
})

it('logs begin, stop and end of a recording, a mark and a file once each', () => {
  const live = useLive()
  const told = (at: number, state: 'recording' | 'stopped' | 'off', reason: 'space' | null = null): void =>
    on.tell({
      type: 'recording',
      profileId: 'local',
      cid: 'a',
      at,
      recording: { state, reason, since: 500, bytes: 0, cut: null },
    })
  told(1_000, 'recording')
  told(2_000, 'recording')
  told(3_000, 'stopped', 'space')
  told(4_000, 'recording')
  live.marked('local', 'a', 4_500)
  told(5_000, 'off')
  on.tell({ type: 'recorded', profileId: 'local', cid: 'a', at: 6_000, vid: 1, name: 'x.mp4', bytes: 1, merged: true })
  expect(live.logOf('local', 'a').map(({ at, kind, remedy, detail }) => [at, kind, remedy, detail])).toEqual([
    [6_000, 'merged', null, 'x.mp4'],
    [5_000, 'recordingEnded', null, null],
    [4_500, 'marked', null, null],
    [4_000, 'recordingStarted', null, null],
    [3_000, 'recordingStopped', 'recording_space', null],
    // The first one that is told may have begun before the page.
    [500, 'recordingStarted', null, null],
  ])
})
