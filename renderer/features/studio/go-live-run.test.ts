import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, ref } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AppEvent, Channel, RecordingState, Seat, SeatBoard, ServiceState } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { servicesKey } from '../../data/services.ts'
import { applyEvent } from '../../events.ts'
import { makeFigures, makeProfiles, makeService } from '../../testing/fake-state.ts'
import { useRecordings } from '../channels/recorded.ts'
import type { LineName } from './go-live-facts.ts'
import { useGoLiveRun } from './go-live-run.ts'

const begin = 1_700_000_000_000
const cid = 'a'.repeat(32)
const channelOf = (status: number, needRecord = false): Channel => ({
  cid,
  name: 'Evening',
  status,
  created: 1,
  needRecord,
  format: 'mp4',
  duration: 120,
  filename: '',
})
const refused = () => Promise.reject(new Error('refused'))
const roomOf = (change: object = {}) => ({
  chatroom: { roomid: 7, name: 'Seven', valid: true, muted: false, onlineusercount: 3, ...change },
})
const seat = (name: string, change: Partial<Seat> = {}): Seat =>
  ({ id: name, name, profileId: 'local', roomid: 7, state: 'active', pages: 1, ...change }) as Seat

/** The check of one channel, with the answers of a service that a test changes. */
function stage({ status = 0, profileId = 'local' }: { readonly status?: number; readonly profileId?: string } = {}) {
  const calls: string[] = []
  const answers: Record<string, () => unknown> = {
    test: () => ({ channels: 1, milliseconds: 12 }),
    card: () => ({ server: 's', keyStart: 'a', keyEnd: 'b', expires: null }),
    open: () => ({ flv: null, hls: null }),
    linked: () => ({ roomid: 7 }),
    get: () => roomOf(),
    access: () => ({ ret: { mode: 'everybody', closed: false, links: [] } }),
    reach: () => ({ ret: { reach: 'home', results: [{ reach: 'home', state: 'works' }], encryption: 'none' } }),
    targets: () => ({ targets: [], needs: 0, budget: 0, waiting: 0 }),
    board: () => ({ listener: { phase: 'listening' }, seats: [], unwritten: null }),
    state: () => null,
    list: () => ({ channels: [channelOf(status)] }),
  }
  const call = (name: string) => async (): Promise<unknown> => {
    calls.push(name)
    return answers[name]?.()
  }
  const rpc = {
    profiles: { test: call('test') },
    push: { card: call('card') },
    preview: { open: call('open') },
    rooms: { linked: call('linked') },
    operations: {
      chatrooms: { get: call('get') },
      access: { access: call('access') },
      reach: { reach: call('reach') },
    },
    targets: { list: call('targets') },
    seats: { board: call('board') },
    recordings: { state: call('state') },
    channels: { list: call('list') },
  } as unknown as RpcClient
  const pinia = createPinia()
  const app = createApp({})
  app.provide(servicesKey, {
    rpc,
    now: () => Date.now(),
    memory: { read: (key) => (key === 'sidestage.profile' ? profileId : null), write: () => undefined },
  })
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  const tell = (...events: readonly AppEvent[]): void => {
    for (const event of events) applyEvent(event, pinia, Date.now())
  }
  const tallies = (now: number, fault: (AppEvent & { type: 'tallies' })['fault'] = null): AppEvent => ({
    type: 'tallies',
    profileId,
    at: Date.now(),
    source: profileId === 'local' ? 'event' : 'poll',
    fault,
    ...(fault === null ? {} : { failure: { kind: 'unreachable', code: null, skewSeconds: null, detail: '' } as const }),
    tallies: [{ cid, status: now, since: now === 1 ? Date.now() : null, viewers: 0, keyExpires: null }],
  })
  const service = (change: Partial<ServiceState> = {}): AppEvent => ({
    type: 'service',
    service: { ...makeService(begin, 'full'), ...change },
  })
  companion.lineIs('open')
  tell({ type: 'profiles', profiles: makeProfiles('full') }, service(), tallies(status))
  const channel = ref(channelOf(status))
  const scope = effectScope()
  const check = app.runWithContext(() => scope.run(() => useGoLiveRun(profileId, channel))!)
  const line = (name: LineName) => check.lines.value.find((each) => each.name === name)
  return {
    answers,
    companion,
    tell,
    tallies,
    service,
    channel,
    scope,
    check,
    line,
    count: (name: string) => calls.filter((each) => each === name).length,
    state: (name: LineName) => line(name)?.state,
  }
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ now: begin })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the tests of the go-live check', () => {
  it('are not begun by themselves', async () => {
    const { count, state } = stage()
    await pass(60_000)
    expect([count('test'), count('card'), state('profile')]).toEqual([0, 0, 'wait'])
  })

  it.each([
    ['test', 'profile'],
    ['card', 'key'],
    ['board', 'moderators'],
  ] as const)('that passed are made again after 15 s: %s', async (call, name) => {
    const { check, count, line, scope } = stage()
    check.start()
    await pass(0)
    expect([count(call), line(name)?.failure]).toEqual([1, null])
    await pass(14_999)
    expect(count(call)).toBe(1)
    await pass(1)
    expect(count(call)).toBe(2)
    scope.stop()
  })

  it.each([
    ['test', 'profile'],
    ['card', 'key'],
    ['linked', 'room'],
    ['board', 'moderators'],
  ] as const)('that failed are made again after 3 s: %s', async (call, name) => {
    const { answers, check, count, line, scope } = stage()
    answers[call] = refused
    check.start()
    await pass(0)
    expect([count(call), line(name)?.state, line(name)?.failure?.kind]).toEqual([1, 'fault', 'offline'])
    await pass(2_999)
    expect(count(call)).toBe(1)
    await pass(1)
    expect(count(call)).toBe(2)
    scope.stop()
  })

  it.each([
    ['an open room', 7, roomOf(), 15_000],
    ['a room that is closed', 7, roomOf({ valid: false }), 3_000],
    ['no room', null, roomOf(), 3_000],
  ])('look again at the link, of %s', async (_case, roomid, room, after) => {
    const { answers, check, count, scope } = stage()
    Object.assign(answers, { linked: () => ({ roomid }), get: () => room })
    check.start()
    await pass(after - 1)
    expect(count('linked')).toBe(1)
    await pass(1)
    expect(count('linked')).toBe(2)
    expect(count('get')).toBe(roomid === null ? 0 : 2)
    scope.stop()
  })

  it('read no stream off the air, and look every 3 s whether there is one', async () => {
    const { check, count, tell, tallies, state, scope } = stage()
    check.start()
    await pass(0)
    expect([count('open'), state('flv'), state('hls')]).toEqual([0, 'wait', 'wait'])
    tell(tallies(1))
    await pass(0)
    expect([count('open'), state('flv'), state('hls')]).toEqual([2, 'none', 'none'])
    scope.stop()
  })

  it('leave a stream without an address alone for 30 s', async () => {
    const { check, count, scope } = stage({ status: 1 })
    check.start()
    await pass(29_999)
    expect(count('open')).toBe(2)
    await pass(1)
    expect(count('open')).toBe(4)
    scope.stop()
  })

  it('read a stream again after 3 s where its address was refused', async () => {
    const { answers, check, count, state, scope } = stage({ status: 1 })
    answers['open'] = refused
    check.start()
    await pass(0)
    expect([state('flv'), state('hls')]).toEqual(['fault', 'fault'])
    await pass(2_999)
    expect(count('open')).toBe(2)
    await pass(1)
    expect(count('open')).toBe(4)
    scope.stop()
  })

  it('forget the streams once the push ends', async () => {
    const { check, tell, tallies, state, scope } = stage({ status: 1 })
    check.start()
    await pass(0)
    expect(state('flv')).toBe('none')
    tell(tallies(0))
    await pass(0)
    expect([state('flv'), state('hls')]).toEqual(['wait', 'wait'])
    scope.stop()
  })

  it('are all made at once on request', async () => {
    const { check, count, scope } = stage()
    check.start()
    await pass(5_000)
    check.again()
    await pass(0)
    expect(['test', 'card', 'linked', 'board'].map(count)).toEqual([2, 2, 2, 2])
    scope.stop()
  })

  it('begin anew without what was found before', async () => {
    const { answers, check, count, state, scope } = stage()
    check.start()
    await pass(0)
    expect(state('profile')).toBe('ok')
    const gate = Promise.withResolvers<object>()
    answers['test'] = () => gate.promise
    check.start()
    await pass(0)
    expect([state('profile'), state('key')]).toEqual(['wait', 'ok'])
    gate.resolve({ milliseconds: 5 })
    await pass(0)
    expect([state('profile'), count('test')]).toEqual(['ok', 2])
    scope.stop()
  })

  it('take no answer of a run before', async () => {
    const { answers, check, line, scope } = stage()
    const gate = Promise.withResolvers<object>()
    answers['test'] = () => gate.promise
    check.start()
    await pass(0)
    answers['test'] = () => ({ milliseconds: 5 })
    check.start()
    await pass(0)
    gate.resolve({ milliseconds: 99 })
    await pass(0)
    expect(line('profile')?.named).toEqual({ ms: 5 })
    scope.stop()
  })

  it.each([
    ['it is closed', (on: ReturnType<typeof stage>) => on.check.cancel()],
    ['its screen is left', (on: ReturnType<typeof stage>) => on.scope.stop()],
  ])('end when %s, and a late answer is not taken', async (_case, end) => {
    const on = stage()
    const gate = Promise.withResolvers<RecordingState>()
    on.answers['state'] = () => gate.promise
    on.check.start()
    await pass(0)
    end(on)
    gate.resolve({ state: 'recording', reason: null, since: 1, bytes: 1, cut: null })
    on.tell(on.tallies(1))
    await pass(60_000)
    expect([on.count('test'), on.count('open'), useRecordings().stateOf('local', cid)]).toEqual([1, 0, undefined])
  })

  it('ask the own service for the recording, and keep what it says', async () => {
    const { answers, check, scope } = stage()
    const told: RecordingState = { state: 'asked', reason: null, since: null, bytes: 0, cut: null }
    answers['state'] = () => told
    check.start()
    await pass(0)
    expect(useRecordings().stateOf('local', cid)).toEqual(told)
    scope.stop()
  })

  it('ask no hosted service for the recording', async () => {
    const { check, count, scope } = stage({ profileId: 'hosted-1' })
    check.start()
    await pass(0)
    expect([count('test'), count('state')]).toEqual([1, 0])
    scope.stop()
  })
})

