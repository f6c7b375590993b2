import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messageCopy } from '../../contract/callbacks/copy-builders.ts'
import { local } from '../../contract/operations/index.ts'
import type { ReceivedCopy } from '../../contract/rpc/index.ts'
import { startRig as startOutbox } from '../../service/outbox/testing/rig.ts'
import type { Client } from '../client/client.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { failureOf, scratch, startRig, until } from '../testing/rig.ts'
import { createCopyReceivers, type CopyReceivers } from './copy-receivers.ts'
import { isLocal } from '../profiles/profiles.ts'

const hex = (algorithm: string, text: string): string => createHash(algorithm).update(text, 'utf8').digest('hex')
const now = 1_800_000_000_000
let place: ReturnType<typeof scratch>
let receivers: CopyReceivers
let arrived: ReceivedCopy[]
let secrets: Record<string, string>
let profiles: { id: string; kind: 'local' | 'hosted' }[]
let changed: () => void

const open = (client: object = {}): CopyReceivers => {
  const made = createCopyReceivers({
    dataDir: place.dir,
    clock: { ...manualClock(), now: () => now },
    random: randomBytes,
    isExtended: isLocal,
    client: () => Promise.resolve(client as Client),
    profiles: {
      find: (id) => profiles.find((one) => one.id === id) ?? expect.fail(`no profile ${id}`),
      all: () => profiles,
      on: (listener) => {
        changed = listener
        return () => undefined
      },
      service: (id) =>
        secrets[id] === undefined
          ? Promise.reject(new Error('no secret'))
          : Promise.resolve({ appSecret: secrets[id] }),
    },
    log: () => undefined,
  })
  made.on({ arrived: (_profileId, copy) => void arrived.push(copy) })
  return made
}
const post = (
  url: string,
  body: string,
  { secret = 'a', curTime = String(now), more = {} }: { secret?: string; curTime?: string; more?: object } = {},
): Promise<number> =>
  new Promise((resolve, reject) => {
    const md5 = hex('md5', body)
    const headers = {
      AppKey: 'a',
      CurTime: curTime,
      MD5: md5,
      CheckSum: hex('sha1', secret + md5 + curTime),
      'content-length': Buffer.byteLength(body),
      ...more,
    }
    const request = http.request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', reject)
    request.end(body)
  })
const start = async (profileId = 'local'): Promise<string> =>
  (await receivers.start({ profileId, host: '127.0.0.1', port: 0 })).url ?? expect.fail('it does not listen')
const verdicts = (profileId = 'local'): string[] =>
  receivers.list({ profileId, limit: 500 }).map(({ verdict }) => verdict)
const copy = (msgidServer: string, more: object = {}): string =>
  JSON.stringify({ eventType: '1', convType: 'PERSON', msgidServer, ...more })

beforeEach(() => {
  place = scratch()
  arrived = []
  secrets = { local: 'a', hosted: 'h' }
  profiles = [
    { id: 'local', kind: 'local' },
    { id: 'hosted', kind: 'hosted' },
  ]
  receivers = open()
})
afterEach(async () => {
  await receivers.close()
  place[Symbol.dispose]()
})

