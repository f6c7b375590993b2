import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fileType } from './file-types.ts'
import { readFormUpload } from './form-upload.ts'
import type { IncomingFile } from './incoming-file.ts'
import { createUploadSlots } from './upload-slots.ts'

/** Reads a form in chunks of a length; gives fields and file. */
async function read(form: string, length = form.length): Promise<{ fields: object; content: string }> {
  const written: Buffer[] = []
  const file: IncomingFile = {
    write: (part) => {
      written.push(Buffer.from(part))
      return Promise.resolve()
    },
    finish: () => Promise.reject(new Error('not asked for')),
    discard: () => Promise.resolve(),
  }
  const bytes = Buffer.from(form)
  const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
  const fields = await readFormUpload(Readable.from(chunks), file)
  return { fields: { ...fields }, content: Buffer.concat(written).toString() }
}

describe('a form with a file', () => {
  it.each([1, 2, 3, 7, 1000])(
    'has the file and the other fields wherever they stand, in chunks of %i',
    async (length) => {
      expect(await read('type=p%6eg&content=aGVsbG8=&note=a+b%20c&empty=&alone', length)).toEqual({
        fields: { type: 'png', note: 'a b c', empty: '', alone: '' },
        content: 'hello',
      })
    },
  )

  it('has the file under its name in any escapes, and no field of a name that is not readable as one', async () => {
    expect(await read('%63ontent=aGVsbG8=')).toEqual({ fields: {}, content: 'hello' })
    expect(await read('content%=x&content=aGVsbG8=')).toEqual({ fields: { 'content%': 'x' }, content: 'hello' })
  })

  it('has 16 KiB besides the file at most, and names as long', async () => {
    const most = 16 * 1024 - 'a='.length - '&'.length
    expect((await read(`a=${'x'.repeat(most)}&content=aGVsbG8=`)).content).toBe('hello')
    await expect(read(`a=${'x'.repeat(most + 1)}&content=aGVsbG8=`)).rejects.toThrow('too large besides content')
    await expect(read(`${'n'.repeat(16 * 1024 + 1)}=1&content=aGVsbG8=`, 1000)).rejects.toThrow(
      'name in the form is too long',
    )
  })

  it('is refused with the reason of the fields, and without the file', async () => {
    await expect(read('content=aGVsbG8=&a=1&a=2')).rejects.toThrow('a field of the form comes twice')
    await expect(read('a=1')).rejects.toThrow('content is empty')
    await expect(read('content')).rejects.toThrow('content is empty')
  })
})

describe('places for uploads', () => {
  const signal = (): AbortSignal => new AbortController().signal

  it('pass to who waits longest, one for each that is given back, however often that is done', async () => {
    const slots = createUploadSlots()
    const [first, second] = [(await slots.take(1, signal()))!, (await slots.take(1, signal()))!]
    const order: number[] = []
    const waiting = [1, 2].map(async (number) => {
      const free = (await slots.take(1, signal()))!
      order.push(number)
      return free
    })
    first()
    first()
    const third = await waiting[0]!
    expect(order).toEqual([1])
    second()
    const fourth = await waiting[1]!
    expect(order).toEqual([1, 2])
    third()
    fourth()
    expect(await slots.take(1, signal())).toBeTypeOf('function')
  })

  it('are of each application, and who leaves waits no more', async () => {
    const slots = createUploadSlots()
    const first = (await slots.take(1, signal()))!
    await slots.take(1, signal())
    expect(await slots.take(2, signal())).toBeTypeOf('function')
    const leaves = new AbortController()
    const gone = slots.take(1, leaves.signal)
    const stays = slots.take(1, signal())
    leaves.abort()
    await expect(gone).rejects.toThrow('the caller is gone')
    first()
    expect(await stays).toBeTypeOf('function')
  })

  it('are waited for by eight, and by nobody who has left before', async () => {
    const slots = createUploadSlots()
    for (let each = 0; each < 2; each++) await slots.take(1, signal())
    await expect(slots.take(1, AbortSignal.abort())).rejects.toThrow('the caller is gone')
    const waiting = Array.from({ length: 8 }, () => slots.take(1, signal()))
    expect(await slots.take(1, signal())).toBeUndefined()
    expect(waiting).toHaveLength(8)
  })
})

describe('a type of a file', () => {
  it.each([
    ['jpeg', 'image/jpeg'],
    ['image/jpg', 'image/jpeg'],
    ['.OGA', 'audio/ogg'],
    ['audio/x-wav; codecs=1', 'audio/wav'],
    ['text/plain;charset=gbk', 'text/plain; charset=utf-8'],
    ['mov', 'video/quicktime'],
    ['m4v', 'video/mp4'],
    [' webm ', 'video/webm'],
  ])('%j is shown as %s', (said, type) => {
    expect(fileType(said)).toEqual({ type, inline: true })
  })

  it.each(['', '.', '..png', 'svg', 'text/html', 'toString'])('%j is saved', (said) => {
    expect(fileType(said)).toEqual({ type: 'application/octet-stream', inline: false })
  })
})

describe('a type that browsers show', () => {
  it.each([
    ['image/png', ['png']],
    ['image/jpeg', ['jpg', 'jpeg', 'image/jpg']],
    ['image/gif', ['gif']],
    ['image/webp', ['webp']],
    ['image/bmp', ['bmp']],
    ['audio/aac', ['aac']],
    ['audio/mpeg', ['mp3']],
    ['audio/mp4', ['m4a']],
    ['audio/ogg', ['ogg', 'oga']],
    ['audio/wav', ['wav', 'audio/x-wav']],
    ['audio/amr', ['amr']],
    ['video/mp4', ['mp4', 'm4v']],
    ['video/webm', ['webm']],
    ['video/quicktime', ['mov']],
    ['text/plain; charset=utf-8', ['txt', 'text/plain']],
  ])('%s is that of its names and of itself', (type, names) => {
    for (const name of [...names, type]) expect(fileType(name), name).toEqual({ type, inline: true })
  })
})

describe('a field of a form with a file', () => {
  it('may be the last one without a value, and content may be the first or the last', async () => {
    expect(await read('content=aGVsbG8=')).toEqual({ fields: {}, content: 'hello' })
    expect(await read('a=1&content=aGVsbG8=')).toEqual({ fields: { a: '1' }, content: 'hello' })
    expect(await read('content=aGVsbG8=&b')).toEqual({ fields: { b: '' }, content: 'hello' })
  })

  it('that is no Base64 is refused, wherever the form is cut', async () => {
    for (const length of [1, 3, 100]) {
      await expect(read('a=1&content=aGVs*G8=&b=2', length)).rejects.toThrow('content is not Base64')
      await expect(read('a=1&content=aGVsb&b=2', length)).rejects.toThrow('content is not Base64')
      await expect(read('a=1&content=&b=2', length)).rejects.toThrow('content is empty')
      await expect(read('content=AAAA&content=AAAA', length)).rejects.toThrow('a field of the form comes twice')
    }
  })
})