describe('what the go-live check finds', () => {
  it.each([
    ['the line to the app is lost', (on: ReturnType<typeof stage>) => on.companion.lineIs('lost'), 'offline'],
    ['the service is down', (on: ReturnType<typeof stage>) => on.tell(on.service({ phase: 'restarting' })), 'down'],
    ['the service answers late', (on: ReturnType<typeof stage>) => on.tell(on.service({ busySince: begin })), 'late'],
    ['nobody vouches for the tallies', (on: ReturnType<typeof stage>) => on.tell(on.tallies(0, 'lost')), 'late'],
  ] as const)('is not known while %s', async (_case, happens, kind) => {
    const on = stage()
    on.check.start()
    await pass(0)
    expect(on.state('key')).toBe('ok')
    happens(on)
    expect([on.line('profile')?.failure?.kind, on.state('key')]).toEqual([kind, 'wait'])
    on.scope.stop()
  })

  it('is looked for at once when the service is back', async () => {
    const { check, tell, service, count, state, scope } = stage()
    check.start()
    await pass(0)
    tell(service({ phase: 'restarting' }))
    await pass(0)
    const before = count('test')
    tell(service())
    await pass(0)
    expect([count('test') > before, state('profile')]).toEqual([true, 'ok'])
    scope.stop()
  })

  it('is not known of a host that has not answered for 20 s', async () => {
    const { check, tell, tallies, companion, line, scope } = stage({ profileId: 'hosted-1' })
    check.start()
    await pass(0)
    tell(tallies(0, 'poll'))
    expect(line('profile')?.failure).toBeNull()
    companion.clock += 20_001
    expect(line('profile')?.failure?.kind).toBe('unreachable')
    scope.stop()
  })

  it('has of the moderators those of the room that may still come in', async () => {
    const { answers, check, line, scope } = stage()
    const seats = [
      seat('Ana'),
      seat('Gone', { state: 'revoked' }),
      seat('Elsewhere', { roomid: 8 }),
      seat('Far', { profileId: 'hosted-1' }),
    ]
    answers['board'] = () => ({ listener: { phase: 'listening' }, seats, unwritten: null }) as unknown as SeatBoard
    check.start()
    await pass(0)
    expect(line('moderators')).toMatchObject({ state: 'ok', named: { names: 'Ana' } })
    scope.stop()
  })

  it('has the room with how many are in it, and the room itself', async () => {
    const { answers, check, line, scope } = stage()
    check.start()
    await pass(0)
    expect(line('room')).toMatchObject({ state: 'ok', says: 'room.ok', named: { name: 'Seven', n: 3 } })
    expect(check.room.value).toEqual({ roomid: 7, name: 'Seven', valid: true, muted: false, online: 3 })
    answers['get'] = () => roomOf({ onlineusercount: undefined })
    check.again()
    await pass(0)
    expect([line('room')?.says, check.room.value?.online]).toEqual(['room.open', null])
    answers['linked'] = refused
    check.again()
    await pass(0)
    expect(check.room.value).toBeNull()
    scope.stop()
  })

  it('has the figures of a push only while it is on air', async () => {
    const { check, tell, tallies, line, scope } = stage({ status: 1 })
    check.start()
    await pass(0)
    const figures = { ...makeFigures(begin, 0, 'full'), kbps: 0 }
    tell({ type: 'figures', profileId: 'local', cid, at: begin, figures })
    expect(line('ingest')?.says).toBe('ingest.silent')
    tell(tallies(0))
    expect(line('ingest')?.says).toBe('ingest.none')
    scope.stop()
  })

  it('has the last push that was refused, until another one begins', async () => {
    const { check, tell, line, scope } = stage()
    check.start()
    await pass(0)
    const push = { type: 'push', profileId: 'local', cid, detail: null } as const
    tell({ ...push, at: begin, kind: 'refused', remedy: 'expired' })
    expect(line('ingest')?.says).toBe('ingest.refused_expired')
    tell({ ...push, at: begin + 1, kind: 'started', remedy: null })
    expect(line('ingest')?.says).toBe('ingest.none')
    scope.stop()
  })

  it.each([
    [1, false, 'recording.off'],
    [1, true, 'recording.waiting'],
    [3, true, 'recording.ok'],
    [3, false, 'recording.unwished'],
  ])('has the recording by the tally %s and the wish %s', async (status, needRecord, says) => {
    const { check, channel, line, scope } = stage({ status })
    channel.value = channelOf(status, needRecord)
    check.start()
    await pass(0)
    expect(line('recording')?.says).toBe(says)
    scope.stop()
  })
})
