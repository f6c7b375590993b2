import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { partBytes, type Blobs, type ObjectPlace } from '../blobs/blobs.ts'
import { openS3Blobs } from '../blobs/s3-blobs.ts'
import { decodeFaults, encodeFixture, probePackets, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { silentLog } from '../log.ts'
import { openStore, testDatabase } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { until } from '../testing/condition.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { startPublisher } from '../testing/publisher.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import { startServiceProcess, type ServiceProcess } from '../testing/service-process.ts'
import { signedClient, type SignedClient } from '../testing/signed-client.ts'
import { createRig, rigCid, type RecordingRig } from './testing/rig.ts'

await requireEncoder()

const keyOf = (vid: number, cid = rigCid): string => `recordings/${cid}/${vid}.mp4`

async function makePlace(): Promise<ObjectPlace> {
  const place = testObjects(`recordings-${randomBytes(4).toString('hex')}`)
  await makeBucket(place)
  return place
}
async function objectOf(blobs: Blobs, key: string): Promise<Buffer> {
  const bytes = await blobs.size(key)
  return bytes === undefined ? Buffer.alloc(0) : blobs.read(key, 0, bytes - 1)
}

describeOnS3('recordings whose process or computer is lost', () => {
  const credentials = { appKey: 'far-key', appSecret: 'far-secret' }
  let folder: ReturnType<typeof temporaryFolder>
  let place: ObjectPlace
  let blobs: Blobs
  let store: Store
  let fixture: string
  let database: Record<string, string>
  let service: ServiceProcess | undefined
  let rig: RecordingRig | undefined
  const dataDir = (): string => join(folder.path, 'data')
  beforeEach(async () => {
    folder = temporaryFolder()
    place = await makePlace()
    blobs = await openS3Blobs(place, { log: silentLog })
    store = await openStore(folder.path)
    const { url, schema } = (await testDatabase(folder.path))!
    database = { SIDESTAGE_DATABASE_URL: url, SIDESTAGE_SCHEMA: schema }
    fixture = await encodeFixture(folder.path, 'push', { duration: 40, bitrate: '6M', size: '640x360' })
  })
  afterEach(async () => {
    service?.child.kill('SIGKILL')
    await service?.exited
    await rig?.stop()
    blobs.close()
    await store.close()
    folder.remove()
  })
  const start = async (): Promise<SignedClient> => {
    service = startServiceProcess(['--data', dataDir(), '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
      SIDESTAGE_S3_ENDPOINT: place.endpoint,
      SIDESTAGE_S3_BUCKET: place.bucket,
      SIDESTAGE_S3_REGION: place.region,
      SIDESTAGE_S3_ACCESS_KEY: place.accessKey,
      SIDESTAGE_S3_SECRET_KEY: place.secretKey,
      ...database,
    })
    // Its keys in the object store begin with the schema.
    blobs.close()
    blobs = await openS3Blobs({ ...place, prefix: database['SIDESTAGE_SCHEMA']! }, { log: silentLog })
    return signedClient((await service.ready).baseUrl, credentials)
  }
  const rows = () => store.db.selectFrom('recording').selectAll().orderBy('vid').execute()
  /** Pushes until so many parts of the recording are there, and so many bytes on the disk, and kills the service. */
  const killedAfter = async (parts: number, bytesOnDisk = 0) => {
    const client = await start()
    const { cid } = (await client.call(live.create, { name: 'far' })).ret!
    await client.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, filename: 'far' })
    const push = startPublisher((await client.call(live.address, { cid })).ret!.pushUrl, fixture)
    await until('parts', async () => {
      const [upload] = await store.db.selectFrom('recordingUpload').selectAll().execute()
      if (!upload?.uploadId) return false
      const there = await blobs.parts(keyOf(upload.vid, cid), upload.uploadId)
      return there.filter(({ bytes }) => bytes === partBytes).length >= parts
    })
    const { vid } = (await rows())[0]!
    const path = join(dataDir(), 'recordings', cid, `${vid}.mp4`)
    await until('bytes on the disk', () => statSync(path).size >= bytesOnDisk)
    service!.child.kill('SIGKILL')
    await service!.exited
    await push.stop()
    return { cid, vid, path }
  }
  const lengthOf = async (path: string): Promise<number> =>
    Math.max(...(await probePackets(path)).map(({ dts_time }) => Number(dts_time) * 1000))

  it('kill -9: the next start of the service brings the whole file there, which is played by its ticket', async () => {
    const { cid, vid, path } = await killedAfter(1)
    const written = await lengthOf(path)
    const client = await start()
    const row = await until('it is listed', async () =>
      (await rows()).find((each) => each.vid === vid && each.state === 'ready'),
    )
    expect(row).toMatchObject({ stored: 1, bytes: await blobs.size(keyOf(vid, cid)) })
    expect(Math.abs(row.duration - written)).toBeLessThan(600)
    expect(existsSync(path)).toBe(false)
    expect((await blobs.left('recordings/')).filter(({ key }) => key === keyOf(vid, cid))).toEqual([])
    const { url, file } = (await client.call(local.playbackTicket, { vid })).ret!
    expect(file).toBeUndefined()
    expect(Math.abs((await lengthOf(url)) - written)).toBeLessThan(600)
    const range = await fetch(url, { headers: { range: 'bytes=-1000' } })
    expect([range.status, range.headers.get('content-range')]).toEqual([
      206,
      `bytes ${row.bytes - 1000}-${row.bytes - 1}/${row.bytes}`,
    ])
    const beyond = await fetch(url, { headers: { range: `bytes=${row.bytes}-` } })
    expect([beyond.status, beyond.headers.get('content-type')]).toEqual([416, 'video/mp4'])
    expect(await decodeFaults(url)).toBe('')
    await client.call(local.removeRecordings, { vidList: [vid] })
    expect(await blobs.size(keyOf(vid, cid))).toBeUndefined()
  }, 300_000)

  it('with the computer and its disk: another service finishes what is stored, all but a part', async () => {
    const { cid, vid, path } = await killedAfter(2, 3 * partBytes)
    const written = readFileSync(path).length
    copyFileSync(path, join(folder.path, 'lost.mp4'))
    const length = await lengthOf(join(folder.path, 'lost.mp4'))
    rmSync(dataDir(), { recursive: true })
    rig = await createRig({ reserve: 0, lostAfter: 500 }, join(folder.path, 'other'), {
      blobs,
      node: 'two',
      database: folder.path,
    })
    await rig.recording.start()
    await until('it is called back', () => rig!.called.length > 0)
    const row = (await rows()).find((each) => each.vid === vid)!
    expect(row).toMatchObject({ state: 'ready', stored: 1 })
    const bytes = await objectOf(blobs, keyOf(vid, cid))
    expect(bytes.length).toBe(row.bytes)
    // Half a part, and what came while that was found and on its way.
    expect(written - row.bytes).toBeLessThan(partBytes)
    writeFileSync(join(folder.path, 'found.mp4'), bytes)
    expect(await decodeFaults(join(folder.path, 'found.mp4'))).toBe('')
    const found = await lengthOf(join(folder.path, 'found.mp4'))
    expect(Math.abs(found - row.duration)).toBeLessThan(600)
    // A part at 6 Mbit/s.
    expect(length - found).toBeLessThan(7000)
    expect(rig.called.length).toBe(1)
    expect(readdirSync(join(folder.path, 'other/recordings', cid))).toEqual([])
  }, 300_000)

  it('leaves alone what another service records', async () => {
    const client = await start()
    const { cid } = (await client.call(live.create, { name: 'far' })).ret!
    await client.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, filename: 'far' })
    const push = startPublisher((await client.call(live.address, { cid })).ret!.pushUrl, fixture)
    const { vid } = await until('it is recorded', async () => (await rows())[0])
    rig = await createRig({ reserve: 0, lostAfter: 20_000 }, join(folder.path, 'other'), {
      blobs,
      node: 'two',
      database: folder.path,
    })
    await rig.recording.start()
    await until('it was alive beside it', async () => {
      const { seen } = await store.db.selectFrom('recordingUpload').select('seen').executeTakeFirstOrThrow()
      const left = (await blobs.left('recordings/')).filter(({ key }) => key === keyOf(vid, cid))
      return seen > Date.now() - 4000 && left.length > 0
    })
    await push.stop()
    const row = await until('it is listed', async () => (await rows()).find(({ state }) => state === 'ready'))
    expect(row).toMatchObject({ vid, stored: 1 })
    expect(rig.called).toEqual([])
  }, 300_000)
})
