import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { chatrooms, live, local, messages } from '../../contract/operations/index.ts'
import type { FailureData } from '../../contract/rpc/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { scratch } from '../testing/rig.ts'
import { callsOf, createClient, type Client } from './client.ts'
import { createTransport } from './transport.ts'

const openssl = 'openssl'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closing.push(() => {
    server.close()
    if (server instanceof http.Server || server instanceof https.Server) server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
const answering = (handler: http.RequestListener): Promise<number> => listen(http.createServer(handler))

function clientAt(base: string, limits = {}, ca?: string) {
  const transport = createTransport({ limits, ...(ca === undefined ? {} : { ca }) })
  closing.push(() => {
    transport.close()
  })
  return createClient(
    { liveUrl: base, messagingUrl: `${base}/nimserver`, appKey: 'key', appSecret: 'secret' },
    { transport, clock: systemClock, random: randomBytes },
  )
}
async function faultAt(base: string, limits = {}): Promise<FailureData> {
  try {
    await clientAt(base, limits).call(live.list, {})
  } catch (error) {
    if (error instanceof Failure) return error.data
    throw error
  }
  throw new Error('no fault')
}
const json =
  (body: object, more: { date?: string; status?: number } = {}): http.RequestListener =>
  (_request, response) => {
    if (more.date === '') response.sendDate = false
    else if (more.date) response.setHeader('date', more.date)
    response.writeHead(more.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
const page = { code: 200, ret: { pnum: 1, totalPnum: 1, records: 10, totalRecords: 0, list: [] } }
const at = async (handler: http.RequestListener): Promise<string> => `http://127.0.0.1:${await answering(handler)}`
const shifted = (seconds: number): string => new Date(Date.now() - seconds * 1000).toUTCString()

describe('a 414 of messaging', () => {
  it.each([
    ['CurTime is expired', 'clock'],
    ['checksum', 'signature'],
    ['appkey', 'signature'],
    ['bad http header', 'signature'],
    ['timestamp must be an integer', 'code'],
    ['author must be text', 'code'],
    ['endtime must be 0 or more', 'code'],
    ['ghost is not registered', 'missing'],
    ['no such room', 'missing'],
    ['already register', 'present'],
    ['', 'code'],
  ])('is told by its cause: %s is %s', async (desc, kind) => {
    const base = await at(json({ code: 414, desc }))
    const failure = await clientAt(base)
      .call(chatrooms.get, { roomid: 1 })
      .catch((error: unknown) => (error instanceof Failure ? error.data : undefined))
    expect(failure).toMatchObject({ kind, code: 414 })
  })
})

describe('a refusal of a service that names its reasons', () => {
  it.each([
    ['clock', 414, 'clock'],
    ['signature', 414, 'signature'],
    ['missing', 414, 'missing'],
    ['present', 414, 'present'],
    ['full', 500, 'full'],
    ['readOnly', 500, 'readOnly'],
    ['broken', 500, 'broken'],
    ['other', 414, 'code'],
    ['of tomorrow', 414, 'code'],
  ])('is told by that, whatever its words are: %s', async (reason, code, kind) => {
    for (const desc of ['words of tomorrow', 'CurTime is expired', 'ghost is not registered', 'already register']) {
      const base = await at((request, response) => {
        response.setHeader('sidestage-reason', reason)
        json({ code, desc })(request, response)
      })
      const failure = await clientAt(base)
        .call(chatrooms.get, { roomid: 1 })
        .catch((error: unknown) => (error instanceof Failure ? error.data : undefined))
      expect(failure, desc).toMatchObject({ kind, code })
    }
  })
})

describe('a signed call', () => {
  it('carries the four headers with a fresh nonce each time, and the arguments as JSON', async () => {
    const seen: http.IncomingHttpHeaders[] = []
    const bodies: string[] = []
    const base = await at((request, response) => {
      seen.push(request.headers)
      request
        .setEncoding('utf8')
        .on('data', (text: string) => bodies.push(text))
        .on('end', () => {
          json(page)(request, response)
        })
    })
    const client = clientAt(`${base}/prefix`)
    await client.call(live.list, { records: 5 })
    await client.call(live.list, {})
    for (const headers of seen) {
      expect(headers['appkey']).toBe('key')
      expect(headers['checksum']).toBe(
        createHash('sha1')
          .update(`secret${headers['nonce'] as string}${headers['curtime'] as string}`)
          .digest('hex'),
      )
    }
    expect(seen[0]?.['nonce']).not.toBe(seen[1]?.['nonce'])
    expect(bodies[0]).toBe('{"records":5}')
  })

  it('reuses its connection, and asks once more when the service closed it in between', async () => {
    let sockets = 0
    const server = http.createServer({ keepAliveTimeout: 5_000 }, json(page))
    server.on('connection', () => {
      sockets++
    })
    const client = clientAt(`http://127.0.0.1:${await listen(server)}`)
    await client.call(live.list, {})
    await client.call(live.list, {})
    expect(sockets).toBe(1)
    server.closeIdleConnections()
    await client.call(live.list, {})
    expect(sockets).toBe(2)
  })
})

describe('a failed call', () => {
  it('is refused where nothing listens, and unreachable when unknown, silent or cut off', async () => {
    expect(await faultAt('http://127.0.0.1:1')).toMatchObject({ kind: 'refused', detail: '127.0.0.1:1: ECONNREFUSED' })
    expect(await faultAt('http://no-such-host.invalid')).toMatchObject({ kind: 'unreachable' })
    expect(await faultAt(await at(() => undefined), { patience: 100 })).toMatchObject({
      kind: 'unreachable',
      detail: expect.stringContaining('no answer') as string,
    })
    expect(
      await faultAt(
        await at((_request, response) => {
          response.writeHead(200).write('{')
        }),
        { patience: 100 },
      ),
    ).toMatchObject({ kind: 'unreachable' })
    expect(
      await faultAt(
        `http://127.0.0.1:${await listen(
          net.createServer((socket) => {
            socket.destroy()
          }),
        )}`,
      ),
    ).toMatchObject({ kind: 'unreachable' })
  })

  it('is a certificate fault for a certificate that nobody vouches for, and works for one that is known', async () => {
    using folder = scratch()
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder.dir, name)) as [string, string]
    execFileSync(
      openssl,
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
      ],
      { stdio: 'ignore' },
    )
    const port = await listen(https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, json(page)))
    expect(await faultAt(`https://localhost:${port}`)).toMatchObject({
      kind: 'certificate',
      detail: `localhost:${port}: DEPTH_ZERO_SELF_SIGNED_CERT`,
    })
    const ca = readFileSync(cert, 'utf8')
    await clientAt(`https://localhost:${port}`, {}, ca).call(live.list, {})
    await expect(clientAt(`https://127.0.0.1:${port}`, {}, ca).call(live.list, {})).rejects.toMatchObject({
      data: { kind: 'certificate' },
    })
  })

  it('is a clock fault with the seconds when the service is over five minutes away', async () => {
    const refused = { code: 409, msg: 'authentication failed' }
    expect(await faultAt(await at(json(refused, { date: shifted(-7_200) })))).toMatchObject({
      kind: 'clock',
      skewSeconds: expect.closeTo(-7_200, -1) as number,
    })
    expect(await faultAt(await at(json(refused, { date: shifted(310) })))).toMatchObject({
      kind: 'clock',
      skewSeconds: expect.closeTo(310, -1) as number,
    })
    expect(await faultAt(await at(json({ code: 409, msg: 'CurTime is expired' }, { date: '' })))).toMatchObject({
      kind: 'clock',
      skewSeconds: null,
    })
  })

  it('is a signature fault with the clock right', async () => {
    expect(await faultAt(await at(json({ code: 409, msg: 'authentication failed' })))).toMatchObject({
      kind: 'signature',
      code: 409,
    })
    expect(
      await faultAt(await at(json({ code: 409, msg: 'authentication failed' }, { date: shifted(120) }))),
    ).toMatchObject({ kind: 'signature' })
  })

  it('is a code where the service said one', async () => {
    expect(await faultAt(await at(json({ code: 631, msg: 'pnum must be an integer' })))).toMatchObject({
      kind: 'code',
      code: 631,
      detail: expect.stringContaining('pnum') as string,
    })
  })

  it('is the code of too many calls where the listener refuses for the time that they take', async () => {
    expect(
      await faultAt(await at(json({ code: 429, msg: 'more time than one may take' }, { status: 429 }))),
    ).toMatchObject({ kind: 'code', code: 416 })
    expect(await faultAt(await at(json({ error: 'slow down' }, { status: 429 })))).toMatchObject({ kind: 'notOurs' })
  })

  it('is not ours for anything but a result of this API', async () => {
    const foreign: http.RequestListener[] = [
      (_request, response) => response.end('<html>'),
      json([]),
      json({ code: '200' }),
      json({ ok: true }),
      json({ ...page, ret: { list: 'none' } }),
      json({ code: 404, msg: 'no such path' }, { status: 404 }),
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      (_request, response) => {
        response.end(`{"code":200,"x":"${'x'.repeat(70_000)}"}`)
      },
    ]
    for (const handler of foreign)
      expect(await faultAt(await at(handler), { answerBytes: 65_536 })).toMatchObject({ kind: 'notOurs' })
  })

  it('is a service that is away where a proxy answers for it, or a node without its database', async () => {
    const { path: asked } = live.list
    for (const status of [502, 503, 504]) {
      const proxy = await at((_request, response) => response.writeHead(status).end('<html>'))
      expect(await faultAt(proxy)).toMatchObject({ kind: 'away', code: null, detail: `${asked}: HTTP ${status}` })
      const node = await at(json({ code: 503, msg: 'the database is away' }, { status }))
      const detail = `${asked}: HTTP ${status} the database is away`
      expect(await faultAt(node)).toMatchObject({ kind: 'away', code: null, detail })
    }
  })

  it('never follows a redirect with its signed headers', async () => {
    let asked = 0
    const other = await at((_request, response) => {
      asked++
      response.end()
    })
    await faultAt(
      await at((_request, response) => response.writeHead(307, { location: `${other}/app/channellist` }).end()),
    )
    expect(asked).toBe(0)
  })
})

