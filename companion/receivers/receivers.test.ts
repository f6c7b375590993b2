import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callbackSign } from '../../contract/callbacks/recording.ts'
import { local } from '../../contract/operations/index.ts'
import type { AppEvent, Delivery } from '../../contract/rpc/index.ts'
import { startRig as startOutbox } from '../../service/outbox/testing/rig.ts'
import type { Client } from '../client/client.ts'
import { systemClock } from '../../platform/clock.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import type { Vault } from '../secrets/vault.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { staleAfter } from './callback-check.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { createReceivers, type ReceiverPorts, type Receivers } from './receivers.ts'
import { isLocal } from '../profiles/profiles.ts'

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')
const message = (nId: string, more: Record<string, string> = {}): Record<string, string> => ({
  video_name: '晚会',
  orig_video_key: 'k',
  uid: '1',
  vid: '2',
  cid: 'c',
  ...more,
  nId,
})

let place: ReturnType<typeof scratch>
let receivers: Receivers
let events: AppEvent[]
let key: string
let called: { path: string; args: unknown }[]
let profiles: { id: string; kind: 'local' | 'hosted'; liveUrl: string }[]
let changed: () => void
let vault: Vault

const ports = (): ReceiverPorts => ({
  dataDir: place.dir,
  vault,
  clock: systemClock,
  random: randomBytes,
  isExtended: isLocal,
  client: () =>
    Promise.resolve({
      call: (operation: { path: string }, args: unknown) => {
        called.push({ path: operation.path, args })
        return Promise.resolve({ ret: { signKey: key, result: true } })
      },
    } as unknown as Client),
  profiles: {
    find: (id) => profiles.find((one) => one.id === id) ?? expect.fail(`no profile ${id}`),
    all: () => profiles,
    on: (listener) => {
      changed = listener
      return () => undefined
    },
  },
  post: (event) => void events.push(event),
  log: () => undefined,
})
const post = (url: string, fields: Record<string, string>, signKey = key): Promise<number> =>
  raw(url, JSON.stringify(fields), { sign: callbackSign(md5, fields, signKey) })
const raw = (
  url: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method, headers: { 'content-length': Buffer.byteLength(body), ...headers }, agent: false },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
const start = async (profileId = 'local'): Promise<string> => {
  const { url } = await receivers.start({ profileId, host: '127.0.0.1', port: 0 })
  return url ?? expect.fail('it does not listen')
}
const verdicts = (profileId = 'local'): string[] =>
  receivers.deliveries({ profileId, limit: 500 }).map(({ verdict }) => verdict)

beforeEach(() => {
  place = scratch()
  vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
  events = []
  called = []
  key = 'first key'
  profiles = [
    { id: 'local', kind: 'local', liveUrl: 'http://127.0.0.1:8710' },
    { id: 'hosted', kind: 'hosted', liveUrl: 'https://live.example' },
  ]
  receivers = createReceivers(ports())
})
afterEach(async () => {
  await receivers.close()
  place[Symbol.dispose]()
})

