import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { history, messages } from '../../contract/operations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { awayWords } from '../away-words.ts'
import { BlobFault, type Blobs } from '../blobs/blobs.ts'
import { openS3Blobs } from '../blobs/s3-blobs.ts'
import { silentLog } from '../log.ts'
import type { ApplicationTable } from '../storage/schema.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { startFaultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { openSharedFiles } from './shared-files.ts'

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

describeOnS3('uploads of services that share an object store', () => {
  type Shared = Awaited<ReturnType<typeof openSharedFiles>>
  let dir: string
  let store: Store
  let blobs: Blobs
  const opened: Shared[] = []
  const aside: string[][] = []
  const open = async (name: string, given: Partial<Parameters<typeof openSharedFiles>[0]> = {}): Promise<Shared> => {
    const shared = await openSharedFiles({
      db: store.db,
      dataDir: join(dir, name),
      blobs,
      clock: systemClock,
      random: randomBytes,
      quarantine: {
        setAside: (paths) => void aside.push([...paths]),
        putBack: () => Promise.resolve([]),
      },
      log: silentLog,
      ...given,
    })
    opened.push(shared)
    return shared
  }
  const upload = async ({ files }: Shared, bytes: Buffer) => {
    const file = await files.begin(1_000_000)
    await file.write(bytes)
    return files.store(1, file, 'png')
  }
  /** As if all that no row names had been noted so long ago. */
  const age = async (ms: number): Promise<void> => {
    await store.db
      .updateTable('unusedFile')
      .set((row) => ({ since: row('since', '-', ms) }))
      .execute()
  }
  const isThere = async (bytes: Buffer): Promise<boolean> => (await blobs.size(`files/${sha(bytes)}`)) !== undefined

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sidestage-shared-'))
    store = await openStore(dir)
    const place = testObjects(`uploads-${randomBytes(4).toString('hex')}`)
    await makeBucket(place)
    blobs = await openS3Blobs(place, { log: silentLog })
    await store.db
      .insertInto('application')
      .values({ uid: 1, name: 'main', created: 1 } as ApplicationTable)
      .execute()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
    blobs.close()
    await store.close()
    aside.length = 0
    rmSync(dir, { recursive: true })
  })

  it('are read by each of them, and leave nothing in the data folder', async () => {
    const [one, other] = [await open('one'), await open('other')]
    const bytes = randomBytes(50_000)
    const { token } = await upload(one, bytes)
    const found = (await other.files.find(token))!
    expect(found).toMatchObject({ type: 'png', bytes: bytes.length })
    if (!('far' in found)) throw new Error('the file is on this computer')
    expect(await found.far.read(10, 99)).toEqual(bytes.subarray(10, 100))
    expect(readdirSync(join(dir, 'one/files/incoming'))).toEqual([])
    expect(await store.db.selectFrom('unusedFile').selectAll().execute()).toEqual([])
  })

  it('are left alone by a service that starts: what comes in at another one, and what no row names', async () => {
    const one = await open('one')
    const file = await one.files.begin(100)
    await file.write(Buffer.from('half'))
    await blobs.put(`files/${'a'.repeat(64)}`, Buffer.from('of another database yet'))
    await (await open('other')).removeUnused()
    expect(aside.flat()).toEqual([])
    expect(await blobs.size(`files/${'a'.repeat(64)}`)).toBeDefined()
    await file.discard()
    writeFileSync(join(dir, 'one/files/incoming/left'), 'of a killed process')
    await open('one')
    expect(aside.flat()).toEqual(['files/incoming/left'])
  })

  it('go some time after the last row that names them, whichever service looks', async () => {
    const [one, other] = [await open('one'), await open('other')]
    const bytes = randomBytes(100)
    const [first, second] = [await upload(one, bytes), await upload(other, bytes)]
    expect(await one.files.remove(1, first.channelid)).toBe(true)
    expect(await one.files.find(first.token)).toBeUndefined()
    await age(3_600_001)
    await one.removeUnused()
    expect(await store.db.selectFrom('unusedFile').selectAll().execute()).toEqual([])
    expect(await isThere(bytes)).toBe(true)
    expect(await one.files.remove(1, second.channelid)).toBe(true)
    await other.removeUnused()
    expect(await isThere(bytes)).toBe(true)
    await age(3_600_001)
    await Promise.all([one.removeUnused(), other.removeUnused()])
    expect(await isThere(bytes)).toBe(false)
    expect(await one.files.remove(1, second.channelid)).toBe(true)
    expect(await one.files.remove(2, second.channelid)).toBe(false)
  })

  it('wait for the removal of the same bytes, and are there after it', async () => {
    const bytes = randomBytes(100)
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isRemoving = false
    const slow: Blobs = {
      ...blobs,
      async remove(key) {
        isRemoving = true
        await held
        await blobs.remove(key)
      },
    }
    const one = await open('one', { blobs: slow })
    const other = await open('other')
    const { channelid } = await upload(one, bytes)
    await one.files.remove(1, channelid)
    await age(3_600_001)
    const removal = one.removeUnused()
    await eventually(() => expect(isRemoving).toBe(true))
    let isStored = false
    const storing = upload(other, bytes).finally(() => (isStored = true))
    // Takes longer than the first look of the one that waits.
    await upload(other, randomBytes(100))
    expect(isStored).toBe(false)
    release()
    await removal
    const { token } = await storing
    expect(await isThere(bytes)).toBe(true)
    expect(await other.files.find(token)).toBeDefined()
  })

  it('go too when their service ended before it gave them a row', async () => {
    const bytes = randomBytes(100)
    const one = await open('one')
    // As the object is stored before the row: killed between them.
    const failing: Blobs = {
      ...blobs,
      async put(key, given) {
        await blobs.put(key, given)
        throw new BlobFault('unreachable', 'killed')
      },
    }
    const killed = await open('killed', { blobs: failing })
    await expect(upload(killed, bytes)).rejects.toThrow('killed')
    expect(await isThere(bytes)).toBe(true)
    await age(3_600_001)
    await one.removeUnused()
    expect(await isThere(bytes)).toBe(false)
  })

  it('come back from the quarantine only with the bytes of their name', async () => {
    const one = await open('one')
    const bytes = randomBytes(100)
    const path = `files/${sha(bytes).slice(0, 2)}/${sha(bytes)}`
    mkdirSync(join(dir, 'one', path, '..'), { recursive: true })
    writeFileSync(join(dir, 'one', path), 'other bytes')
    expect(await one.files.adopt(1, path)).toBe(false)
    writeFileSync(join(dir, 'one', path), bytes)
    expect(await one.files.adopt(1, path)).toBe(true)
    expect(await isThere(bytes)).toBe(true)
    expect(existsSync(join(dir, 'one', path))).toBe(false)
  })
})

