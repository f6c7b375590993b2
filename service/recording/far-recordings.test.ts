import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { partBytes, type Blobs, type ObjectPlace } from '../blobs/blobs.ts'
import { openS3Blobs } from '../blobs/s3-blobs.ts'
import type { Publication } from '../hub/hub.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { audioConfiguration, videoConfiguration } from '../hub/testing/packets.ts'
import { fileBoxes, fragments } from '../media/mp4-reader.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { silentLog } from '../log.ts'
import { until } from '../testing/condition.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { startFaultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import { diskFiles } from './file-system.ts'
import { openSource } from './work.ts'
import { createRig, rigCid, type RecordingRig } from './testing/rig.ts'
import { pictureAt } from './testing/written-slice.ts'

const megabyte = 1024 * 1024
const frameBytes = 256 * 1024
const keyOf = (vid: number, cid = rigCid): string => `recordings/${cid}/${vid}.mp4`

async function makePlace(): Promise<ObjectPlace> {
  const place = testObjects(`recordings-${randomBytes(4).toString('hex')}`)
  await makeBucket(place)
  return place
}
/** Where the last whole fragment of a file ends that was being written; 0 without one. */
function lastFragment(path: string): number {
  const source = openSource(path)
  try {
    const from = [...fileBoxes(source)].find(({ type }) => type === 'moov')?.end
    return from === undefined ? 0 : ([...fragments(source, from)].at(-1)?.end ?? 0)
  } finally {
    source.close()
  }
}
async function objectOf(blobs: Blobs, key: string): Promise<Buffer> {
  const bytes = await blobs.size(key)
  return bytes === undefined ? Buffer.alloc(0) : blobs.read(key, 0, bytes - 1)
}

