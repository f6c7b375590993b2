import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { startNginxTarget, type NginxTarget } from '../targets/testing/nginx-target.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'

/*
 * MediaMTX is in no distribution, so what it does is done here by its source (1.20.1): how it asks
 * (`internal/auth/manager.go`), what it makes of `runOnReady` (`internal/externalcmd`, `internal/hooks`), and what its
 * control API tells (`internal/defs`). Its RTMP is that of nginx.
 */

const folder = temporaryFolder()
let service: TestService
let rtmp: NginxTarget
let command: ChildProcess | undefined
/** What the control API tells, and the calls to it. */
let connections: object[]
let asked: string[]
const control = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  const isList = request.url === '/v3/rtmpconns/list?itemsPerPage=1000'
  response.end(JSON.stringify(isList ? { itemCount: 0, pageCount: 1, items: connections } : {}))
})
beforeEach(async () => {
  connections = []
  asked = []
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
  service = await startService({
    hooks: { host: '127.0.0.1', port: 0, servers: [{ make: 'mediamtx', url }], every: 100 },
  })
  rtmp = await startNginxTarget()
})
afterAll(() => folder.remove())
afterEach(async () => {
  command?.kill('SIGKILL')
  await rtmp.stop()
  await service.close()
  control.closeAllConnections()
  await new Promise((resolve) => control.close(resolve))
})

/** Its question about an action of a client of RTMP, with the query as it came. */
const ask = async (action: 'publish' | 'read', path: string, query: string): Promise<number> => {
  const id = '0b1a7f5e-43cb-4f5c-9d53-7a2d0e9b6c11'
  const call = { ip: '127.0.0.1', user: '', password: '', token: '', action, path, protocol: 'rtmp', id, query }
  const body = JSON.stringify({ ...call, userAgent: 'FMLE/3.0' })
  const headers = [['content-type', 'application/json']] as const
  return (await httpRequest(`${service.service.hooksUrl}/mediamtx`, { method: 'POST', body, headers })).status
}
/** What it runs for a path: the line is cut into words first, and then gets its variables. */
const runOnReady = (path: string, query: string): string[] => {
  const text = readFileSync(new URL('../../resources/ingest-servers/mediamtx.yml', import.meta.url), 'utf8')
  const line = /^ {4}runOnReady: (.*)$/m.exec(text)![1]!
  // Its `url.QueryEscape` leaves the same characters of a key as they are.
  const variables = new Map([
    ['MTX_PATH', path],
    ['MTX_QUERY', encodeURIComponent(query)],
  ])
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) =>
    (quoted ?? word).replaceAll(/\$(\w+)/g, (_, name: string) => variables.get(name)!),
  )
}
const status = async (cid: string) =>
  (await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.status

it('a push to MediaMTX is read there and sent on with its key, as its file says', async () => {
  const { cid, pushUrl } = (await service.call(live.create, { name: 'relayed', type: 0 })).ret!
  const { pathname, search } = new URL(pushUrl)
  const [path, query] = [pathname.slice(1), search.slice(1)]
  expect(await ask('publish', path, query)).toBe(200)
  const encoder = startPublisher(
    `${rtmp.rtmpUrl}/${cid}${search}`,
    await encodeFixture(folder.path, 'picture', { duration: 4, gop: 25 }),
  )
  await until('it is there', () => rtmp.publishes(cid) === 1)
  const [program, ...given] = runOnReady(path, query)
  const from = given[given.indexOf('-i') + 1]!
  const to = given.at(-1)!
  expect([program, from, to]).toEqual([
    'ffmpeg',
    `rtmp://127.0.0.1:1936/${path}?${encodeURIComponent(query)}`,
    `rtmp://127.0.0.1:1935/${path}?${encodeURIComponent(query)}`,
  ])
  expect(await ask('read', path, from.slice(from.indexOf('?') + 1))).toBe(200)
  const [there, here] = [rtmp.rtmpUrl.replace('/live', ''), `rtmp://127.0.0.1:${service.service.listening.rtmp}`]
  command = spawn(
    program!,
    given.map((word) => word.replace('rtmp://127.0.0.1:1936', there).replace('rtmp://127.0.0.1:1935', here)),
    { stdio: 'ignore' },
  )
  await until('on air', async () => (await status(cid)) === 1)
  const before = service.service.mediaPackets()
  await until('two seconds of media', () => service.service.mediaPackets() > before + 120)
  await encoder.stop()
  // It ends so when the encoder is gone.
  command.kill('SIGINT')
  await until('idle', async () => (await status(cid)) === 0)
})

it('nobody reads at MediaMTX without the key', async () => {
  const { cid, pushUrl } = (await service.call(live.create, { name: 'watched', type: 0 })).ret!
  const query = new URL(pushUrl).search.slice(1)
  const wrong = query.replace(/wsSecret=./, (start) => `wsSecret=${start.endsWith('0') ? '1' : '0'}`)
  for (const other of ['', wrong, 'link=1.AAAAAAAAAAAAAAAAAAAAAA', query.replace('wsSecret', 'wssecret')])
    expect(await ask('read', `live/${cid}`, other)).toBe(401)
  expect(await ask('read', `live/${'a'.repeat(32)}`, query)).toBe(401)
  expect(await ask('read', `other/${cid}`, query)).toBe(401)
  await service.call(live.pause, { cid })
  expect(await ask('read', `live/${cid}`, query)).toBe(401)
})

it('an encoder of a disabled channel is cut off at MediaMTX, and what reads there is not', async () => {
  const { cid } = (await service.call(live.create, { name: 'paused', type: 0 })).ret!
  const connection = (id: string, state: string, path: string): object => ({
    id,
    created: '2026-06-01T12:00:00.5Z',
    remoteAddr: '192.0.2.7:40000',
    state,
    path,
    query: 'wsSecret=x&wsTime=1',
    user: '',
    userAgent: 'FMLE/3.0',
    inboundBytes: 1,
    outboundBytes: 1,
    outboundFramesDiscarded: 0,
    bytesReceived: 1,
    bytesSent: 1,
  })
  connections = [
    connection('one', 'publish', `live/${cid}`),
    connection('two', 'read', `live/${cid}`),
    connection('three', 'idle', ''),
    connection('four', 'publish', 'other'),
  ]
  await until('it was asked', () => asked.length > 1)
  expect(asked.filter((call) => call.startsWith('POST'))).toEqual([])
  await service.call(live.pause, { cid })
  await until('it is cut off', () => asked.includes('POST /v3/rtmpconns/kick/one'))
  expect(new Set(asked.filter((call) => call.startsWith('POST')))).toEqual(new Set(['POST /v3/rtmpconns/kick/one']))
})
