import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { Seat, SeatBoard } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { isAccid, isHostName, namesOf, useSeats } from './seats.ts'
import { servicesKey } from '../../data/services.ts'

const seat = (id: string, change: Partial<Seat> = {}): Seat => ({
  id,
  profileId: 'local',
  roomid: 7,
  cid: null,
  accid: `a${id}`,
  name: `Name ${id}`,
  state: 'active',
  created: 1,
  codeUntil: null,
  sessions: 1,
  pages: 1,
  lastAt: null,
  lastAction: null,
  address: null,
  device: null,
  owed: [],
  owedReason: null,
  ...change,
})
const listener: SeatBoard['listener'] = {
  phase: 'off',
  open: false,
  port: 8720,
  urls: [],
  reason: null,
  certificate: 'none',
  fingerprint: null,
  certificateUntil: null,
  failures: 0,
}
const away = { code: 'away', params: { system: 'down' } } as const
function stage(procedures: Record<string, (input: never) => unknown> = {}) {
  const asked: [string, unknown][] = []
  const seats = new Proxy(
    {},
    {
      get: (_target, procedure) => (input: never) => {
        asked.push([String(procedure), input])
        return Promise.resolve().then(
          () => procedures[String(procedure)]?.(input) ?? Promise.reject(new Error('not invented')),
        )
      },
    },
  )
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, {
    rpc: { seats } as unknown as RpcClient,
    now: () => 0,
    memory: { read: () => null, write: () => undefined },
  })
  app.use(pinia)
  setActivePinia(pinia)
  const store = app.runWithContext(() => useSeats())
  store.apply({
    type: 'seats',
    board: {
      listener,
      unwritten: null,
      seats: [
        seat('1', { state: 'revoked' }),
        seat('2'),
        seat('3', { profileId: 'h' }),
        seat('4', { state: 'invited' }),
      ],
    },
  })
  return { asked, store }
}

it('shows the seats of one profile, those in use first, as events tell', () => {
  const { store } = stage()
  expect(store.seatsOf('local').map(({ id }) => id)).toEqual(['2', '4', '1'])
  expect(store.seatsOf('h').map(({ id }) => id)).toEqual(['3'])
  store.apply({ type: 'seats', board: { listener, unwritten: null, seats: [] } })
  expect(store.seatsOf('local')).toEqual([])
})

it('holds an invitation only until it was handed over or its seat was taken back', async () => {
  const made = { seat: seat('4'), code: 'code', token: 'token', link: null }
  const { asked, store } = stage({
    invite: () => made,
    inviteAgain: () => made,
    revoke: () => ({
      seat: seat('4', { state: 'revoked', owed: ['role'], owedReason: away }),
      steps: [{ what: 'role', ok: false, reason: away }],
    }),
  })
  expect(await store.invite('local', 7, 'mei', 'Mei')).toBe(true)
  expect(asked).toEqual([['invite', { profileId: 'local', roomid: 7, accid: 'mei', name: 'Mei' }]])
  expect(store.invitation?.token).toBe('token')
  store.putAway()
  expect(store.invitation).toBeNull()
  await store.inviteAgain('4')
  expect(store.invitation).not.toBeNull()
  expect(await store.revoke(seat('4', { name: 'Mei' }))).toBe(true)
  expect(store.invitation).toBeNull()
  expect(store.revocation).toEqual({ id: '4', name: 'Mei', steps: [{ what: 'role', ok: false, reason: away }] })
  // What was left was done by itself.
  const now = { listener, unwritten: null, seats: [seat('4', { state: 'revoked' })] }
  const before = store.board!
  store.apply({ type: 'seats', board: now })
  expect(store.revocation?.steps).toEqual([{ what: 'role', ok: true, reason: null }])
  store.apply({ type: 'seats', board: before })
  expect(store.seatsOf('local').at(-1)).toMatchObject({ id: '4', state: 'revoked' })
})

it('keeps a reason at the place that asked, one thing at a time', async () => {
  const { asked, store } = stage({ listen: () => ({ ...listener, phase: 'listening' }) })
  const both = await Promise.all([store.makeCertificate(['stage.example']), store.listen(true, false, 0)])
  expect([both, asked.length]).toEqual([[false, false], 1])
  expect([store.failureAt('certificate')?.kind, store.failureAt('listen'), store.busy]).toEqual(['offline', null, null])
  expect(await store.listen(true, false, 0)).toBe(true)
  expect([store.listener?.phase, store.failureAt('certificate')]).toEqual(['listening', null])
})

it('reads names and accounts as they may be typed', () => {
  expect(namesOf(' Stage.Example, 203.0.113.7，stage.example\nfd00::7 ')).toEqual([
    'stage.example',
    '203.0.113.7',
    'fd00::7',
  ])
  expect(['stage.example', '203.0.113.7', 'fd00::7', 'localhost'].map(isHostName)).toEqual([true, true, true, true])
  expect(['https://stage.example', 'a b', '', '*.example', 'a..b', 'x'.repeat(254)].map(isHostName)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ])
  expect([isAccid('mei_1@x.-'), isAccid('Mei'), isAccid(''), isAccid('x'.repeat(33))]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

it('puts an invitation away when its seat is taken back, wherever that was done', async () => {
  const { store } = stage({
    invite: () => ({ seat: seat('9', { state: 'invited' }), link: 'https://host/#code', fingerprint: null }),
  })
  await store.invite('local', 7, 'mia', 'Mia')
  expect(store.invitation).not.toBeNull()
  store.apply({ type: 'seats', board: { listener, unwritten: null, seats: [seat('9', { state: 'revoked' })] } })
  expect(store.invitation).toBeNull()
})
