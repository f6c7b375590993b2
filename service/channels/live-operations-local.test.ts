import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local, operations } from '../../contract/operations/index.ts'
import { answerFault } from '../../contract/validate.ts'
import { pathPrefix } from '../http/dispatch.ts'
import { recordCall } from '../testing/call-record.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { promised } from '../testing/machine-pace.ts'
import { breakTables } from '../testing/beside.ts'

const day = 86_400_000
let service: TestService
let clock: ManualWallClock

beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock, faults: true })
})
afterEach(() => service.close())

const served = Object.values(local).filter(({ pending }) => !pending)
const create = async (name: string, client: Pick<TestService, 'call'> = service) =>
  (await client.call(live.create, { name })).ret!
describe('every extension operation', () => {
  it.each(served.map((operation) => [operation.path, operation] as const))(
    '%s asks for a signature and an object',
    async (_path, operation) => {
      expect((await service.send(operation, {}, [['CheckSum', undefined]])).code).toBe(613)
      expect((await service.send(operation, {}, [['AppKey', undefined]])).code).toBe(614)
      expect((await service.send(operation, {}, [['CurTime', undefined]])).code).toBe(615)
      expect((await service.send(operation, {}, [['Nonce', undefined]])).code).toBe(409)
      expect((await service.send(operation, [])).code).toBe(631)
    },
  )

  it('that is not served yet answers 404, under the base address of its document', async () => {
    for (const operation of operations.filter(({ pending }) => pending)) {
      const { status, text } = await service.raw(pathPrefix(operation) + operation.path, {
        headers: Object.entries(service.sign()),
        body: '{}',
      })
      expect([operation.path, status, JSON.parse(text)]).toEqual([
        operation.path,
        404,
        { code: 404, msg: 'this operation is not served yet' },
      ])
    }
  })
})

describe('service/info', () => {
  it('describes the service and the caller', async () => {
    clock.advance(5000)
    const { ret } = await service.call(local.info, {})
    expect(ret).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      time: clock.now(),
      startedAt: clock.now() - 5000,
      timeZone: 'UTC',
      dataDir: service.dataDir,
    })
    expect(ret!.diskFree).toBeGreaterThan(0)
    // Free space without the recording reserve, at this moment: other tests use the same disk.
    const filler = join(service.dataDir, 'filler')
    writeFileSync(filler, Buffer.alloc(64 * 1024 ** 2))
    const { ret: filled } = await service.call(local.info, {})
    rmSync(filler)
    expect(Math.abs(filled!.diskFree - filled!.recordingRoom! - 512 * 1024 ** 2)).toBeLessThan(16 * 1024 ** 2)
    expect(ret!.uid).not.toBe((await service.other.call(local.info, {})).ret!.uid)
  })

  it('answers 501 when the data directory is gone', async () => {
    renameSync(service.dataDir, `${service.dataDir}-gone`)
    expect((await service.call(local.info, {})).code).toBe(501)
    renameSync(`${service.dataDir}-gone`, service.dataDir)
  })
})

describe('service/settings', () => {
  const first = {
    ownerPresent: true,
    liveEnabled: true,
    vodEnabled: true,
    frozen: false,
    oneTimeCheckSum: false,
    pushLifeDays: 30,
    localTargets: true,
  }

  it('are per application, changed one by one, and kept over a restart', async () => {
    expect((await service.call(local.settings, {})).ret).toMatchObject(first)
    expect((await service.call(local.updateSettings, { vodEnabled: false, pushLifeDays: 7 })).ret).toMatchObject({
      ...first,
      vodEnabled: false,
      pushLifeDays: 7,
    })
    expect((await service.call(local.updateSettings, {})).ret).toMatchObject({
      ...first,
      vodEnabled: false,
      pushLifeDays: 7,
    })
    expect((await service.other.call(local.settings, {})).ret).toMatchObject(first)
    await service.stop()
    const again = await startService({ clock, dataDir: service.dataDir })
    expect((await again.call(local.settings, {})).ret).toMatchObject({ ...first, vodEnabled: false, pushLifeDays: 7 })
    await again.stop()
  })

  it('refuse what is not acceptable, and change nothing then', async () => {
    expect((await service.send(local.updateSettings, { vodEnabled: false, pushLifeDays: 0 })).code).toBe(631)
    expect((await service.send(local.updateSettings, { frozen: 'maybe' })).code).toBe(631)
    expect((await service.call(local.settings, {})).ret).toMatchObject(first)
  })

  it('answer 501 when the store is broken', async () => {
    await breakTables(service.dataDir, 'application')
    expect((await service.call(local.settings, {})).code).toBe(501)
    expect((await service.call(local.updateSettings, { frozen: true })).code).toBe(501)
  })
})

