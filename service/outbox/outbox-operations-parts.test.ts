import { beforeEach, expect, it } from 'vitest'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { Operation } from '../../contract/operation.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { Application } from '../applications.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Admitted, Rejected } from './address-guard.ts'
import { notYet } from './deliveries.ts'
import { outboxOperations } from './outbox-operations.ts'

const url = 'http://receiver.example/'
const admitted: Admitted = { ok: true, url: new URL(url), addresses: ['192.0.2.1'] }
const row = (values: Partial<DeliveryTable> = {}): DeliveryTable => ({
  nId: 'n',
  uid: 1,
  kind: 'recording',
  url,
  target: 'http://receiver.example',
  line: null,
  body: '{"vid":"7"}',
  state: 'waiting',
  attempts: 2,
  step: 1,
  due: 9,
  created: 5,
  result: null,
  ...values,
})
let time: ManualClock
let asked: unknown[]
let state: {
  ownerPresent: boolean
  localTargets: boolean
  check: Promise<Admitted | Rejected>
  url: string | null
  liveUrl: string | null
  other: string | undefined
  entry: DeliveryTable | undefined
  rows: DeliveryTable[]
  isThere: boolean
}
beforeEach(() => {
  time = manualClock()
  asked = []
  state = {
    ownerPresent: true,
    localTargets: true,
    check: Promise.resolve(admitted),
    url: null,
    liveUrl: null,
    other: undefined,
    entry: undefined,
    rows: [],
    isThere: true,
  }
})
async function call(operation: Operation, args: object): Promise<unknown> {
  const { ownerPresent, localTargets } = state
  const served = outboxOperations({
    callbacks: {
      read: (uid) => Promise.resolve({ uid, url: state.url, signKey: `key ${uid}`, liveUrl: state.liveUrl }),
      async setAddress(uid, address) {
        asked.push(['setAddress', uid, address])
      },
      async setLiveAddress(uid, address) {
        asked.push(['setLiveAddress', uid, address])
      },
      async setSignKey(uid, key) {
        asked.push(['setSignKey', uid, key])
      },
    },
    outbox: {
      find: async () => state.entry,
      async list(uid, limit, before, kind) {
        asked.push(['list', uid, limit, before, kind])
        return state.rows
      },
      async waiting(uid, kind) {
        asked.push(['waiting', uid, kind])
        return 3
      },
      async resend(nId, address) {
        asked.push(['resend', nId, address])
        return state.isThere
      },
    },
    guard: {
      check(address, isLocal) {
        asked.push(['check', address, isLocal])
        return state.check
      },
    },
    addressOf(uid, kind) {
      asked.push(['addressOf', uid, kind])
      return state.other
    },
    clock: time,
  })
  const application = { uid: 1, settings: { ownerPresent, localTargets } } as Application
  return served.find((one) => one.operation === operation)!.answer!(args as never, { application, subnet: '' })
}

it('sets an address once it is checked with what the application may reach', async () => {
  expect(await call(recordings.setCallback, { recordClk: url })).toEqual({ ret: { result: true } })
  state.localTargets = false
  await call(recordings.setCallback, { recordClk: url })
  expect(asked).toEqual([
    ['check', url, true],
    ['setAddress', 1, url],
    ['check', url, false],
    ['setAddress', 1, url],
  ])
  expect(time.waiting()).toBe(0)
})

it('refuses an address of a wrong shape or place with 631, one that leads nowhere with 618, and says why', async () => {
  const refused = (why: Rejected['why'], reason: Rejected['reason']) => {
    state.check = Promise.resolve({ ok: false, why, reason })
    return expect(call(recordings.setCallback, { recordClk: url })).rejects
  }
  await refused('shape', reasonOf('delivery', 'notUrl')).toMatchObject({
    code: 631,
    message: 'recordClk: the address must be http:// or https:// and a host',
  })
  await refused('place', reasonOf('delivery', 'ownPort', { host: 'h' })).toMatchObject({
    code: 631,
    message: 'recordClk: h is a port of this service itself',
  })
  await refused('nowhere', reasonOf('delivery', 'nowhere', { host: 'h' })).toMatchObject({ code: 618 })
  expect(asked.filter((one) => (one as string[])[0] === 'setAddress')).toEqual([])
})

it('refuses an address that is not resolved in the time of a delivery, and takes no later answer', async () => {
  const check = Promise.withResolvers<Admitted>()
  state.check = check.promise
  const setting = call(recordings.setCallback, { recordClk: url })
  const refused = expect(setting).rejects.toMatchObject({ code: 618 })
  await expect.poll(() => time.waiting()).toBe(1)
  time.advance(deliveryTimeout - 1)
  time.advance(1)
  await refused
  check.resolve(admitted)
  await check.promise
  expect(asked).toEqual([['check', url, true]])
})

