import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { history, messages } from '../../contract/operations/index.ts'
import { maxFile } from '../../contract/operations/messages.ts'
import { maxUploadBody } from '../http/incoming-body.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { slowUpload } from './testing/slow-upload.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const form = 'application/x-www-form-urlencoded;charset=utf-8'
const upload = (content: Buffer | string, type?: string) =>
  service.call(messages.upload, {
    content: typeof content === 'string' ? content : content.toString('base64'),
    ...(type !== undefined && { type }),
  })
const boundary = 'x-boundary'
const part = (name: string, value: Buffer | string, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ])
const ended = Buffer.from(`--${boundary}--\r\n`)
const multipart = (body: Buffer, type = `multipart/form-data; boundary=${boundary}`) =>
  service.send(messages.fileUpload, body, [['content-type', type]])
const download = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(url, { headers, method })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}
/** All files below the folder of uploads. */
const onDisk = (): string[] =>
  readdirSync(join(service.dataDir, 'files'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(service.dataDir, 'files', name)).isFile(),
  )

describe('msg/upload', () => {
  it('stores the bytes and serves them at an address that nobody can guess', async () => {
    const bytes = randomBytes(100_000)
    const { code, url, channelid } = await upload(bytes, 'png')
    expect(code).toBe(200)
    expect(channelid).toBeGreaterThan(0)
    expect(url).toMatch(new RegExp(`^${service.service.addresses.media}/files/[A-Za-z0-9_-]{32}$`))
    expect((await download(url!)).body.equals(bytes)).toBe(true)
    const again = await upload(bytes, 'png')
    expect(again.url).not.toBe(url)
    expect(again.channelid).not.toBe(channelid)
    expect(onDisk()).toHaveLength(1)
    // Not on Windows, which has no such modes.
    if (process.platform !== 'win32')
      for (const name of ['files', 'files/incoming'])
        expect(statSync(join(service.dataDir, name)).mode & 0o077, name).toBe(0)
  })

  it('takes 15M exactly, percent-encoded or not, and answers 414 to one byte more', async () => {
    const bytes = randomBytes(maxFile)
    const escaped = await upload(bytes)
    expect(escaped.code).toBe(200)
    const plain = await service.send(messages.upload, `type=bin&content=${bytes.toString('base64')}`)
    expect(plain.code).toBe(200)
    for (const { url } of [escaped, plain]) expect((await download(url!)).body.equals(bytes)).toBe(true)
    expect(await upload(Buffer.concat([bytes, Buffer.from('x')]))).toEqual({
      code: 414,
      desc: `the file has more than ${maxFile} bytes`,
    })
    expect(onDisk()).toHaveLength(1)
  })

  it('answers 413 only beyond a body of 48 MiB, said beforehand or not, and goes on', async () => {
    const url = `${service.service.addresses.api}/nimserver${messages.upload.path}`
    const declared = slowUpload(url, { ...service.sign(), 'content-length': String(maxUploadBody + 1) }, 'content=')
    expect(await declared.answer).toMatchObject({ status: 413, code: 413 })
    declared.request.destroy()
    const undeclared = slowUpload(url, service.sign(), 'content=')
    undeclared.request.write(Buffer.alloc(maxUploadBody, '%41'))
    expect(await undeclared.answer).toMatchObject({ status: 413, code: 413 })
    undeclared.request.destroy()
    // Escapes make the text of a small file long: 48 MiB of them are fewer bytes than allowed.
    const most = Buffer.alloc(maxUploadBody - 8 - ((maxUploadBody - 8) % 12), '%41%41%41%41')
    expect((most.length / 12) * 3).toBeLessThan(maxFile)
    expect((await service.send(messages.upload, Buffer.concat([Buffer.from('content='), most]))).code).toBe(200)
    expect(onDisk()).toHaveLength(1)
  })

  it.each([
    ['', 'content is empty'],
    ['type=png', 'content is empty'],
    ['content=', 'content is empty'],
    ['content=*', 'content is not Base64'],
    ['content=AAAAA', 'content is not Base64'],
    ['content=AAAA&content=AAAA', 'a field of the form comes twice'],
    ['content=AAAA&type=a&type=b', 'a field of the form comes twice'],
    [`content=AAAA&type=${'t'.repeat(33)}`, 'type must be at most 32 characters'],
    [`content=AAAA&type=${encodeURIComponent('类'.repeat(33))}`, 'type must be at most 32 characters'],
    [`content=AAAA&other=${'o'.repeat(20_000)}`, 'the form is too large besides content'],
    [`content=AAAA&${'n'.repeat(20_000)}`, 'a name in the form is too long'],
    ['{"content":"AAAA"}', 'content is empty'],
  ])('answers 414 to %.60s and keeps nothing', async (body, desc) => {
    expect(await service.send(messages.upload, body)).toEqual({ code: 414, desc })
    expect(onDisk()).toEqual([])
  })

  it.each([
    '../../../etc/passwd',
    '/etc/passwd',
    'C:\\Windows\\x',
    '..\\..\\x',
    'a:b',
    'CON',
    'x\0.png',
    '%2e%2e%2f',
    '-rf',
    'a\nb',
    '类型',
  ])('keeps the type %j as data only, never as a path', async (type) => {
    const { code, url } = await upload(Buffer.from('hello'), type)
    expect(code).toBe(200)
    expect(onDisk()).toEqual(['2c/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'])
    expect((await download(url!)).headers.get('content-type')).toBe('application/octet-stream')
  })
})

