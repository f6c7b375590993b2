import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { local, recordings } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import { createSharedBus } from '../bus/testing/shared-bus.ts'
import { encodeFixture, fixturePackets, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { Refused } from '../refusal.ts'
import { serviceKey } from '../storage/service-key.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { beside } from '../testing/beside.ts'
import { describeOnPostgres, describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { insertFile } from './files-store.ts'
import { createMergesStore } from './merges-store.ts'
import { createPlaybackTickets } from './playback.ts'
import { recordFile } from './testing/merging.ts'
import { createRig, feed, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'

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
const remove = (rig: RecordingRig, ...vidList: number[]) => call(rig, local.removeRecordings, { vidList })
const merge = (rig: RecordingRig, ...vidList: number[]) => call(rig, recordings.merge, { outputName: 'm', vidList })
const tasksOf = (rig: RecordingRig) => rig.store.db.selectFrom('mergeTask').selectAll().orderBy('taskId').execute()

describeOnPostgres('recordings of several services with one database', () => {
  const fixtures = temporaryFolder()
  let packets: MediaPacket[]
  beforeAll(async () => {
    await requireEncoder()
    packets = fixturePackets(await encodeFixture(fixtures.path, 'short', { duration: 3, gop: 30 }))
  })
  afterAll(() => fixtures.remove())

  let number = 0
  let bus: Bus
  let rigs: RecordingRig[]
  const add = async (node?: string, dataDir?: string): Promise<RecordingRig> => {
    const among = { ...(node !== undefined && { node }), bus, database: `several ${process.pid} ${number}` }
    const rig = await createRig({}, dataDir, among)
    rigs.push(rig)
    return rig
  }
  /** Ends a service as the end of its process would; its folder stays. */
  const end = async (rig: RecordingRig): Promise<string> => {
    rigs.splice(rigs.indexOf(rig), 1)
    await rig.stop()
    return rig.dataDir
  }
  const stateOf = async (vid: number): Promise<string | undefined> =>
    (await rigs[0]!.rows()).find((row) => row.vid === vid)?.state
  const row = { cid: rigCid, uid: rigUid, format: 0, merged: 0, slice: 0, beginTime: 1, filename: '', codecs: 'avc1' }
  beforeEach(() => {
    number++
    bus = createSharedBus()
    rigs = []
  })
  afterEach(async () => {
    for (const rig of rigs) await rig.close()
    await bus.close()
  })

  it('are taken up by the service that has them, whoever starts meanwhile, and listed by all', async () => {
    const a = await add('a')
    const publication = a.publish()
    feed(publication, packets)
    const [writing] = await eventually(async () => {
      const rows = await a.rows()
      expect(rows).toMatchObject([{ state: 'writing', node: 'a' }])
      return rows
    })
    const b = await add('b')
    await b.recording.start()
    expect(await stateOf(writing!.vid)).toBe('writing')
    publication.end('closed')
    await eventually(async () => expect(await stateOf(writing!.vid)).toBe('ready'))
    for (const each of [a, b])
      expect(
        await call(each, local.allRecordedFiles, { beginTime: 0, deletedOnly: false, limit: 10 }), //
      ).toMatchObject({ ret: { list: [{ vid: writing!.vid }], more: false } })
    expect([existsSync(a.path(writing!)), existsSync(b.path(writing!))]).toEqual([true, false])
  })

  it('are deleted by the service that has them, at once or when it is back, and by no other one', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const [first, second] = [await recordFile(a, packets), await recordFile(a, packets)]
    await Promise.all([a.recording.start(), b.recording.start()])
    const paths = (await a.rows()).map((each) => a.path(each))
    expect(await remove(b, first)).toEqual({ ret: { successList: [first] } })
    await eventually(async () => expect(await stateOf(first)).toBeUndefined())
    expect(paths.map((each) => existsSync(each))).toEqual([false, true])

    const dataDir = await end(a)
    expect(await remove(b, second)).toEqual({ ret: { successList: [second] } })
    expect(await call(b, local.playbackTicket, { vid: second })).toBe(618)
    expect([await stateOf(second), existsSync(paths[1]!)]).toEqual(['removing', true])
    await (await add('a', dataDir)).recording.start()
    expect([await stateOf(second), existsSync(paths[1]!)]).toEqual([undefined, false])
  })

  it('are merged by the service that has them, whoever is asked, also when it is back', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const vid = await recordFile(a, packets)
    await Promise.all([a.recording.start(), b.recording.start()])
    expect(await merge(b, vid, vid)).toEqual({ ret: { result: true } })
    const [task] = await eventually(async () => {
      const tasks = await tasksOf(b)
      expect(tasks).toMatchObject([{ state: 'done', node: 'a', attempts: 1 }])
      return tasks
    })
    expect(a.called).toMatchObject([{ vid }, { vid: task!.vid, merged: true }])
    expect(b.called).toEqual([])
    const dataDir = await end(a)
    expect(await merge(b, vid)).toEqual({ ret: { result: true } })
    expect(await tasksOf(b)).toMatchObject([{ state: 'done' }, { state: 'running', node: 'a', attempts: 0 }])
    await (await add('c')).recording.start()
    expect(await tasksOf(b)).toMatchObject([{ state: 'done' }, { state: 'running', attempts: 0 }])
    await (await add('a', dataDir)).recording.start()
    await eventually(async () => expect(await tasksOf(b)).toMatchObject([{ state: 'done' }, { state: 'done' }]))
    // Each file is on one disk.
    const other = await recordFile(b, packets)
    expect(await merge(b, vid, other)).toBe(631)
  })

  it('are read by three merges of an application at once, over all services, and not deleted then', async () => {
    const [a, b, c] = [await add('a'), await add('b'), await add('c')]
    const [vid, other] = [await recordFile(a, packets), await recordFile(b, packets)]
    await b.recording.start()
    // The other one is not there, so that they stay.
    const dataDir = await end(a)
    const answers = await Promise.all([b, c, b, c, b, c].map((each) => merge(each, vid, vid)))
    expect(answers.filter((each) => each === 639)).toHaveLength(3)
    expect(await merge(b, other)).toBe(639)
    expect(await remove(b, vid, other)).toEqual({ ret: { successList: [other] } })
    const [first, second, third] = await tasksOf(b)
    expect(await call(b, local.cancelMerge, { taskId: first!.taskId })).toEqual({})
    expect(await call(b, local.cancelMerge, { taskId: first!.taskId })).toBe(618)
    // What the cancelled one wrote until then.
    const written = join(dataDir, 'recordings', rigCid, `${first!.vid}.part`)
    writeFileSync(written, 'part')
    const again = await add('a', dataDir)
    await again.recording.start()
    await eventually(async () =>
      expect((await tasksOf(b)).map(({ state }) => state)).toEqual(['cancelled', 'done', 'done']),
    )
    expect([await stateOf(first!.vid), existsSync(written)]).toEqual([undefined, false])
    expect([await stateOf(second!.vid), await stateOf(third!.vid)]).toEqual(['ready', 'ready'])
    expect(await remove(b, vid)).toEqual({ ret: { successList: [vid] } })
  })

  it('of a service that was alone are of the one that is started with its folder, and of no other one', async () => {
    const alone = await add()
    const vid = await recordFile(alone, packets)
    const left = await insertFile(alone.store.db, { ...row, state: 'writing' })
    const elsewhere = await insertFile(alone.store.db, { ...row, state: 'writing' })
    const path = alone.path({ ...row, vid: left })
    writeFileSync(path, 'not a film')
    const { taskId } = await createMergesStore(alone.store).add(
      { uid: rigUid, outputName: 'm', total: 1, created: 1 },
      [vid, vid],
      { ...row, state: 'merging', merged: 1 },
    )
    const dataDir = await end(alone)
    const b = await add('b')
    await b.recording.start()
    expect((await b.rows()).map(({ node, state }) => [node, state])).toEqual([
      ['', 'ready'],
      ['', 'writing'],
      ['', 'writing'],
      ['', 'merging'],
    ])
    const a = await add('a', dataDir)
    await a.recording.start()
    await eventually(async () => expect(await tasksOf(b)).toMatchObject([{ taskId, state: 'done', node: 'a' }]))
    // What is no film is forgotten by the one that sees that; of what lies nowhere nobody knows.
    expect((await b.rows()).map((each) => [each.vid, each.node, each.state])).toEqual([
      [vid, 'a', 'ready'],
      [elsewhere, '', 'writing'],
      [elsewhere + 1, 'a', 'ready'],
    ])
    // And back.
    await end(b)
    const back = await add(undefined, await end(a))
    await back.recording.start()
    expect((await back.rows()).map((each) => [each.vid, each.node])).toEqual([
      [vid, ''],
      [elsewhere + 1, ''],
    ])
  })

  it('of another service stay when one that is alone has the database, and are deleted by nobody else', async () => {
    const a = await add('a')
    const vid = await recordFile(a, packets)
    const [file] = await a.rows()
    const path = a.path(file!)
    await end(a)
    const alone = await add()
    await alone.recording.start()
    expect(await stateOf(vid)).toBe('ready')
    // A file of the same number that it does not know as its own.
    mkdirSync(dirname(alone.path(file!)), { recursive: true })
    expect(await remove(alone, vid)).toEqual({ ret: { successList: [vid] } })
    expect([await stateOf(vid), existsSync(path)]).toEqual(['removing', true])
  })
})

describeOnRedis('a ticket of one of several services', () => {
  const name = `tickets ${process.pid}`
  let services: TestService[]
  beforeEach(async () => {
    const database = await testDatabase(name)
    const start = (node: string) =>
      startService({ database, cluster: { node, redis: { url: redisUrl!, prefix: name.replace(' ', '_') } } })
    services = [await start('a'), await start('b')]
  })
  afterEach(() => Promise.all(services.map((each) => each.close())))

  const fileOfA = async (a: TestService): Promise<number> => {
    const { uid } = (await a.call(local.info, {})).ret!
    const file = { cid: rigCid, uid, format: 0, merged: 0, slice: 0, beginTime: 1, filename: '', codecs: 'avc1' }
    const vid = await beside(name, async (db) => {
      const made = await insertFile(db, { ...file, state: 'writing', node: 'a' })
      await db.updateTable('recording').set({ state: 'ready' }).where('vid', '=', made).execute()
      return made
    })
    mkdirSync(join(a.dataDir, 'recordings', rigCid))
    writeFileSync(join(a.dataDir, 'recordings', rigCid, `${vid}.mp4`), 'the film')
    return vid
  }

  it('opens the file at the one that has it, and is led there by the other one while it is there', async () => {
    const [a, b] = services as [TestService, TestService]
    const vid = await fileOfA(a)
    const [byA, byB] = [
      (await a.call(local.playbackTicket, { vid })).ret!,
      (await b.call(local.playbackTicket, { vid })).ret!,
    ]
    expect([byA.file, byB.file]).toEqual([join(a.dataDir, 'recordings', rigCid, `${vid}.mp4`), undefined])
    await eventually(async () => expect((await fetch(byB.url)).status).toBe(200))
    for (const { url } of [byA, byB]) {
      const path = `${new URL(url).pathname}?name=the+film`
      const there = `${a.service.ready.mediaUrl}${path}&led=a`
      for (const method of ['GET', 'HEAD']) {
        const [own, led] = await Promise.all(
          services.map((each) => fetch(each.service.ready.mediaUrl + path, { method, redirect: 'manual' })),
        )
        expect([own!.status, led!.status, led!.headers.get('location')]).toEqual([200, 302, there])
      }
      const range = await fetch(b.service.ready.mediaUrl + path, { headers: { range: 'bytes=4-6' } })
      expect([range.status, range.url, await range.text()]).toEqual([206, there, 'fil'])
      // As by a proxy that does not reach the one that has it.
      const back = await fetch(there.replace(a.service.ready.mediaUrl, b.service.ready.mediaUrl))
      expect([back.status, back.headers.get('retry-after')]).toEqual([503, '1'])
    }
    const atApi = byB.url.replace(b.service.ready.mediaUrl, b.service.ready.baseUrl)
    expect(await (await fetch(atApi)).text()).toBe('the film')
    const linked = createPlaybackTickets({
      clock: systemClock,
      key: await beside(name, (db) => serviceKey(db, 'recorded files', randomBytes)),
      expireBy: 'now',
    })
    const link = linked.path({ vid, format: 0 }).path
    expect(await (await fetch(b.service.ready.mediaUrl + link)).text()).toBe('the film')
    expect((await b.call(local.removeRecordings, { vidList: [vid] })).ret).toEqual({ successList: [vid] })
    await eventually(async () =>
      expect(await beside(name, (db) => db.selectFrom('recording').selectAll().execute())).toEqual([]),
    )
    expect((await fetch(byA.url)).status).toBe(404)
  })

  it('is answered by 421 once the one that has the file is gone', async () => {
    const [a, b] = services as [TestService, TestService]
    const vid = await fileOfA(a)
    const { pathname } = new URL((await b.call(local.playbackTicket, { vid })).ret!.url)
    const statusAtB = async () => (await fetch(b.service.ready.mediaUrl + pathname, { redirect: 'manual' })).status
    await eventually(async () => expect(await statusAtB()).toBe(302))
    await a.close()
    await eventually(async () => expect(await statusAtB()).toBe(421))
  })
})