/** What a service was asked. */
interface Seen {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}
async function noting(answer: http.RequestListener): Promise<{ base: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const base = await at((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      seen.push({ url: request.url, method: request.method, headers: request.headers, body: Buffer.concat(parts) })
      answer(request, response)
    })
  })
  return { base, seen }
}

describe('a request', () => {
  it('goes to the address of live or of messaging by its document, below the path of the service', async () => {
    const { base, seen } = await noting(json({ code: 414 }))
    const client = clientAt(`${base}/sub/`)
    for (const operation of [live.list, local.info, chatrooms.get])
      await client.exchange(operation, {}).catch(() => undefined)
    expect(seen.map(({ url }) => url)).toEqual([
      `/sub${live.list.path}`,
      `/sub${local.info.path}`,
      `/sub//nimserver${chatrooms.get.path}`,
    ])
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['POST']))
  })

  it('is a form for messaging: values that are no text as JSON, and nothing for what is not given', async () => {
    const { base, seen } = await noting(json({ code: 200 }))
    await clientAt(base).exchange(chatrooms.get, {
      roomid: 7,
      on: true,
      list: ['a', '录'],
      text: 'a&b',
      none: undefined,
    })
    expect(seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded;charset=utf-8')
    expect([...new URLSearchParams(seen[0]!.body.toString())]).toEqual([
      ['roomid', '7'],
      ['on', 'true'],
      ['list', '["a","录"]'],
      ['text', 'a&b'],
    ])
  })

  it('is a form with parts for a file, whose bytes are sent and not their Base64', async () => {
    const { base, seen } = await noting(json({ code: 200, url: 'http://x/', channelid: 1 }))
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45])
    expect(await clientAt(base).call(messages.fileUpload, { content: bytes.toString('base64'), type: 'png' })).toEqual({
      code: 200,
      url: 'http://x/',
      channelid: 1,
    })
    const { headers, body } = seen[0]!
    const boundary = /^multipart\/form-data; boundary=(----[0-9a-f]{24})$/.exec(headers['content-type'] ?? '')?.[1]
    expect(body.toString('latin1')).toBe(
      [
        `--${boundary}\r\ncontent-disposition: form-data; name="content"; filename="file"`,
        `content-type: application/octet-stream\r\n\r\n${bytes.toString('latin1')}`,
        `--${boundary}\r\ncontent-disposition: form-data; name="type"\r\n\r\npng`,
        `--${boundary}--\r\n`,
      ].join('\r\n'),
    )
  })

  it('is signed with the time of the clock in whole seconds', async () => {
    const { base, seen } = await noting(json(page))
    const transport = createTransport()
    closing.push(() => transport.close())
    const service = { liveUrl: base, messagingUrl: base, appKey: 'key', appSecret: 'secret' }
    const clock = { ...systemClock, now: () => 1_800_000_000_999 }
    await createClient(service, { transport, clock, random: randomBytes }).call(live.list, {})
    expect(seen[0]?.headers).toMatchObject({ curtime: '1800000000', accept: 'application/json' })
    expect(seen[0]?.headers['nonce']).toMatch(/^[0-9a-f]{32}$/)
  })
})