describe('msg/fileUpload', () => {
  it('stores the part, whatever its name is, and 15M exactly', async () => {
    const bytes = randomBytes(maxFile)
    const file = part('content', bytes, '; filename="../../a.png"\r\nContent-Type: image/png')
    const { code, url } = await multipart(Buffer.concat([part('type', 'gif'), file, ended]))
    expect(code).toBe(200)
    const back = await download(url!)
    expect(back.body.equals(bytes)).toBe(true)
    expect(back.headers.get('content-type')).toBe('image/gif')
    const over = Buffer.concat([part('content', Buffer.concat([bytes, Buffer.from('x')]), '; filename="a"'), ended])
    expect(await multipart(over)).toEqual({ code: 414, desc: `the file has more than ${maxFile} bytes` })
    expect(onDisk()).toHaveLength(1)
  })

  it('takes the type from the part or its name when none is given', async () => {
    const typeOf = async (more: string): Promise<string | null> => {
      const { url } = await multipart(Buffer.concat([part('content', 'x', more), ended]))
      return (await download(url!)).headers.get('content-type')
    }
    expect(await typeOf('; filename="a"\r\nContent-Type: image/jpeg')).toBe('image/jpeg')
    expect(await typeOf('; filename="a.MP4"\r\nContent-Type: application/octet-stream')).toBe('video/mp4')
    expect(await typeOf('; filename="a.html"')).toBe('application/octet-stream')
    expect(await typeOf('')).toBe('text/plain; charset=utf-8')
  })

  const file = part('content', 'x', '; filename="a"')
  it.each<[string, Buffer, string | undefined]>([
    ['a type without a boundary', Buffer.concat([file, ended]), 'multipart/form-data'],
    ['another type', Buffer.from('content=AAAA'), form],
    ['multipart that is no form', Buffer.concat([file, ended]), `multipart/mixed; boundary=${boundary}`],
    ['no body', Buffer.alloc(0), undefined],
    ['no file', Buffer.concat([part('type', 'png'), ended]), undefined],
    ['an empty file', Buffer.concat([part('content', '', '; filename="a"'), ended]), undefined],
    ['two files', Buffer.concat([file, file, ended]), undefined],
    ['a field twice', Buffer.concat([file, part('type', 'a'), part('type', 'b'), ended]), undefined],
    ['a field that is too long', Buffer.concat([file, part('other', 'o'.repeat(5000)), ended]), undefined],
    [
      'too many fields',
      Buffer.concat([file, ...Array.from({ length: 17 }, (_, index) => part(`f${index}`, 'x')), ended]),
      undefined,
    ],
    [
      'headers that never end',
      Buffer.concat([Buffer.from(`--${boundary}\r\nX: ${'h'.repeat(100_000)}`), ended]),
      undefined,
    ],
    ['a form that is cut off', file, undefined],
    ['a boundary of another form', Buffer.concat([file, ended]), 'multipart/form-data; boundary=other'],
  ])('answers 414 to %s and keeps nothing', async (_what, body, type) => {
    expect((await multipart(body, type)).code).toBe(414)
    expect(onDisk()).toEqual([])
  })
})

describe.each([
  [messages.upload.path, form],
  [messages.fileUpload.path, `multipart/form-data; boundary=${boundary}`],
])('an upload to %s that fails before it is read', (path, type) => {
  const begin = (length: number) =>
    slowUpload(
      `${service.service.addresses.api}/nimserver${path}`,
      { ...service.sign(), 'content-type': type, 'content-length': String(length) },
      'x',
    )
  const isTaken = async (): Promise<void> => {
    expect((await multipart(Buffer.concat([part('content', 'x', '; filename="a"'), ended]))).code).toBe(200)
    expect(onDisk()).toHaveLength(1)
  }

  it('because more is announced than is taken keeps no place, and nothing on the disk', async () => {
    for (let n = 0; n < 12; n++) {
      const { answer, request } = begin(maxUploadBody + 1)
      expect(await answer).toMatchObject({ status: 413, code: 413 })
      request.destroy()
    }
    await isTaken()
  })

  it('because the client has gone keeps no place, and nothing on the disk', async () => {
    for (let n = 0; n < 60; n++) {
      const { answer, request } = begin(1000)
      // At various times, some just before the read.
      for (let turn = 0; turn < n % 12; turn++) await new Promise((resolve) => setImmediate(resolve))
      request.destroy()
      await expect(answer).rejects.toThrow()
    }
    await isTaken()
  })
})

