import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { IncomingFile } from './incoming-file.ts'
import { readMultipartUpload } from './multipart-upload.ts'

const file: IncomingFile = {
  write: () => Promise.resolve(),
  finish: () => Promise.reject(new Error('not asked for')),
  discard: () => Promise.resolve(),
}
const read = (body: PassThrough) => readMultipartUpload(body, 'multipart/form-data; boundary=b', file, 1000)

it('fails with what its body failed with, also before it was read, and where the body ends without a word', async () => {
  const cut = new Error('the caller is gone')
  const early = new PassThrough().on('error', () => undefined)
  early.destroy(cut)
  await expect(read(early)).rejects.toBe(cut)
  const late = new PassThrough()
  const reading = read(late)
  late.destroy(cut)
  await expect(reading).rejects.toBe(cut)
  const silent = new PassThrough()
  const waiting = read(silent)
  silent.destroy()
  await expect(waiting).rejects.toThrow()
})
