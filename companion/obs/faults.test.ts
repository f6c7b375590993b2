import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scratch, until } from '../testing/rig.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { maxFlood, patience, maxPayload } from './obs-connection.ts'
import { waits } from './obs-link.ts'
import { lookEvery } from './obs-stream.ts'
import { type ObsDouble, startObsDouble } from './testing/obs-double.ts'
import { type ObsStage, startObsStage } from './testing/obs-stage.ts'

const here = 'a'.repeat(32)
const password = 'of the double'
let folder: ReturnType<typeof scratch>
let stage: ObsStage
let double: ObsDouble
const at = (more: object = {}) => ({ host: '127.0.0.1', port: double.port, enabled: true, password, ...more })
const is = (what: string, look: () => boolean): Promise<true> => until(what, () => look() || undefined)
beforeEach(async () => {
  folder = scratch()
  double = await startObsDouble({ password })
  stage = await startObsStage(folder.dir)
  stage.addresses.set(here, { server: 'rtmp://127.0.0.1:1935/live', key: `${here}?wsSecret=one` })
})
afterEach(async () => {
  stage.obs.close()
  await double.close()
  folder[Symbol.dispose]()
})

it('does not try a refused password again by itself', async () => {
  expect(await stage.obs.configure(at({ password: 'wrong' }))).toMatchObject({
    phase: 'refused',
    reason: 'password',
    nextAttempt: null,
  })
  const { came } = double.met
  stage.clock.advance(10 * waits.longest)
  expect(await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })).toEqual({
    outcome: 'notConnected',
    code: null,
  })
  expect(double.met.came).toBe(came)
  expect(await stage.obs.configure(at())).toMatchObject({ phase: 'connected' })
})

it('comes back when OBS was started again, with waits that grow to a bound', async () => {
  await stage.obs.configure(at())
  await stage.obs.goLive({ profileId: 'local', cid: here, instead: false })
  stage.watched = false
  stage.clock.advance(20_000)
  await double.close()
  await is('the loss', () => stage.now().phase === 'absent')
  expect(stage.now()).toMatchObject({ version: null, streaming: null, target: null, statistics: null })
  const seen: number[] = []
  for (let turn = 0; turn < 7; turn++) {
    const { nextAttempt } = stage.now()
    const wait = (nextAttempt ?? 0) - stage.clock.now()
    seen.push(wait)
    stage.clock.advance(wait)
    await is(
      'another failure',
      () => stage.now().phase === 'absent' && (stage.now().nextAttempt ?? 0) > stage.clock.now(),
    )
  }
  expect(seen).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  const { service } = double
  double = await startObsDouble({ password, port: double.port })
  double.service = service
  double.stream.active = true
  stage.clock.advance(waits.longest)
  await is('the connection', () => stage.now().phase === 'connected')
  expect(stage.now()).toMatchObject({ streaming: 'live', target: { profileId: 'local', cid: here } })
})

it('waits longer each time where connections are taken and dropped at once', async () => {
  double.faults.raw = { to: 'GetVersion', text: 'no answer' }
  await stage.obs.configure(at())
  const seen: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    expect(stage.now()).toMatchObject({ phase: 'failed', reason: 'foreign' })
    const wait = (stage.now().nextAttempt ?? 0) - stage.clock.now()
    seen.push(wait)
    stage.clock.advance(wait)
    await is(
      'another failure',
      () => stage.now().phase === 'failed' && (stage.now().nextAttempt ?? 0) > stage.clock.now(),
    )
  }
  expect(seen).toEqual([1_000, 2_000, 4_000])
})

