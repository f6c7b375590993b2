import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AppEvent } from '../contract/rpc/events.ts'
import type { Channel } from '../contract/rpc/state.ts'
import type { RpcClient } from './data/client.ts'
import { useCompanion } from './data/companion.ts'
import { servicesKey } from './data/services.ts'
import { applyEvent, followEvents } from './events.ts'
import { useChannels } from './features/channels/channels.ts'
import { useLive } from './features/channels/live.ts'
import { useRecordings } from './features/channels/recorded.ts'
import { useMessaging } from './features/messaging/messaging.ts'
import { useSeats } from './features/moderators/seats.ts'
import { useObs } from './features/obs/obs.ts'
import { useMessageCopies } from './features/receivers/message-copies.ts'
import { useJoined } from './features/remote-rooms/joined.ts'
import { useRoomHeld } from './features/rooms/room-held.ts'
import { useRoom } from './features/rooms/room.ts'
import { useKeeping } from './features/this-computer/keeping.ts'
import { makeFigures, makeProfiles, makeService } from './testing/fake-state.ts'
import { createMemoryClient, failed, type Answers } from './testing/memory-client.ts'

const at = 1_000_000
const channel = (cid: string, status = 0): Channel => ({
  cid,
  name: cid,
  status,
  created: 1,
  needRecord: false,
  format: 'mp4',
  duration: 120,
  filename: '',
})
const channels = [channel('a', 1), channel('b')]

/** The stores of a page that knows its profiles. */
function stage(answers: Answers = {}, profile = 'local') {
  const client = createMemoryClient({ 'channels.list': () => ({ channels, total: channels.length }), ...answers })
  const app = createApp({})
  app.provide(servicesKey, {
    rpc: client.rpc,
    now: () => at,
    memory: { read: (key) => (key === 'sidestage.profile' ? profile : null), write: () => undefined },
  })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const tell = (event: AppEvent): void => applyEvent(event, pinia, at)
  useCompanion().lineIs('open')
  tell({ type: 'profiles', profiles: makeProfiles('full') })
  return { client, pinia, tell, lists: () => client.inputs('channels.list').map(({ profileId }) => profileId) }
}
const service = (phase: 'running' | 'restarting' | 'starting'): AppEvent => ({
  type: 'service',
  service: { ...makeService(at, 'full'), phase },
})
const tallies = (profileId: string, fault: 'poll' | null): AppEvent => ({
  type: 'tallies',
  profileId,
  at,
  source: 'poll',
  fault,
  ...(fault && { failure: { kind: 'refused', code: null, skewSeconds: null, detail: 'away' } as const }),
  tallies: [],
})

describe('an event of the app', () => {
  it('is given to every part of the page, once, with the state that it changes', () => {
    const { pinia, tell } = stage()
    const heard: string[] = []
    const parts = {
      live: useLive(pinia),
      recordings: useRecordings(pinia),
      room: useRoom(pinia),
      held: useRoomHeld(pinia),
      messaging: useMessaging(pinia),
      copies: useMessageCopies(pinia),
      obs: useObs(pinia),
      seats: useSeats(pinia),
      keeping: useKeeping(pinia),
      joined: useJoined(pinia),
    }
    for (const [name, part] of Object.entries(parts)) {
      const spy = vi.spyOn(part as unknown as { apply: (event: AppEvent) => void }, 'apply')
      spy.mockImplementation(({ type }) => void heard.push(`${name} ${type}`))
    }
    tell({ type: 'disk', refuses: true })
    expect(heard).toEqual(Object.keys(parts).map((name) => `${name} disk`))
    expect(useCompanion().diskRefuses).toBe(true)
  })

  it('of figures is watched on for channels on air and the open one, of this computer only', async () => {
    const { pinia, tell } = stage()
    await useChannels(pinia).refresh()
    const watched: unknown[] = []
    vi.spyOn(useLive(pinia), 'apply').mockImplementation((_event, now, cids) => void watched.push([now, cids]))
    const figures: AppEvent = { type: 'figures', profileId: 'local', cid: 'a', at, figures: makeFigures(at, 0, 'full') }
    tell(figures)
    useChannels(pinia).opened = 'b'
    tell(figures)
    useCompanion().choose('hosted-1')
    await useChannels(pinia).refresh()
    tell(figures)
    expect(watched).toEqual([
      [at, ['a']],
      [at, ['a', 'b']],
      [at, []],
    ])
  })
})

describe('the list of channels', () => {
  it('is read again for the profile in which it changed', async () => {
    const { tell, lists } = stage()
    tell({ type: 'channels', profileId: 'hosted-1' })
    await vi.waitFor(() => expect(lists()).toEqual(['hosted-1']))
  })

  it('is read again when the service of this computer runs again, once', async () => {
    const { tell, lists } = stage()
    tell(service('starting'))
    expect(lists()).toEqual([])
    tell(service('running'))
    tell(service('running'))
    expect(lists()).toEqual(['local'])
    tell(service('restarting'))
    tell(service('running'))
    await vi.waitFor(() => expect(lists()).toEqual(['local', 'local']))
  })

  it('is not read for a service that the chosen profile does not need', () => {
    const { tell, lists } = stage({}, 'hosted-1')
    tell(service('running'))
    expect(lists()).toEqual([])
  })

  it('is read again when a host answers that did not, if it could not be read', async () => {
    let isAway = true
    const { pinia, tell, lists } = stage(
      {
        'channels.list': () => {
          if (isAway) throw failed({ kind: 'refused' })
          return { channels, total: channels.length }
        },
      },
      'hosted-1',
    )
    await useChannels(pinia).refresh()
    tell(tallies('hosted-1', 'poll'))
    isAway = false
    expect(lists()).toHaveLength(1)
    tell(tallies('hosted-1', null))
    await vi.waitFor(() => expect(useChannels(pinia).slice.failure).toBeNull())
    expect(lists()).toEqual(['hosted-1', 'hosted-1'])
    // What was read is not read again.
    tell(tallies('hosted-1', 'poll'))
    tell(tallies('hosted-1', null))
    expect(lists()).toHaveLength(2)
  })
})

describe('the events of a line', () => {
  afterEach(() => vi.restoreAllMocks())
  const about = {
    version: '1',
    shell: 'browser',
    platform: 'linux',
    shellReason: null,
    capabilities: [],
    seat: null,
  } as const
  const clientOf = (events: () => AsyncGenerator<AppEvent>): RpcClient =>
    ({
      app: { about: () => Promise.resolve(about), events: () => Promise.resolve(events()) },
    }) as unknown as RpcClient

  it('are applied after it is known whose page it is, and a line whose events end is broken', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(at)
    const { pinia } = stage()
    let broken = 0
    await followEvents(
      clientOf(async function* () {
        expect(useCompanion().about).toEqual(about)
        yield await Promise.resolve({ type: 'disk', refuses: true } as const)
      }),
      new AbortController().signal,
      pinia,
      () => (broken += 1),
    )
    expect([useCompanion().diskRefuses, broken]).toEqual([true, 1])
  })

  it('that fail break the line, unless the line itself has ended', async () => {
    const { pinia } = stage()
    const gone = new AbortController()
    const client = { app: { about: () => Promise.reject(new Error('gone')) } } as unknown as RpcClient
    let broken = 0
    await followEvents(client, gone.signal, pinia, () => (broken += 1))
    expect(broken).toBe(1)
    gone.abort()
    await followEvents(client, gone.signal, pinia, () => (broken += 1))
    expect(broken).toBe(1)
  })
})
