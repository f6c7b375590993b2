import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { chatrooms, live, local, messages, accounts } from '../../contract/operations/index.ts'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { listenOn } from '../../platform/listen.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader, interFrame, keyFrame, sound } from '../ingest/testing/rtmp-test-server.ts'
import { silentLog } from '../log.ts'
import { breakTables, mendTables } from '../testing/beside.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { figures } from './figures.ts'
import { openMonitor, type Monitor } from './monitor.ts'
import { createServiceCounts } from './service-counts.ts'

const anyPort = { host: '127.0.0.1', port: 0 }
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})
const started = async (options: Parameters<typeof startService>[0] = {}): Promise<TestService> => {
  const service = await startService({ metrics: anyPort, ...options })
  undo.push(() => service.close())
  return service
}
const get = (
  root: string | undefined,
  path: string,
  more: Parameters<typeof httpRequest>[1] = {},
): Promise<RawAnswer> => httpRequest(root + path, { method: 'GET', ...more })
const alone = async (clock: Clock = systemClock): Promise<Monitor> => {
  const monitor = await openMonitor(anyPort, {
    bounds: testBounds,
    requestId: () => 'x',
    counts: createServiceCounts(),
    clock,
    log: silentLog,
  })
  undo.push(() => monitor.close())
  return monitor
}
/** Values of a scrape by name and labels. */
const scrape = async (root: string | undefined): Promise<Map<string, number>> => {
  const { status, text } = await get(root, '/metrics')
  expect(status).toBe(200)
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

it('is not open unless it is asked for', async () => {
  const service = await started({ metrics: undefined })
  expect(service.service.metricsUrl).toBeUndefined()
})

it('answers GET and HEAD at its three paths, to its own hosts and to no page', async () => {
  const { service } = await started()
  const root = service.metricsUrl
  for (const [path, text] of [
    ['/healthz', '{"healthy":true}'],
    ['/readyz', '{"ready":true}'],
  ] as const) {
    const answer = await get(root, path)
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await get(root, path, { method: 'HEAD' })).status).toBe(200)
    expect((await get(root, path, { method: 'POST' })).headers.allow).toBe('GET, HEAD')
    expect((await get(root, path, { host: 'rebound.example' })).status).toBe(403)
    expect((await get(root, path, { headers: [['origin', 'https://a.example']] })).status).toBe(403)
  }
  expect((await get(root, '/metrics')).headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect((await get(root, '/metrics/')).status).toBe(404)
  expect((await get(service.ready.baseUrl, '/metrics')).status).toBe(404)
  expect((await get(service.ready.mediaUrl, '/metrics')).status).toBe(404)
})

it('is healthy and not ready while the service starts and while it ends', async () => {
  const monitor = await alone()
  expect((await get(monitor.url, '/healthz')).status).toBe(200)
  for (const path of ['/readyz', '/metrics']) {
    const { status, headers, text } = await get(monitor.url, path)
    expect([status, headers['retry-after'], text]).toEqual([503, '1', '{"ready":false,"broken":["starting"]}'])
  }
  await monitor.ending(false)
  expect((await get(monitor.url, '/healthz')).status).toBe(200)
  expect((await get(monitor.url, '/readyz')).text).toBe('{"ready":false,"broken":["ending"]}')
})

it('lets a proxy see that the service ends before it takes nothing more, where others can take it', async () => {
  const clock = manualClock()
  const monitor = await alone(clock)
  let isSeen = false
  const ending = monitor.ending(true).then(() => (isSeen = true))
  expect((await get(monitor.url, '/readyz')).status).toBe(503)
  // Two checks that fail, and what they take.
  clock.advance(1400)
  await new Promise(setImmediate)
  expect(isSeen).toBe(false)
  clock.advance(100)
  await ending
})

it('is not ready while the database cannot be read, says so, and is again afterwards', async () => {
  const { service, dataDir } = await started()
  await breakTables(dataDir, 'streamPosition')
  const { status, text } = await get(service.metricsUrl, '/readyz')
  expect([status, text]).toEqual([503, '{"ready":false,"broken":["store"]}'])
  expect((await get(service.metricsUrl, '/healthz')).status).toBe(200)
  await mendTables(dataDir, 'streamPosition')
  expect((await get(service.metricsUrl, '/readyz')).status).toBe(200)
})

it('leaves a port that is taken to its holder, and names the switch', async () => {
  const holder = createServer()
  undo.push(() => holder.close())
  const port = await listenOn(holder, '127.0.0.1', 0)
  await expect(startService({ metrics: { host: '127.0.0.1', port } })).rejects.toThrow(
    new RegExp(`port ${port} \\(--metrics-port\\) is taken by `),
  )
  await expect(startService({ metrics: { host: '203.0.113.1', port: 0 } })).rejects.toThrow(
    /203\.0\.113\.1 \(--metrics-host\) is not an address of this computer/,
  )
})

