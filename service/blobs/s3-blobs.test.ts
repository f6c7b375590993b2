import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Log } from '../log.ts'
import { describeOnS3, testObjects } from '../testing/engines.ts'
import { startFaultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts'
import { makeBucket } from '../testing/s3-bucket.ts'
import { partBytes, type Blobs } from './blobs.ts'
import { openS3Blobs } from './s3-blobs.ts'

const logged: string[] = []
const log: Pick<Log, 'warn'> = { warn: (details, message) => void logged.push(JSON.stringify([details, message])) }

describeOnS3('objects of a store that speaks S3', () => {
  let blobs: Blobs
  beforeAll(async () => {
    const place = testObjects('objects')
    await makeBucket(place)
    blobs = await openS3Blobs(place, { log })
  })
  afterAll(() => blobs?.close())

  it('are stored as a whole, read by ranges and removed', async () => {
    const bytes = randomBytes(100_000)
    await blobs.put('files/one', randomBytes(10))
    await blobs.put('files/one', bytes)
    expect(await blobs.size('files/one')).toBe(bytes.length)
    expect(await blobs.read('files/one', 1000, 50_000)).toEqual(bytes.subarray(1000, 50_001))
    await blobs.remove('files/one')
    await blobs.remove('files/one')
    expect(await blobs.size('files/one')).toBeUndefined()
    await expect(blobs.read('files/one', 0, 9)).rejects.toMatchObject({ kind: 'missing' })
  })

  it('are made of parts, of which the first may come once more, by whoever finds them', async () => {
    const [first, again, second, tail] = [partBytes, partBytes, partBytes, 1234].map((length) => randomBytes(length))
    const key = 'recordings/parts.mp4'
    const upload = await blobs.begin(key)
    for (const [index, bytes] of [first!, second!, tail!].entries()) await blobs.part(key, upload, index + 1, bytes)
    await blobs.part(key, upload, 1, again!)
    const other = await openS3Blobs(testObjects('objects'), { log })
    expect((await other.left('recordings/')).filter((each) => each.key === key)).toEqual([
      { key, upload, begun: expect.any(Number) as number },
    ])
    const parts = await other.parts(key, upload)
    expect(parts.map(({ number }) => number)).toEqual([1, 2, 3])
    await other.complete(key, upload, parts)
    const whole = Buffer.concat([again!, second!, tail!])
    expect((await other.read(key, 0, whole.length - 1)).equals(whole)).toBe(true)
    expect((await other.left('recordings/')).filter((each) => each.key === key)).toEqual([])
    await other.abort(key, upload)
    expect(await other.size(key)).toBe(whole.length)
    other.close()
  })

  it('lists more parts than fit into one answer', async () => {
    const key = 'recordings/many.mp4'
    const upload = await blobs.begin(key)
    for (let number = 1; number <= 5; number++) await blobs.part(key, upload, number, Buffer.from([number]))
    const other = await openS3Blobs(testObjects('objects'), { log, page: 2 })
    expect((await other.parts(key, upload)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    other.close()
    await blobs.abort(key, upload)
  })

  it('are gone with an upload that is given up, twice over', async () => {
    const upload = await blobs.begin('recordings/gone.mp4')
    await blobs.part('recordings/gone.mp4', upload, 1, randomBytes(1000))
    await blobs.abort('recordings/gone.mp4', upload)
    await blobs.abort('recordings/gone.mp4', upload)
    expect((await blobs.left('recordings/gone')).length).toBe(0)
  })

  it('are kept apart by the prefix', async () => {
    const other = await openS3Blobs(testObjects('others'), { log })
    await blobs.put('files/same', Buffer.from('mine'))
    expect(await other.size('files/same')).toBeUndefined()
    other.close()
  })
})

describeOnS3('an object store that fails', () => {
  const secretKey = 'a-secret-that-nobody-may-see'
  let proxy: FaultyProxy
  let blobs: Blobs
  beforeAll(async () => {
    const place = testObjects('faults')
    await makeBucket(place)
    proxy = await startFaultyProxy(place.endpoint)
    const times = { connect: 500, answer: 500, silence: 500 }
    blobs = await openS3Blobs({ ...place, endpoint: proxy.endpoint }, { log, times })
  })
  afterAll(async () => {
    blobs?.close()
    await proxy?.close()
  })

  for (const fault of ['silent', 'reset', 'busy'] as const)
    it(`rejects in time when its way is ${fault}, and works again after it`, async () => {
      proxy.fault = fault
      const begun = performance.now()
      const before = proxy.accepted()
      await expect(blobs.put('files/x', randomBytes(100_000))).rejects.toMatchObject({ kind: 'unreachable' })
      await expect(blobs.read('files/x', 0, 9)).rejects.toMatchObject({ kind: 'unreachable' })
      expect(performance.now() - begun).toBeLessThan(15_000)
      expect(proxy.accepted() - before).toBeLessThanOrEqual(6)
      proxy.fault = 'none'
      await blobs.put('files/x', Buffer.from('0123456789'))
      expect((await blobs.read('files/x', 2, 4)).toString()).toBe('234')
    }, 30_000)

  it('takes a key that is wrong for a refusal, and says so without it', async () => {
    const place = { ...testObjects('faults'), secretKey }
    const refused = await openS3Blobs(place, { log })
    await expect(refused.put('files/x', Buffer.from('x'))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/^the object store could not store files\/x: \w+ \(403\)$/) as string,
    })
    refused.close()
    const none = await openS3Blobs({ ...testObjects('faults'), bucket: 'no-such-bucket' }, { log })
    await expect(none.put('files/x', Buffer.from('x'))).rejects.toMatchObject({ kind: 'refused' })
    none.close()
    expect(logged.join('\n')).not.toContain(secretKey)
    expect(logged.join('\n')).not.toContain(place.accessKey)
  })
})