it('a call of the console gives what went out and what came back, whatever that is', async () => {
  const base = await at((_request, response) => response.writeHead(404, { 'x-own': 'y' }).end('<html>'))
  const { url, headers, body, answer } = await clientAt(base).exchange(live.list, { records: 'no number' })
  expect([url.href, body]).toEqual([`${base}${live.list.path}`, '{"records":"no number"}'])
  expect(Object.keys(headers).sort()).toEqual(['AppKey', 'CheckSum', 'CurTime', 'Nonce', 'accept', 'content-type'])
  expect(answer).toMatchObject({ status: 404, text: '<html>', headers: { 'x-own': 'y' } })
})

describe('a stream', () => {
  const open = async (handler: http.RequestListener, signal = new AbortController().signal) =>
    clientAt(await at(handler)).stream(local.events, {}, signal)

  it('is the body of the answer, which ends with the signal', async () => {
    const end = new AbortController()
    const body = await open((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"a":1}\n')
    }, end.signal)
    const [part] = (await once(body, 'data')) as [Buffer]
    expect(part.toString()).toBe('{"a":1}\n')
    const failed = once(body, 'error')
    expect(body.destroyed).toBe(false)
    end.abort()
    await failed
    expect(body.destroyed).toBe(true)
  })

  it('that is refused is the failure of its code; one object of JSON is no stream', async () => {
    await expect(open(json({ code: 403, msg: 'no' }))).rejects.toMatchObject({ data: { kind: 'code', code: 403 } })
    await expect(open(json({ code: 200 }))).rejects.toMatchObject({
      data: { kind: 'notOurs', detail: `${local.events.path}: no stream` },
    })
    await expect(open((_request, response) => response.writeHead(500).end('broken'))).rejects.toMatchObject({
      data: { kind: 'notOurs' },
    })
    // An endless refusal is not read to its end.
    await expect(
      open((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('x'.repeat(70_000))
      }),
    ).rejects.toMatchObject({ data: { kind: 'notOurs' } })
  })
})

