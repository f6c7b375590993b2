import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent, type ClientRequest } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import { createAddressGuard, type Resolve } from './address-guard.ts'
import { createAttempts, type Attempts } from './attempts.ts'
import type { DeliveryKind } from './outbox-options.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'

let receiver: Receiver
let time: ManualClock
let attempts: Attempts
let logged: [level: string, details: object][]
beforeEach(async () => {
  time = manualClock()
  receiver = await startReceiver(time)
  logged = []
})
afterEach(async () => {
  attempts.close()
  await receiver.close()
})

const row = (values: Partial<DeliveryTable> = {}): DeliveryTable => ({
  nId: 'n1',
  uid: 1,
  kind: 'recording',
  url: receiver.url,
  target: new URL(receiver.url).origin,
  line: null,
  body: '{"a":"b"}',
  state: 'waiting',
  attempts: 2,
  step: 0,
  due: 0,
  created: 0,
  result: null,
  ...values,
})
const begin = (
  kind: Partial<DeliveryKind> = {},
  resolve: Resolve = () => Promise.reject(new Error('no name')),
): void => {
  const note = (level: string) => (details: object) => void logged.push([level, details])
  attempts = createAttempts({
    guard: createAddressGuard({ resolve, ownPorts: () => [], ownAddresses: () => [] }),
    kinds: { recording: { resendAfter: [], headers: () => Promise.resolve({}), ...kind } },
    localAllowed: (uid) => Promise.resolve(uid === 1),
    clock: time,
    log: { ...silentLog, info: note('info'), warn: note('warn'), debug: note('debug'), error: note('error') },
  })
}

it('sends the body that its kind makes of the logged one, with the headers of that body', async () => {
  begin({
    body: (uid, text) => JSON.stringify({ ...(JSON.parse(text) as object), uid: String(uid) }),
    headers: (uid, body) => Promise.resolve({ 'x-sign': `${uid} ${body}` }),
  })
  expect(await attempts.make(row())).toMatchObject({ delivered: true, result: { code: 'status' } })
  const body = '{"a":"b","uid":"1"}'
  expect(receiver.received).toMatchObject([{ body, headers: { 'x-sign': `1 ${body}` } }])
})

it('logs what came of an attempt, its number and target, and a copy only for those who look closely', async () => {
  begin()
  await attempts.make(row())
  await attempts.make(row({ line: '1:x' }))
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  await attempts.make(row({ line: '1:x' }))
  const about = { nId: 'n1', kind: 'recording', target: new URL(receiver.url).origin, attempt: 3, result: 'status' }
  expect(logged).toEqual([
    ['info', { ...about, status: '200' }],
    ['debug', { ...about, status: '200' }],
    ['warn', { ...about, status: '500' }],
  ])
})

it('does not deliver a kind that there is none of any more', async () => {
  begin()
  expect(await attempts.make(row({ kind: 'gone' }))).toEqual({ delivered: false, result: { code: 'kind', params: {} } })
})

it('does not deliver where the application may not', async () => {
  begin()
  expect(await attempts.make(row({ uid: 2 }))).toMatchObject({ delivered: false, result: { code: 'thisComputer' } })
  expect(receiver.received).toEqual([])
})

it('is a fault of the service, which is logged, when it cannot be signed', async () => {
  begin({ headers: () => Promise.reject(new Error('no key')) })
  expect(await attempts.make(row())).toEqual({ delivered: false, result: { code: 'fault', params: {} } })
  expect(logged[0]).toMatchObject(['error', { nId: 'n1', err: { message: 'no key' } }])
})

it('ends after the time of an attempt, with what it waited for', async () => {
  begin({}, () => new Promise<never>(() => undefined))
  const named = attempts.make(row({ url: 'http://slow.example/' }))
  receiver.answer = () => undefined
  const silent = attempts.make(row())
  await expect.poll(() => receiver.received.length).toBe(1)
  time.advance(deliveryTimeout - 1)
  time.advance(1)
  expect([(await named)?.result.code, (await silent)?.result.code]).toEqual(['unresolved', 'late'])
})

it('has no result when it is cut off by closing, and begins none after', async () => {
  begin()
  receiver.answer = () => undefined
  const running = attempts.make(row())
  await expect.poll(() => receiver.received.length).toBe(1)
  attempts.close()
  expect(await running).toBeUndefined()
  expect(await attempts.make(row())).toBeUndefined()
  expect(receiver.received).toHaveLength(1)
  expect(logged).toEqual([])
})

it('leaves no time of an attempt running once that has ended', async () => {
  begin()
  await attempts.make(row())
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  await attempts.make(row())
  await attempts.make(row({ kind: 'gone' }))
  expect(time.waiting()).toBe(0)
})

it('keeps a delivery whose status came before it was cut off by closing', async () => {
  begin()
  receiver.answer = (_request, response) => {
    response.writeHead(200)
    response.write('{')
  }
  const read = Promise.withResolvers<void>()
  const { port } = receiver
  const onAnswer = (message: unknown): void => {
    if ((message as { request: ClientRequest }).request.getHeader('host') === `127.0.0.1:${port}`) read.resolve()
  }
  subscribe('http.client.response.finish', onAnswer)
  try {
    const running = attempts.make(row())
    await read.promise
    attempts.close()
    expect(await running).toMatchObject({ delivered: true, result: { code: 'status' } })
  } finally {
    unsubscribe('http.client.response.finish', onAnswer)
  }
})

it('ends kept connections when it is closed', async () => {
  begin()
  await attempts.make(row({ line: '1:x' }))
  const destroyed = vi.spyOn(Agent.prototype, 'destroy')
  attempts.close()
  expect(destroyed).toHaveBeenCalledTimes(1)
  destroyed.mockRestore()
})