describeOnS3('recordings of a service with an object store', () => {
  let place: ObjectPlace
  let proxy: FaultyProxy
  let blobs: Blobs
  let rig: RecordingRig
  /** Copies of files that were removed from the disk, by their path. */
  let kept: Map<string, Buffer>
  const files = {
    ...diskFiles,
    async remove(path: string) {
      if (existsSync(path)) kept.set(path, readFileSync(path))
      await diskFiles.remove(path)
    },
  }
  const open = async (folder?: string): Promise<void> => {
    rig = await createRig({ files, reserve: 0, closePatience: 200 }, folder, { blobs })
  }
  beforeEach(async () => {
    kept = new Map()
    place = await makePlace()
    proxy = await startFaultyProxy(place.endpoint)
    const times = { connect: 1000, answer: 5000, silence: 5000 }
    blobs = await openS3Blobs({ ...place, endpoint: proxy.endpoint }, { log: silentLog, times })
    await open()
  })
  afterEach(async () => {
    await rig.close()
    blobs.close()
    await proxy.close()
  })

  let at = 0
  const begin = (): Publication => {
    at = 0
    const publication = rig.publish()
    for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
    return publication
  }
  /** Passes pictures of so many bytes in all. */
  const pictures = (publication: Publication, bytes: number): void => {
    for (let sent = 0; sent < bytes; sent += frameBytes, at += 100)
      publication.packet({ ...pictureAt(at, at === 0, frameBytes), arrived: rig.now + at })
  }
  const row = async () => (await rig.rows())[0]!
  const partsThere = async () => {
    const vid = (await rig.rows())[0]?.vid ?? 0
    const upload = (await blobs.left('recordings/')).find(({ key }) => key === keyOf(vid))
    return upload ? blobs.parts(upload.key, upload.upload) : []
  }
  const wholeParts = async (): Promise<number> => (await partsThere()).filter(({ bytes }) => bytes === partBytes).length

  it('grow there part by part while they are written, and are there byte by byte when they are listed', async () => {
    const publication = begin()
    pictures(publication, 12 * megabyte)
    await until('two parts', async () => (await wholeParts()) === 2)
    expect(await row()).toMatchObject({ state: 'writing', stored: 0 })
    pictures(publication, 6 * megabyte)
    publication.end('closed')
    await until('it is called back', () => rig.called.length > 0)
    const { vid, bytes, state, stored, completed } = await row()
    expect([state, stored, rig.called.length, rig.called[0]!.completed]).toEqual(['ready', 1, 1, completed])
    const local = kept.get(rig.path(await row()))!
    expect(local.length).toBe(bytes)
    expect((await objectOf(blobs, keyOf(vid))).equals(local)).toBe(true)
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid))).toEqual([])
    expect(await blobs.left('recordings/')).toEqual([])
    expect(await rig.store.db.selectFrom('recordingUpload').selectAll().execute()).toEqual([])
  })

  it('are there but for half a part, whenever the computer is lost', async () => {
    const publication = begin()
    pictures(publication, frameBytes)
    const folder = temporaryFolder()
    const losses: number[] = []
    for (let fed = frameBytes; fed < 14 * megabyte; fed += 2 * frameBytes) {
      pictures(publication, 2 * frameBytes)
      const path = await until('the file', async () => {
        const [file] = await rig.rows()
        return file && existsSync(rig.path(file)) ? rig.path(file) : undefined
      })
      // It holds the newest pictures back until others follow.
      const held = 6 * frameBytes
      await until('it is written', () => readFileSync(path).length > fed - held)
      const written = readFileSync(path)
      const stored = await until('most of it is stored', async () => {
        const bytes = (await partsThere()).reduce((sum, part) => sum + part.bytes, 0)
        return written.length - bytes < partBytes / 2 ? { bytes } : undefined
      })
      // What another service makes of it.
      const left = join(folder.path, 'left.mp4')
      writeFileSync(left, written.subarray(0, stored.bytes))
      const whole = stored.bytes === 0 ? 0 : lastFragment(left)
      losses.push(written.length - whole)
    }
    folder.remove()
    expect(losses.length).toBeGreaterThan(20)
    expect(Math.max(...losses)).toBeLessThan(partBytes)
    publication.end('closed')
    await until('it is called back', () => rig.called.length > 0)
    expect((await objectOf(blobs, keyOf((await row()).vid))).equals(kept.get(rig.path(await row()))!)).toBe(true)
  })

  it('of less than a part are one object, and those that are dropped leave nothing', async () => {
    rig.choice = { format: 1, duration: 3_600_000, filename: '' }
    const publication = begin()
    pictures(publication, 3 * megabyte)
    publication.end('closed')
    await until('it is called back', () => rig.called.length > 0)
    const key = keyOf((await row()).vid).replace('.mp4', '.flv')
    expect((await objectOf(blobs, key)).equals(kept.get(rig.path(await row()))!)).toBe(true)
    const short = begin()
    pictures(short, megabyte)
    short.end('closed')
    await until('it is dropped', async () => (await rig.rows()).length === 1)
    expect((await rig.store.db.selectFrom('recordingUpload').selectAll().execute()).length).toBe(0)
  })

  it('go on while the object store is away, wait on the disk, and are listed when it is back', async () => {
    const publication = begin()
    pictures(publication, 8 * megabyte)
    await until('a part', async () => (await wholeParts()) === 1)
    for (const fault of ['reset', 'busy', 'silent'] as const) {
      proxy.fault = fault
      const before = proxy.accepted()
      pictures(publication, 6 * megabyte)
      await until('it was tried', () => fault === 'silent' || proxy.accepted() > before)
    }
    publication.end('closed')
    await until('it waits', () => rig.recording.totals().storing!.files === 1)
    expect(rig.recording.totals().storing!.bytes).toBeGreaterThan(24 * megabyte)
    expect(await row()).toMatchObject({ state: 'storing', stored: 0 })
    expect(rig.states()).not.toContain('fileReady')
    proxy.fault = 'none'
    await until('it is called back', () => rig.called.length > 0)
    expect(rig.recording.totals().storing).toEqual({ files: 0, bytes: 0 })
    expect((await objectOf(blobs, keyOf((await row()).vid))).equals(kept.get(rig.path(await row()))!)).toBe(true)
  })

  it('that wait are brought there by the next start, and called back once', async () => {
    const publication = begin()
    pictures(publication, 11 * megabyte)
    proxy.fault = 'reset'
    publication.end('closed')
    await until('it waits', () => rig.recording.totals().storing!.files === 1)
    await rig.stop()
    proxy.fault = 'none'
    await open(rig.dataDir)
    expect(await row()).toMatchObject({ state: 'storing' })
    await rig.recording.start()
    await until('it is called back', () => rig.called.length > 0)
    expect((await objectOf(blobs, keyOf((await row()).vid))).equals(kept.get(rig.path(await row()))!)).toBe(true)
    // What a process leaves that is killed right then, and more than another service found of it.
    const path = rig.path(await row())
    const local = kept.get(path)!
    for (const left of [local, Buffer.concat([local, Buffer.from('more')])]) {
      await rig.stop()
      writeFileSync(path, left)
      for (const beside of ['index', 'part']) writeFileSync(path.replace(/mp4$/, beside), 'what served to write it')
      await open(rig.dataDir)
      await rig.recording.start()
      expect([rig.called.length, readdirSync(dirname(path))]).toEqual([0, []])
    }
    const entries = openQuarantine({ folder: rig.dataDir, now: Date.now }).list()
    expect(entries.map(({ reason, paths }) => [reason, paths])).toEqual([
      ['unfinished', [`recordings/${rigCid}/${(await row()).vid}.mp4`]],
    ])
  })

  it('are removed there', async () => {
    const publication = begin()
    pictures(publication, 3 * megabyte)
    publication.end('closed')
    await until('it is called back', () => rig.called.length > 0)
    const { vid } = await row()
    rig.retention = { days: 0, gigabytes: 1e-9 }
    const next = begin()
    pictures(next, 3 * megabyte)
    next.end('closed')
    await until('the row is gone', async () => (await rig.rows()).every((each) => each.vid !== vid))
    expect(await blobs.size(keyOf(vid))).toBeUndefined()
  })
})
