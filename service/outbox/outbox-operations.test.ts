import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { waitFor } from './testing/wait.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import { breakTables, leaveDelivery } from '../testing/beside.ts'

let service: TestService
let receiver: Receiver
const names: Record<string, string[]> = {
  'receiver.example': ['93.184.215.14'],
  'metadata.example': ['169.254.169.254'],
  'lan.example': ['192.168.1.20'],
}
const resolve = (host: string): Promise<string[]> => Promise.resolve(names[host] ?? [])

beforeEach(async () => {
  service = await startService({ resolve })
  receiver = await startReceiver()
})
afterEach(async () => {
  await service.close()
  await receiver.close()
})

/** Writes a log entry as an earlier start would have. */
const leave = async (
  nId: string,
  { state = 'failed', due = 0, created = 1 }: Partial<DeliveryTable> = {},
): Promise<void> => {
  const { uid } = (await service.call(local.info, {})).ret!
  const body = JSON.stringify({ nId, vid: '1', orig_video_key: 'c_1_2_1-00000.mp4' })
  await leaveDelivery(service.dataDir, { nId, uid, body, state, due, created })
}
const unsigned = async (operation: Operation, body: object): Promise<void> => {
  expect((await service.send(operation, body, [['CheckSum', undefined]])).code).toBe(613)
  expect((await service.send(operation, body, [['AppKey', undefined]])).code).toBe(614)
  expect((await service.send(operation, body, [['CurTime', undefined]])).code).toBe(615)
  expect((await service.send(operation, body, [['CheckSum', '0'.repeat(40)]])).code).toBe(409)
}

describe('record/setcallback', () => {
  const set = async (recordClk: unknown): Promise<number> =>
    (await service.send(recordings.setCallback, { recordClk })).code

  it('keeps the address per application, over a restart', async () => {
    expect(await service.call(recordings.setCallback, { recordClk: 'http://receiver.example/a?b=c' })).toMatchObject({
      code: 200,
      ret: { result: true },
    })
    await service.call(recordings.setCallback, { recordClk: 'https://receiver.example/录像' })
    expect((await service.call(local.callback, {})).ret!.recordClk).toBe('https://receiver.example/录像')
    expect((await service.other.call(local.callback, {})).ret).not.toHaveProperty('recordClk')
    const { ret } = await service.call(local.callback, {})
    await service.stop()
    const again = await startService({ dataDir: service.dataDir, resolve })
    expect((await again.call(local.callback, {})).ret).toEqual(ret)
    await again.stop()
  })

  it('answers 631 to what is no acceptable address, and keeps the one before', async () => {
    await set('http://receiver.example/')
    for (const address of [
      '',
      undefined,
      null,
      7,
      ['http://receiver.example/'],
      'receiver.example',
      'file:///etc/passwd',
      'gopher://receiver.example/',
      'httpx://receiver.example/',
      'http://user:pass@receiver.example/',
      'http://receiver.example/#part',
      'http://metadata.example/',
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
      'http://[::ffff:127.0.0.1]:9000/',
      'http://0x7f000001:9000/',
      'http://2130706433/',
      'http://0.0.0.0:9000/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      `http://receiver.example/${'x'.repeat(1024)}`,
    ])
      expect(await set(address), String(address)).toBe(631)
    expect((await service.call(local.callback, {})).ret!.recordClk).toBe('http://receiver.example/')
  })

  it('answers 631 to the ports of the service itself', async () => {
    const { api, media, rtmp } = service.service.addresses
    for (const address of [api, media, rtmp])
      expect(await set(`http://127.0.0.1:${new URL(address).port}/app/channel/create`)).toBe(631)
  })

  it('answers 618 to a name that leads nowhere, and while the owner of the application is not known', async () => {
    expect(await set('http://nowhere.example/')).toBe(618)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect(await set('http://receiver.example/')).toBe(618)
    expect((await service.call(local.callback, {})).ret).not.toHaveProperty('recordClk')
  })

  it('answers 618 when the name is not resolved within 5 s', async () => {
    await service.close()
    service = await startService({ resolve: () => new Promise(() => undefined) })
    expect(await set('http://silent.example/')).toBe(618)
  })

  it('takes this computer and its network only while the setting allows them', async () => {
    expect(await set(receiver.url)).toBe(200)
    expect(await set('http://lan.example/')).toBe(200)
    await service.call(local.updateSettings, { localTargets: false })
    expect(await set(receiver.url)).toBe(631)
    expect(await set('http://lan.example/')).toBe(631)
    expect(await set('http://receiver.example/')).toBe(200)
  })

  it('does not take them by itself once a listener is open to the network', async () => {
    await service.close()
    service = await startService({ resolve, rtmp: { host: '0.0.0.0', port: 0 } })
    expect(await set(receiver.url)).toBe(631)
    await service.call(local.updateSettings, { localTargets: true })
    expect(await set(receiver.url)).toBe(200)
  })

  it('answers 501 when the store is broken, and the common codes', async () => {
    await breakTables(service.dataDir, 'callback')
    expect(await set('http://receiver.example/')).toBe(501)
    await unsigned(recordings.setCallback, { recordClk: 'http://receiver.example/' })
  })
})

