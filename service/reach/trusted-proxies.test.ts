import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let running: TestService
afterEach(() => running.close())

/** A proxy before the media side of the service, which says for whom it asks behind those who were named before it. */
async function proxy(before: readonly string[] = []): Promise<string> {
  const server = createServer(({ url, headers, socket }, answer) => {
    const named = [...before, socket.remoteAddress ?? ''].join(', ')
    const passed = request({
      host: '127.0.0.1',
      port: running.service.listening.media,
      path: url,
      headers: { ...headers, 'x-forwarded-for': named },
      agent: false,
    })
    passed.on('response', (from) => {
      answer.writeHead(from.statusCode ?? 0)
      from.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    passed.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const measured = async (publicUrl: string, proxies: string[]) => {
  await running.call(local.updateReach, { reach: 'proxy', publicUrl, proxies })
  const { ret } = await running.call(local.checkReach, {})
  const { state, reason, detail } = ret!.results.find(({ reach }) => reach === 'proxy')!
  return [state, reason, detail]
}

it('says of a proxy that answers and is not trusted which it is', async () => {
  running = await startService()
  const url = await proxy()
  expect(await measured(url, [])).toEqual(['works', 'proxyUntrusted', '127.0.0.1'])
  expect(await measured(url, ['10.9.9.9'])).toEqual(['works', 'proxyUntrusted', '127.0.0.1'])
  expect(await measured(url, ['10.9.9.9', '127.0.0.1'])).toEqual(['works', undefined, undefined])
})

it('says it of the first one in a row that is not', async () => {
  running = await startService()
  const url = await proxy(['198.51.100.7', '203.0.113.9'])
  // The proxy on this computer is trusted, and so is where the request came from.
  expect(await measured(url, ['127.0.0.1'])).toEqual(['works', 'proxyUntrusted', '203.0.113.9'])
  expect(await measured(url, ['127.0.0.1', '203.0.113.0/24'])).toEqual(['works', undefined, undefined])
})

it('says that a range has addresses of anybody, whatever proxy answers', async () => {
  running = await startService()
  const url = await proxy()
  expect(await measured(url, ['127.0.0.1', '0.0.0.0/0'])).toEqual(['works', 'proxyAnybody', '0.0.0.0/0'])
  expect(await measured(url, ['::/0'])).toEqual(['works', 'proxyAnybody', '::/0'])
})

it('says nothing of proxies where none is between', async () => {
  running = await startService()
  expect(await measured(`http://127.0.0.1:${running.service.listening.media}`, [])).toEqual([
    'works',
    undefined,
    undefined,
  ])
})