describe('a receiver', () => {
  it('takes a genuine message once, tells it, and answers a resend with 200 too', async () => {
    const url = await start()
    expect(await post(url, message('a'))).toBe(200)
    expect(await post(url, message('a'))).toBe(200)
    expect(await post(url, message('b'))).toBe(200)
    expect(verdicts()).toEqual(['accepted', 'duplicate', 'accepted'])
    expect(
      events
        .filter((event) => event.type === 'delivery')
        .map(({ delivery }) => [delivery.verdict, delivery.fields['nId'], delivery.stale]),
    ).toEqual([
      ['accepted', 'a', false],
      ['duplicate', 'a', false],
      ['accepted', 'b', false],
    ])
  })

  it('turns away what is forged, unreadable, elsewhere or too large', async () => {
    const url = await start()
    expect(await post(url, message('a'), 'not the key')).toBe(403)
    expect(await raw(url, 'what')).toBe(400)
    expect(await raw(url.replace('/callback', '/other'), '{}')).toBe(404)
    expect(await raw(url, '', {}, 'GET')).toBe(405)
    expect(await raw(url, 'x'.repeat(65_537))).toBe(413)
    expect(verdicts()).toEqual(['unreadable', 'forged'])
    expect(await post(url, message('a'))).toBe(200)
    expect(verdicts()[0]).toBe('accepted')
  })

  it('cuts a body that grows beyond the limit without saying so', async () => {
    const url = new URL(await start())
    const answer = await new Promise<string>((resolve) => {
      const socket = net.connect(Number(url.port), url.hostname)
      let text = ''
      socket.on('data', (part) => (text += part.toString('latin1')))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text))
      socket.write('POST /callback HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
      for (let part = 0; part < 20; part++) socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`)
      socket.end('0\r\n\r\n')
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(verdicts()).toEqual([])
  })

  it('learns a key that was changed at the service', async () => {
    const clock = manualClock()
    await receivers.close()
    receivers = createReceivers({ ...ports(), clock })
    const url = await start()
    expect(await post(url, message('a'))).toBe(200)
    key = 'second key'
    clock.advance(2000)
    expect(await post(url, message('b'))).toBe(200)
    expect(await post(url, message('c'), 'first key')).toBe(403)
  })

  it('knows duplicates after a restart, listens where it did, and only its owner can read what it keeps', async () => {
    const url = await start()
    await post(url, message('a'))
    await receivers.close()
    receivers = createReceivers(ports())
    expect((await receivers.state({ profileId: 'local' })).phase).toBe('failed')
    await receivers.resume()
    expect(await receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'listening', url })
    expect(await post(url, message('a'))).toBe(200)
    expect(verdicts()).toEqual(['duplicate', 'accepted'])
    for (const file of readdirSync(place.dir)) expect(statSync(path.join(place.dir, file)).mode & 0o077, file).toBe(0)
    await receivers.stop({ profileId: 'local' })
    await receivers.close()
    receivers = createReceivers(ports())
    await receivers.resume()
    expect(await receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'off', url: null, reason: null })
  })

  it('flags a genuine message that comes later than every resend', async () => {
    const url = await start()
    const long = String(Date.now() - staleAfter - 1000)
    await post(url, message('old', { beginTime: long, endTime: long }))
    await post(url, message('new', { beginTime: String(Date.now()), endTime: String(Date.now()) }))
    expect(receivers.deliveries({ profileId: 'local', limit: 2 }).map(({ stale }) => stale)).toEqual([false, true])
  })

  it('says when its port is taken, and listens once it is free', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await until('the other program', () => other.listening)
    const { port } = other.address() as net.AddressInfo
    expect(await receivers.start({ profileId: 'local', host: '127.0.0.1', port })).toMatchObject({
      phase: 'failed',
      port,
      url: null,
      reason: { code: 'taken', params: { port: String(port) } },
    })
    await new Promise((resolve) => other.close(resolve))
    expect(await receivers.start({ profileId: 'local', host: '127.0.0.1', port })).toMatchObject({
      phase: 'listening',
      port,
    })
  })

  it('plays a message again and changes one, to itself', async () => {
    const url = await start()
    await post(url, message('a'))
    const [first] = receivers.deliveries({ profileId: 'local', limit: 1 }) as [Delivery]
    expect(await receivers.replay({ profileId: 'local', id: first.id })).toMatchObject({
      verdict: 'duplicate',
      test: 'replay',
      fields: { nId: 'a' },
    })
    expect(await receivers.tamper({ profileId: 'local', id: first.id })).toMatchObject({
      verdict: 'forged',
      test: 'tamper',
      fields: { video_name: '晚会0' },
    })
    expect(await receivers.tamper({ profileId: 'local', id: first.id, field: 'vid' })).toMatchObject({
      verdict: 'forged',
      fields: { vid: '20' },
    })
    expect((await failureOf(receivers.tamper({ profileId: 'local', id: first.id, field: 'nothing' }))).kind).toBe(
      'absent',
    )
    const forged = receivers.deliveries({ profileId: 'local', limit: 1 })[0]!
    expect((await failureOf(receivers.replay({ profileId: 'local', id: forged.id }))).kind).toBe('absent')
    await receivers.stop({ profileId: 'local' })
    expect((await failureOf(receivers.replay({ profileId: 'local', id: first.id }))).detail).toBe(
      'the receiver does not listen',
    )
  })

  it('does not believe a sender that calls itself a test', async () => {
    const url = await start()
    const fields = message('a')
    await raw(url, JSON.stringify(fields), { sign: callbackSign(md5, fields, key), 'x-sidestage-test': '0'.repeat(32) })
    expect(receivers.deliveries({ profileId: 'local', limit: 1 })[0]!.test).toBeNull()
  })
})

describe('what a receiver is told with', () => {
  const told = (): unknown[] =>
    events.flatMap((event) => (event.type === 'receiver' ? [[event.receiver.profileId, event.receiver.phase]] : []))

  it('is its state after each start, stop and new key', async () => {
    await receivers.start({ profileId: 'local', host: '127.0.0.1', port: 0 })
    await receivers.setSignKey({ profileId: 'local', signKey: 'another', atService: false })
    await receivers.stop({ profileId: 'local' })
    expect(told()).toEqual([
      ['local', 'listening'],
      ['local', 'listening'],
      ['local', 'off'],
    ])
    // The service of this computer is always told its key.
    expect(called.filter(({ path: at }) => at === '/app/callback/setSignKey').map(({ args }) => args)).toEqual([
      { signKey: 'another' },
    ])
    await receivers.close()
    receivers = createReceivers(ports())
    events.length = 0
    await receivers.start({ profileId: 'hosted', host: '127.0.0.1', port: 0 })
    await receivers.close()
    receivers = createReceivers(ports())
    events.length = 0
    await receivers.resume()
    await until('what is told', () => events.length > 0)
    expect(told()).toEqual([['hosted', 'listening']])
  })

  it('is why a message was not taken, with at most 16 fields of it, cut', async () => {
    const url = await start()
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}`.padEnd(80, 'n'), 'v'.repeat(300)]),
    )
    await post(url, many, 'not the key')
    const [forged] = receivers.deliveries({ profileId: 'local', limit: 1 })
    expect(forged).toMatchObject({ verdict: 'forged', why: { code: 'signature' }, from: '127.0.0.1' })
    const fields = Object.entries(forged!.fields)
    expect(fields).toHaveLength(16)
    for (const [name, value] of fields) expect([name.length, value.length]).toEqual([64, 256])
    await post(url, message('a', { video_name: 'v'.repeat(300) }))
    expect(receivers.deliveries({ profileId: 'local', limit: 1 })[0]).toMatchObject({
      why: null,
      fields: { video_name: 'v'.repeat(300) },
    })
  })
})

