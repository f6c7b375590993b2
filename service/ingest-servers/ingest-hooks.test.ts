import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import type { IngestServer } from './ingest-server.ts'

let service: TestService
/** What a server's control API was asked, and what it answers. */
let asked: string[]
let answerOf: (path: string) => string | undefined
const control = createServer((request: IncomingMessage, response: ServerResponse) => {
  asked.push(`${request.method} ${request.url}`)
  const answer = answerOf(request.url!)
  response.writeHead(answer === undefined ? 500 : 200).end(answer)
})
let url: string
beforeEach(async () => {
  asked = []
  answerOf = () => '{}'
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
})
afterEach(async () => {
  await service.close()
  control.closeAllConnections()
  await new Promise((resolve) => control.close(resolve))
})

const start = async (servers: readonly IngestServer[] = [], way?: string): Promise<void> => {
  service = await startService({
    hooks: { host: '127.0.0.1', port: 0, servers, every: 100, ...(way !== undefined && { way }) },
  })
}
const ask = async (make: string, body: string) => {
  const { status, text, headers } = await httpRequest(`${service.service.hooksUrl}/${make}`, { method: 'POST', body })
  return { status, text, location: headers['location'] }
}
const channel = async () => {
  const { cid, pushUrl } = (await service.call(live.create, { name: 'pushed', type: 0 })).ret!
  return { cid, query: new URL(pushUrl).search.slice(1) }
}
const wrong = (query: string): string =>
  query.replace(/wsSecret=./, (start) => `wsSecret=${start.endsWith('0') ? '1' : '0'}`)

describe('what SRS asks', () => {
  const call = (action: string, cid: string, param: string): string =>
    JSON.stringify({
      action,
      client_id: 'x',
      ip: '192.0.2.7',
      vhost: '_',
      app: 'live',
      stream: cid,
      param: `?${param}`,
    })

  it('is answered by a code, with the way on in a call of its own', async () => {
    await start([], 'rtmp://10.0.0.9')
    const { cid, query } = await channel()
    expect(await ask('srs', call('on_publish', cid, query))).toMatchObject({ status: 200, text: '{"code":0}' })
    expect(JSON.parse((await ask('srs', call('on_forward', cid, query))).text)).toEqual({
      code: 0,
      data: { urls: [`rtmp://10.0.0.9/live/${cid}?${query}`] },
    })
    for (const action of ['on_publish', 'on_forward'])
      expect(JSON.parse((await ask('srs', call(action, cid, wrong(query)))).text)).toMatchObject({ code: 403 })
    expect(JSON.parse((await ask('srs', call('on_play', cid, query))).text)).toMatchObject({ code: 403 })
    expect(JSON.parse((await ask('srs', call('on_unpublish', cid, query))).text)).toEqual({ code: 0 })
  })

  it('has encoders of channels that are disabled cut off, and is asked again when it did not answer', async () => {
    await start([{ make: 'srs', url }])
    const [one, other] = [await channel(), (await service.call(live.create, { name: 'other', type: 0 })).ret!]
    const streams = [one.cid, other.cid, 'not-of-a-channel'].map((name, index) => ({
      name,
      publish: { active: true, cid: `client${index}` },
    }))
    answerOf = () => undefined
    await service.call(live.pause, { cid: one.cid })
    // By the comparison: nothing was on air here, whose end would have told of it.
    await until('it was asked', () => asked.length > 0)
    answerOf = (path) => (path.startsWith('/api/v1/streams') ? JSON.stringify({ code: 0, streams }) : '{"code":0}')
    await until('it is cut off', () => asked.includes('DELETE /api/v1/clients/client0'))
    expect(asked.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE /api/v1/clients/client0'])
  })
})

describe('what MediaMTX asks', () => {
  const call = (action: string, cid: string, query: string): string =>
    JSON.stringify({
      user: '',
      password: '',
      ip: '192.0.2.7',
      action,
      path: `live/${cid}`,
      protocol: 'rtmp',
      id: 'x',
      query,
    })

  it('is answered by the status', async () => {
    await start()
    const { cid, query } = await channel()
    expect((await ask('mediamtx', call('publish', cid, query))).status).toBe(200)
    expect((await ask('mediamtx', call('publish', cid, wrong(query)))).status).toBe(401)
    for (const action of ['playback', 'api', 'metrics', 'pprof', 'whatever'])
      expect((await ask('mediamtx', call(action, cid, query))).status).toBe(401)
    for (const key of [wrong(query), '']) expect((await ask('mediamtx', call('read', cid, key))).status).toBe(401)
    // Its configuration puts the query into a command.
    expect((await ask('mediamtx', call('publish', cid, `${query}&x=%22`))).status).toBe(200)
    for (const more of ['"', ' -f', '$(id)', '`id`', "'", ';'])
      expect((await ask('mediamtx', call('publish', cid, `${query}&x=${more}`))).status).toBe(401)
  })
})

describe('what nginx-rtmp asks', () => {
  const call = (name: string, cid: string, query: string, addr = '192.0.2.7'): string =>
    `app=live&flashver=x&addr=${encodeURIComponent(addr)}&clientid=1&call=${name}&name=${cid}&type=live&${query}`

  it('is answered by a redirection to the way on, and refused where a push may not begin or go on', async () => {
    await start([], 'rtmp://10.0.0.9:1936')
    const { cid, query } = await channel()
    const way = `10.0.0.9:1936/live/${cid}?${query}`
    expect(await ask('nginx-rtmp', call('publish', cid, query))).toMatchObject({
      status: 302,
      location: `rtmp://${way}`,
    })
    expect((await ask('nginx-rtmp', call('update_publish', cid, query))).status).toBe(200)
    expect((await ask('nginx-rtmp', call('publish_done', cid, query))).status).toBe(200)
    // Nobody but itself watches there, for what it sends on.
    expect((await ask('nginx-rtmp', call('play', 'its-own-name', '', way))).status).toBe(200)
    for (const refused of [
      call('publish', cid, wrong(query)),
      call('publish', 'a'.repeat(32), query),
      call('publish', '../..', query),
      call('update_publish', cid, wrong(query)),
      call('play', cid, query),
      call('play', cid, '', wrong(way)),
    ])
      expect((await ask('nginx-rtmp', refused)).status).toBe(403)
    await service.call(live.pause, { cid })
    expect((await ask('nginx-rtmp', call('update_publish', cid, query))).status).toBe(403)
  })
})

it('a call that is none is refused, and the listener knows nothing else', async () => {
  await start()
  for (const make of ['srs', 'mediamtx', 'nginx-rtmp'])
    for (const body of ['', '{', '[]', 'null', '{"action":1}', 'x'.repeat(1000)])
      expect((await ask(make, body)).status).toBe(400)
  expect((await ask('srs', ' '.repeat(70_000))).status).toBe(413)
  expect((await ask('other', '{}')).status).toBe(404)
  expect((await httpRequest(`${service.service.hooksUrl}/srs`, { method: 'GET' })).status).toBe(405)
})

it('a host without a port is this computer, another name is refused', async () => {
  await start()
  const at = new URL(`${service.service.hooksUrl}/srs`)
  const status = (host: string) =>
    httpRequest(at.href, { method: 'POST', body: '{"action":"on_close"}', host }).then((one) => one.status)
  expect(await status('127.0.0.1')).toBe(200)
  expect(await status('localhost')).toBe(200)
  expect(await status(at.host)).toBe(200)
  expect(await status('rebound.example')).toBe(403)
})

it('without a port there is no listener', async () => {
  service = await startService()
  expect(service.service.hooksUrl).toBeUndefined()
})
