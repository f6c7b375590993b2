import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createDescriptorBudget, type DescriptorShare } from '../../platform/descriptors.ts'
import { listenOn } from '../../platform/listen.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { createClients } from './clients.ts'
import { createFileReads } from './file-reads.ts'
import { createListener } from './listener.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** More than socket buffers take. */
const size = 32 * 1024 * 1024

async function begin(descriptors: DescriptorShare) {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-reads-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'file')
  writeFileSync(path, Buffer.alloc(size))
  const refusals: string[] = []
  let taken = 0
  const counted: DescriptorShare = {
    take() {
      const has = descriptors.take()
      if (has) taken += 1
      return has
    },
    give() {
      taken -= 1
      descriptors.give()
    },
  }
  const reads = createFileReads({ descriptors: counted, refused: (why) => void refusals.push(why) })
  writeFileSync(join(folder, 'empty'), '')
  if (process.platform !== 'win32') symlinkSync(path, join(folder, 'link'))
  const listener = createListener({
    clients: createClients(['127.0.0.1']),
    requestId: () => 'x',
    bounds: testBounds(),
    origin: () => true,
    allowed: () => undefined,
  })
  for (const name of ['empty', 'link'])
    listener.app.get(`/${name}`, (request, reply) =>
      reads.answer(request, reply, join(folder, name), { 'content-type': 'video/mp4' }),
    )
  listener.app.route({
    method: ['GET', 'HEAD'],
    url: '/file',
    handler: (request, reply) => reads.answer(request, reply, path, { 'content-type': 'video/mp4' }),
  })
  listener.app.get('/none', (request, reply) => reads.answer(request, reply, `${path}-none`, {}))
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  cleanups.push(() => listener.close(0))
  const ask = (url: string, options: http.RequestOptions = {}): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port, path: url, agent: false, ...options }, resolve)
      request.on('error', reject)
      cleanups.push(() => request.destroy())
    })
  return { ask, refusals, taken: () => taken }
}
const until = async (what: () => boolean): Promise<void> => {
  while (!what()) await new Promise((resolve) => setImmediate(resolve))
}

it('reads no more files at once than there are descriptors for, and says so', async () => {
  const one = await begin(createDescriptorBudget(4).share(1))
  const [first, , third] = [await one.ask('/file'), await one.ask('/file'), await one.ask('/file')]
  expect(first.statusCode).toBe(200)
  const refused = await one.ask('/file')
  expect([refused.statusCode, refused.headers['retry-after'], one.refusals]).toEqual([503, '1', ['files']])
  expect(one.taken()).toBe(3)
  // Readers that disconnect or finish free their place.
  first.destroy()
  await until(() => one.taken() === 2)
  let bytes = 0
  for await (const part of third as AsyncIterable<Buffer>) bytes += part.length
  expect(bytes).toBe(size)
  await until(() => one.taken() === 1)
  expect((await one.ask('/file')).statusCode).toBe(200)
})

it('gives back what it took for every answer', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  for (const [url, options, status] of [
    ['/none', {}, 404],
    ['/file', { method: 'HEAD' }, 200],
    ['/file', { headers: { range: `bytes=${size}-` } }, 416],
    ['/file', { headers: { range: 'bytes=1-2' } }, 206],
  ] as const) {
    const answer = await one.ask(url, options)
    answer.resume()
    expect(answer.statusCode, url).toBe(status)
    await until(() => one.taken() === 0)
  }
})

it('reads for one computer a bounded number at once', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  const answers = await Promise.all(Array.from({ length: 260 }, () => one.ask('/file')))
  expect(answers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(4)
})

it('reads for another address 64 files at once', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  const from = (address: string) => one.ask('/file', { headers: { 'x-forwarded-for': address } })
  const answers = await Promise.all(Array.from({ length: 66 }, () => from('198.51.100.7')))
  expect(answers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(2)
  expect((await from('198.51.100.8')).statusCode).toBe(200)
})

it('answers with the headers that belong to the file, its length, and what part of it comes', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  const headed = await one.ask('/file', { method: 'HEAD' })
  expect(headed.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(size),
    'accept-ranges': 'bytes',
  })
  const part = await one.ask('/file', { headers: { range: 'bytes=5-9' } })
  part.resume()
  expect(part.headers).toMatchObject({ 'content-length': '5', 'content-range': `bytes 5-9/${size}` })
  const empty = await one.ask('/empty')
  expect([empty.statusCode, empty.headers['content-length']]).toEqual([200, '0'])
  empty.resume()
  await until(() => one.taken() === 0)
})

it('answers a range on a condition with the whole', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  const answer = await one.ask('/file', { headers: { range: 'bytes=5-9', 'if-range': '"x"' } })
  expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(size)])
})

it.skipIf(process.platform === 'win32')('follows no symbolic link', async () => {
  const one = await begin(createDescriptorBudget().share(1))
  const answer = await one.ask('/link')
  answer.resume()
  expect(answer.statusCode).toBe(404)
  await until(() => one.taken() === 0)
})