describe('an uploaded file', () => {
  it.each([
    ['png', 'image/png', 'inline'],
    ['JPG', 'image/jpeg', 'inline'],
    ['.mp3', 'audio/mpeg', 'inline'],
    ['video/mp4', 'video/mp4', 'inline'],
    ['txt', 'text/plain; charset=utf-8', 'inline'],
    ['html', 'application/octet-stream', 'attachment'],
    ['text/html', 'application/octet-stream', 'attachment'],
    ['svg', 'application/octet-stream', 'attachment'],
    ['image/svg+xml', 'application/octet-stream', 'attachment'],
    ['xml', 'application/octet-stream', 'attachment'],
    ['application/xhtml+xml', 'application/octet-stream', 'attachment'],
    ['js', 'application/octet-stream', 'attachment'],
    ['pdf', 'application/octet-stream', 'attachment'],
    ['constructor', 'application/octet-stream', 'attachment'],
  ])('of type %s is served as %s, %s, and never sniffed or run', async (type, served, disposition) => {
    const { url } = await upload(Buffer.from('<script>alert(1)</script>'), type)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await download(url!, {}, method)
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': served,
        'content-disposition': disposition,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'content-length': '25',
        'accept-ranges': 'bytes',
      })
      expect(headers.has('access-control-allow-origin')).toBe(false)
      expect(body.toString()).toBe(method === 'GET' ? '<script>alert(1)</script>' : '')
    }
  })

  it('is served in parts', async () => {
    const { url } = await upload(Buffer.from('0123456789'), 'mp4')
    for (const [range, body, place] of [
      ['bytes=0-0', '0', '0-0'],
      ['bytes=4-', '456789', '4-9'],
      ['bytes=-3', '789', '7-9'],
      ['bytes=8-99', '89', '8-9'],
    ] as const) {
      const got = await download(url!, { range })
      expect([got.status, got.body.toString(), got.headers.get('content-range')]).toEqual([
        206,
        body,
        `bytes ${place}/10`,
      ])
    }
    const beyond = await download(url!, { range: 'bytes=10-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect((await download(url!, { range: 'bytes=0-1,3-4' })).status).toBe(200)
  })

  it('has no other address', async () => {
    const { url } = await upload(Buffer.from('x'))
    const root = `${service.service.addresses.media}/files`
    for (const path of [
      '',
      '/',
      '/..%2fsidestage.db',
      `/${'A'.repeat(32)}`,
      `/${'A'.repeat(31)}/`,
      '/incoming',
      '/../sidestage.db',
    ]) {
      expect((await httpRequest(`${root}${path}`, { method: 'GET' })).status).toBe(404)
    }
    expect((await download(url!, {}, 'POST')).status).toBe(405)
  })

  it('stays over a restart; half files and bytes without a number are set aside', async () => {
    const { url } = await upload(Buffer.from('stays'))
    await service.stop()
    const files = join(service.dataDir, 'files')
    mkdirSync(join(files, '00'), { recursive: true })
    writeFileSync(join(files, 'incoming', 'half'), 'half')
    writeFileSync(join(files, '00', '00'.repeat(32)), 'nobody has it')
    service = await startService({ dataDir: service.dataDir })
    expect(onDisk()).toHaveLength(1)
    expect((await download(service.service.addresses.media + new URL(url!).pathname)).body.toString()).toBe('stays')
  })
})

describe('history/deleteMediaFile', () => {
  it('deletes a file; its content goes with the last number that has it, and a second deletion is answered like the first', async () => {
    const [one, two] = [await upload(Buffer.from('same')), await upload(Buffer.from('same'))]
    const other = await service.other.call(messages.upload, { content: Buffer.from('same').toString('base64') })
    const remove = (channelid: number, of = service as Pick<TestService, 'call'>) =>
      of.call(history.deleteMediaFile, { channelid })
    expect((await remove(other.channelid!)).code).toBe(414)
    expect((await remove(4711)).code).toBe(414)
    expect(await remove(one.channelid!)).toEqual({ code: 200 })
    expect(await remove(one.channelid!)).toEqual({ code: 200 })
    expect((await download(one.url!)).status).toBe(404)
    expect((await download(two.url!)).body.toString()).toBe('same')
    await remove(two.channelid!)
    expect((await download(other.url!)).body.toString()).toBe('same')
    await remove(other.channelid!, service.other)
    expect(onDisk()).toEqual([])
    const fresh = await upload(Buffer.from('same'))
    expect(fresh.channelid).toBeGreaterThan(other.channelid!)
    expect((await download(fresh.url!)).body.toString()).toBe('same')
  })

  it('is counted: the 301st of a minute is 416', async () => {
    for (let call = 0; call < 300; call++)
      expect((await service.send(history.deleteMediaFile, 'channelid=1')).code).toBe(414)
    expect((await service.send(history.deleteMediaFile, 'channelid=1')).code).toBe(416)
  })
})
