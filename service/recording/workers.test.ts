import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { writeFlvTag } from '../media/flv-writer.ts'
import { FlvSlice } from './slice-flv.ts'
import { Mp4Slice } from './slice-mp4.ts'
import { bothTracks, pictureAt, soundTracks, writtenSlice } from './testing/written-slice.ts'
import { createWorkers, WorkFault, type Workers } from './workers.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())
let workers: Workers
beforeEach(() => {
  workers = createWorkers()
})
afterEach(() => workers.close())

const place = (name: string): string => join(folder.path, name)
/** An FLV of so many frames of sound, which a thread reads to find its length. */
function longFlv(name: string, frames: number): string {
  const tag = writeFlvTag('audio', 0, Buffer.from([0xaf, 1, 0]))
  writeFileSync(
    place(name),
    Buffer.concat([new FlvSlice(soundTracks, 60_000).head, Buffer.concat(Array.from({ length: frames }, () => tag))]),
  )
  return place(name)
}
/** A finished MP4. */
async function movie(name: string): Promise<string> {
  const { media, index } = writtenSlice(
    new Mp4Slice(bothTracks),
    Array.from({ length: 50 }, (_, count) => pictureAt(count * 40, count === 0)),
  )
  writeFileSync(place(`${name}.mp4`), media)
  writeFileSync(place(`${name}.index`), index)
  await workers.run({ kind: 'mp4', path: place(`${name}.mp4`), index: place(`${name}.index`), recover: false })
  return place(`${name}.mp4`)
}
const outputs = (name: string) => ({ temporary: place(`${name}.part`), target: place(`${name}.mp4`) })

it('gives the size and length of a finished file, with known figures or with those in it', async () => {
  const path = longFlv('figures.flv', 3)
  const { size } = statSync(path)
  expect(await workers.run({ kind: 'flv', path, end: { duration: 4321, keyFrames: [] } })).toEqual({
    bytes: size,
    duration: 4321,
  })
  expect(await workers.run({ kind: 'flv', path })).toEqual({ bytes: size, duration: 0 })
  const finished = await movie('finished')
  // As it was finished before, it tells its figures.
  expect(await workers.run({ kind: 'mp4', path: finished, index: place('finished.index'), recover: true })).toEqual({
    bytes: statSync(finished).size,
    duration: 2000,
  })
})

it('tells how far a merge is, and gives its result', async () => {
  const source = await movie('source')
  const told: number[] = []
  const { target, ...more } = outputs('merged')
  const result = await workers.run(
    { kind: 'merge', sources: [source, source], target, ...more },
    { progress: (done) => void told.push(done) },
  )
  expect(result).toEqual({ bytes: statSync(target).size, duration: 4000 })
  expect(told).toEqual([result.bytes])
})

it('fails with the code of the system, and for a damaged file with a code of its own', async () => {
  await expect(workers.run({ kind: 'flv', path: place('missing.flv') })).rejects.toMatchObject({
    constructor: WorkFault,
    code: 'ENOENT',
  })
  writeFileSync(place('broken.mp4'), 'no film')
  await expect(
    workers.run({ kind: 'mp4', path: place('broken.mp4'), index: place('broken.index'), recover: true }),
  ).rejects.toMatchObject({
    constructor: WorkFault,
    code: 'BROKEN',
    message: 'the file does not begin as a recording',
  })
})

it('finishes one file after the other, also after one that failed', async () => {
  const order: string[] = []
  const note = (name: string) => (): void => void order.push(name)
  const [long, short] = [longFlv('long.flv', 150_000), longFlv('short.flv', 1)]
  await Promise.all([
    workers.run({ kind: 'flv', path: place('missing.flv') }).catch(note('missing')),
    workers.run({ kind: 'flv', path: long }).then(note('long')),
    workers.run({ kind: 'flv', path: short }).then(note('short')),
  ])
  expect(order).toEqual(['missing', 'long', 'short'])
})

it('is stopped by its signal, before it begins and while it runs, and writes nothing', async () => {
  const source = await movie('stopped')
  const { target, ...more } = outputs('nothing')
  const work = { kind: 'merge' as const, sources: [source], target, ...more }
  await expect(workers.run(work, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORT_ERR' })
  const stop = new AbortController()
  const running = workers.run(work, { signal: stop.signal })
  stop.abort()
  await expect(running).rejects.toMatchObject({ constructor: WorkFault, code: 'ABORT_ERR' })
  expect([existsSync(more.temporary), existsSync(target)]).toEqual([false, false])
})

it('stops what runs and what waits when it is closed, and begins nothing after', async () => {
  const path = longFlv('closed.flv', 150_000)
  const before = readFileSync(path)
  const running = [workers.run({ kind: 'flv', path }), workers.run({ kind: 'flv', path })]
  const ended = Promise.allSettled(running)
  // The thread is made in the next turn.
  await Promise.resolve()
  await workers.close()
  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { code: 'ABORT_ERR' } },
    { status: 'rejected', reason: { code: 'ABORT_ERR' } },
  ])
  await expect(workers.run({ kind: 'flv', path })).rejects.toMatchObject({ code: 'ABORT_ERR' })
  expect(readFileSync(path).equals(before)).toBe(true)
})
