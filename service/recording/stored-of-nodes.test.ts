import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fastify from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { local, recordings } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { openS3Blobs } from '../blobs/s3-blobs.ts'
import type { Bus } from '../bus/bus.ts'
import { createSharedBus } from '../bus/testing/shared-bus.ts'
import type { Client } from '../http/clients.ts'
import { encodeFixture, fixturePackets, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { silentLog } from '../log.ts'
import { Refused } from '../refusal.ts'
import { until } from '../testing/condition.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { startFaultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { insertFile } from './files-store.ts'
import type { RecordingLimits } from './recording-limits.ts'
import { recordFile } from './testing/merging.ts'
import { createRig, feed, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'

/** Calls an operation as the application of the rigs; a refusal gives its code and sentence. */
async function call(rig: RecordingRig, operation: Operation, parameters: object): Promise<unknown> {
  const served = rig.recording.operations.find((each) => each.operation === operation)!
  const caller = { application: { uid: rigUid, settings: { vodEnabled: true } } }
  try {
    return await (served.answer as (parameters: object, caller: object) => unknown)(parameters, caller)
  } catch (error) {
    if (error instanceof Refused) return [error.code, error.message]
    throw error
  }
}
const remove = (rig: RecordingRig, ...vidList: number[]) => call(rig, local.removeRecordings, { vidList })
const keyOf = (vid: number): string => `recordings/${rigCid}/${vid}.mp4`

describeOnS3('recordings of several services with one object store', () => {
  const fixtures = temporaryFolder()
  let packets: MediaPacket[]
  beforeAll(async () => {
    await requireEncoder()
    packets = fixturePackets(await encodeFixture(fixtures.path, 'short', { duration: 3, gop: 30 }))
  })
  afterAll(() => fixtures.remove())

  let number = 0
  let bus: Bus
  let proxy: FaultyProxy
  let blobs: Blobs
  let rigs: RecordingRig[]
  beforeEach(async () => {
    number++
    rigs = []
    bus = createSharedBus()
    const place = testObjects(`nodes-${randomBytes(4).toString('hex')}`)
    await makeBucket(place)
    proxy = await startFaultyProxy(place.endpoint)
    const times = { connect: 1000, answer: 5000, silence: 5000 }
    blobs = await openS3Blobs({ ...place, endpoint: proxy.endpoint }, { log: silentLog, times })
  })
  afterEach(async () => {
    for (const rig of rigs) await rig.close()
    blobs.close()
    await proxy.close()
    await bus.close()
  })
  /** A service of the cluster; without a name it is alone. */
  const add = async (
    node?: string,
    given: { dataDir?: string; limits?: RecordingLimits; isWithout?: boolean } = {},
  ): Promise<RecordingRig> => {
    const among = {
      ...(node !== undefined && { node }),
      ...(!given.isWithout && { blobs }),
      bus,
      database: `stored ${process.pid} ${number}`,
    }
    const rig = await createRig({ reserve: 0, closePatience: 200, ...given.limits }, given.dataDir, among)
    rigs.push(rig)
    return rig
  }
  /** Ends a service as the end of its process would; its folder stays. */
  const end = async (rig: RecordingRig): Promise<string> => {
    rigs.splice(rigs.indexOf(rig), 1)
    await rig.stop()
    return rig.dataDir
  }
  const rowOf = async (vid: number) => (await rigs[0]!.rows()).find((row) => row.vid === vid)
  const uploads = (rig: RecordingRig) =>
    rig.store.db.selectFrom('recordingUpload').select(['vid', 'node']).orderBy('vid').execute()
  const isStored = async (vid: number): Promise<boolean> => (await blobs.size(keyOf(vid))) !== undefined
  /** Asks for a ticket and reads the file with it; what it is answered. */
  const played = async (rig: RecordingRig, vid: number) => {
    const { url, file } = ((await call(rig, local.playbackTicket, { vid })) as { ret: { url: string; file?: string } })
      .ret
    const app = fastify()
    app.decorateRequest('client', { getter: () => ({ subnet: '192.0.2.1' }) as Client })
    await app.register(rig.recording.routes.plugin)
    const { statusCode, rawPayload } = await app.inject({ url: new URL(url).pathname })
    await app.close()
    return [statusCode, statusCode === 200 ? rawPayload.length : 0, file !== undefined]
  }
  const row = { cid: rigCid, uid: rigUid, format: 0, merged: 0, slice: 0, beginTime: 1, filename: '', codecs: 'avc1' }

  it('that are there are read by all of them and deleted by whoever is asked; those on a disk are of one', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const vid = await recordFile(a, packets)
    const onDisk = await insertFile(a.store.db, { ...row, state: 'writing', node: 'a' })
    mkdirSync(dirname(a.path({ ...row, vid: onDisk })), { recursive: true })
    writeFileSync(a.path({ ...row, vid: onDisk }), 'the film')
    await a.store.db.updateTable('recording').set({ state: 'ready' }).where('vid', '=', onDisk).execute()
    const { bytes } = (await rowOf(vid))!
    expect(await rowOf(vid)).toMatchObject({ stored: 1, node: 'a' })
    for (const each of [a, b]) expect(await played(each, vid)).toEqual([200, bytes, false])
    expect(await played(a, onDisk)).toEqual([200, 8, true])
    expect(await played(b, onDisk)).toEqual([421, 0, false])
    await end(a)
    expect(await remove(b, vid, onDisk)).toEqual({
      ret: { successList: expect.arrayContaining([vid, onDisk]) as number[] },
    })
    expect([await rowOf(vid), await isStored(vid)]).toEqual([undefined, false])
    expect(await rowOf(onDisk)).toMatchObject({ state: 'removing', node: 'a' })
    expect(existsSync(a.path({ ...row, vid: onDisk }))).toBe(true)
  })

  it('that could not be deleted there are deleted by the next start of whoever was asked', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const vid = await recordFile(a, packets)
    await end(a)
    proxy.fault = 'reset'
    await remove(b, vid)
    expect(await rowOf(vid)).toMatchObject({ state: 'removing', node: 'b' })
    proxy.fault = 'none'
    await (await add('b', { dataDir: await end(b) })).recording.start()
    expect([await rowOf(vid), await isStored(vid)]).toEqual([undefined, false])
  })

  it('are not forgotten by a service without one, which cannot delete them there', async () => {
    const a = await add('a')
    const vid = await recordFile(a, packets)
    const dataDir = await end(a)
    const without = await add('a', { dataDir, isWithout: true })
    await without.recording.start()
    expect(await call(without, recordings.merge, { outputName: 'm', vidList: [vid, vid] })).toEqual([
      recordings.merge.unknown,
      `the file ${vid} is in an object store, which this service does not have`,
    ])
    await remove(without, vid)
    expect([(await rowOf(vid))?.state, await isStored(vid)]).toEqual(['removing', true])
    await end(without)
    await (await add('a', { dataDir })).recording.start()
    expect([await rowOf(vid), await isStored(vid)]).toEqual([undefined, false])
  })

  it('that were begun before there was one are finished by the next start, and brought there', async () => {
    const without = await add('a', { isWithout: true })
    const publication = without.publish()
    feed(publication, packets)
    const { vid } = await until('it is written', async () =>
      (await without.rows()).find((each) => existsSync(without.path(each))),
    )
    publication.end('closed')
    await until('it is finished', async () => (await rowOf(vid))?.state === 'ready')
    // As a killed process leaves it.
    await without.store.db.updateTable('recording').set({ state: 'writing' }).where('vid', '=', vid).execute()
    const a = await add('a', { dataDir: await end(without) })
    await a.recording.start()
    await until('it is called back', () => a.called.length > 0)
    expect([(await rowOf(vid))?.stored, await isStored(vid)]).toEqual([1, true])
  })

  it('on their way are of whoever has the file under another name, or takes up those of a lost one', async () => {
    const alone = await add()
    proxy.fault = 'reset'
    const publication = alone.publish()
    feed(publication, packets)
    publication.end('closed')
    const { vid } = await until('it waits', async () => (await alone.rows()).find(({ state }) => state === 'storing'))
    expect(await uploads(alone)).toEqual([{ vid, node: '' }])
    // Others that start leave it alone.
    const b = await add('b')
    await b.recording.start()
    expect(await rowOf(vid)).toMatchObject({ state: 'storing', node: '' })
    const a = await add('a', { dataDir: await end(alone) })
    expect([await uploads(a), (await rowOf(vid))?.node]).toEqual([[{ vid, node: 'a' }], 'a'])
    await end(a)
    // Nothing of it had been stored: it goes with the lost computer, by the service that took it.
    proxy.fault = 'none'
    const c = await add('c', { limits: { lostAfter: 500 } })
    const other = await insertFile(c.store.db, { ...row, state: 'writing', node: 'a' })
    await c.store.db.insertInto('recordingUpload').values({ vid: other, node: 'a', uploadId: '', seen: 0 }).execute()
    await blobs.put(keyOf(other), Buffer.from('no film'))
    proxy.fault = 'reset'
    await c.recording.start()
    await until('both are taken', async () => (await uploads(c)).every(({ node }) => node === 'c'))
    expect([(await rowOf(vid))?.node, (await rowOf(other))?.node]).toEqual(['c', 'c'])
    proxy.fault = 'none'
    await until('they are gone', async () => (await c.rows()).length === 0)
  })
})
