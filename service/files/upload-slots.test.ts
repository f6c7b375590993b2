import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messages } from '../../contract/operations/index.ts'
import { until } from '../testing/condition.ts'
import { startServiceProcess } from '../testing/service-process.ts'
import { signedClient } from '../testing/signed-client.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'
import { slowUpload, type SlowUpload } from './testing/slow-upload.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const begin = (headers = service.sign()): SlowUpload =>
  slowUpload(`${service.service.addresses.api}/nimserver${messages.upload.path}`, headers, 'content=AAAA')
const incoming = (dataDir = service.dataDir): number => readdirSync(join(dataDir, 'files', 'incoming')).length
const underWay = (count: number): Promise<unknown> => until(`${count} uploads under way`, () => incoming() === count)

describe('uploads of one application', () => {
  it('are two at once: a third waits for its turn, and another application does not wait', async () => {
    const [first, second] = [begin(), begin()]
    await underWay(2)
    const third = begin()
    third.request.end('AAAA')
    const other = await service.other.send(messages.upload, 'content=AAAA')
    expect(other.code).toBe(200)
    expect(incoming()).toBe(2)
    first.request.end('BBBB')
    expect((await first.answer).code).toBe(200)
    expect((await third.answer).code).toBe(200)
    second.request.end()
    expect((await second.answer).code).toBe(200)
    expect(incoming()).toBe(0)
  })

  it('wait eight at most; one more is refused with 416', async () => {
    const two = [begin(), begin()]
    await underWay(2)
    const many = Array.from({ length: 9 }, () => begin())
    const refused = await Promise.any(
      many.map(({ answer }) =>
        answer.then((body) => (body.code === 416 ? body : Promise.reject(new Error('not refused')))),
      ),
    )
    expect(refused).toEqual({ status: 200, code: 416, desc: 'too many uploads of this application wait' })
    for (const { request } of [...two, ...many]) request.end()
    const codes = await Promise.all([...two, ...many].map(({ answer }) => answer.then(({ code }) => code)))
    expect(codes.filter((code) => code === 200)).toHaveLength(10)
  })

  it('leave nothing, and give their turn on, when the caller goes', async () => {
    const two = [begin(), begin()]
    await underWay(2)
    const [waiting, gone] = [begin(), begin()]
    gone.request.destroy()
    for (const { request } of two) request.destroy()
    waiting.request.end('AAAA')
    expect((await waiting.answer).code).toBe(200)
    await underWay(0)
    expect((await service.send(messages.upload, 'content=AAAA')).code).toBe(200)
  })
})

it('a service that is killed during an upload keeps no half file', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-upload-kill-'))
  const start = () =>
    startServiceProcess(['--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
      SIDESTAGE_APP_KEY: testCredentials.appKey,
      SIDESTAGE_APP_SECRET: testCredentials.appSecret,
    })
  const first = start()
  const { baseUrl } = await first.ready
  const client = signedClient(baseUrl, testCredentials)
  expect((await client.send(messages.upload, 'content=QUJD')).code).toBe(200)
  const half = slowUpload(
    `${baseUrl}/nimserver${messages.upload.path}`,
    client.sign(),
    `content=${'A'.repeat(100_000)}`,
  )
  await until('the upload', () => incoming(dataDir) === 1)
  first.child.kill('SIGKILL')
  await first.exited
  await expect(half.answer).rejects.toThrow()
  expect(incoming(dataDir)).toBe(1)
  const second = start()
  await second.ready
  expect(incoming(dataDir)).toBe(0)
  expect(readdirSync(join(dataDir, 'files')).filter((name) => name.length === 2)).toHaveLength(1)
  second.child.kill('SIGTERM')
  await second.exited
  rmSync(dataDir, { recursive: true, force: true })
})