it('its port counts as one of the service: nothing is sent to it', async () => {
  const { service, call } = await started()
  const { cid } = (await call(live.create, { name: 'a' })).ret!
  const url = `rtmp://127.0.0.1:${new URL(service.metricsUrl!).port}/live`
  expect(await call(local.addTarget, { cid, name: 'there', url, key: 'k', start: 'hand' })).toMatchObject({
    msg: 'url is an address of this service, which sends no push to itself',
  })
})

it('tells every figure, with labels of closed lists: no channel, account, room or address', async () => {
  const { service, call } = await started()
  const { cid } = (await call(live.create, { name: 'canarychannel' })).ret!
  await call(live.state, { cid: 'f'.repeat(32) })
  await call(accounts.create, { accid: 'canaryaccount' })
  await call(chatrooms.create, { creator: 'canaryaccount', name: 'canaryroom' })
  const { text } = await get(service.metricsUrl, '/metrics')
  for (const { name, help, type } of figures) {
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
    expect(name).toMatch(type === 'counter' ? /^sidestage_[a-z_]+_total$/ : /^sidestage_(?!.*_total$)[a-z_]+$/)
  }
  expect(text).not.toMatch(/canary|127\.0\.0\.1|test-key|test-secret/)
  expect(text).not.toContain(cid)
  const labels = new Set(
    [...text.matchAll(/^sidestage_[^{\n]+\{(.*)\}/gm)].flatMap(([, all]) => all!.match(/\w+(?==")/g)),
  )
  expect([...labels].sort()).toEqual(
    ['version', 'le', ...new Set(figures.flatMap(({ labels: own = [] }) => own))].sort(),
  )
})

it('counts signed requests by group and outcome, and refusals by code', async () => {
  const { service, call } = await started()
  await call(live.create, { name: 'a' })
  await call(live.create, { name: 'a' })
  await call(live.state, { cid: 'f'.repeat(32) })
  const now = await scrape(service.metricsUrl)
  const count = (outcome: string) =>
    now.get(`sidestage_request_duration_seconds_count{group="${live.create.group}",outcome="${outcome}"}`)
  expect([count('ok'), count('refused'), count('failed')]).toEqual([1, 2, 0])
  const refusals = [...now].filter(([name]) => name.startsWith('sidestage_refusals_total'))
  expect(refusals.reduce((sum, [, value]) => sum + value, 0)).toBe(2)
  expect(now.get(`sidestage_channels{state="idle"}`)).toBe(1)
  expect(now.get('sidestage_statement_duration_seconds_count')).toBeGreaterThan(0)
  expect(now.get('sidestage_write_batch_items_count')).toBeGreaterThan(0)
})

it('counts a publisher, its players and the bytes of both, stored messages and open rooms', async () => {
  const { service, call } = await started()
  const { cid, pushUrl } = (await call(live.create, { name: 'a' })).ret!
  const url = new URL(pushUrl)
  const encoder = await RtmpTestClient.open(Number(url.port))
  undo.push(() => encoder.close())
  await encoder.connect('live')
  expect(await encoder.ask('publish', url.pathname.split('/')[2] + url.search)).toBe('NetStream.Publish.Start')
  encoder.send(9, 0, avcHeader)
  encoder.send(8, 0, aacHeader, 4)
  encoder.send(9, 0, keyFrame(1000))
  const player = new AbortController()
  undo.push(() => player.abort())
  const pull = await fetch(`${service.ready.mediaUrl}/live/${cid}.flv`, { signal: player.signal })
  expect(pull.status).toBe(200)
  for (let at = 40; at <= 400; at += 40) {
    encoder.send(9, at, interFrame(500))
    encoder.send(8, at, sound(), 4)
  }
  await call(accounts.create, { accid: 'ann' })
  await call(accounts.create, { accid: 'bob' })
  await call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: '{"msg":"hi"}' })
  await call(chatrooms.create, { creator: 'ann', name: 'room' })
  await until('the figures of the push', async () => {
    const now = await scrape(service.metricsUrl)
    return (now.get('sidestage_media_sent_bytes_total{way="flv"}') ?? 0) > 5000
  })
  const now = await scrape(service.metricsUrl)
  expect(
    Object.fromEntries([...now].filter(([name]) => /publishers|players\{|channels\{|rooms |rooms$/.test(name))),
  ).toEqual({
    'sidestage_channels{state="idle"}': 0,
    'sidestage_channels{state="live"}': 1,
    'sidestage_channels{state="disabled"}': 0,
    'sidestage_channels{state="recording"}': 0,
    sidestage_publishers: 1,
    'sidestage_players{protocol="flv"}': 1,
    'sidestage_players{protocol="rtmp"}': 0,
    'sidestage_players{protocol="hls"}': 0,
    sidestage_rooms: 1,
  })
  expect(now.get('sidestage_media_received_bytes_total')).toBeGreaterThan(6000)
  expect(now.get('sidestage_gop_cache_bytes')).toBeGreaterThan(6000)
  expect(now.get('sidestage_messages_stored_total{kind="conversation"}')).toBe(1)
  player.abort()
  await until(
    'no player',
    async () => (await scrape(service.metricsUrl)).get('sidestage_players{protocol="flv"}') === 0,
  )
})
