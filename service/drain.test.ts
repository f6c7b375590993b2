import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { accounts, history, live, messages } from '../contract/operations/index.ts'
import type { Credentials, ServiceReady } from '../contract/service-process.ts'
import { slowUpload } from './files/testing/slow-upload.ts'
import { RtmpTestClient } from './ingest/testing/rtmp-test-client.ts'
import { openRaw } from './link/testing/raw-client.ts'
import { until } from './testing/condition.ts'
import { httpRequest } from './testing/http-request.ts'
import { startServiceProcess, type ServiceProcess } from './testing/service-process.ts'
import { signedClient, type SignedClient } from './testing/signed-client.ts'

type Ready = ServiceReady & { readonly metricsUrl: string }

let dir: string
let running: ServiceProcess[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-drain-'))
  running = []
})
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGKILL')
    await exited
  }
  rmSync(dir, { recursive: true, force: true })
})

const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0', '--metrics-port', '0']
async function start(...more: string[]): Promise<{ one: ServiceProcess; ready: Ready; client: SignedClient }> {
  const one = startServiceProcess(['--data', dir, ...ports, ...more])
  running.push(one)
  const ready = (await one.ready) as Ready
  const credentials = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')) as Credentials
  return { one, ready, client: signedClient(ready.baseUrl, credentials) }
}
/** Whether a port takes no connection any more. */
const isShut = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
const readiness = (root: string) => httpRequest(`${root}/readyz`, { method: 'GET' })

/** Longer than answers may take when a service closes without a drain, in ms. */
const withoutDrain = 1500

it('a service told to end is not ready, takes nothing new, ends what runs, and has all it acknowledged', async () => {
  const { one, ready, client } = await start('--drain-seconds', '60')
  const { token } = (await client.call(accounts.create, { accid: 'ann' })).info!
  await client.call(accounts.create, { accid: 'bob' })
  const link = await openRaw(ready.linkUrl)
  const { appKey } = ready
  expect((await link.ask('login', { appKey, accid: 'ann', token: token!, device: 'd', clientType: 'WEB' })).t).toBe(
    'ok',
  )
  const { pushUrl } = (await client.call(live.create, { name: 'a' })).ret!
  const url = new URL(pushUrl)
  const encoder = await RtmpTestClient.open(Number(url.port))
  await encoder.connect('live')
  expect(await encoder.ask('publish', url.pathname.split('/')[2] + url.search)).toBe('NetStream.Publish.Start')
  const content = Buffer.alloc(3000, 'sidestage').toString('base64')
  const upload = slowUpload(
    `${ready.imBaseUrl}${messages.upload.path}`,
    { ...client.sign(), 'content-length': String('content='.length + content.length) },
    `content=${content.slice(0, 1000)}`,
  )
  const acknowledged: string[] = []
  const sending = Array.from({ length: 4 }, async (_, worker) => {
    for (let index = 0; ; index++) {
      const msg = `${worker}.${index}`
      const body = JSON.stringify({ msg })
      const sent = await client
        .call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body })
        .catch(() => undefined)
      if (sent?.code !== 200) return
      acknowledged.push(msg)
    }
  })
  await until('some messages', () => acknowledged.length > 40)

  one.child.kill('SIGTERM')
  const asked = performance.now()
  await until('not ready', async () => (await readiness(ready.metricsUrl)).status === 503)
  expect((await readiness(ready.metricsUrl)).text).toBe('{"ready":false,"broken":["ending"]}')
  expect((await httpRequest(`${ready.metricsUrl}/healthz`, { method: 'GET' })).status).toBe(200)
  for (const each of [ready.baseUrl, ready.mediaUrl, ready.rtmpUrl])
    await until(`${each} is shut`, () => isShut(Number(new URL(each).port)))
  await Promise.all(sending)
  // On 1001 clients connect again.
  expect((await link.closed).code).toBe(1001)
  expect(link.frames).toContainEqual({ t: 'kicked', reason: 'closing' })
  await until('the push has ended', () => encoder.ended)
  await until('longer than without a drain', () => performance.now() - asked > withoutDrain + 500)
  expect((await readiness(ready.metricsUrl)).status).toBe(503)
  upload.request.end(content.slice(1000))
  const answer = (await upload.answer) as { readonly code: number; readonly url: string }
  expect(answer.code).toBe(200)
  expect(await one.exited).toBe(0)

  const again = await start()
  const stored = new Set<string>()
  for (let [endtime, before] = [Date.now(), -1]; stored.size > before;) {
    before = stored.size
    const { msgs } = await again.client.call(history.session, { from: 'bob', to: 'ann', limit: 100, endtime })
    for (const { body, sendtime } of msgs!) {
      stored.add((body as { msg: string }).msg)
      endtime = Math.min(endtime, sendtime)
    }
  }
  expect(acknowledged.filter((msg) => !stored.has(msg))).toEqual([])
  const kept = await fetch(again.ready.mediaUrl + new URL(answer.url).pathname)
  expect(Buffer.from(await kept.arrayBuffer()).equals(Buffer.from(content, 'base64'))).toBe(true)
})

it('a request that does not end holds up the end no longer than was said', async () => {
  const { one, ready, client } = await start('--drain-seconds', '1')
  const upload = slowUpload(
    `${ready.imBaseUrl}${messages.upload.path}`,
    { ...client.sign(), 'content-length': '9000' },
    'content=AAAA',
  )
  const ended = upload.answer.then(
    () => 'answered',
    () => 'cut',
  )
  await until('its file', () => readdirSync(join(dir, 'files', 'incoming')).length > 0)
  one.child.kill('SIGTERM')
  expect(await ended).toBe('cut')
  expect(await one.exited).toBe(0)
})
