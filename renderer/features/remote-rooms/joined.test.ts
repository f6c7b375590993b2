import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { JoinedSeat, JoinOutcome } from '../../../contract/rpc/joined.ts'
import type { RpcClient } from '../../data/client.ts'
import { useJoined } from './joined.ts'
import { servicesKey } from '../../data/services.ts'

const seat = (change: Partial<JoinedSeat>): JoinedSeat => ({
  id: 'ab'.repeat(8),
  host: '192.0.2.7:8720',
  secured: true,
  fingerprint: 'ab'.repeat(32),
  accid: 'mei',
  name: 'Mei',
  roomid: 7,
  room: 'Late night',
  joined: 1,
  lastAt: 1,
  token: 'keychain',
  ...change,
})
const wish = {
  host: '192.0.2.7:8720',
  secured: true,
  fingerprint: 'ab'.repeat(32),
  accid: 'mei',
  token: 't',
  code: null,
}

function stage(answer: () => Promise<JoinOutcome>) {
  const forgotten: string[] = []
  const rpc = {
    joined: {
      join: answer,
      forget: ({ id }: { id: string }) => {
        forgotten.push(id)
        return Promise.resolve()
      },
    },
  } as unknown as RpcClient
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => 1_000, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  return { forgotten, joined: app.runWithContext(() => useJoined()) }
}

it('lists rooms with the one that was shown last first', () => {
  const { joined } = stage(() => Promise.reject(new Error('not asked')))
  expect(joined.seats).toBeNull()
  joined.apply({
    type: 'joined',
    seats: [seat({ id: '1', lastAt: 1 }), seat({ id: '2', lastAt: 5 }), seat({ id: '3', lastAt: 3 })],
  })
  expect(joined.seats?.map(({ id }) => id)).toEqual(['2', '3', '1'])
})

it('hands over what was joined, tells a refusal with its wait, and a fault apart from it', async () => {
  let outcome: () => Promise<JoinOutcome> = () => Promise.resolve({ seat: seat({}), trouble: null, wait: 0 })
  const { joined } = stage(() => outcome())
  expect(await joined.join(wish)).toMatchObject({ room: 'Late night' })
  outcome = () => Promise.resolve({ seat: null, trouble: 'refused', wait: 8 })
  expect(await joined.join(wish)).toBeNull()
  expect([joined.trouble, joined.failure]).toEqual([{ what: 'refused', until: 9_000 }, null])
  outcome = () => Promise.reject(new Error('the line was lost'))
  expect(await joined.join(wish)).toBeNull()
  expect([joined.trouble, joined.failure?.kind, joined.busy]).toEqual([null, 'offline', null])
  joined.clear()
  expect(joined.failure).toBeNull()
})

it('does one thing at a time', async () => {
  const held = Promise.withResolvers<JoinOutcome>()
  const { joined, forgotten } = stage(() => held.promise)
  const first = joined.join(wish)
  expect([await joined.join(wish), await joined.forget('x'), joined.busy]).toEqual([null, false, 'join'])
  held.resolve({ seat: seat({}), trouble: null, wait: 0 })
  await first
  expect([await joined.forget('x'), forgotten]).toEqual([true, ['x']])
})