describe('a receiver of copies', () => {
  it('takes copies, knows second ones over a restart, counts what it does not know, and turns forgeries away', async () => {
    const url = await start()
    expect(await post(url, '{}')).toBe(200)
    expect(await post(url, copy('1'))).toBe(200)
    expect(await post(url, copy('1'))).toBe(200)
    expect(await post(url, '{"eventType":"99"}')).toBe(200)
    expect(await post(url, copy('2'), { secret: 'other' })).toBe(403)
    expect(await post(url, '[]')).toBe(400)
    expect(verdicts()).toEqual(['unreadable', 'forged', 'ignored', 'duplicate', 'accepted', 'probe'])
    expect(receivers.state({ profileId: 'local' })).toMatchObject({
      phase: 'listening',
      verification: 'checked',
      ignored: 1,
    })
    // What was forged does not make the genuine one a duplicate.
    expect(await post(url, copy('2'))).toBe(200)
    await receivers.close()
    receivers = open()
    await receivers.resume()
    expect(receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'listening', url })
    expect(await post(url, copy('1'))).toBe(200)
    expect(verdicts().slice(0, 2)).toEqual(['duplicate', 'accepted'])
  })

  it('holds so many bytes of bodies that are under way and no more, and takes copies again when they are gone', async () => {
    const url = await start()
    const half = 'x'.repeat(256 * 1024)
    const answers: string[] = []
    const peers = Array.from({ length: 33 }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket
        .on('error', () => undefined)
        .on('data', (bytes: Buffer) => answers.push(bytes.toString('latin1').slice(0, 12)))
      socket.write(`POST ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 524288\r\n\r\n${half}`)
      return socket
    })
    // 32 halves are all of it.
    await until('a refusal', () => answers.length > 0)
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503']))
    for (const peer of peers) peer.destroy()
    let status = 0
    await until('a copy that is taken', async () => (status = await post(url, copy('1'))) === 200)
    expect(status).toBe(200)
  })

  it('says of a hosted service that its copies are unverified, and takes them by their MD5', async () => {
    const url = await start('hosted')
    expect(receivers.state({ profileId: 'hosted' }).verification).toBe('unverified')
    expect(await post(url, copy('1'), { secret: 'whatever' })).toBe(200)
    expect(await post(url, copy('2'), { secret: 'h' })).toBe(200)
    delete secrets['hosted']
    expect(await post(url, copy('3'))).toBe(200)
    expect(await post(url, copy('4'), { more: { MD5: '0'.repeat(32) } })).toBe(403)
    expect(
      receivers.list({ profileId: 'hosted', limit: 10 }).map(({ verdict, verified }) => [verdict, verified]),
    ).toEqual([
      ['forged', false],
      ['accepted', false],
      ['accepted', true],
      ['accepted', false],
    ])
  })

  it('asks for another attempt while the secret is not known, and flags what was signed long ago', async () => {
    const url = await start()
    delete secrets['local']
    expect(await post(url, copy('1'))).toBe(503)
    expect(verdicts()).toEqual([])
    secrets['local'] = 'a'
    await post(url, copy('1'), { curTime: String(now - 300_000) })
    await post(url, copy('2'), { curTime: String(now - 300_001) })
    await post(url, copy('3'), { curTime: String(now + 300_001) })
    expect(receivers.list({ profileId: 'local', limit: 3 }).map(({ stale }) => stale)).toEqual([true, true, false])
  })

  it('bounds a body at 512 KiB and answers POST at its path only', async () => {
    const url = await start()
    const frame = copy('1', { tMembers: '' }).length
    expect(await post(url, copy('1', { tMembers: 'x'.repeat(512 * 1024 - frame) }))).toBe(200)
    const over = await post(url, copy('2', { tMembers: 'x'.repeat(512 * 1024 - frame + 1) })).catch(() => 413)
    expect(over).toBe(413)
    expect(await post(url.replace('/copy', '/callback'), copy('3'))).toBe(404)
    expect(verdicts()).toEqual(['accepted'])
  })

  it('replays a copy as a duplicate and shows a changed one as forged', async () => {
    const url = await start()
    await post(url, copy('1'))
    const { id } = receivers.list({ profileId: 'local', limit: 1 })[0]!
    expect(await receivers.replay({ profileId: 'local', id })).toMatchObject({
      verdict: 'duplicate',
      test: 'replay',
      verified: true,
    })
    expect(await receivers.tamper({ profileId: 'local', id })).toMatchObject({ verdict: 'forged', test: 'tamper' })
    expect((await failureOf(receivers.tamper({ profileId: 'local', id: 4711 }))).kind).toBe('absent')
    await receivers.stop({ profileId: 'local' })
    expect((await failureOf(receivers.replay({ profileId: 'local', id }))).kind).toBe('absent')
    expect(receivers.state({ profileId: 'local' })).toMatchObject({ phase: 'off', url: null })
  })

  it('says why it cannot listen, and forgets a profile that was removed', async () => {
    const taken = new URL(await start()).port
    expect(await receivers.start({ profileId: 'hosted', host: '127.0.0.1', port: Number(taken) })).toMatchObject({
      phase: 'failed',
      reason: { code: 'taken', params: { port: taken } },
    })
    await post(`http://127.0.0.1:${taken}/copy`, copy('1'))
    profiles = profiles.filter(({ id }) => id !== 'local')
    changed()
    await until('the end', () =>
      post(`http://127.0.0.1:${taken}/copy`, copy('1')).then(
        () => false,
        () => true,
      ),
    )
    profiles.push({ id: 'local', kind: 'local' })
    await until('forgotten', () => verdicts().length === 0)
  })

  it('tells its state after each start and stop, in order to all who listen, until they end', async () => {
    const told: unknown[] = []
    const off = receivers.on({ changed: ({ profileId, phase }) => void told.push([profileId, phase]) })
    await start('hosted')
    await receivers.stop({ profileId: 'hosted' })
    off()
    const url = await start()
    expect(told).toEqual([
      ['hosted', 'listening'],
      ['hosted', 'off'],
    ])
    const order: string[] = []
    receivers.on({ arrived: (profileId, { verdict }) => void order.push(`${profileId} ${verdict} ${arrived.length}`) })
    await post(url, copy('1'))
    expect(order).toEqual(['local accepted 1'])
    await receivers.close()
    receivers = open()
    receivers.on({ changed: ({ profileId, phase }) => void told.push([profileId, phase]) })
    await receivers.resume()
    expect(told.slice(2)).toEqual([['local', 'listening']])
  })

  it('makes the sender try again where who is told cannot take a copy', async () => {
    const url = await start()
    const off = receivers.on({
      arrived: () => {
        throw new Error('the disk is full')
      },
    })
    expect(await post(url, copy('1'))).toBe(503)
    off()
    expect(await post(url, copy('1'))).toBe(200)
  })

  it('counts copies of unknown kinds since it listens', async () => {
    const url = await start()
    for (const kind of ['98', '99']) await post(url, JSON.stringify({ eventType: kind }))
    expect(receivers.state({ profileId: 'local' }).ignored).toBe(2)
    expect(receivers.state({ profileId: 'hosted' }).ignored).toBe(0)
    await receivers.stop({ profileId: 'local' })
    expect(receivers.state({ profileId: 'local' }).ignored).toBe(0)
    await post(await start(), JSON.stringify({ eventType: '99' }))
    await start()
    expect(receivers.state({ profileId: 'local' }).ignored).toBe(0)
  })

  it('keeps what is shown of a copy: when, from where, why, its fields, and what was signed', async () => {
    const url = await start()
    await post(url, copy('1'), { more: { 'X-Other': 'no' } })
    await post(url, copy('2'), { secret: 'other' })
    const [forged, taken] = receivers.list({ profileId: 'local', limit: 10 })
    expect(taken).toMatchObject({
      at: now,
      from: '127.0.0.1',
      why: null,
      test: null,
      verified: true,
      fields: { msgidServer: '1', convType: 'PERSON' },
    })
    expect(forged).toMatchObject({ why: { code: 'checkSum' }, fields: {}, verified: false, stale: false })
    expect(receivers.list({ profileId: 'local', limit: 1 })).toEqual([forged])
    expect(arrived).toEqual([taken, forged])
  })

  it('is asked for its address and kinds at the service, and sets them there', async () => {
    const asked: unknown[] = []
    let answer: object = { kinds: [1] }
    await receivers.close()
    receivers = open({
      call: (operation: { path: string }, args: unknown) => {
        asked.push([operation.path, args])
        return Promise.resolve({ ret: answer })
      },
    })
    expect(await receivers.target({ profileId: 'local' })).toEqual({ url: null, kinds: [1] })
    answer = { url: 'http://x/', kinds: [] }
    expect(await receivers.target({ profileId: 'local' })).toEqual({ url: 'http://x/', kinds: [] })
    await receivers.setTarget({ profileId: 'local', url: 'http://y/', kinds: [1, 2] })
    await receivers.setTarget({ profileId: 'local', url: null, kinds: [3] })
    expect(asked.slice(2)).toEqual([
      [local.setCopyTarget.path, { url: 'http://y/', kinds: [1, 2] }],
      [local.setCopyTarget.path, { kinds: [3] }],
    ])
  })

  it("takes what the service's outbox sends", async () => {
    const url = await start()
    const outbox = await startOutbox()
    try {
      // The receiver's clock stands elsewhere: only staleness is a matter of time.
      await outbox.copies.set(outbox.uid, { url, kinds: [1] })
      const made = messageCopy({
        scene: 'p2p',
        to: 'b',
        from: '甲',
        clientType: 'REST',
        at: now,
        msgid: 9,
        type: 0,
        body: '{"msg":"你好 🎬"}',
      })
      await outbox.store.durable((transaction) => outbox.copies.enqueue(transaction, outbox.uid, made))
      await until('the copy', () => arrived.length === 1)
      expect(arrived[0]).toMatchObject({ verdict: 'accepted', verified: true, fields: made })
    } finally {
      await outbox.close()
    }
  })
})

