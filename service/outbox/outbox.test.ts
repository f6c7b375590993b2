import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callbackSign, resendAfter } from '../../contract/callbacks/recording.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { manualTime, startRig, type ManualTime, type Rig, type RigOptions } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

let rig: Rig
let receiver: Receiver
let time: ManualTime
const servers: Server[] = []
const begin = async (options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ clock: time.clock, after: time.after, ...options })
}
const md5 = (text: string): string => hash('md5', text, 'hex')
const settled = (nId: string, attempts: number): Promise<void> => waitFor(`attempt ${attempts}`, async () => (await rig.entry(nId)).attempts === attempts)
const ended = (nId: string, state: 'delivered' | 'failed'): Promise<void> => waitFor(state, async () => (await rig.entry(nId)).state === state)
const refuse: Receiver['answer'] = (_request, response) => void response.writeHead(500).end('no')

/** A receiver of bytes: what it answers need not be HTTP. */
async function rawReceiver(answer: (write: (text: string | Buffer) => boolean, end: () => void) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      answer(
        (text) => socket.writable && socket.write(text),
        () => socket.end(),
      ),
    )
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

beforeEach(async () => {
  time = manualTime()
  receiver = await startReceiver(time.clock)
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
  for (const server of servers.splice(0)) server.close()
})

describe('a delivery', () => {
  it('is one POST of text values with its length, its type and its signature', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setSignKey(rig.uid, 'k')
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    expect(receiver.received).toHaveLength(1)
    const { headers, body, fields } = receiver.received[0]!
    expect(headers).toMatchObject({
      'content-type': 'application/json;charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      sign: callbackSign(md5, fields, 'k'),
    })
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(headers['sign']).toMatch(/^[0-9a-f]{32}$/)
    expect(fields).toMatchObject({ nId, uid: String(rig.uid), vid: '4711', beginTime: '1800000000000', endTime: '1800001200000' })
    expect(await rig.entry(nId)).toMatchObject({ attempts: 1, result: 'HTTP 200' })
  })

  it('is not made without an address, and not of a transaction that was taken back', async () => {
    await begin()
    await rig.store.durable((transaction) =>
      rig.callbacks.enqueueCallback(transaction, { uid: rig.uid, cid: 'c', vid: 1, name: 'v', key: 'o', begin: 1, end: 2, merged: false }),
    )
    expect(await rig.outbox.list(rig.uid, 10, undefined)).toEqual([])
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const file = { uid: rig.uid, cid: 'c', vid: 2, name: 'v', key: 'o', begin: 1, end: 2, merged: false }
    const taken = rig.store.durable(async (transaction) => {
      await rig.callbacks.enqueueCallback(transaction, file)
      throw new Error('taken back')
    })
    await expect(taken).rejects.toThrow('taken back')
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    expect(receiver.received.map(({ fields }) => fields['vid'])).toEqual(['4711'])
  })

  it('is resent with the same id and body after the decided waits, and then stays in the log', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    receiver.answer = refuse
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    for (const [index, wait] of resendAfter.entries()) {
      time.advance(wait - 1)
      expect((await rig.entry(nId)).attempts).toBe(index + 1)
      time.advance(1)
      await settled(nId, index + 2)
    }
    await ended(nId, 'failed')
    const times = receiver.received.map(({ at }) => at)
    expect(times.slice(1).map((at, index) => at - times[index]!)).toEqual([5, 30, 120, 600, 1800, 3600, 10_800, 21_600].map((seconds) => seconds * 1000))
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    time.advance(86_400_000)
    expect(await rig.entry(nId)).toMatchObject({ state: 'failed', attempts: 9, result: 'HTTP 500' })
    expect(receiver.received).toHaveLength(9)
  })

  it('is made again by hand with the same id, and with the whole schedule before it', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await ended(nId, 'delivered')
    receiver.answer = refuse
    expect(await rig.outbox.resend(nId, undefined)).toBe(true)
    await settled(nId, 2)
    expect((await rig.entry(nId)).state).toBe('waiting')
    receiver.answer = (_request, response) => void response.end()
    time.advance(5000)
    await ended(nId, 'delivered')
    expect(receiver.received.map(({ fields }) => fields['nId'])).toEqual([nId, nId, nId])
    expect(await rig.outbox.resend('nothing', undefined)).toBe(false)
  })

  it('is signed with the key in force at each attempt', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setSignKey(rig.uid, 'before')
    receiver.answer = refuse
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    await rig.callbacks.setSignKey(rig.uid, 'after')
    time.advance(5000)
    await settled(nId, 2)
    expect(receiver.received.map(({ headers, fields }) => ['before', 'after'].findIndex((key) => headers['sign'] === callbackSign(md5, fields, key)))).toEqual([
      0, 1,
    ])
  })

  it('goes to a new address at once when one is set while it waits, also while an attempt at the old one is under way', async () => {
    await begin()
    const next = await startReceiver(time.clock)
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    let release = (): void => {}
    receiver.answer = (_request, response) => (release = () => void response.writeHead(500).end())
    const { nId } = await rig.enqueue()
    await waitFor('the first attempt', () => receiver.received.length === 1)
    await rig.callbacks.setAddress(rig.uid, next.url)
    release()
    await ended(nId, 'delivered')
    expect(next.received.map(({ fields }) => fields['nId'])).toEqual([nId])
    expect(await rig.entry(nId)).toMatchObject({ url: next.url, attempts: 2, step: 0 })
    await next.close()
  })

  it('is of one application: another has its own address, key and log', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.enqueue({ uid: rig.otherUid }).catch(() => undefined)
    expect(await rig.outbox.list(rig.otherUid, 10, undefined)).toEqual([])
    const [mine, others] = [await rig.callbacks.read(rig.uid), await rig.callbacks.read(rig.otherUid)]
    expect(others.url).toBeNull()
    expect(mine.signKey).toMatch(/^[0-9a-f]{32}$/)
    expect(others.signKey).not.toBe(mine.signKey)
    expect(await rig.callbacks.read(rig.uid)).toEqual(mine)
  })
})