describe('the key of a receiver', () => {
  it('is asked for once a minute, and after a wrong signature at most every 2 s', async () => {
    const clock = manualClock()
    await receivers.close()
    receivers = createReceivers({ ...ports(), clock })
    const url = await start()
    const asked = (): number => called.filter(({ path: at }) => at === local.callback.path).length
    await post(url, message('a'))
    clock.advance(59_999)
    await post(url, message('b'))
    expect(asked()).toBe(1)
    clock.advance(1)
    await post(url, message('c'))
    expect(asked()).toBe(2)
    clock.advance(1_999)
    await post(url, message('d'), 'wrong')
    expect(asked()).toBe(2)
    clock.advance(1)
    for (let times = 0; times < 3; times++) await post(url, message('e'), 'wrong')
    expect(asked()).toBe(3)
    // A person who asks for it sees the present one.
    await receivers.signKey({ profileId: 'local' })
    expect(asked()).toBe(4)
  })
})

describe('where a receiver listens', () => {
  it('is open where other computers reach it, and is asked by this computer at its own address', async () => {
    expect(await receivers.start({ profileId: 'local', host: '0.0.0.0', port: 0 })).toMatchObject({
      phase: 'listening',
      host: '0.0.0.0',
      open: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as string,
    })
    const { url } = await receivers.state({ profileId: 'local' })
    await post(url!, message('a'))
    const [first] = receivers.deliveries({ profileId: 'local', limit: 1 })
    expect(await receivers.replay({ profileId: 'local', id: first!.id })).toMatchObject({ verdict: 'duplicate' })
    const six = await receivers.start({ profileId: 'local', host: '::', port: 0 })
    expect(six.url).toMatch(/^http:\/\/\[::1\]:\d+\/callback$/)
    expect(await receivers.start({ profileId: 'local', host: '127.0.0.1', port: 0 })).toMatchObject({ open: false })
  })

  it('is one place: a second start ends the first', async () => {
    const first = await start()
    const second = await start()
    expect(second).not.toBe(first)
    await expect(post(first, message('a'))).rejects.toThrow('ECONNREFUSED')
    expect(await post(second, message('a'))).toBe(200)
  })

  it('is kept with the port that was free, and was off before the first start', async () => {
    expect(await receivers.state({ profileId: 'local' })).toMatchObject({
      phase: 'off',
      host: '127.0.0.1',
      port: 0,
      url: null,
      reason: null,
    })
    const { port } = await receivers.start({ profileId: 'local', host: '127.0.0.1', port: 0 })
    await receivers.stop({ profileId: 'local' })
    expect(await receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'off', port })
    await receivers.close()
    receivers = createReceivers(ports())
    expect(await receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'off', port, reason: null })
  })

  it('is not yet where it shall listen and was not resumed, and never for a profile that is gone', async () => {
    await start('hosted')
    await receivers.close()
    receivers = createReceivers(ports())
    expect(await receivers.state({ profileId: 'hosted' })).toMatchObject({
      phase: 'failed',
      reason: { code: 'notStarted' },
    })
    profiles = profiles.slice(0, 1)
    await receivers.resume()
    profiles.push({ id: 'hosted', kind: 'hosted', liveUrl: 'https://live.example' })
    expect((await receivers.state({ profileId: 'hosted' })).phase).toBe('failed')
  })
})