it('gives up on one that does not answer, at the greeting and later', async () => {
  double.faults.mute = true
  const slow = stage.obs.configure(at())
  await is('the connection', () => double.met.came === 1)
  stage.clock.advance(patience)
  expect(await slow).toMatchObject({ phase: 'failed', reason: 'slow' })
  await is('the end of the connection', () => double.met.open === 0)
  double.faults.mute = 'GetStats'
  stage.clock.advance(waits.first)
  await is('the question', () => double.requests.some(({ type }) => type === 'GetStats'))
  stage.clock.advance(patience)
  await is('the failure', () => stage.now().phase === 'failed')
  expect(stage.now().reason).toBe('slow')
  double.faults.mute = false
  expect(await stage.obs.connect()).toMatchObject({ phase: 'connected' })
  double.faults.mute = 'GetStreamStatus'
  const count = double.requests.length
  stage.clock.advance(lookEvery)
  await is('the look', () => double.requests.length > count)
  stage.clock.advance(patience)
  await is('the failure', () => stage.now().reason === 'slow')
})

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
for (const [what, to, text, reason] of [
  ['a greeting that is no JSON', 'Hello', 'hello', 'foreign'],
  ['a greeting in bytes', 'Hello', Buffer.from([1, 2, 3]), 'foreign'],
  ['a greeting of another shape', 'Hello', '{"op":0,"d":{"rpcVersion":"1"}}', 'foreign'],
  ['an unknown kind of message', 'Hello', '{"op":99,"d":{}}', 'foreign'],
  ['lists in lists without end', 'Hello', deep, 'foreign'],
  ['a greeting above the bound', 'Hello', `{"op":0,"d":{"x":"${'x'.repeat(maxPayload)}"}}`, 'flood'],
  ['an answer above the bound', 'GetVersion', 'x'.repeat(2 * maxPayload), 'flood'],
  [
    'an event that names itself like the end of the connection',
    'GetVersion',
    '{"op":5,"d":{"eventType":"ConnectionClosed","eventData":{"code":4009}}}',
    undefined,
  ],
] as const)
  it(`stands ${what}`, async () => {
    double.faults.raw = { to, text }
    const configured = stage.obs.configure(at())
    if (reason === undefined) {
      await is('the event', () => double.requests.some(({ type }) => type === 'GetVersion'))
      stage.clock.advance(patience)
      expect(await configured).toMatchObject({ phase: 'failed', reason: 'slow' })
    } else expect(await configured).toMatchObject({ phase: 'failed', reason })
    await is('the end of the connection', () => double.met.open === 0)
    delete double.faults.raw
    expect(await stage.obs.connect()).toMatchObject({ phase: 'connected' })
  })

for (const [to, data] of [
  ['GetStreamStatus', { outputActive: 'yes' }],
  ['GetStreamStatus', { outputBytes: -1 }],
  ['GetStreamStatus', { outputTotalFrames: null }],
  ['GetVersion', { obsVersion: 7 }],
] as const)
  it(`takes no ${to} with ${JSON.stringify(data)}`, async () => {
    double.faults.answer = { to, data }
    expect(await stage.obs.configure(at())).toMatchObject({ phase: 'failed', reason: 'foreign' })
  })

it('shows of a version only its figures and of odd figures none', async () => {
  double.faults.version = '<img src=x>31'
  double.faults.answer = { to: 'GetStats', data: { cpuUsage: 'all of it' } }
  expect(await stage.obs.configure(at())).toMatchObject({
    phase: 'connected',
    version: null,
    statistics: { cpu: null, fps: null, skipped: null },
  })
})

it('ends a connection over which far too much comes', async () => {
  await stage.obs.configure(at())
  for (let turn = 0; turn <= maxFlood; turn++)
    double.send('{"op":5,"d":{"eventType":"InputVolumeMeters","eventData":{}}}')
  await is('the end', () => stage.now().phase === 'failed')
  expect(stage.now().reason).toBe('flood')
})

it('tells a web server from OBS, and a port that nobody listens at from both', async () => {
  const web = createHttp((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  const raw = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('220 mail\r\n'),
  ).listen(0, '127.0.0.1')
  await Promise.all(
    [web, raw].map(
      (server) => new Promise((resolve) => (server.listening ? resolve(undefined) : server.once('listening', resolve))),
    ),
  )
  const port = (server: { address(): unknown }): number => (server.address() as AddressInfo).port
  expect(await stage.obs.configure(at({ port: port(web) }))).toMatchObject({ phase: 'failed', reason: 'foreign' })
  expect(await stage.obs.configure(at({ port: port(raw) }))).toMatchObject({ phase: 'failed', reason: 'foreign' })
  const free = port(raw)
  await Promise.all([web, raw].map((server) => new Promise((resolve) => server.close(resolve))))
  expect(await stage.obs.configure(at({ port: free }))).toMatchObject({ phase: 'absent', reason: 'absent' })
})

it('says that the keychain is shut, and does not ask it again and again', async () => {
  let asked = 0
  const { vault } = stage
  const shut = await startObsStage(folder.dir, {
    ...vault,
    mode: vault.mode,
    get: () => {
      asked++
      return Promise.reject(new Error('locked'))
    },
  })
  expect(await shut.obs.configure(at())).toMatchObject({ phase: 'failed', reason: 'keychain', nextAttempt: null })
  shut.clock.advance(10 * waits.longest)
  expect(asked).toBeLessThan(3)
  shut.obs.close()
})

it('counts a damaged file as none and sets it aside', async () => {
  writeFileSync(path.join(folder.dir, 'obs.json'), '{"version":1,"host":7}')
  const fresh = await startObsStage(folder.dir)
  expect(fresh.now()).toMatchObject({ phase: 'off', port: 4455 })
  expect(openQuarantine({ folder: folder.dir, now: Date.now }).list()).toMatchObject([
    { reason: 'damaged', paths: ['obs.json'] },
  ])
  fresh.obs.close()
})