it('takes an address that is resolved just in time', async () => {
  const check = Promise.withResolvers<Admitted>()
  state.check = check.promise
  const setting = call(recordings.setCallback, { recordClk: url })
  await expect.poll(() => time.waiting()).toBe(1)
  time.advance(deliveryTimeout - 1)
  check.resolve(admitted)
  expect(await setting).toEqual({ ret: { result: true } })
})

it('sets a key, and neither key nor address while the owner is not known', async () => {
  expect(await call(recordings.setSignKey, { signKey: 'k' })).toEqual({ ret: { result: true } })
  expect(asked).toEqual([['setSignKey', 1, 'k']])
  state.ownerPresent = false
  await expect(call(recordings.setSignKey, { signKey: 'k' })).rejects.toMatchObject({ code: 618 })
  await expect(call(recordings.setCallback, { recordClk: url })).rejects.toMatchObject({ code: 618 })
  expect(asked).toHaveLength(1)
})

it('reads the key, and the address where one is set, also while the owner is not known', async () => {
  state.ownerPresent = false
  expect(await call(local.callback, {})).toEqual({ ret: { signKey: 'key 1' } })
  state.url = url
  expect(await call(local.callback, {})).toEqual({ ret: { recordClk: url, signKey: 'key 1' } })
})

it('sets, tells and clears the address of live callbacks, once it is checked', async () => {
  expect(await call(local.setLiveCallback, { url })).toEqual({})
  expect(await call(local.setLiveCallback, {})).toEqual({})
  expect(asked).toEqual([
    ['check', url, true],
    ['setLiveAddress', 1, url],
    ['setLiveAddress', 1, undefined],
  ])
  state.liveUrl = url
  expect(await call(local.callback, {})).toEqual({ ret: { signKey: 'key 1', liveUrl: url } })
  for (const why of ['shape', 'place', 'nowhere'] as const) {
    state.check = Promise.resolve({ ok: false, why, reason: reasonOf('delivery', 'notUrl') })
    await expect(call(local.setLiveCallback, { url })).rejects.toMatchObject({
      code: 631,
      message: 'url: the address must be http:// or https:// and a host',
    })
  }
  expect(asked.filter((one) => (one as string[])[0] === 'setLiveAddress')).toHaveLength(2)
})

it('sends a live callback again to the address that is set now', async () => {
  state.entry = row({ kind: 'live', body: '{"cid":"c"}' })
  state.url = 'http://recorded.example/'
  state.liveUrl = 'http://live.example/'
  await call(local.resend, { nId: 'n' })
  expect(asked).toEqual([['resend', 'n', 'http://live.example/']])
})

it('lists deliveries with what is known of each: the file of a callback, when it is due, and its result', async () => {
  const result = reasonOf('delivery', 'status', { status: '500' })
  state.rows = [
    row({ result: JSON.stringify(result) }),
    row({ nId: 'turn', due: notYet }),
    row({ nId: 'done', state: 'delivered', kind: 'copy', body: '{}' }),
    row({ nId: 'failed', state: 'failed', result: '' }),
  ]
  const common = { url, attempts: 2, at: 5 }
  expect(await call(local.deliveries, { limit: 4, before: 8, kind: 'copy' })).toEqual({
    ret: {
      list: [
        { nId: 'n', vid: 7, kind: 'recording', state: 'waiting', due: 9, result, ...common },
        { nId: 'turn', vid: 7, kind: 'recording', state: 'waiting', ...common },
        { nId: 'done', kind: 'copy', state: 'delivered', ...common },
        { nId: 'failed', vid: 7, kind: 'recording', state: 'failed', ...common },
      ],
      waiting: 3,
    },
  })
  expect(asked).toEqual([
    ['list', 1, 4, 8, 'copy'],
    ['waiting', 1, 'copy'],
  ])
})

it('sends a callback again to the address that is set now, or where none is set to that of before', async () => {
  state.entry = row()
  state.url = 'http://now.example/'
  expect(await call(local.resend, { nId: 'n' })).toEqual({})
  state.url = null
  await call(local.resend, { nId: 'n' })
  expect(asked).toEqual([
    ['resend', 'n', 'http://now.example/'],
    ['resend', 'n', undefined],
  ])
})

it('sends a copy again to the address of copies', async () => {
  state.entry = row({ kind: 'copy' })
  state.url = 'http://callbacks.example/'
  state.other = 'http://copies.example/'
  await call(local.resend, { nId: 'n' })
  expect(asked).toEqual([
    ['addressOf', 1, 'copy'],
    ['resend', 'n', 'http://copies.example/'],
  ])
})

it('sends nothing again that is not there, is another application’s, or goes meanwhile', async () => {
  await expect(call(local.resend, { nId: 'n' })).rejects.toMatchObject({ code: 618 })
  state.entry = row({ uid: 2 })
  await expect(call(local.resend, { nId: 'n' })).rejects.toMatchObject({ code: 617 })
  expect(asked).toEqual([])
  state.entry = row()
  state.isThere = false
  await expect(call(local.resend, { nId: 'n' })).rejects.toMatchObject({ code: 618 })
})
