import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { describe, expect, it } from 'vitest'
import type { Channel, Profile, RecordingState } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { servicesKey } from '../../data/services.ts'
import { useRecordings } from '../channels/recorded.ts'
import {
  choiceFaults,
  foreignInFilename,
  hoursLeft,
  shownState,
  sliceMinutes,
  useRecordingCard,
} from './recording-card.ts'

const asked: RecordingState = { state: 'asked', reason: null, since: null, bytes: 0, cut: null }
const recording: RecordingState = { state: 'recording', reason: null, since: 5, bytes: 7, cut: 9 }
const stopped: RecordingState = { state: 'stopped', reason: 'space', since: null, bytes: 0, cut: null }

it.each<[string, RecordingState | null, boolean, number, RecordingState]>([
  ['what is told of a recording, once the lamps say so', recording, true, 3, recording],
  ['a recording as soon as the lamps say so', asked, true, 3, { ...recording, since: null, bytes: 0, cut: null }],
  ['none before the lamps do', recording, true, 1, asked],
  ['none that goes on after the push', recording, false, 0, { ...asked, state: 'off' }],
  ['one that stopped, whatever the lamps say', stopped, true, 1, stopped],
  [
    'that of a hosted service, which tells the lamps alone',
    null,
    true,
    3,
    { ...recording, since: null, bytes: 0, cut: null },
  ],
])('shows %s', (_what, told, needRecord, status, shown) => {
  expect(shownState(told, { needRecord }, status)).toEqual(shown)
})

it.each([
  [4, true],
  [5, false],
  [120, false],
  [121, true],
  [5.5, true],
  [Number.NaN, true],
])('slices of %s minutes cannot be: %s', (duration, isFault) => {
  expect(sliceMinutes).toEqual({ min: 5, max: 120 })
  expect(choiceFaults({ duration, filename: '' })).toEqual({ duration: isFault, filename: false })
})

it.each([
  ['', false],
  ['深夜Radio1', false],
  ['a'.repeat(64), false],
  ['a'.repeat(65), true],
  ['two words', true],
  ['under_score', true],
])('files cannot be named %j: %s', (filename, isFault) => {
  expect(choiceFaults({ duration: 60, filename })).toEqual({ duration: false, filename: isFault })
})

it('names the first character that a file name may not have, and none where only the length is wrong', () => {
  expect([foreignInFilename('two words'), foreignInFilename('a_b'), foreignInFilename('a'.repeat(65))]).toEqual([
    'space',
    '“_”',
    null,
  ])
})

it('says for how many hours there is room at a rate in kbit/s, and nothing where room or rate is not known', () => {
  expect(hoursLeft(450_000_000, 1_000)).toBe(1)
  expect(hoursLeft(0, 1_000)).toBe(0)
  expect([hoursLeft(null, 1_000), hoursLeft(1, null), hoursLeft(1, 0), hoursLeft(1, -1)]).toEqual([
    null,
    null,
    null,
    null,
  ])
})

describe('the recording of a channel', () => {
  const channel = (cid: string): Channel => ({ cid, name: cid, needRecord: false }) as Channel
  const choice = { needRecord: true, format: 'mp4', duration: 60, filename: '' } as const
  const stage = (profileId: string | null = 'local') => {
    const calls: unknown[] = []
    const state: { told: () => Promise<RecordingState | null>; configured: () => Promise<void> } = {
      told: () => Promise.resolve(recording),
      configured: () => Promise.resolve(),
    }
    const rpc = {
      recordings: {
        state: (input: object) => {
          calls.push(['state', input])
          return state.told()
        },
        configure: (input: object) => {
          calls.push(['configure', input])
          return state.configured()
        },
      },
      channels: {
        list: (input: object) => {
          calls.push(['list', input])
          return Promise.resolve({ channels: [] })
        },
      },
    } as unknown as RpcClient
    const app = createApp({})
    const pinia = createPinia()
    app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
    app.use(pinia)
    setActivePinia(pinia)
    useCompanion().profiles = [{ id: 'local', kind: 'local' } as Profile]
    const [id, shown] = [ref(profileId), ref(channel('a'))]
    const scope = effectScope()
    const card = app.runWithContext(() => scope.run(() => useRecordingCard(id, shown))!)
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) await nextTick()
    }
    return { calls, state, id, shown, card, settled, store: useRecordings() }
  }
  const at = (cid: string) => ({ profileId: 'local', cid })

  it('is asked for at once, and for each other channel that is shown', async () => {
    const { calls, card, shown, settled } = stage()
    await settled()
    expect([calls, card.told.value]).toEqual([[['state', at('a')]], recording])
    shown.value = channel('b')
    await settled()
    expect(calls).toEqual([
      ['state', at('a')],
      ['state', at('b')],
    ])
  })

  it('is asked of nobody without a profile, and cannot be changed then', async () => {
    const { calls, card, settled } = stage(null)
    await settled()
    expect([await card.configure(choice), calls, card.told.value]).toEqual([false, [], undefined])
  })

  it('stays as it was told where the service does not tell', async () => {
    const { card, state, store, settled } = stage()
    await settled()
    state.told = () => Promise.resolve(null)
    await card.load()
    expect(store.stateOf('local', 'a')).toEqual(recording)
  })

  it('is put to the channel that was asked about, though another one is shown when the answer comes', async () => {
    const { state, shown, store, settled } = stage()
    await settled()
    const gate = Promise.withResolvers<RecordingState>()
    state.told = () => gate.promise
    shown.value = channel('b')
    await settled()
    state.told = () => Promise.resolve(asked)
    shown.value = channel('c')
    await settled()
    gate.resolve(stopped)
    await settled()
    expect(['b', 'c'].map((cid) => store.stateOf('local', cid))).toEqual([stopped, asked])
  })

  it('says why it could not be read, and no more of another channel', async () => {
    const { card, state, shown, settled } = stage()
    state.told = () => Promise.reject(new Error('refused'))
    await card.load()
    expect(card.failure.value?.kind).toBe('offline')
    state.told = () => Promise.resolve(null)
    shown.value = channel('b')
    await settled()
    expect(card.failure.value).toBeNull()
  })

  it('is changed, then read again with the list of channels', async () => {
    const { calls, card, settled } = stage()
    await settled()
    calls.length = 0
    expect(await card.configure(choice)).toBe(true)
    expect(calls).toEqual([
      ['configure', { ...at('a'), ...choice }],
      ['list', { profileId: 'local' }],
      ['state', at('a')],
    ])
    expect(card.busy.value).toBeNull()
  })

  it('is not read again where the change was refused, which is said', async () => {
    const { calls, card, state, settled } = stage()
    await settled()
    calls.length = 0
    state.configured = () => Promise.reject(new Error('refused'))
    expect(await card.configure(choice)).toBe(false)
    expect(calls).toEqual([['configure', { ...at('a'), ...choice }]])
    expect([card.failure.value?.kind, card.busy.value]).toEqual(['offline', null])
  })
})
