import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import {
  decodeFaults,
  encodeFixture,
  fixturePackets,
  probePackets,
  requireEncoder,
  temporaryFolder,
} from '../hub/testing/fixture.ts'
import { until } from '../testing/condition.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { insertFile } from './files-store.ts'
import { listFile } from './testing/listed-file.ts'
import { createRig, feed, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'

await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let packets: MediaPacket[]
beforeAll(async () => {
  packets = fixturePackets(await encodeFixture(folder.path, 'clip', { duration: 10, gop: 60, sampleRate: 48_000 }))
})

/** Answers of an operation of a rig. */
const call = async (rig: RecordingRig, operation: object, parameters: object): Promise<{ ret: never }> => {
  const served = rig.recording.operations.find((each) => each.operation === operation)!
  const caller = { application: { uid: rigUid, settings: { vodEnabled: true } } }
  return (await (served.answer as (parameters: object, caller: object) => unknown)(parameters, caller)) as never
}
interface Taken {
  readonly vid: number
  readonly name: string
  readonly begin: number
  readonly duration: number
}
const take = async (rig: RecordingRig, seconds: number): Promise<Taken> =>
  (await call(rig, local.takeClip, { cid: rigCid, seconds })).ret
const parts = (rig: RecordingRig): string[] => readdirSync(join(rig.dataDir, 'clipping'))

describe('a clip of what is on air', () => {
  let rig: RecordingRig
  beforeEach(async () => {
    rig = await createRig()
  })
  afterEach(() => rig.close())

  it.each([
    ['is not recorded', undefined],
    ['is recorded as MP4', 0],
    ['is recorded as FLV', 1],
  ])('has its last seconds from the key frame before, when the push %s', async (_, format) => {
    rig.choice = format === undefined ? undefined : { format, duration: 3_600_000, filename: 'show' }
    const publication = rig.publish()
    feed(publication, packets)
    const newest = packets.at(-1)!.arrived
    const clip = await take(rig, 3)
    const row = (await rig.rows()).find(({ vid }) => vid === clip.vid)!
    expect(row).toMatchObject({
      state: 'ready',
      merged: 1,
      name: clip.name,
      beginTime: rig.now,
      duration: clip.duration,
    })
    // Key frames are 2 s apart, and the last one before 3 s is there.
    expect(clip.duration).toBeGreaterThanOrEqual(3000)
    expect(clip.duration).toBeLessThan(5100)
    expect(Math.abs(newest - clip.begin - clip.duration)).toBeLessThan(200)
    expect(await decodeFaults(rig.path(row))).toBe('')
    const [mine, all] = [await probePackets(rig.path(row)), packets]
    const start = clip.begin - all.find(({ kind }) => kind === 'video')!.arrived
    const frames = all.filter((packet) => packet.kind === 'video' && packet.body[1] === 1 && packet.timestamp >= start)
    expect(mine.filter(({ codec_type: kind }) => kind === 'video')).toHaveLength(frames.length)
    // The recorder goes on.
    publication.end('closed')
    if (format !== undefined)
      await until('the recording', async () =>
        (await rig.rows()).some(
          ({ state, merged, format: written }) => state === 'ready' && merged === 0 && written === format,
        ),
      )
    const { list } = (await call(rig, local.recordedFiles, { cid: rigCid, beginTime: 0, endTime: rig.now })).ret as {
      list: { vid: number; clip?: object; merged: boolean }[]
    }
    expect(list.filter((file) => file.clip)).toMatchObject([
      { vid: clip.vid, merged: true, clip: { vids: [], from: 0, to: clip.duration, early: 0, begin: clip.begin } },
    ])
    expect(rig.events.filter((event) => event.type === 'recording' && event.clip)).toMatchObject([
      { state: 'fileReady', vid: clip.vid, merged: true },
    ])
  })

  it('has all there is when that is less, and nothing beyond its second', async () => {
    rig.choice = undefined
    const publication = rig.publish()
    feed(publication, packets)
    expect((await take(rig, 600)).duration).toBeGreaterThan(9500)
    publication.end('closed')
    await expect(take(rig, 60)).rejects.toMatchObject({ code: 631 })
    const again = rig.publish()
    feed(again, packets.slice(0, 3))
    await expect(take(rig, 60)).rejects.toMatchObject({ code: 631 })
    expect((await rig.rows()).map(({ state }) => state)).toEqual(['ready'])
  })

  it('keeps no more of a push than it may, and nothing after its end', async () => {
    rig.choice = undefined
    const publication = rig.publish()
    // Twelve and a half minutes of media.
    for (let round = 0; round < 75; round++) {
      feed(publication, packets, round * 10_000)
      await until('it is on the disk', () => parts(rig).length >= Math.min(5 * round - 2, 280))
    }
    await until('the oldest are gone', () => parts(rig).length > 0 && parts(rig).length < 320)
    const clip = await take(rig, 600)
    expect(Math.abs(clip.duration - 601_000)).toBeLessThan(3000)
    publication.end('closed')
    await until('nothing is left', () => parts(rig).length === 0)
  })

  it('begins again with other codecs', async () => {
    rig.choice = undefined
    const other = fixturePackets(
      await encodeFixture(folder.path, 'other', { duration: 3, gop: 30, size: '160x90', sampleRate: 48_000 }),
    )
    const publication = rig.publish()
    feed(publication, packets)
    feed(publication, other, 10_500)
    const clip = await take(rig, 60)
    expect(clip.duration).toBeLessThan(3200)
    expect(await decodeFaults(rig.path((await rig.rows()).at(-1)!))).toBe('')
  })

  it('is whole after a kill, or not there', async () => {
    rig.choice = undefined
    const publication = rig.publish()
    feed(publication, packets)
    const { vid } = await take(rig, 3)
    const row = (await rig.rows())[0]!
    // As a kill leaves them: one before its file had its name, one before it was listed.
    const { cid, uid, format, merged, slice, beginTime, codecs, clip = '' } = row
    const begun = {
      cid,
      uid,
      format,
      merged,
      slice,
      beginTime,
      codecs,
      clip,
      filename: 'half',
      state: 'writing',
    } as const
    const half = await insertFile(rig.store.db, begun)
    const at = join(rig.dataDir, 'recordings', rigCid)
    mkdirSync(at, { recursive: true })
    writeFileSync(join(at, `${half}.part`), 'half')
    writeFileSync(join(at, `${half}.index`), 'half')
    await rig.store.db.updateTable('recording').set({ state: 'writing' }).where('vid', '=', vid).execute()
    const { dataDir } = rig
    await rig.stop()
    rig = await createRig({}, dataDir)
    await rig.recording.start()
    expect(await rig.rows()).toMatchObject([{ vid, state: 'ready', name: row.name, merged: 1, clip: row.clip }])
    expect(readdirSync(at)).toEqual([`${vid}.mp4`])
    expect(parts(rig)).toEqual([])
  })

  it('that the disk does not take leaves nothing, and the recording goes on', async () => {
    rig.choice = { format: 0, duration: 3_600_000, filename: 'show' }
    const publication = rig.publish()
    feed(publication, packets)
    await until('a row', async () => (await rig.rows()).length === 1)
    await until('the windows', () => parts(rig).length > 3)
    const [first] = await rig.rows()
    // A folder stands where its file would be written.
    mkdirSync(join(rig.dataDir, 'recordings', rigCid, `${first!.vid + 1}.part`), { recursive: true })
    await expect(take(rig, 3)).rejects.toThrow()
    expect((await rig.rows()).map(({ vid }) => vid)).toEqual([first!.vid])
    publication.end('closed')
    await until('the recording', async () => (await rig.rows())[0]!.state === 'ready')
  })
})

describe('the operations on clips', () => {
  let service: TestService
  let cid: string
  beforeEach(async () => {
    service = await startService({ faults: true })
    cid = (await service.call(live.create, { name: 'on_air' })).ret!.cid
  })
  afterEach(() => service.close())

  it('take, cut and name a clip of a real push', async () => {
    const fixture = await encodeFixture(folder.path, 'push', { duration: 10, gop: 30 })
    const { pushUrl } = (await service.call(live.create, { name: 'pushed' })).ret!
    const pushed = (await service.call(live.list, {})).ret!.list.find(({ name }) => name === 'pushed')!.cid
    const publisher = startPublisher(pushUrl, fixture)
    let vid = 0
    const four = [1, 2, 3, 4]
    try {
      await until('a clip', async () => {
        const { ret } = await service.call(local.takeClip, { cid: pushed, seconds: 2, name: '好球 one' })
        vid = ret?.vid ?? 0
        return (ret?.duration ?? 0) >= 2000
      })
      const takes = await Promise.all(four.map(() => service.call(local.takeClip, { cid: pushed, seconds: 2 })))
      expect(takes.map(({ code }) => code).sort()).toEqual([200, 200, 200, 639])
    } finally {
      await publisher.stop()
    }
    const cut = await service.call(local.trim, { vidList: [vid], from: 500, to: 1700, name: 'cut' })
    await until('the cut', async () => (await service.call(local.mergeTasks, {})).ret!.list[0]!.state === 'done')
    expect((await service.call(local.mergeTasks, {})).ret!.list[0]).toMatchObject({
      taskId: cut.ret!.taskId,
      vid: cut.ret!.vid,
      clip: true,
      outputName: 'cut',
    })
    const renamed = { vid: cut.ret!.vid, name: 'the goal' }
    expect((await service.other.call(local.renameClip, renamed)).code).toBe(617)
    expect((await service.call(local.renameClip, renamed)).code).toBe(200)
    const { list } = (await service.call(local.recordedFiles, { cid: pushed, beginTime: 0, endTime: Date.now() })).ret!
    const file = list.find((each) => each.vid === cut.ret!.vid)!
    expect(file).toMatchObject({ name: 'the goal', merged: true, clip: { vids: [vid] } })
    const { from, to, early } = file.clip!
    expect([from > 400 && from <= 500, Math.abs(to - 1700) < 40, early >= 0 && early < 1100]).toEqual([
      true,
      true,
      true,
    ])
    expect(Math.abs(file.duration - (to - from))).toBeLessThan(40)
    expect(
      (await service.call(recordings.videoList, { cid: pushed })).ret!.videoList.map((each) => each.vid),
    ).toContain(cut.ret!.vid)
    expect((await service.call(local.removeRecordings, { vidList: [cut.ret!.vid] })).ret!.successList).toEqual([
      cut.ret!.vid,
    ])
    const cuts = await Promise.all(
      four.map((n) => service.call(local.trim, { vidList: [vid], from: 500, to: 1700, name: `cut ${n}` })),
    )
    expect(cuts.map(({ code }) => code).sort()).toEqual([200, 200, 200, 639])
  })

  it('are refused where there is nothing to take, cut or name, or it is another application’s', async () => {
    const now = Date.now()
    expect((await service.call(local.takeClip, { cid })).code).toBe(631)
    expect((await service.other.call(local.takeClip, { cid })).code).toBe(617)
    expect((await service.call(local.takeClip, { cid: '0'.repeat(32) })).code).toBe(618)
    const vid = await listFile(service, cid, now, { duration: 5000 })
    const trim = async (values: object) =>
      (await service.send(local.trim, { vidList: [vid], from: 0, to: 1000, name: 'c', ...values })).code
    expect(await trim({ vidList: [vid + 1] })).toBe(618)
    expect((await service.other.call(local.trim, { vidList: [vid], from: 0, to: 9, name: 'c' })).code).toBe(618)
    for (const wrong of [{ from: 5000, to: 6000 }, { from: 900, to: 900 }, { to: 5001 }, { name: ' c' }, { to: 0 }])
      expect(await trim(wrong), JSON.stringify(wrong)).toBe(631)
    const flv = await listFile(service, cid, now, { format: 1, duration: 5000 })
    expect(await trim({ vidList: [flv] })).toBe(631)
    expect(await trim({ vidList: [vid, flv] })).toBe(631)
    const rename = async (which: number) => (await service.call(local.renameClip, { vid: which, name: 'n' })).code
    expect(await rename(vid)).toBe(618)
    expect((await service.send(local.renameClip, { vid, name: '' })).code).toBe(631)
    for (const path of [local.takeClip.path, local.trim.path, local.renameClip.path])
      await service.call(local.faults, { path, code: 501 })
    expect((await service.call(local.takeClip, { cid })).code).toBe(501)
    expect(await trim({})).toBe(501)
    expect(await rename(vid)).toBe(501)
    expect(existsSync(join(service.dataDir, 'recordings', cid))).toBe(true)
  })
})