it('registers its own address at the service of this computer, or the one that was named', async () => {
  expect((await failureOf(receivers.register({ profileId: 'local' }))).detail).toBe('the receiver does not listen')
  const url = await start()
  expect(await receivers.register({ profileId: 'local' })).toEqual({ url })
  expect(await receivers.register({ profileId: 'local', url: 'https://named.example/' })).toEqual({
    url: 'https://named.example/',
  })
  expect(called.filter(({ path: at }) => at === '/app/record/setcallback').map(({ args }) => args)).toEqual([
    { recordClk: url },
    { recordClk: 'https://named.example/' },
  ])
})

it('a hosted service on this computer need not reach it by a name', async () => {
  profiles = [{ id: 'hosted', kind: 'hosted', liveUrl: 'http://127.0.0.1:9' }]
  const { url, mustBeReachable } = await receivers.start({ profileId: 'hosted', host: '127.0.0.1', port: 0 })
  expect(mustBeReachable).toBe(false)
  expect(await receivers.register({ profileId: 'hosted' })).toEqual({ url })
})

it('the key of a hosted profile is told to its service only by wish', async () => {
  await receivers.setSignKey({ profileId: 'hosted', signKey: 'k', atService: false })
  expect(called).toEqual([])
  expect(await vault.get('callback:hosted')).toBe('k')
  await receivers.setSignKey({ profileId: 'local', signKey: 'k', atService: false })
  expect(await vault.get('callback:local')).toBeUndefined()
})

it('asks the sender for another attempt where the disk takes nothing, and says so in the log', async () => {
  await receivers.close()
  const log: string[] = []
  receivers = createReceivers({ ...ports(), log: (line) => void log.push(line) })
  const url = await start()
  const other = new DatabaseSync(path.join(place.dir, 'receivers.db'))
  other.exec('drop table seen')
  other.close()
  expect(await post(url, message('a'))).toBe(503)
  expect(log[0]).toMatch(/^a callback could not be taken: /)
  expect(events.filter(({ type }) => type === 'delivery')).toEqual([])
  // Nothing of it is left: what was begun is undone.
  expect(verdicts()).toEqual([])
})

it('a test without a known key fails with what is missing', async () => {
  await receivers.setSignKey({ profileId: 'hosted', signKey: 'k', atService: false })
  const url = await start('hosted')
  await post(url, message('a'), 'k')
  const { id } = receivers.deliveries({ profileId: 'hosted', limit: 1 })[0]!
  const port = Number(new URL(url).port)
  await vault.delete('callback:hosted')
  await receivers.close()
  receivers = createReceivers(ports())
  await receivers.start({ profileId: 'hosted', host: '127.0.0.1', port })
  expect(await failureOf(receivers.replay({ profileId: 'hosted', id }))).toMatchObject({
    kind: 'absent',
    detail: 'the receiver knows no signing key now',
  })
})

it('takes a body of 64 KiB, and answers in JSON with its status on a connection that it closes', async () => {
  const url = await start()
  const frame = JSON.stringify(message('a', { video_name: '' })).length
  expect(await post(url, message('a', { video_name: 'x'.repeat(65_536 - frame) }))).toBe(200)
  const response = await fetch(url, { method: 'POST', body: 'x' })
  expect([response.status, response.headers.get('content-type'), response.headers.get('connection')]).toEqual([
    400,
    'application/json; charset=utf-8',
    'close',
  ])
  expect(await response.json()).toEqual({ code: 400 })
})

