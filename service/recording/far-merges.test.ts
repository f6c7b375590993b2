import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { local, recordings } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { partBytes, type Blobs, type ObjectPlace } from '../blobs/blobs.ts'
import { openS3Blobs } from '../blobs/s3-blobs.ts'
import type { Bus } from '../bus/bus.ts'
import { createSharedBus } from '../bus/testing/shared-bus.ts'
import { decodeFaults, encodeFixture, fixturePackets, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { silentLog } from '../log.ts'
import { Refused } from '../refusal.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { until } from '../testing/condition.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { startFaultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import { startServiceProcess } from '../testing/service-process.ts'
import { signedClient } from '../testing/signed-client.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { insertFile } from './files-store.ts'
import { mergeLease } from './merge-leases.ts'
import { partLength } from './store-merge.ts'
import { recordFile } from './testing/merging.ts'
import { createRig, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'
import { mergeFiles } from './work-merge.ts'

/** Calls an operation as the application of the rigs; a refusal gives its code. */
async function call(rig: RecordingRig, operation: Operation, parameters: object): Promise<unknown> {
  const served = rig.recording.operations.find((each) => each.operation === operation)!
  const caller = { application: { uid: rigUid, settings: { vodEnabled: true } } }
  try {
    return await (served.answer as (parameters: object, caller: object) => unknown)(parameters, caller)
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}
const merge = (rig: RecordingRig, ...vidList: number[]) => call(rig, recordings.merge, { outputName: 'm', vidList })
const accepted = { ret: { result: true } }
const keyOf = (vid: number): string => `recordings/${rigCid}/${vid}.mp4`

describeOnS3('merges of recordings in an object store', () => {
  const fixtures = temporaryFolder()
  let packets: MediaPacket[]
  beforeAll(async () => {
    await requireEncoder()
    const encoded = await encodeFixture(fixtures.path, 'parts', { duration: 6, bitrate: '12M', size: '640x360' })
    packets = fixturePackets(encoded)
  })
  afterAll(() => fixtures.remove())

  let number = 0
  let bus: Bus
  let place: ObjectPlace
  let proxy: FaultyProxy
  /** Without a way that fails, and with it. */
  let [blobs, byProxy]: Blobs[] = []
  let rigs: RecordingRig[]
  const name = (): string => `merged ${process.pid} ${number}`
  beforeEach(async () => {
    number++
    rigs = []
    bus = createSharedBus()
    // As a service names its objects.
    const { schema } = (await testDatabase(name()))!
    place = { ...testObjects(schema), bucket: `merges-${randomBytes(4).toString('hex')}` }
    await makeBucket(place)
    proxy = await startFaultyProxy(place.endpoint)
    blobs = await openS3Blobs(place, { log: silentLog })
    // One call of it lasts until the test lets it go on.
    const times = { connect: 1000, answer: 600_000, silence: 600_000 }
    byProxy = await openS3Blobs({ ...place, endpoint: proxy.endpoint }, { log: silentLog, times })
  })
  afterEach(async () => {
    await proxy.close()
    for (const rig of rigs) await rig.close()
    blobs!.close()
    byProxy!.close()
    await bus.close()
  })
  const add = async (node: string | undefined, isByProxy = false): Promise<RecordingRig> => {
    const among = { ...(node !== undefined && { node }), blobs: isByProxy ? byProxy! : blobs!, bus, database: name() }
    const rig = await createRig({ reserve: 0, closePatience: 200 }, undefined, among)
    rigs.push(rig)
    await rig.recording.start()
    return rig
  }
  const tasks = () => rigs[0]!.store.db.selectFrom('mergeTask').selectAll().orderBy('taskId').execute()
  const leases = () => rigs[0]!.store.db.selectFrom('mergeLease').selectAll().orderBy('taskId').execute()
  const objectOf = async (vid: number): Promise<Buffer> =>
    blobs!.read(keyOf(vid), 0, (await blobs!.size(keyOf(vid)))! - 1)
  const uploads = async (): Promise<string[]> => (await blobs!.left('recordings/')).map(({ key }) => key)
  const whenDone = (count = 1) =>
    until(`${count} are done`, async () => {
      const done = (await tasks()).filter(({ state }) => state === 'done')
      return done.length >= count && (await leases()).length === 0 ? done : undefined
    })
  /** What a service that has its files on its disk makes of them. */
  const onOneDisk = async (...vids: number[]): Promise<Buffer> => {
    const paths = new Map<number, string>()
    for (const vid of vids) {
      paths.set(vid, join(fixtures.path, `${vid}.mp4`))
      writeFileSync(paths.get(vid)!, await objectOf(vid))
    }
    const target = join(fixtures.path, 'target.mp4')
    const sources = vids.map((vid) => paths.get(vid)!)
    await mergeFiles({ sources, temporary: join(fixtures.path, 'part'), target }, () => undefined)
    return readFileSync(target)
  }
  /** A merge that waits for the object store with something stored of it. */
  const halfMerged = async (rig: RecordingRig, ...vids: number[]) => {
    proxy.left = 2.5 * partBytes
    expect(await merge(rig, ...vids)).toEqual(accepted)
    await until('the object store is silent', () => proxy.fault === 'silent')
    return until('some of it is stored', async () => {
      const lease = (await leases()).at(-1)
      if (!lease?.uploadId || (await blobs!.parts(lease.key, lease.uploadId)).length === 0) return undefined
      return { lease, task: (await tasks()).at(-1)! }
    })
  }
  const goOn = (): void => {
    proxy.left = Infinity
    proxy.fault = 'none'
  }

  it('one service merges what the other one recorded, byte by byte as on a disk, without one', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const vids = [await recordFile(a, packets), await recordFile(a, packets), 0]
    vids[2] = vids[0]!
    expect(await merge(b, ...vids)).toEqual(accepted)
    const [task] = await whenDone()
    expect(task).toMatchObject({ node: 'b', attempts: 1 })
    const row = (await b.rows()).find(({ vid }) => vid === task!.vid)!
    const bytes = await objectOf(row.vid)
    expect(bytes.length).toBeGreaterThan(4 * partBytes)
    expect(bytes.equals(await onOneDisk(...vids))).toBe(true)
    expect(row).toMatchObject({ state: 'ready', stored: 1, merged: 1, node: 'b', bytes: bytes.length, name: 'm' })
    expect(b.called).toMatchObject([{ vid: row.vid, merged: true, bytes: bytes.length, duration: row.duration }])
    expect(a.called.map(({ vid }) => vid)).toEqual(vids.slice(0, 2))
    expect(await call(a, local.mergeTasks, {})).toMatchObject({
      ret: { list: [{ state: 'done', done: task!.total, total: task!.total }] },
    })
    expect([readdirSync(join(b.dataDir, 'recordings')), await uploads()]).toEqual([[], []])
    writeFileSync(join(fixtures.path, 'merged.mp4'), bytes)
    expect(await decodeFaults(join(fixtures.path, 'merged.mp4'))).toBe('')
    // What it was made of can go.
    expect(await call(b, local.removeRecordings, { vidList: vids })).toMatchObject({
      ret: { successList: vids.slice(0, 2) },
    })
    expect((await objectOf(row.vid)).equals(bytes)).toBe(true)
  })

  it('a small one of a service that is alone is stored at once', async () => {
    const alone = await add(undefined)
    const vid = await recordFile(alone, packets.slice(0, Math.floor(packets.length / 4)))
    expect(await merge(alone, vid)).toEqual(accepted)
    const [task] = await whenDone()
    const bytes = await objectOf(task!.vid)
    expect(bytes.length).toBeLessThan(partBytes)
    expect(bytes.equals(await onOneDisk(vid))).toBe(true)
  })

  it('one with a file on the disk of a service is made by that one, whoever is asked, into the store', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const far = await recordFile(b, packets)
    const { codecs, duration, bytes } = (await b.rows())[0]!
    const kept = { cid: rigCid, uid: rigUid, format: 0, merged: 0, slice: 0, beginTime: 1, filename: '', codecs }
    const onDiskOf = async (rig: RecordingRig, node: string): Promise<number> => {
      const vid = await insertFile(a.store.db, { ...kept, state: 'writing', node })
      const path = rig.path({ ...kept, vid })
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, await objectOf(far))
      const ready = { state: 'ready', duration, bytes }
      await a.store.db.updateTable('recording').set(ready).where('vid', '=', vid).execute()
      return vid
    }
    const near = await onDiskOf(a, 'a')
    expect(await merge(b, far, near)).toEqual(accepted)
    const [task] = await whenDone()
    expect(task).toMatchObject({ node: 'a', attempts: 1 })
    expect((await objectOf(task!.vid)).equals(await onOneDisk(far, far))).toBe(true)
    expect(a.called).toMatchObject([{ vid: task!.vid, merged: true }])
    expect(await merge(b, near, await onDiskOf(b, 'b'), far)).toBe(631)
  })

  it('a service that stood still is not the one that ends it, and its upload goes', async () => {
    const [a, b] = [await add('a', true), await add('b')]
    const vid = await recordFile(b, packets)
    const { lease } = await halfMerged(a, vid, vid)
    // As if it had said nothing for as long as its lease is; it would take it again.
    await b.store.db.updateTable('mergeLease').set({ run: 'another', until: 0, fileNode: 'b' }).execute()
    const [task] = await whenDone()
    expect(task).toMatchObject({ node: 'b', attempts: 2 })
    goOn()
    await until('it has ended', () => a.recording.totals().merges === 0)
    expect([a.called, b.called.length]).toEqual([[], 2])
    expect((await objectOf(task!.vid)).equals(await onOneDisk(vid, vid))).toBe(true)
    await until('its upload is gone', async () => !(await uploads()).includes(lease.key))
  })

  it('a service that ends leaves it to the others at once', async () => {
    const [a, b] = [await add('a', true), await add('b')]
    const vid = await recordFile(b, packets)
    await halfMerged(a, vid, vid)
    rigs = [b]
    await a.stop()
    expect(await leases()).toMatchObject([{ run: '', until: 0 }])
    const [task] = await whenDone()
    expect(task).toMatchObject({ node: 'b', attempts: 2 })
    await until('its upload is gone', async () => (await uploads()).length === 0)
  })

  it('one that is cancelled at another service, which sees how far it is, leaves nothing', async () => {
    const [b, a] = [await add('b'), await add('a', true)]
    const vid = await recordFile(b, packets)
    const { lease, task } = await halfMerged(a, vid, vid)
    const { taskId } = task
    await until('its progress is known', async () => {
      const { ret } = (await call(b, local.mergeTasks, {})) as { ret: { list: { state: string; done: number }[] } }
      return ret.list[0]!.state === 'running' && ret.list[0]!.done >= partBytes
    })
    goOn()
    proxy.fault = 'silent'
    expect(await call(b, local.cancelMerge, { taskId })).toEqual({})
    await until('it has ended', () => a.recording.totals().merges === 0)
    goOn()
    await until('nothing is left', async () => (await leases()).length === 0)
    expect(await tasks()).toMatchObject([{ state: 'cancelled' }])
    expect([await blobs!.size(lease.key), await uploads(), (await b.rows()).length]).toEqual([undefined, [], 1])
    expect(a.called).toEqual([])
  })

  it('one that was cancelled after its service was lost is cleaned up by another one', async () => {
    const [a, b] = [await add('a', true), await add('b')]
    const vid = await recordFile(b, packets)
    const { lease, task } = await halfMerged(a, vid, vid)
    rigs = [b]
    await a.stop()
    // As a killed one leaves it, with an object that was not listed.
    await b.store.db.updateTable('mergeLease').set({ run: 'lost', until: 9e15, uploadId: lease.uploadId }).execute()
    await blobs!.put(lease.key, Buffer.from('a film'))
    expect(await call(b, local.cancelMerge, { taskId: task.taskId })).toEqual({})
    await b.store.db.updateTable('mergeLease').set({ until: 1 }).execute()
    await until('nothing is left', async () => (await leases()).length === 0)
    expect([await blobs!.size(lease.key), await uploads(), (await b.rows()).length]).toEqual([undefined, [], 1])
  })

  it('three of an application at once over all services, and their sources are not deleted', async () => {
    const [a, b] = [await add('a', true), await add('b', true)]
    const vid = await recordFile(b, packets)
    proxy.fault = 'silent'
    const answers = await Promise.all([a, b, a, b, a, b].map((rig) => merge(rig, vid, vid)))
    expect(answers.filter((answer) => answer === 639)).toHaveLength(3)
    for (const rig of [a, b])
      expect(await call(rig, local.removeRecordings, { vidList: [vid] })).toEqual({ ret: { successList: [] } })
    // Also by the one that runs it.
    const { taskId } = (await tasks())[0]!
    expect(await call((await tasks())[0]!.node === 'a' ? a : b, local.cancelMerge, { taskId })).toEqual({})
    expect(await merge(a, vid)).toEqual(accepted)
    goOn()
    await whenDone(3)
    expect((await tasks()).map(({ state }) => state)).toEqual(['cancelled', 'done', 'done', 'done'])
  })

  it('a source that is gone, or is no film, ends it with the reason', async () => {
    const a = await add('a')
    const [gone, broken] = [await recordFile(a, packets), await recordFile(a, packets)]
    await blobs!.remove(keyOf(gone))
    await blobs!.put(keyOf(broken), Buffer.alloc((await a.rows())[1]!.bytes))
    for (const vid of [gone, broken]) expect(await merge(a, vid)).toEqual(accepted)
    await until('both have ended', async () => (await leases()).length === 0)
    const { ret } = (await call(a, local.mergeTasks, {})) as { ret: { list: object[] } }
    expect(ret.list).toMatchObject([
      { state: 'failed', reason: { code: 'damaged' } },
      { state: 'failed', reason: { code: 'source' } },
    ])
    expect((await a.rows()).map(({ vid }) => vid)).toEqual([gone, broken])
  })

  it('kill -9 in the midst: another service makes the same file, and nothing else is left', async () => {
    const other = await add('two')
    const vid = await recordFile(other, packets)
    const credentials = { appKey: 'far-key', appSecret: 'far-secret' }
    const { url, schema } = (await testDatabase(name()))!
    const folder = temporaryFolder()
    const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const service = startServiceProcess(['--data', folder.path, ...ports], {
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
      SIDESTAGE_S3_ENDPOINT: proxy.endpoint,
      SIDESTAGE_S3_BUCKET: place.bucket,
      SIDESTAGE_S3_REGION: place.region,
      SIDESTAGE_S3_ACCESS_KEY: place.accessKey,
      SIDESTAGE_S3_SECRET_KEY: place.secretKey,
      SIDESTAGE_DATABASE_URL: url,
      SIDESTAGE_SCHEMA: schema,
    })
    try {
      const client = signedClient((await service.ready).baseUrl, credentials)
      const { uid: caller } = (await client.call(local.info, {})).ret!
      await other.store.db.updateTable('recording').set({ uid: caller }).execute()
      proxy.left = 2.5 * partBytes
      expect(await client.call(recordings.merge, { outputName: 'both', vidList: [vid, vid] })).toMatchObject({
        code: 200,
      })
      await until('the object store is silent', () => proxy.fault === 'silent')
      const before = await until('some of it is stored', async () => {
        const [lease] = await leases()
        if (!lease?.uploadId) return undefined
        return (await blobs!.parts(lease.key, lease.uploadId)).length > 0 ? lease : undefined
      })
      const killed = Date.now()
      service.child.kill('SIGKILL')
      await service.exited
      expect(await blobs!.size(before.key)).toBeUndefined()
      const [task] = await whenDone()
      expect(Date.now() - killed).toBeGreaterThan(mergeLease / 2)
      expect(task).toMatchObject({ node: 'two', attempts: 2, outputName: 'both' })
      expect((await objectOf(task!.vid)).equals(await onOneDisk(vid, vid))).toBe(true)
      expect(other.called.filter(({ merged }) => merged)).toHaveLength(1)
      expect((await other.rows()).map((row) => [row.vid, row.state])).toEqual([
        [vid, 'ready'],
        [task!.vid, 'ready'],
      ])
      await until('its upload is gone', async () => (await uploads()).length === 0)
    } finally {
      service.child.kill('SIGKILL')
      await service.exited
      folder.remove()
    }
  }, 300_000)

  it('parts are longer where their number would not do', () => {
    expect(partLength(partBytes * 10_000)).toBe(partBytes)
    expect(partLength(partBytes * 20_000)).toBe(2 * partBytes)
    expect(partLength(partBytes * 10_000 + 1) * 10_000).toBeGreaterThan(partBytes * 10_000)
  })
})