describe('callback/setSignKey', () => {
  it('replaces a key that was random for each application', async () => {
    const [mine, others] = [
      (await service.call(local.callback, {})).ret!.signKey,
      (await service.other.call(local.callback, {})).ret!.signKey,
    ]
    expect(mine).toMatch(/^[0-9a-f]{32}$/)
    expect(others).not.toBe(mine)
    expect(await service.call(recordings.setSignKey, { signKey: '签名 key&=' })).toMatchObject({
      code: 200,
      ret: { result: true },
    })
    expect((await service.call(local.callback, {})).ret!.signKey).toBe('签名 key&=')
    expect((await service.other.call(local.callback, {})).ret!.signKey).toBe(others)
  })

  it('answers 631 to an empty or overlong key, 618 while the owner is not known, 501 when the store is broken, and the common codes', async () => {
    for (const signKey of ['', undefined, {}, 'x'.repeat(129)])
      expect((await service.send(recordings.setSignKey, { signKey })).code).toBe(631)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(recordings.setSignKey, { signKey: 'k' })).code).toBe(618)
    await service.call(local.updateSettings, { ownerPresent: true })
    await unsigned(recordings.setSignKey, { signKey: 'k' })
    await breakTables(service.dataDir, 'callback')
    expect((await service.call(recordings.setSignKey, { signKey: 'k' })).code).toBe(501)
  })
})

describe('the delivery log', () => {
  it('lists entries newest first by page, and none of another application', async () => {
    for (let at = 1; at <= 5; at++) await leave(`n${at}`, { created: at })
    const ids = async (page: { limit?: number; before?: number }): Promise<string[]> =>
      (await service.call(local.deliveries, page)).ret!.list.map(({ nId }) => nId)
    expect(await ids({})).toEqual(['n5', 'n4', 'n3', 'n2', 'n1'])
    expect(await ids({ limit: 2 })).toEqual(['n5', 'n4'])
    expect(await ids({ limit: 2, before: 4 })).toEqual(['n3', 'n2'])
    expect((await service.call(local.deliveries, { limit: 1 })).ret!.list[0]).toEqual({
      nId: 'n5',
      vid: 1,
      kind: 'recording',
      url: 'http://127.0.0.1:9/',
      state: 'failed',
      attempts: 9,
      at: 5,
      // Written by a version that kept sentences.
      result: { code: 'unknown', params: { text: 'HTTP 500' } },
    })
    expect((await service.other.call(local.deliveries, {})).ret!.list).toEqual([])
    expect((await service.send(local.deliveries, { limit: 0 })).code).toBe(631)
  })

  it('delivers an entry again, to the address that is set now', async () => {
    await leave('again')
    await service.call(recordings.setCallback, { recordClk: receiver.url })
    expect((await service.call(local.resend, { nId: 'again' })).code).toBe(200)
    await waitFor(
      'the delivery',
      async () => (await service.call(local.deliveries, {})).ret!.list[0]!.state === 'delivered',
    )
    expect(receiver.received.map(({ fields }) => fields['nId'])).toEqual(['again'])
    expect((await service.call(local.deliveries, {})).ret!.list[0]).toMatchObject({
      attempts: 10,
      url: receiver.url,
      result: { code: 'status', params: { status: '200' } },
    })
  })

  it('says when a waiting entry is due', async () => {
    const due = Date.now() + 60_000
    await leave('waits', { state: 'waiting', due })
    const mine = (await service.call(local.deliveries, { limit: 1 })).ret!
    expect(mine.list[0]).toMatchObject({ state: 'waiting', due })
    expect(mine.waiting).toBe(1)
    expect((await service.other.call(local.deliveries, {})).ret!.waiting).toBe(0)
  })

  it('answers 618 for no entry, 617 for that of another application, 631 for no id, and 501 when the store is broken', async () => {
    await leave('mine')
    expect((await service.call(local.resend, { nId: 'nothing' })).code).toBe(618)
    expect((await service.other.call(local.resend, { nId: 'mine' })).code).toBe(617)
    expect((await service.send(local.resend, {})).code).toBe(631)
    await breakTables(service.dataDir, 'delivery', 'callback')
    expect((await service.call(local.resend, { nId: 'mine' })).code).toBe(501)
    expect((await service.call(local.deliveries, {})).code).toBe(501)
    expect((await service.call(local.callback, {})).code).toBe(501)
  })
})
