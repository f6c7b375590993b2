import { createPinia, setActivePinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import { expect, it } from 'vitest'
import type { CopyReceiver, ReceivedCopy } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Profile } from '../../../contract/rpc/state.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { kindOfCopy, useMessageCopies } from './message-copies.ts'
import { servicesKey } from '../../data/services.ts'

const profile = (id: string, kind: 'local' | 'hosted'): Profile => ({
  id,
  kind,
  extended: kind === 'local',
  media: null,
  name: id,
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret: 'keychain',
})
const receiver = (profileId: string, more: Partial<CopyReceiver> = {}): CopyReceiver => ({
  profileId,
  phase: 'listening',
  host: '127.0.0.1',
  port: 9001,
  url: 'http://127.0.0.1:9001/copy',
  reason: null,
  open: false,
  verification: profileId === 'local' ? 'checked' : 'unverified',
  ignored: 0,
  ...more,
})
const copy = (id: number, more: Partial<ReceivedCopy> = {}): ReceivedCopy => ({
  id,
  at: id,
  verdict: 'accepted',
  verified: true,
  stale: false,
  test: null,
  from: '127.0.0.1',
  why: null,
  fields: { eventType: '1' },
  ...more,
})

/** The store over invented procedures; each call is written down, and may be held or refused. */
function stage() {
  const app = createApp({})
  const told = { list: [] as ReceivedCopy[], asked: [] as string[], refuse: false, hold: Promise.resolve() }
  const answer = async <T>(what: string, value: () => T): Promise<T> => {
    told.asked.push(what)
    await told.hold
    if (told.refuse) throw new Error('gone')
    return value()
  }
  const rpc = {
    copies: {
      state: ({ profileId }: { profileId: string }) => answer(`state ${profileId}`, () => receiver(profileId)),
      list: ({ profileId }: { profileId: string }) => answer(`list ${profileId}`, () => told.list),
      target: ({ profileId }: { profileId: string }) =>
        answer(`target ${profileId}`, () => ({ url: null, kinds: [1, 4] })),
      start: ({ profileId, host, port }: { profileId: string; host: string; port: number }) =>
        answer(`start ${host} ${port}`, () => receiver(profileId, { host, port })),
      stop: ({ profileId }: { profileId: string }) =>
        answer('stop', () => receiver(profileId, { phase: 'off', url: null })),
      replay: ({ id }: { id: number }) =>
        answer(`replay ${id}`, () => copy(100, { verdict: 'duplicate', test: 'replay' })),
      tamper: ({ id }: { id: number }) =>
        answer(`tamper ${id}`, () => copy(101, { verdict: 'forged', test: 'tamper' })),
      setTarget: ({ url, kinds }: { url: string | null; kinds: number[] }) =>
        answer(`set ${url ?? 'nothing'} ${kinds.join()}`, () => undefined),
    },
  } as unknown as RpcClient
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => Date.now(), memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  companion.apply({ type: 'profiles', profiles: [profile('local', 'local'), profile('far', 'hosted')] })
  companion.lineIs('open')
  return { told, companion, store: useMessageCopies() }
}
const came = (profileId: string, ...copies: ReceivedCopy[]): AppEvent[] =>
  copies.map((each) => ({ type: 'copy', profileId, copy: each }))

it('reads receiver, copies and target when it is shown, and asks no hosted profile for a target', async () => {
  const { told, companion, store } = stage()
  await nextTick()
  expect(told.asked).toEqual([])
  await store.look()
  expect(told.asked).toEqual(['state local', 'list local', 'target local'])
  expect([store.receiver?.port, store.target?.kinds]).toEqual([9001, [1, 4]])
  companion.choose('far')
  told.asked = []
  await store.look()
  expect(told.asked).toEqual(['state far', 'list far'])
  expect(store.target).toBeNull()
  expect(store.receiver?.verification).toBe('unverified')
})

it('puts copies that come in on top, each once, also those that came while it asked', async () => {
  const { told, store } = stage()
  await store.look()
  told.list = [copy(3), copy(2)]
  const hold = Promise.withResolvers<void>()
  told.hold = hold.promise
  const looking = store.look()
  for (const event of came('local', copy(3), copy(4))) store.apply(event)
  hold.resolve()
  await looking
  expect(store.list.map(({ id }) => id)).toEqual([4, 3, 2])
  for (const event of came('far', copy(9))) store.apply(event)
  expect(store.list.map(({ id }) => id)).toEqual([4, 3, 2])
  for (const event of came('local', ...Array.from({ length: 300 }, (_each, at) => copy(10 + at)))) store.apply(event)
  expect([store.list.length, store.list[0]?.id]).toEqual([200, 309])
})

it('counts kinds that are not known, and says what kind a copy is', async () => {
  const { store } = stage()
  await store.look()
  const strange = copy(5, { verdict: 'ignored', fields: { eventType: '77' } })
  for (const event of came('local', strange)) store.apply(event)
  expect(store.receiver?.ignored).toBe(1)
  const kinds = [
    copy(1),
    copy(2, { fields: { eventType: '3' } }),
    strange,
    copy(3, { verdict: 'probe', fields: {} }),
    copy(4, { verdict: 'forged', fields: {} }),
  ]
  expect(kinds.map(kindOfCopy)).toEqual([1, 3, 'other', 'other', 'other'])
})

it('starts and stops, tries the receiver out, and sets where copies go', async () => {
  const { told, store } = stage()
  await store.look()
  told.asked = []
  await store.stop()
  expect(store.receiver?.phase).toBe('off')
  await store.start('::1', 9100)
  expect([store.receiver?.phase, store.receiver?.port]).toEqual(['listening', 9100])
  await store.attempt('replay', 7)
  await store.attempt('tamper', 7)
  // The event of the same copy adds nothing.
  for (const event of came('local', copy(101, { verdict: 'forged' }))) store.apply(event)
  expect(store.list.map(({ verdict }) => verdict)).toEqual(['forged', 'duplicate'])
  await store.setTarget('http://127.0.0.1:9001/copy', [1, 2])
  expect([store.target, store.registered]).toEqual([
    { url: 'http://127.0.0.1:9001/copy', kinds: [1, 2] },
    'http://127.0.0.1:9001/copy',
  ])
  await store.setTarget(null, [1, 2])
  expect([store.target?.url, store.registered]).toEqual([null, null])
  expect(told.asked).toEqual([
    'stop',
    'start ::1 9100',
    'replay 7',
    'tamper 7',
    'set http://127.0.0.1:9001/copy 1,2',
    'set nothing 1,2',
  ])
})

it('keeps what went wrong, does one thing at a time, and drops answers of a profile that is no longer chosen', async () => {
  const { told, companion, store } = stage()
  await store.look()
  told.refuse = true
  await store.setTarget('http://a', [1])
  expect([store.failure?.kind, store.target?.url, store.busy]).toEqual(['offline', null, null])
  told.refuse = false
  const hold = Promise.withResolvers<void>()
  told.hold = hold.promise
  const stopping = store.stop()
  told.asked = []
  await store.start('::1', 1)
  expect(told.asked).toEqual([])
  companion.choose('far')
  hold.resolve()
  await stopping
  expect(store.receiver?.phase).toBe('listening')
  await store.look()
  expect(store.receiver?.profileId).toBe('far')
  expect(store.failure).toBeNull()
})