describeOnS3('an upload of a service with an object store', () => {
  let proxy: FaultyProxy
  let service: TestService
  const bytes = randomBytes(5_000_000)
  let url: string
  beforeAll(async () => {
    const place = testObjects(`service-${randomBytes(4).toString('hex')}`)
    await makeBucket(place)
    proxy = await startFaultyProxy(place.endpoint)
    service = await startService({ objects: { ...place, endpoint: proxy.endpoint } })
    url = (await service.call(messages.upload, { content: bytes.toString('base64'), type: 'png' })).url!
  })
  afterAll(async () => {
    await service?.close()
    await proxy?.close()
  })

  it('is served whole and by ranges, with the headers of the others', async () => {
    const whole = await fetch(url)
    expect(whole.status).toBe(200)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect([
      whole.headers.get('content-type'),
      whole.headers.get('content-security-policy'),
      whole.headers.get('x-content-type-options'),
      whole.headers.get('accept-ranges'),
    ]).toEqual(['image/png', "default-src 'none'; sandbox", 'nosniff', 'bytes'])
    const part = await fetch(url, { headers: { range: 'bytes=1000000-3999999' } })
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      'bytes 1000000-3999999/5000000',
      '3000000',
    ])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1_000_000, 4_000_000))).toBe(true)
    const beyond = await fetch(url, { headers: { range: 'bytes=5000000-' } })
    expect([beyond.status, beyond.headers.get('content-range'), await beyond.text()]).toEqual([
      416,
      'bytes */5000000',
      '',
    ])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5000000', ''])
  })

  it('is told to be unreadable while the store is, and an upload meanwhile fails', async () => {
    proxy.fault = 'busy'
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({ code: 503 })
    const failed = await service.call(messages.upload, { content: Buffer.from('x').toString('base64'), type: 'png' })
    expect(failed).toMatchObject({ code: 500, desc: awayWords.unreachable })
    proxy.fault = 'none'
    expect((await fetch(url)).status).toBe(200)
  })

  it('is gone at once when it is deleted', async () => {
    const made = await service.call(messages.upload, { content: bytes.subarray(0, 10).toString('base64'), type: 'png' })
    expect((await fetch(made.url!)).status).toBe(200)
    await service.call(history.deleteMediaFile, { channelid: made.channelid! })
    expect((await fetch(made.url!)).status).toBe(404)
  })
})