it('a page starts the receiver, makes the service copy to it, and sees what comes', async () => {
  const home = scratch()
  const rig = await startRig(home.dir)
  try {
    await until('the service', () => rig.page.newest('service', ({ service }) => service.phase === 'running'))
    const { copies } = rig.page.rpc
    const profileId = 'local'
    expect(await copies.state({ profileId })).toMatchObject({ phase: 'off', verification: 'checked' })
    const { url } = await copies.start({ profileId, host: '127.0.0.1', port: 0 })
    await copies.setTarget({ profileId, url, kinds: [1, 2, 3] })
    const probe = await until('the probe', () => rig.page.newest('copy'))
    expect(probe).toMatchObject({ profileId, copy: { verdict: 'probe', verified: true, stale: false, test: null } })
    expect(await copies.target({ profileId })).toEqual({ url, kinds: [1, 2, 3] })
    expect(await copies.replay({ profileId, id: probe.copy.id })).toMatchObject({ verdict: 'probe', test: 'replay' })
    expect(await copies.tamper({ profileId, id: probe.copy.id })).toMatchObject({ verdict: 'forged' })
    expect(await copies.list({ profileId, limit: 10 })).toHaveLength(3)
    await copies.setTarget({ profileId, url: null, kinds: [1] })
    expect(await copies.target({ profileId })).toEqual({ url: null, kinds: [1] })
    expect(await copies.stop({ profileId })).toMatchObject({ phase: 'off' })
    await until('the event', () => rig.page.newest('copyReceiver', ({ receiver }) => receiver.phase === 'off'))
  } finally {
    await rig.close()
    home[Symbol.dispose]()
  }
})
