import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { UploadFault, type IncomingFile } from './incoming-file.ts'
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

/** Reads a form of parts; gives fields, type and file. */
async function readParts(parts: readonly string[], type = 'multipart/form-data; boundary=b', most = 1000) {
  const written: Buffer[] = []
  const body = new PassThrough()
  body.end(`${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--b--\r\n`)
  const reading = await readMultipartUpload(
    body,
    type,
    {
      ...file,
      async write(part) {
        written.push(Buffer.from(part))
      },
    },
    most,
  )
  return { fields: { ...reading.fields }, type: reading.partType, content: Buffer.concat(written).toString() }
}
const content = (more = '; filename="a"', value = 'hello'): string => `name="content"${more}\r\n\r\n${value}`

it('reads the file and the fields beside it, in any order', async () => {
  expect(await readParts(['name="a"\r\n\r\n1', content(), 'name="b"\r\n\r\n'])).toEqual({
    fields: { a: '1', b: '' },
    type: 'text/plain',
    content: 'hello',
  })
})

it('takes the type of the part, and that of its name where the former says nothing', async () => {
  const typeOf = async (more: string): Promise<string> => (await readParts([content(more)])).type
  expect(await typeOf('; filename="a.png"\r\nContent-Type: image/gif')).toBe('image/gif')
  for (const nothing of ['application/octet-stream', 'text/plain'])
    expect(await typeOf(`; filename="a.PNG"\r\nContent-Type: ${nothing}`)).toBe('.PNG')
  expect(await typeOf('; filename="a.tar.gz"')).toBe('.gz')
  expect(await typeOf('; filename="a.toolongext"\r\nContent-Type: application/octet-stream')).toBe(
    'application/octet-stream',
  )
})

it('takes a part for the file by its name alone, whatever it is declared as', async () => {
  expect(await readParts([content(''), 'name="other"; filename="x"\r\n\r\ny'])).toMatchObject({
    fields: { other: 'y' },
    content: 'hello',
  })
})

it('takes 16 fields and values of 4096 bytes, and no more', async () => {
  const fields = (count: number): string[] => Array.from({ length: count }, (_, index) => `name="f${index}"\r\n\r\nx`)
  expect(Object.keys((await readParts([content(), ...fields(16)])).fields)).toHaveLength(16)
  await expect(readParts([content(), ...fields(17)])).rejects.toThrow(UploadFault)
  const valued = (length: number): string[] => [content(), `name="f"\r\n\r\n${'x'.repeat(length)}`]
  expect((await readParts(valued(4096))).fields).toEqual({ f: 'x'.repeat(4096) })
  await expect(readParts(valued(4097))).rejects.toThrow('a field of the form is too long')
})

it('refuses two files, an empty or a missing one, and a field that comes twice, with the reason', async () => {
  await expect(readParts([content(), content()])).rejects.toThrow('a field of the form comes twice')
  await expect(readParts([content('; filename="a"', '')])).rejects.toThrow('content is empty')
  await expect(readParts(['name="a"\r\n\r\n1'])).rejects.toThrow('content is empty')
  await expect(readParts([content(), 'name="a"\r\n\r\n1', 'name="a"\r\n\r\n1'])).rejects.toThrow(
    'a field of the form comes twice',
  )
})

it('refuses another type of body, and one without a boundary', async () => {
  await expect(readParts([content()], 'multipart/mixed; boundary=b')).rejects.toThrow(UploadFault)
  await expect(readParts([content()], 'multipart/form-data')).rejects.toThrow(
    'the body is not a multipart form with a boundary',
  )
})

it('fails with what the file fails with', async () => {
  const body = new PassThrough()
  body.end(`--b\r\nContent-Disposition: form-data; ${content()}\r\n--b--\r\n`)
  const full = { ...file, write: () => Promise.reject(new Error('the disk is full')) }
  await expect(readMultipartUpload(body, 'multipart/form-data; boundary=b', full, 1000)).rejects.toThrow(
    'the disk is full',
  )
})
