import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { avcHeader, keyFrame } from '../ingest/testing/rtmp-test-server.ts'
import { silentLog } from '../log.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { createDatabaseCopies } from '../storage/database-copies.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService } from '../testing/killed-service.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import type { SignedClient } from '../testing/signed-client.ts'
import { startFaultyServer } from './testing/faulty-server.ts'

const keyOf = (name: string): string => `live_key_of_server_${name}`
const servers = async (count: number) => {
  const those = await Promise.all(Array.from({ length: count }, () => startFaultyServer()))
  onTestFinished(async () => void (await Promise.all(those.map((each) => each.close()))))
  return those
}
/** Publishes a picture, so that targets begin. */
async function push(pushUrl: string): Promise<void> {
  const { port, pathname, search } = new URL(pushUrl)
  const encoder = await RtmpTestClient.open(Number(port))
  onTestFinished(() => encoder.close())
  await encoder.connect()
  await encoder.ask('publish', `${pathname.replace('/live/', '')}${search}`)
  encoder.send(rtmpType.video, 0, avcHeader)
  encoder.send(rtmpType.video, 0, keyFrame())
}
const listOf = async (client: Pick<SignedClient, 'call'>, cid: string) =>
  (await client.call(local.targets, { cid })).ret!.list
/** Every target of a channel has begun, or has no key. */
const begun = (client: Pick<SignedClient, 'call'>, cid: string) =>
  eventually(async () => {
    const list = await listOf(client, cid)
    expect(list.every(({ state }) => state === 'noKey' || state === 'sending')).toBe(true)
    return list
  })
const add = async ({ call }: TestService, cid: string, url: string, key?: string) =>
  (await call(local.addTarget, { cid, name: 'there', url, key, start: 'push' })).ret!.targetId

/** A stand-alone service; `damage` closes it and makes its database useless. */
async function standAlone() {
  let service = await startService({ targetKeysInFile: true })
  const { dataDir } = service
  onTestFinished(async () => {
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    service: () => service,
    dataDir,
    async damageAndStart(copy: string | null): Promise<TestService> {
      await service.stop()
      writeFileSync(join(dataDir, 'sidestage.db'), 'not a database any more')
      service = await startService({ dataDir, targetKeysInFile: true, recovery: { copy } })
      return service
    },
  }
}

test('after a copy was put back no server is given the key of another', async () => {
  const [a, b, c, d] = await servers(4)
  const { service, dataDir, damageAndStart } = await standAlone()
  const { cid } = (await service().call(live.create, { name: 'Show' })).ret!
  const changed = await add(service(), cid, a!.url, keyOf('a'))
  const kept = await add(service(), cid, d!.url, keyOf('d'))
  const copies = createDatabaseCopies({ dataDir, clock: systemClock, log: silentLog })
  expect(await copies.make()).toBe('made')
  await copies.close()
  await service().call(local.updateTarget, { cid, targetId: changed, url: b!.url, key: keyOf('b') })
  const gone = await add(service(), cid, c!.url, keyOf('c'))

  const again = await damageAndStart('latest')
  // Numbers are given again.
  expect(await add(again, cid, b!.url)).toBe(gone)
  expect((await listOf(again, cid)).map(({ targetId, hasKey }) => [targetId, hasKey])).toEqual([
    [changed, false],
    [kept, true],
    [gone, false],
  ])
  const { pushUrl } = (await again.call(live.address, { cid })).ret!
  await push(pushUrl)
  await begun(again, cid)
  expect([a!.keys, b!.keys, c!.keys, d!.keys]).toEqual([[], [], [], [keyOf('d')]])
})

test('keys set aside by an older copy are used again once the database is back', async () => {
  const [a] = await servers(1)
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-put-back-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = (name: string): string => join(dataDir, name)
  let service = await startService({ dataDir, targetKeysInFile: true })
  onTestFinished(() => service.stop())
  const { cid } = (await service.call(live.create, { name: 'Show' })).ret!
  const copies = createDatabaseCopies({ dataDir, clock: systemClock, log: silentLog })
  expect(await copies.make()).toBe('made')
  await copies.close()
  await add(service, cid, a!.url, keyOf('a'))
  // By hand, as for a database that can be used.
  const putInPlace = async (from: string): Promise<void> => {
    await service.stop()
    renameSync(file('sidestage.db'), file(`before-${basename(from)}`))
    copyFileSync(from, file('sidestage.db'))
    service = await startService({ dataDir, targetKeysInFile: true })
  }
  const [copy] = readdirSync(file('copies'))
  await putInPlace(join(file('copies'), copy!))
  expect(await listOf(service, cid)).toEqual([])
  await putInPlace(file(`before-${copy}`))
  expect(await listOf(service, cid)).toMatchObject([{ hasKey: true }])
  const { pushUrl } = (await service.call(live.address, { cid })).ret!
  await push(pushUrl)
  await begun(service, cid)
  expect(a!.keys).toEqual([keyOf('a')])
})

test('after a database was begun anew its first target has no key of the one before', async () => {
  const [a, b] = await servers(2)
  const { service, damageAndStart, dataDir } = await standAlone()
  const { cid } = (await service().call(live.create, { name: 'Show' })).ret!
  const first = await add(service(), cid, a!.url, keyOf('a'))
  const again = await damageAndStart(null)
  const anew = (await again.call(live.create, { name: 'Show' })).ret!
  expect(await add(again, anew.cid, b!.url)).toBe(first)
  expect(await listOf(again, anew.cid)).toMatchObject([{ hasKey: false }])
  await push(anew.pushUrl)
  await begun(again, anew.cid)
  expect([a!.keys, b!.keys]).toEqual([[], []])
  expect(readFileSync(join(dataDir, 'target-keys.json'), 'utf8')).not.toContain(keyOf('a'))
})

test('an address that the disk refuses is not stored, and after SIGKILL its server is given no key', async () => {
  const [a, b] = await servers(2)
  const service = killedService()
  onTestFinished(() => service.remove())
  const first = await service.start()
  const { cid } = (await first.client.call(live.create, { name: 'Show' })).ret!
  const added = { cid, name: 'there', url: a!.url, key: keyOf('a'), start: 'push' } as const
  const { targetId } = (await first.client.call(local.addTarget, added)).ret!
  const file = join(service.dataDir, 'target-keys.json')
  copyFileSync(file, `${file}.before`)
  // A folder in the place of the file refuses every write, whoever asks.
  rmSync(file)
  mkdirSync(file)
  expect((await first.client.call(local.updateTarget, { cid, targetId, url: b!.url })).code).not.toBe(200)
  expect((await first.client.call(local.removeTarget, { cid, targetId })).code).not.toBe(200)
  expect(await listOf(first.client, cid)).toMatchObject([{ url: a!.url, hasKey: true }])
  await service.kill()
  rmSync(file, { recursive: true })
  copyFileSync(`${file}.before`, file)
  const { client } = await service.start()
  const list = await listOf(client, cid)
  expect(list).toMatchObject([{ url: a!.url, hasKey: true }])
  const { pushUrl } = (await client.call(live.address, { cid })).ret!
  await push(pushUrl)
  await begun(client, cid)
  expect([a!.keys, b!.keys]).toEqual([[keyOf('a')], []])
})