it('calls are made with the client of their profile', async () => {
  const asked: unknown[] = []
  const call = callsOf((profileId) =>
    Promise.resolve({
      call: (operation: { path: string }, args: unknown) => {
        asked.push([profileId, operation.path, args])
        return Promise.resolve('answer')
      },
    } as unknown as Client),
  )
  expect(await call('h', live.list, { records: 1 })).toBe('answer')
  expect(asked).toEqual([['h', live.list.path, { records: 1 }]])
})

describe('the clock of a service', () => {
  const refused = { code: 409, msg: 'authentication failed' }
  const of = async (answer: object, seconds: number): Promise<FailureData> =>
    faultAt(await at(json(answer, { date: shifted(seconds) })))

  it('is suspected of a refused signature from five minutes on, less what a transfer', async () => {
    expect((await of(refused, 297)).kind).toBe('clock')
    expect((await of(refused, 290)).kind).toBe('signature')
    expect((await of(refused, -297)).kind).toBe('clock')
    // Where the service says that it is the time, it is.
    expect(await of({ code: 409, msg: 'CurTime is expired' }, 0)).toMatchObject({ kind: 'clock', code: 409 })
  })
})

it('an answer is taken without members beyond the contract, and one that lacks a member is not', async () => {
  const base = await at(json({ ...page, more: 1, ret: { ...page.ret, more: 1 } }))
  expect(await clientAt(base).call(live.list, {})).toEqual(page)
  expect(await faultAt(await at(json({ code: 200, ret: {} })))).toMatchObject({ kind: 'notOurs' })
})

it('a disk that is full is told by its reason only with the code of a fault', async () => {
  const base = await at((request, response) => {
    response.setHeader('sidestage-reason', 'full')
    json({ code: 403 })(request, response)
  })
  await expect(clientAt(base).call(chatrooms.get, { roomid: 1 })).rejects.toMatchObject({
    data: { kind: 'code', code: 403 },
  })
})

it.each([
  [295, 'clock'],
  [294, 'signature'],
  [-295, 'clock'],
  [-294, 'signature'],
])('takes a refused signature for one of %s s in the clock, or of the secret: %s', async (seconds, kind) => {
  const now = 1_800_000_000_000
  const date = new Date(now - seconds * 1000).toUTCString()
  const base = await at(json({ code: 409, msg: 'authentication failed' }, { date }))
  const transport = createTransport()
  closing.push(() => transport.close())
  const service = { liveUrl: base, messagingUrl: base, appKey: 'key', appSecret: 'secret' }
  const client = createClient(service, { transport, clock: { ...systemClock, now: () => now }, random: randomBytes })
  await expect(client.call(live.list, {})).rejects.toMatchObject({
    data: { kind, skewSeconds: kind === 'clock' ? seconds : null },
  })
})
