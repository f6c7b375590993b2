import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { live, local } from '../../contract/operations/index.ts'
import { startService, testCredentials, type TestService } from '../../service/testing/start-service.ts'
import { createClient, type Client } from '../client/client.ts'
import { createTransport, type Transport } from '../client/transport.ts'
import { systemClock } from '../../platform/clock.ts'
import { failureOf } from '../testing/rig.ts'
import { readChannel, readChannels } from './channel-list.ts'

let service: TestService
let transport: Transport
let client: Client
/** Paths of the signed calls since a test began. */
let calls: string[] = []
beforeAll(async () => {
  service = await startService({ faults: true })
  transport = createTransport()
  const { baseUrl: liveUrl, imBaseUrl: messagingUrl } = service.service.ready
  const signed = createClient(
    { liveUrl, messagingUrl, ...testCredentials },
    { transport, clock: systemClock, random: randomBytes },
  )
  client = {
    call: (operation: Operation, args: never) => {
      calls.push(operation.path)
      return signed.call(operation, args)
    },
  } as unknown as Client
})
beforeEach(() => {
  calls = []
})
afterAll(async () => {
  transport?.close()
  await service?.close()
})

it('one channel is read with one call, among however many', async () => {
  const [cid] = await Promise.all(
    ['wanted', 'b', 'c'].map(async (name) => (await service.call(live.create, { name, type: 0 })).ret!.cid),
  )
  if (cid === undefined) return expect.fail('no channel')
  const own = await readChannel(client, cid)
  expect(calls).toEqual([live.state.path])
  expect(own).toEqual((await readChannels(client)).channels.find((channel) => channel.cid === cid))
  await service.call(live.remove, { cid })
  expect(await readChannel(client, cid)).toBeUndefined()
})

it('a channel of somebody else is none, and a service that fails is not taken for one without channels', async () => {
  const { cid } = (await service.other.call(live.create, { name: 'theirs', type: 0 })).ret!
  expect(await readChannel(client, cid)).toBeUndefined()
  const own = (await service.call(live.create, { name: 'ours', type: 0 })).ret!.cid
  await service.call(local.faults, { path: live.state.path, code: 602 })
  expect((await readChannel(client, own))?.name).toBe('ours')
  for (const { path } of [live.state, live.list]) await service.call(local.faults, { path, code: 602 })
  expect(await failureOf(readChannel(client, own))).toMatchObject({ kind: 'code', code: 602 })
  await service.call(local.updateSettings, { ownerPresent: false })
  expect(await failureOf(readChannel(client, own))).toMatchObject({ kind: 'code', code: 607 })
})

it('all channels are read by pages, ten thousand at most', async () => {
  const pages = (total: number): Client => {
    const call = (_operation: Operation, { records, pnum }: { readonly records: number; readonly pnum: number }) => {
      calls.push(String(pnum))
      const length = Math.max(0, Math.min(records, total - (pnum - 1) * records))
      const list = Array.from({ length }, (_, index) => ({ cid: String((pnum - 1) * records + index) }))
      return Promise.resolve({ ret: { list, totalRecords: total } })
    }
    return { call } as unknown as Client
  }
  const some = await readChannels(pages(2_500))
  expect([some.total, new Set(some.channels.map(({ cid }) => cid)).size, calls]).toEqual([
    2_500,
    2_500,
    ['1', '2', '3'],
  ])
  calls = []
  expect((await readChannels(pages(0))).channels).toEqual([])
  expect(calls).toEqual(['1'])
  const many = await readChannels(pages(12_000))
  expect([many.total, many.channels.length, calls.length]).toEqual([12_000, 10_000, 11])
})
