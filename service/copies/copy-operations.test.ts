import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { startPythonReceiver } from '../outbox/testing/python-receiver.ts'
import { startReceiver, type Receiver } from '../outbox/testing/receiver.ts'
import { waitFor } from '../outbox/testing/wait.ts'
import { startServiceProcess } from '../testing/service-process.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'

let service: TestService
let receiver: Receiver
const names: Record<string, string[]> = {
  'metadata.example': ['169.254.169.254'],
  'lan.example': ['127.0.0.1', '169.254.169.254'],
}
beforeEach(async () => {
  service = await startService({ faults: true, resolve: (host) => Promise.resolve(names[host] ?? []) })
  receiver = await startReceiver()
})
afterEach(async () => {
  await service.close()
  await receiver.close()
})
const get = async () => (await service.call(local.copyTarget, {})).ret!

describe('copy/set', () => {
  it('keeps an address that answers a signed {} with 200, over a restart and per application', async () => {
    expect(await get()).toEqual({ kinds: [1, 4] })
    const python = await startPythonReceiver(testCredentials.appSecret, [], 'copy-receiver.py')
    expect((await service.call(local.setCopyTarget, { url: python.url, kinds: [3, 1, 3] })).code).toBe(200)
    await waitFor('the probe', () => python.requests.length === 1)
    expect(python.requests[0]).toMatchObject({ fields: {}, verified: true, length: '2', chunked: false })
    python.close()
    expect(await get()).toEqual({ url: python.url, kinds: [1, 3] })
    expect((await service.other.call(local.copyTarget, {})).ret).toEqual({ kinds: [1, 4] })
    await service.stop()
    service = await startService({ dataDir: service.dataDir, faults: true })
    expect(await get()).toEqual({ url: python.url, kinds: [1, 3] })
  })

  it('keeps the kinds when none are given, and ends copying without an address', async () => {
    await service.call(local.setCopyTarget, { url: receiver.url, kinds: [2] })
    await service.call(local.setCopyTarget, { url: `${receiver.url}?b` })
    expect(await get()).toEqual({ url: `${receiver.url}?b`, kinds: [2] })
    expect((await service.call(local.setCopyTarget, {})).code).toBe(200)
    expect(await get()).toEqual({ kinds: [2] })
    expect(receiver.received.map(({ body }) => body)).toEqual(['{}', '{}'])
    expect((await service.call(local.setCopyTarget, { url: '', kinds: [] })).code).toBe(200)
    expect(await get()).toEqual({ kinds: [] })
  })

  it.each([
    ['ftp://127.0.0.1/', 'http'],
    ['http://a:b@127.0.0.1/', 'credentials'],
    ['http://127.0.0.1/#a', 'fragment'],
    ['http://metadata.example/', 'metadata'],
    ['http://lan.example/', 'metadata'],
    ['http://[::ffff:127.0.0.1]/', 'IPv4'],
    ['http://0x7f000001/', 'decimal'],
    ['http://nowhere.example/', 'resolve'],
  ])('refuses %s', async (url, why) => {
    await service.call(local.setCopyTarget, { url: receiver.url })
    const answer = await service.call(local.setCopyTarget, { url })
    expect(answer.code).toBe(631)
    expect(answer.msg).toContain(why)
    expect((await get()).url).toBe(receiver.url)
  })

  it('refuses kinds that do not exist, and an address that answers otherwise, redirects, never answers or is one of our own ports', async () => {
    expect((await service.send(local.setCopyTarget, { kinds: [5] })).code).toBe(631)
    for (const status of [201, 302, 404, 500]) {
      receiver.answer = (_request, response) =>
        void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      expect(await service.call(local.setCopyTarget, { url: receiver.url })).toMatchObject({
        code: 631,
        msg: expect.stringContaining(`HTTP ${status}`) as string,
      })
    }
    const own = await service.call(local.setCopyTarget, { url: `${service.service.ready.mediaUrl}/` })
    expect(own).toMatchObject({ code: 631, msg: expect.stringContaining('port of this service') as string })
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const late = await service.call(local.setCopyTarget, {
      url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    })
    expect(late).toMatchObject({ code: 631, msg: expect.stringContaining('no answer in time') as string })
    silent.closeAllConnections()
    silent.close()
    expect(await get()).toEqual({ kinds: [1, 4] })
  })

  it.each([local.copyTarget, local.setCopyTarget])('$path checks who calls, and fails as asked', async (operation) => {
    expect((await service.send(operation, {}, [['CheckSum', undefined]])).code).toBe(613)
    expect((await service.send(operation, {}, [['AppKey', undefined]])).code).toBe(614)
    expect((await service.send(operation, {}, [['CurTime', undefined]])).code).toBe(615)
    expect((await service.send(operation, {}, [['CheckSum', '0'.repeat(40)]])).code).toBe(409)
    expect((await service.send(operation, '[')).code).toBe(631)
    await service.call(local.faults, { path: operation.path, code: 501 })
    expect((await service.send(operation, {})).code).toBe(501)
  })
})

it('--copy-url sets the address of a service that starts alone, kept until another is given', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-copy-url-'))
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const environment = { SIDESTAGE_APP_KEY: testCredentials.appKey, SIDESTAGE_APP_SECRET: testCredentials.appSecret }
  const targetAfter = async (more: readonly string[]): Promise<unknown> => {
    const started = startServiceProcess(['--data', dataDir, ...ports, ...more], environment)
    try {
      const { baseUrl } = await started.ready
      const answer = await fetch(`${baseUrl}${local.copyTarget.path}`, {
        method: 'POST',
        headers: service.sign(),
        body: '{}',
      })
      return ((await answer.json()) as { ret: unknown }).ret
    } finally {
      started.child.kill('SIGTERM')
      await started.exited
    }
  }
  expect(await targetAfter(['--copy-url', receiver.url])).toEqual({ url: receiver.url, kinds: [1, 4] })
  expect(await targetAfter([])).toEqual({ url: receiver.url, kinds: [1, 4] })
  const wrong = startServiceProcess(
    ['--data', dataDir, ...ports, '--copy-url', 'http://user:pass@127.0.0.1/'],
    environment,
  )
  wrong.ready.catch(() => undefined)
  expect(await wrong.exited).toBe(2)
  expect(wrong.log()).toContain('--copy-url: the address must not carry credentials.')
  expect(wrong.log()).not.toContain('pass@')
  rmSync(dataDir, { recursive: true, force: true })
})