describe('channel/details', () => {
  it('tells of own channels in the order asked for, and leaves out others', async () => {
    const [a, b, foreign] = [await create('a'), await create('b'), await create('c', service.other)]
    await service.call(live.pause, { cid: b.cid })
    const { ret } = await service.call(local.channelDetails, { cidList: [b.cid, foreign.cid, 'nothing', a.cid, b.cid] })
    const keyExpires = clock.now() + 30 * day
    expect(ret!.list).toEqual([
      { cid: b.cid, status: 2, keyExpires, viewers: 0 },
      { cid: a.cid, status: 0, keyExpires, viewers: 0 },
    ])
  })
})

describe('channel/replaceKey', () => {
  it('gives a new address, which stays the one that is given out', async () => {
    const { cid, pushUrl } = await create('a')
    const { ret } = await service.call(local.replaceKey, { cid })
    expect(ret!.pushUrl).not.toBe(pushUrl)
    expect((await service.call(live.address, { cid })).ret!.pushUrl).toBe(ret!.pushUrl)
  })

  it('refuses with its own codes', async () => {
    const { cid } = await create('a', service.other)
    expect((await service.send(local.replaceKey, {})).code).toBe(631)
    expect((await service.call(local.replaceKey, { cid: 'nothing' })).code).toBe(618)
    expect((await service.call(local.replaceKey, { cid })).code).toBe(617)
  })

  it('holds when the store is broken, and says that a restart undoes it', async () => {
    const { cid, pushUrl } = await create('a')
    await breakTables(service.dataDir, 'channel')
    const { code, msg, ret } = await service.call(local.replaceKey, { cid })
    expect([code, msg]).toEqual([200, expect.stringMatching(/in force, but not stored.*restart before then undoes/)])
    expect(ret!.pushUrl).not.toBe(pushUrl)
    expect((await service.call(live.address, { cid })).ret!.pushUrl).toBe(ret!.pushUrl)
  })
})

describe('service/events', () => {
  it('begins with the own channels and tells what happens to them, in order', async () => {
    const { cid } = await create('a')
    await create('foreign', service.other)
    const reader = await service.events()
    expect((await reader.next('snapshot')).channels).toEqual([
      { cid, status: 0, keyExpires: clock.now() + 30 * day, viewers: 0 },
    ])
    const made = await create('b')
    await create('foreign too', service.other)
    await service.call(live.update, { cid, name: 'c' })
    await service.call(live.pause, { cid })
    clock.advance(20 * day)
    await service.call(live.address, { cid })
    await service.call(local.replaceKey, { cid: made.cid })
    await service.call(live.remove, { cid })
    await reader.next('channel', ({ change }) => change === 'deleted')
    expect(
      reader.events
        .slice(1)
        .map((event) => [
          event.type,
          'cid' in event ? event.cid : '',
          'change' in event ? event.change : 'status' in event ? event.status : '',
        ]),
    ).toEqual([
      ['channel', made.cid, 'created'],
      ['tally', made.cid, 0],
      ['channel', cid, 'updated'],
      ['tally', cid, 2],
      ['channel', cid, 'key'],
      ['tally', cid, 2],
      ['channel', made.cid, 'key'],
      ['tally', made.cid, 0],
      ['channel', cid, 'deleted'],
    ])
    reader.close()
  })

  it('sends a heartbeat every 5 s', async () => {
    const reader = await service.events()
    await promised(5500, () => reader.next('heartbeat'))
    reader.close()
  })

  it('refuses more callers than it can serve, and ends at once when the service closes', async () => {
    const readers = await Promise.all(Array.from({ length: 64 }, () => service.events()))
    await Promise.all(readers.map((reader) => reader.next('snapshot')))
    const { text } = await service.raw(local.events.path, { headers: Object.entries(service.sign()), body: '{}' })
    const answer = JSON.parse(text) as { code: number }
    expect(answer.code).toBe(501)
    expect(answerFault(local.events, answer)).toBeUndefined()
    recordCall(local.events.path, answer.code)
    await promised(1000, async () => {
      await service.stop()
      await Promise.all(readers.map(({ ended }) => ended))
    })
  })
})