describe('the receiver of a hosted profile', () => {
  it('needs its key and its address from a person, and says so', async () => {
    expect(await receivers.start({ profileId: 'hosted', host: '127.0.0.1', port: 0 })).toMatchObject({
      mustBeReachable: true,
      keyKnown: false,
      open: false,
    })
    const { url } = await receivers.state({ profileId: 'hosted' })
    expect(await post(url!, message('a'), 'hosted key')).toBe(503)
    expect((await failureOf(receivers.signKey({ profileId: 'hosted' }))).kind).toBe('secret')
    expect((await failureOf(receivers.register({ profileId: 'hosted' }))).kind).toBe('absent')
    await receivers.setSignKey({ profileId: 'hosted', signKey: 'hosted key', atService: true })
    await receivers.register({ profileId: 'hosted', url: 'https://tunnel.example/callback' })
    expect(called).toEqual([
      { path: '/app/callback/setSignKey', args: { signKey: 'hosted key' } },
      { path: '/app/record/setcallback', args: { recordClk: 'https://tunnel.example/callback' } },
    ])
    expect(await receivers.signKey({ profileId: 'hosted' })).toEqual({ signKey: 'hosted key' })
    expect(await post(url!, message('a'), 'hosted key')).toBe(200)
    expect(await receivers.state({ profileId: 'hosted' })).toMatchObject({ keyKnown: true })
    for (const file of readdirSync(place.dir))
      expect(readFileSync(path.join(place.dir, file)).includes('hosted key'), file).toBe(false)
  })

  it('is gone with its profile: listener, log and key', async () => {
    await receivers.setSignKey({ profileId: 'hosted', signKey: 'hosted key', atService: false })
    const url = await start('hosted')
    await post(url, message('a'), 'hosted key')
    profiles = profiles.slice(0, 1)
    changed()
    await until('the listener to end', () =>
      raw(url, '{}').then(
        () => false,
        () => true,
      ),
    )
    await until('the key to go', async () => (await vault.get('callback:hosted')) === undefined)
    profiles.push({ id: 'hosted', kind: 'hosted', liveUrl: 'https://live.example' })
    expect(verdicts('hosted')).toEqual([])
  })
})

describe('the log of a receiver', () => {
  it('is bounded, and forgeries never push genuine messages out', () => {
    const log = openDeliveryLog(path.join(place.dir, 'bounded.db'))
    const arrival = {
      profileId: 'p',
      at: 1,
      test: null,
      from: 'x',
      why: null,
      fields: {},
      stale: () => false,
      sign: 's',
      body: 'b',
    }
    for (let index = 0; index < 510; index++) log.keep({ ...arrival, verdict: 'genuine', nId: `n${index}` })
    for (let index = 0; index < 150; index++) log.keep({ ...arrival, verdict: 'forged' })
    const all = log.list('p', 1000)
    expect(all.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(500)
    expect(all.filter(({ verdict }) => verdict === 'forged')).toHaveLength(100)
    expect(log.keep({ ...arrival, verdict: 'genuine', nId: 'n0' }).verdict).toBe('duplicate')
    log.close()
  })

  it('has what it answered for when the app is killed', async () => {
    const script = fileURLToPath(new URL('../testing/receiver-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script, place.dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (part: Buffer) => (said += part.toString('utf8')))
    const url = await until('the receiver', () => /http\S+/.exec(said)?.[0])
    let accepted = 0
    const sending = (async () => {
      for (let index = 0; ; index++) {
        await post(url, message(`k${index}`), 'child key')
        accepted++
      }
    })().catch(() => undefined)
    await until('a few', () => accepted >= 20)
    child.kill('SIGKILL')
    await sending
    const log = openDeliveryLog(path.join(place.dir, 'receivers.db'))
    const ids = new Set(log.list('local', 1000).map(({ fields }) => fields['nId']))
    for (let index = 0; index < accepted; index++) expect(ids.has(`k${index}`), `k${index}`).toBe(true)
    log.close()
  })
})

describe('the outbox of the embedded service and the receiver of the app', () => {
  it('agree: a recording is called back, verified and told, also after the key was changed', async () => {
    const outbox = await startOutbox()
    key = (await outbox.callbacks.read(outbox.uid)).signKey
    const url = await start()
    await outbox.callbacks.setAddress(outbox.uid, url)
    const { nId } = await outbox.enqueue()
    await until('the delivery', async () => (await outbox.entry(nId)).state === 'delivered')
    expect(receivers.deliveries({ profileId: 'local', limit: 1 })[0]).toMatchObject({
      verdict: 'accepted',
      fields: { nId, vid: '4711' },
    })
    expect(await outbox.outbox.resend(nId, undefined)).toBe(true)
    await until('the duplicate', () => verdicts()[0] === 'duplicate')
    await outbox.close()
  })
})