describe('what a receiver answers', () => {
  const resultOf = async (address: string, act: () => void = () => undefined): Promise<string | null> => {
    await rig.callbacks.setAddress(rig.uid, address)
    const { nId } = await rig.enqueue()
    act()
    await settled(nId, 1)
    const { state, result } = await rig.entry(nId)
    return `${state}: ${result}`
  }

  it('counts by its status alone: 200 is delivered, anything else is not', async () => {
    await begin()
    for (const status of [200, 201, 202, 204, 400, 404, 500, 503]) {
      receiver.answer = (_request, response) => void response.writeHead(status).end()
      expect(await resultOf(receiver.url)).toBe(`${status === 200 ? 'delivered' : 'waiting'}: HTTP ${status}`)
    }
  })

  it('is never followed elsewhere', async () => {
    await begin()
    const elsewhere = await startReceiver()
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer = (_request, response) => void response.writeHead(status, { location: elsewhere.url }).end()
      expect(await resultOf(receiver.url)).toBe(`waiting: HTTP ${status}, redirects are not followed`)
    }
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it('is read to a few kilobytes however much it is', async () => {
    await begin()
    let written = 0
    let gone = false
    receiver.answer = (_request, response) => {
      const part = Buffer.alloc(16_384)
      const pour = (): void => {
        if (gone) return
        while (written < 1e9 && response.write(part)) written += part.length
      }
      response.on('drain', pour)
      response.on('close', () => (gone = true))
      response.writeHead(200)
      pour()
    }
    expect(await resultOf(receiver.url)).toBe('delivered: HTTP 200')
    await waitFor('the connection to be cut', () => gone)
    // What the sockets' buffers take; an unread gigabyte would be far beyond.
    expect(written).toBeLessThan(32_000_000)
  })

  it('must begin within 5 s; what is missing of the body then changes nothing', async () => {
    await begin()
    receiver.answer = () => undefined
    expect(await resultOf(receiver.url, () => void waitFor('the request', () => receiver.received.length === 1).then(() => time.advance(5000)))).toBe(
      'waiting: no answer in time',
    )
    receiver.answer = (_request, response) => {
      response.writeHead(200)
      response.write('{')
      setTimeout(() => time.advance(5000), 50)
    }
    expect(await resultOf(receiver.url)).toBe('delivered: HTTP 200')
  })

  it('may be nothing, no HTTP, headers without end, or a connection that ends', async () => {
    await begin()
    const closed = await rawReceiver(() => undefined)
    servers.pop()!.close()
    expect(await resultOf(closed)).toBe('waiting: connection refused')
    expect(await resultOf(await rawReceiver((_write, end) => end()))).toBe('waiting: connection ended')
    expect(await resultOf(await rawReceiver((write, end) => (write('SSH-2.0-OpenSSH_9.2\r\n'), end())))).toBe('waiting: the reply is not HTTP')
    expect(await resultOf(await rawReceiver((write) => write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)))).toBe('waiting: reply headers too large')
    expect(await resultOf(await rawReceiver((write) => write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')))).toMatch(
      /^waiting: /,
    )
    expect(
      await resultOf(await rawReceiver((write) => write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`))),
    ).toBe('delivered: HTTP 200')
  })
})

describe('the address of a delivery', () => {
  it('is resolved and checked at each attempt, and used as it was checked', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']]
    let asked = 0
    await begin({ resolve: () => Promise.resolve(answers[asked++]!) })
    receiver.answer = refuse
    await rig.callbacks.setAddress(rig.uid, `http://rebinding.example:${receiver.port}/`)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect(receiver.received[0]!.headers.host).toBe(`rebinding.example:${receiver.port}`)
    time.advance(5000)
    await settled(nId, 2)
    expect((await rig.entry(nId)).result).toBe('rebinding.example is an address of a metadata service')
    receiver.answer = (_request, response) => void response.end()
    time.advance(30_000)
    await ended(nId, 'delivered')
    // One question for each attempt: connecting asks nobody again, so the answer cannot change between check and use.
    expect(asked).toBe(3)
    expect(receiver.received).toHaveLength(2)
  })

  it('may not be this computer where that is not allowed, also when it was when the address was set', async () => {
    await begin({ local: false })
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect(await rig.entry(nId)).toMatchObject({ state: 'waiting', result: '127.0.0.1 is this computer, which is not allowed' })
    expect(receiver.received).toEqual([])
  })

  it('may never be a port of the service', async () => {
    await begin({ ownPorts: [receiver.port] })
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect((await rig.entry(nId)).result).toBe('127.0.0.1 is a port of this service itself')
    expect(receiver.received).toEqual([])
  })

  it('does not hold an attempt beyond its time while a name does not resolve', async () => {
    const asked = vi.fn(() => new Promise<never>(() => undefined))
    await begin({ resolve: asked })
    await rig.callbacks.setAddress(rig.uid, 'http://silent.example/')
    const { nId } = await rig.enqueue()
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    time.advance(5000)
    await settled(nId, 1)
    expect((await rig.entry(nId)).result).toBe('no answer in time: the name did not resolve')
  })
})

describe('an https address', () => {
  it('is checked against the name that was given, at the address that was checked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sidestage-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=receiver.example', '-addext', 'subjectAltName=DNS:receiver.example']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    )
    let asked: unknown
    const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      asked = (request.socket as TLSSocket).servername
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const resultAt = async (address: string, options: RigOptions): Promise<string | null> => {
      await begin({ resolve: () => Promise.resolve(['127.0.0.1']), ...options })
      await rig.callbacks.setAddress(rig.uid, address)
      const { nId } = await rig.enqueue()
      await settled(nId, 1)
      const { result } = await rig.entry(nId)
      await rig.close()
      return result
    }
    const ca = readFileSync(cert, 'utf8')
    expect(await resultAt(`https://receiver.example:${port}/`, { ca })).toBe('HTTP 200')
    expect(asked).toBe('receiver.example')
    expect(await resultAt(`https://receiver.example:${port}/`, {})).toBe('connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)')
    expect(await resultAt(`https://other.example:${port}/`, { ca })).toBe('connection failed (ERR_TLS_CERT_ALTNAME_INVALID)')
    await begin()
    server.close()
    rmSync(folder, { recursive: true })
  })
})

describe('many deliveries', () => {
  it('go four at once to one target, and a slow target does not hold up another', async () => {
    await begin()
    const other = await startReceiver(time.clock)
    let open = 0
    let most = 0
    const waiting: (() => void)[] = []
    receiver.answer = (_request, response) => {
      most = Math.max(most, ++open)
      waiting.push(() => {
        open--
        response.end()
      })
    }
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.callbacks.setAddress(rig.otherUid, other.url)
    await rig.store.durable(async (transaction) => {
      for (let vid = 1; vid <= 100; vid++)
        await rig.callbacks.enqueueCallback(transaction, { uid: rig.uid, cid: 'c', vid, name: 'v', key: 'o', begin: 1, end: 2, merged: false })
    })
    await waitFor('four at once', () => open === 4)
    const { nId } = await rig.enqueue({ uid: rig.otherUid })
    await ended(nId, 'delivered')
    expect(open).toBe(4)
    await waitFor('all', () => {
      for (const release of waiting.splice(0)) release()
      return receiver.received.length === 100
    })
    for (const release of waiting.splice(0)) release()
    await waitFor('all kept', async () => (await rig.outbox.list(rig.uid, 1000, undefined)).every(({ state }) => state === 'delivered'))
    expect(most).toBe(4)
    expect(new Set(receiver.received.map(({ fields }) => fields['nId'])).size).toBe(100)
    await other.close()
  })

  it('are 32 at once over all targets, and those beyond follow by themselves', async () => {
    await begin({ resolve: () => Promise.resolve(['127.0.0.1']) })
    const waiting: (() => void)[] = []
    let most = 0
    receiver.answer = (_request, response) => {
      waiting.push(() => void response.end())
      most = Math.max(most, waiting.length)
    }
    await rig.store.durable(async (transaction) => {
      for (let target = 0; target < 12; target++)
        for (let count = 0; count < 5; count++)
          await rig.outbox.put(transaction, {
            uid: rig.uid,
            kind: 'recording',
            url: `http://r${target}.example:${receiver.port}/`,
            body: (nId) => JSON.stringify({ nId }),
          })
    })
    await waitFor('32 at once', () => waiting.length === 32)
    await waitFor('all', () => {
      waiting.shift()?.()
      return receiver.received.length === 60 && waiting.length === 0
    })
    await waitFor('all kept', async () => (await rig.outbox.list(rig.uid, 1000, undefined)).every(({ state }) => state === 'delivered'))
    expect(most).toBe(32)
    expect(new Set(receiver.received.map(({ fields }) => fields['nId'])).size).toBe(60)
  })

  it('are listed newest first, by pages that never overlap', async () => {
    await begin()
    receiver.answer = refuse
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    await rig.store.durable(async (transaction) => {
      for (let vid = 1; vid <= 25; vid++)
        await rig.callbacks.enqueueCallback(transaction, { uid: rig.uid, cid: 'c', vid, name: 'v', key: 'o', begin: 1, end: 2, merged: false })
    })
    const seen: string[] = []
    for (let before: number | undefined; ;) {
      const page = await rig.outbox.list(rig.uid, 10, before)
      if (page.length === 0) break
      seen.push(...page.map(({ body }) => (JSON.parse(body) as { vid: string }).vid))
      before = page.at(-1)!.created
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => String(25 - index)))
  })

  it('leave the log after 30 days once they have ended, and never while they wait', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId: done } = await rig.enqueue()
    await ended(done, 'delivered')
    await rig.store.db
      .insertInto('delivery')
      .values({ ...(await rig.entry(done)), nId: 'waits', created: 1, state: 'waiting', due: time.clock() + 90 * 86_400_000 })
      .execute()
    time.advance(31 * 86_400_000)
    await waitFor('the old entry to go', async () => (await rig.outbox.find(done)) === undefined)
    expect((await rig.entry('waits')).state).toBe('waiting')
  })
})
