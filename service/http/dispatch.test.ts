import { systemClock } from '../../platform/clock.ts'
import { hash } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { awayWords } from '../away-words.ts'
import { noteStored } from '../storage/unchanged.ts'
import { BlobFault } from '../blobs/blobs.ts'
import { diskWords } from '../disk-words.ts'
import type { Code } from '../../contract/errors.ts'
import { integer, list, object, text } from '../../contract/field.ts'
import { operation, type Operation } from '../../contract/operation.ts'
import { recordings } from '../../contract/operations/index.ts'
import { reasonHeader } from '../../contract/catalogue/refusal-reasons.ts'
import { signedHeaders } from '../../contract/signing.ts'
import type { Application } from '../applications.ts'
import type { Log } from '../log.ts'
import { listenOn } from '../../platform/listen.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { createAuthentication } from './authentication.ts'
import { dispatch, serve, serveBody, serveStream, type Served } from './dispatch.ts'
import { createListener, type Listener } from './listener.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { Refused } from '../refusal.ts'
import { testBounds } from '../testing/listener-bounds.ts'

const settings = { oneTimeCheckSum: true, frozen: false, callsPerMinute: 0, blockSeconds: 10 }
const application = { uid: 7, name: 'main', appKey: 'key', appSecret: 'secret', settings } as unknown as Application
const plain = {
  group: 'x',
  encoding: 'json',
  summary: 'X.',
  parameters: {},
  answer: {},
  codes: [200, 409, 501, 613, 614, 615, 617],
  invalid: 501,
  unknown: 501,
  foreign: 617,
  fault: 501,
} as const
const messaging = {
  ...plain,
  document: 2,
  encoding: 'form',
  codes: [200, 403, 414, 416, 431, 500],
  invalid: 414,
  unknown: 414,
  foreign: 403,
  fault: 500,
} as const
const fault = (operation: Operation, message: string) =>
  serve(operation, () => {
    throw new Error(message)
  })

let listener: Listener | undefined
let lines: { readonly fields: { readonly reqId?: string; readonly err?: Error }; readonly sentence: string }[] = []
let now = 0
/** What the last answer named as the reason of a refusal. */
let reason: unknown

/** Options of the next start. */
let failing: ((uid: number, path: string) => Code | undefined) | undefined
let debugged: string[] = []
/** Headers of the last answer. */
let answeredHeaders: Readonly<Record<string, unknown>> = {}

type Caller = (
  operation: Operation,
  body?: string,
  nonce?: string,
  type?: string,
  at?: number,
) => Promise<Record<string, unknown>>

const seconds = (): number => Math.floor(Date.now() / 1000)

async function start(...served: readonly Served[]): Promise<Caller> {
  lines = []
  const note = (fields: object, sentence: string): void => void lines.push({ fields, sentence })
  debugged = []
  const log: Log = { debug: (_fields, sentence) => void debugged.push(sentence), info: note, warn: note, error: note }
  let requests = 0
  let nonces = 0
  listener = createListener({
    requestId: () => `id-${++requests}`,
    bounds: testBounds(),
    origin: () => false,
    allowed: () => undefined,
  })
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, 1)
  dispatch(listener.app, served, {
    authentication: createAuthentication({
      byKey: (key) => (key === 'key' ? application : undefined),
      clock: { ...systemClock, monotonic: () => now },
      random,
    }),
    limiter: createRateLimiter({ monotonic: () => now }),
    log,
    failing,
  })
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  return async ({ path, document }, body = '', nonce = `n${++nonces}`, type = '', at = seconds()) => {
    const headers = signedHeaders((value) => hash('sha1', value, 'hex'), application, nonce, at)
    const {
      text,
      status,
      headers: answered,
    } = await httpRequest(`http://127.0.0.1:${port}${document === 2 ? '/nimserver' : ''}${path}`, {
      headers: Object.entries({ ...headers, ...(type && { 'Content-Type': type }) }),
      body,
    })
    expect(status).toBe(200)
    reason = answered[reasonHeader]
    answeredHeaders = answered
    return JSON.parse(text) as Record<string, unknown>
  }
}
afterEach(async () => {
  failing = undefined
  await listener?.close(100)
})

describe('the dispatcher', () => {
  it('answers an own fault with the code of the operation and a log id, and logs the reason under it', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(fault(one, 'the disk is on fire'))
    expect(await call(one)).toEqual({ code: 501, msg: 'internal fault; log id id-1' })
    expect(lines).toMatchObject([{ fields: { reqId: 'id-1', err: { message: 'the disk is on fire' } } }])
  })

  it.each([
    ['is refused a connection', { code: 'ECONNREFUSED' }, 'unasked'],
    ['is starting', { code: '57P03' }, 'unasked'],
    ['is not reached in time', { code: 'ETIMEDOUT', syscall: 'connect' }, 'unasked'],
    ['ends', { code: '57P01' }, 'broken'],
    ['ends under a statement', { message: 'Connection terminated unexpectedly' }, 'broken'],
  ] as const)('says of a database that %s that it is away, and when to call again', async (_what, said, kind) => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(
      serve(one, () => {
        throw new Error('not read', { cause: Object.assign(new Error('not kept'), said) })
      }),
    )
    for (let turn = 0; turn < 40; turn++) expect(await call(one)).toEqual({ code: 501, msg: awayWords[kind] })
    expect([reason, answeredHeaders['retry-after']]).toEqual(['other', '1'])
    // Every call fails so: neither a line for each nor a stack.
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThan(40)
    expect(JSON.stringify(lines)).not.toContain('stack')
    expect(lines[0]).toMatchObject({ fields: { reqId: 'id-1', reason: 'message' in said ? said.message : 'not kept' } })
  })

  it('says of a database that goes away within a call that a part may be stored, of that call alone', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    let isFirst = true
    const call = await start(
      serve(one, () => {
        if (isFirst) noteStored()
        isFirst = false
        throw Object.assign(new Error('not kept'), { code: 'ECONNREFUSED' })
      }),
    )
    expect(await call(one)).toEqual({ code: 501, msg: awayWords.partly })
    expect(answeredHeaders['retry-after']).toBe('1')
    expect(await call(one)).toEqual({ code: 501, msg: awayWords.unasked })
  })

  it('says of an object store that it is away, and whether to call again', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    for (const kind of ['unreachable', 'refused'] as const) {
      const call = await start(
        serve(one, () => {
          throw new BlobFault(kind, 'the object store could not store files/1: hidden')
        }),
      )
      expect(await call(one)).toEqual({ code: 501, msg: awayWords[kind] })
      await listener?.close(100)
    }
  })

  it.each([
    ['full', { errcode: 13 }, 'full'],
    ['that can only be read', { errcode: 8 }, 'readOnly'],
    ['that can only be read, of a file', { code: 'EROFS' }, 'readOnly'],
    ['that answers with errors', { errcode: 1034 }, 'broken'],
    ['that answers with errors, of a file', { code: 'EIO' }, 'broken'],
  ] as const)('says of a disk %s what it is, beside the code of the operation', async (_what, said, refusal) => {
    const sentence = diskWords[refusal]
    const fault = Object.assign(new Error('not kept'), said)
    const answers = async (one: Operation): Promise<object> => {
      const call = await start(
        serve(one, () => {
          throw new Error('not written', { cause: fault })
        }),
      )
      const answer = await call(one)
      await listener?.close(100)
      return answer
    }
    expect(await answers(operation({ ...plain, document: 1, path: '/x' }))).toEqual({ code: 501, msg: sentence })
    expect(await answers(operation({ ...messaging, path: '/user/x.action' }))).toEqual({ code: 500, desc: sentence })
    expect(reason).toBe(refusal)
  })

  it('says that a form is expected where the body is of another type', async () => {
    const parameters = { accids: text({ required: true }) }
    const one = operation({ ...messaging, path: '/user/x.action', parameters })
    const call = await start(serve(one, () => ({})))
    const empty = { code: 414, desc: 'accids is empty' }
    expect(await call(one)).toEqual(empty)
    expect(await call(one, 'a=b', undefined, 'application/x-www-form-urlencoded')).toEqual(empty)
    for (const type of ['application/json', 'multipart/form-data'])
      expect(await call(one, '{"accids":"[]"}', undefined, `${type}; charset=utf-8`)).toEqual({
        code: 414,
        desc: `accids is empty; the body must be a form (application/x-www-form-urlencoded), not ${type}`,
      })
    // A form is read as such whatever its type says.
    expect(await call(one, 'accids=a', undefined, 'application/json')).toEqual({ code: 200 })
  })

  it('says that JSON is expected where the body is of another type', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(serve(one, () => ({})))
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data'])
      expect(await call(one, 'name=a', undefined, `${type}; charset=utf-8`)).toMatchObject({
        msg: `the body is not JSON; the body must be JSON (application/json), not ${type}`,
      })
    expect(await call(one, 'name=a')).toMatchObject({ msg: 'the body is not JSON' })
    // JSON is read as such whatever its type says.
    expect(await call(one, '{}', undefined, 'application/x-www-form-urlencoded')).toEqual({ code: 200 })
  })

  it('lets no code out that the operation does not list', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(
      serve(one, () => {
        throw new Refused(618, 'gone')
      }),
    )
    expect(await call(one)).toEqual({ code: 501, msg: 'internal fault; log id id-1' })
    const listed = operation({ ...plain, document: 1, path: '/y' })
    await listener?.close(100)
    expect(
      await (
        await start(
          serve(listed, () => {
            throw new Refused(617, 'not yours')
          }),
        )
      )(listed),
    ).toEqual({ code: 617, msg: 'not yours' })
  })

  it('lets no answer out that breaks the contract', async () => {
    const one = operation({ ...plain, document: 1, path: '/x', answer: { ret: object({ name: text() }) } })
    const call = await start(serve(one, () => ({ ret: { name: 5 as unknown as string } })))
    expect(await call(one)).toMatchObject({ code: 501 })
    expect(lines[0]?.fields.err?.message).toMatch(/name is not a string/)
  })

  it('counts calls against the rates of the contract, failing ones too, and recovers', async () => {
    now = 1000
    const call = await start(serve(recordings.merge, () => ({ ret: { result: true } })))
    const good = '{"outputName":"a","vidList":[1]}'
    for (let index = 0; index < 10; index++)
      expect((await call(recordings.merge, index % 2 ? good : '{}')).code).toBe(index % 2 ? 200 : 631)
    expect(await call(recordings.merge, good)).toEqual({ code: 638, msg: 'more than 10 calls in 60 s' })
    now += 60_000
    expect((await call(recordings.merge, good)).code).toBe(200)
  })

  it('speaks forms, desc, 414 and 431 for the messaging documents', async () => {
    const one = operation({
      ...messaging,
      path: '/user/x.action',
      parameters: { accid: text({ required: true }), ids: list(integer(), { max: 2 }) },
      answer: { said: text() },
    })
    const broken = operation({ ...messaging, path: '/user/y.action' })
    const call = await start(
      serve(one, ({ accid, ids }) => ({ said: `${accid} ${ids?.join('+')}` })),
      fault(broken, 'x'),
    )
    expect(await call(one, 'accid=%E4%BD%A0&ids=[1,"2"]')).toEqual({ code: 200, said: '你 1+2' })
    expect(await call(one, 'ids=[1]')).toEqual({ code: 414, desc: 'accid is empty' })
    expect(await call(one, 'accid=a&accid=b')).toEqual({ code: 414, desc: 'a field of the form comes twice' })
    expect(await call(broken)).toMatchObject({
      code: 500,
      desc: expect.stringMatching(/^internal fault; log id id-/) as string,
    })
    expect(await call(one, 'accid=a', 'same')).toMatchObject({ code: 200 })
    expect(await call(one, 'accid=a', 'same')).toEqual({ code: 431, desc: 'this CheckSum was used before' })
    expect(await call(one, 'accid=a', '')).toEqual({ code: 414, desc: 'bad http header' })
    // The text is fixed, so that a header says which one.
    expect(answeredHeaders['sidestage-detail']).toBe('Nonce is empty')
    expect(await call(one, 'accid=a', 'n'.repeat(129))).toEqual({ code: 414, desc: 'bad http header' })
    expect(answeredHeaders['sidestage-detail']).toBe('Nonce has more than 128 characters')
    expect(await call(one, 'accid=a')).toMatchObject({ code: 200 })
    expect(answeredHeaders).not.toHaveProperty('sidestage-detail')
  })

  it('limits all of messaging together by the setting, which counts anew when it is changed', async () => {
    now = 1000
    const one = operation({ ...messaging, path: '/user/x.action' })
    const other = operation({ ...messaging, path: '/user/y.action' })
    const live = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(...[one, other, live].map((each) => serve(each, () => ({}))))
    settings.callsPerMinute = 2
    for (const each of [one, other]) expect(await call(each)).toEqual({ code: 200 })
    expect(await call(one)).toEqual({ code: 416, desc: 'more than 2 calls in 60 s' })
    expect(await call(live)).toEqual({ code: 200 })
    settings.callsPerMinute = 3
    for (const each of [one, other, one]) expect(await call(each)).toEqual({ code: 200 })
    expect((await call(other)).code).toBe(416)
    now += 60_000
    expect(await call(other)).toEqual({ code: 200 })
    settings.callsPerMinute = 0
  })

  it('refuses a caller that went over a rate with a block for as long as the setting says', async () => {
    now = 1000
    const blocking = operation({
      ...messaging,
      path: '/user/x.action',
      rates: [{ per: 'application', calls: 1, seconds: 1, code: 416, block: 10 }],
    })
    const call = await start(serve(blocking, () => ({})))
    for (const seconds of [10, 30, 0]) {
      settings.blockSeconds = seconds
      expect(await call(blocking)).toEqual({ code: 200 })
      expect((await call(blocking)).code).toBe(416)
      now += Math.max(seconds, 1) * 1000 - 1
      expect((await call(blocking)).code).toBe(416)
      // A call during a block starts no new block; one within the window does.
      now += seconds === 0 ? 1 : 1 + seconds * 1000
    }
    settings.blockSeconds = 10
  })

  it('answers 403 for a frozen application in messaging only', async () => {
    const one = operation({ ...messaging, path: '/user/x.action' })
    const live = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(
      serve(one, () => ({})),
      serve(live, () => ({})),
    )
    settings.frozen = true
    expect(await call(one)).toEqual({ code: 403, desc: 'the application is frozen' })
    expect(await call(live)).toEqual({ code: 200 })
    settings.frozen = false
    expect(await call(one)).toEqual({ code: 200 })
  })
})

describe('an answer', () => {
  it('is JSON that no cache keeps and no browser guesses the type of', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(serve(one, () => ({})))
    expect(await call(one)).toEqual({ code: 200 })
    expect(answeredHeaders).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': '12',
    })
    expect(reason).toBeUndefined()
  })

  it.each([
    ['missing', new Refused(617, 'not there', 'missing')],
    ['present', new Refused(617, 'there already', 'present')],
    ['other', new Refused(617, 'not now')],
    ['other', new Error('a fault of ours')],
  ] as const)('names the reason of a refusal in a header: %s', async (name, error) => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(
      serve(one, () => {
        throw error
      }),
    )
    await call(one)
    expect(reason).toBe(name)
  })

  it('to a refused call is noted for debugging only, and one that fails by our fault as an error', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(
      serve(one, () => {
        throw new Refused(617, 'not yours')
      }),
    )
    await call(one)
    expect([debugged, lines]).toEqual([['not yours'], []])
  })

  it('says where signatures are wrong or late, in the header and the log, with the sender', async () => {
    const one = operation({ ...messaging, path: '/user/x.action' })
    const live = operation({ ...plain, document: 1, path: '/x' })
    await start(
      serve(one, () => ({})),
      serve(live, () => ({})),
    )
    const { port } = listener!.server.address() as AddressInfo
    const ask = async (path: string, secret: string, late: number) => {
      const headers = signedHeaders(
        (value) => hash('sha1', value, 'hex'),
        { ...application, appSecret: secret },
        'once',
        Math.floor(Date.now() / 1000) - late,
      )
      const answer = await httpRequest(`http://127.0.0.1:${port}${path}`, {
        headers: Object.entries(headers),
        body: '',
      })
      return [answer.headers[reasonHeader], JSON.parse(answer.text) as unknown]
    }
    const wrong = 'the AppKey is not known or the CheckSum is not right'
    expect(await ask('/x', 'wrong', 0)).toEqual(['signature', { code: 409, msg: wrong }])
    expect(await ask('/nimserver/user/x.action', 'wrong', 0)).toEqual(['signature', { code: 414, desc: 'checksum' }])
    expect(await ask('/nimserver/user/x.action', 'secret', 1000)).toEqual([
      'clock',
      { code: 414, desc: 'CurTime is expired' },
    ])
    expect(lines.map(({ fields, sentence }) => [fields, sentence])).toEqual([
      [{ reqId: 'id-1', path: '/x', remote: '127.0.0.1' }, wrong],
      [{ reqId: 'id-2', path: '/user/x.action', remote: '127.0.0.1' }, wrong],
      [
        { reqId: 'id-3', path: '/user/x.action', remote: '127.0.0.1' },
        expect.stringMatching(/^CurTime is off by 100[0-9] s \(behind\)$/),
      ],
    ])
  })

  it('that was asked to fail fails with that code, before the parameters are looked at', async () => {
    now = 1000
    const one = operation({
      ...messaging,
      path: '/user/x.action',
      parameters: { accid: text({ required: true }) },
      rates: [{ per: 'application', calls: 2, seconds: 60, code: 416, block: 0 }],
    })
    const asked: unknown[] = []
    failing = (...args) => {
      asked.push(args)
      return asked.length === 1 ? 500 : undefined
    }
    const call = await start(serve(one, () => ({})))
    expect(await call(one, '')).toEqual({ code: 500, desc: 'a failure that was asked for' })
    expect(await call(one, 'accid=a')).toEqual({ code: 200 })
    expect((await call(one, 'accid=a')).code).toBe(416)
    expect(asked).toEqual([
      [7, '/user/x.action'],
      [7, '/user/x.action'],
    ])
  })
})

describe('a handler', () => {
  it('is told who calls: application and address', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const callers: unknown[] = []
    const call = await start(
      serve(one, (_parameters, { application: { uid }, subnet }) => {
        callers.push([uid, subnet])
        return {}
      }),
    )
    await call(one)
    expect(callers).toEqual([[7, '127.0.0.1']])
  })

  it('of an endless answer that cannot begin is answered like any other', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(serveStream(one, () => Promise.reject(new Refused(617, 'full'))))
    expect(await call(one)).toEqual({ code: 617, msg: 'full' })
  })
})

describe('calls without a signature', () => {
  it('are logged one by one at first, and then counted', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    await start(serve(one, () => ({})))
    const { port } = listener!.server.address() as AddressInfo
    for (let call = 0; call < 60; call++)
      expect(JSON.parse((await httpRequest(`http://127.0.0.1:${port}/x`)).text)).toEqual({
        code: 613,
        msg: 'CheckSum is empty',
      })
    expect(lines.length).toBeGreaterThanOrEqual(20)
    expect(lines.length).toBeLessThan(60)
    expect(lines[19]).toEqual({
      fields: { reqId: 'id-20', path: '/x', remote: '127.0.0.1' },
      sentence: 'CheckSum is empty',
    })
  })

  it.each([
    [{}, 613, 414],
    [{ CheckSum: '0'.repeat(40) }, 614, 414],
    [{ CheckSum: '0'.repeat(40), AppKey: 'key' }, 615, 414],
    [{ CheckSum: '0'.repeat(40), AppKey: 'key', CurTime: '1' }, 409, 414],
  ])('with the headers %j are answered %i, and in messaging %i', async (headers, code, messagingCode) => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const other = operation({ ...messaging, path: '/user/x.action' })
    await start(
      serve(one, () => ({})),
      serve(other, () => ({})),
    )
    const { port } = listener!.server.address() as AddressInfo
    const ask = async (path: string) =>
      (
        JSON.parse(
          (await httpRequest(`http://127.0.0.1:${port}${path}`, { headers: Object.entries(headers) })).text,
        ) as { code: number }
      ).code
    expect([await ask('/x'), await ask('/nimserver/user/x.action')]).toEqual([code, messagingCode])
  })
})

describe('an operation of live', () => {
  it('is not limited by the rate of the application, and blocked for as long as the contract says', async () => {
    now = 1000
    const blocking = operation({
      ...plain,
      document: 1,
      path: '/x',
      codes: [200, 409, 416, 501, 613, 614, 615, 617],
      rates: [{ per: 'application', calls: 2, seconds: 1, code: 416, block: 20 }],
    })
    const call = await start(serve(blocking, () => ({})))
    settings.callsPerMinute = 1
    settings.blockSeconds = 1
    expect([(await call(blocking)).code, (await call(blocking)).code, (await call(blocking)).code]).toEqual([
      200, 200, 416,
    ])
    now += 19_999
    expect(await call(blocking)).toEqual({ code: 416, msg: 'more than 2 calls in 1 s' })
    now += 1
    expect((await call(blocking)).code).toBe(200)
    settings.callsPerMinute = 0
    settings.blockSeconds = 10
  })

  it('whose one-time CheckSum comes again is answered 409', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(serve(one, () => ({})))
    // Another second would be another CheckSum.
    const at = seconds()
    expect(await call(one, '', 'same', '', at)).toEqual({ code: 200 })
    expect(await call(one, '', 'same', '', at)).toEqual({ code: 409, msg: 'this CheckSum was used before' })
  })
})

describe('the checks of a call', () => {
  it('are made in order: signature, frozen application, rates, body, parameters', async () => {
    now = 1000
    const strict = operation({
      ...messaging,
      path: '/user/x.action',
      parameters: { accid: text({ required: true }) },
      rates: [{ per: 'application', calls: 1, seconds: 60, code: 416, block: 0 }],
    })
    const call = await start(serve(strict, () => ({})))
    settings.frozen = true
    expect(await call(strict, 'accid=a&accid=b', '')).toMatchObject({ code: 414, desc: 'bad http header' })
    expect((await call(strict, 'accid=a&accid=b')).code).toBe(403)
    settings.frozen = false
    expect(await call(strict, 'accid=a&accid=b')).toMatchObject({ desc: 'a field of the form comes twice' })
    expect((await call(strict, 'accid=a&accid=b')).code).toBe(416)
    now += 60_000
    expect(await call(strict, '')).toEqual({ code: 414, desc: 'accid is empty' })
  })
})

describe('a frozen application', () => {
  it('may send no large body in messaging', async () => {
    const upload = operation({ ...messaging, encoding: 'multipart', path: '/msg/x.action' })
    let received = 0
    const call = await start(
      serveBody(upload, () => {
        received += 1
        return Promise.resolve({})
      }),
    )
    settings.frozen = true
    expect(await call(upload)).toEqual({ code: 403, desc: 'the application is frozen' })
    settings.frozen = false
    expect([await call(upload), received]).toEqual([{ code: 200 }, 1])
  })

  it('is refused before its call is counted', async () => {
    now = 1000
    const one = operation({
      ...messaging,
      path: '/user/x.action',
      rates: [{ per: 'application', calls: 1, seconds: 60, code: 416, block: 0 }],
    })
    const call = await start(serve(one, () => ({})))
    settings.frozen = true
    expect((await call(one)).code).toBe(403)
    settings.frozen = false
    expect((await call(one)).code).toBe(200)
  })
})

describe('a large body', () => {
  it('is counted against the rates, as other calls are', async () => {
    now = 1000
    const counted = operation({
      ...messaging,
      encoding: 'multipart',
      path: '/msg/x.action',
      rates: [{ per: 'application', calls: 1, seconds: 60, code: 416, block: 0 }],
    })
    const call = await start(serveBody(counted, () => Promise.resolve({})))
    expect(await call(counted)).toEqual({ code: 200 })
    expect(await call(counted)).toEqual({ code: 416, desc: 'more than 1 calls in 60 s' })
  })

  const upload = operation({
    ...messaging,
    encoding: 'multipart',
    path: '/msg/x.action',
    answer: { bytes: integer(), type: text() },
  })
  const small = operation({ ...messaging, path: '/user/x.action' })
  const mebibyte = 1024 * 1024
  const receive = serveBody(upload, async ({ stream, type }) => {
    let bytes = 0
    for await (const chunk of stream) bytes += (chunk as Buffer).length
    return { bytes, type }
  })
  const send = async (
    path: string,
    body: Buffer,
    type = 'multipart/form-data; boundary=x',
    more: readonly (readonly [string, string])[] = [],
  ) => {
    const headers = signedHeaders(
      (value) => hash('sha1', value, 'hex'),
      application,
      `b${Math.random()}`,
      Math.floor(Date.now() / 1000),
    )
    const { port } = listener!.server.address() as AddressInfo
    return httpRequest(`http://127.0.0.1:${port}/nimserver${path}`, {
      headers: [...Object.entries(headers), ['content-type', type], ...more],
      body,
    })
  }

  it('comes to its handler as a stream with its type, up to 48 MiB', async () => {
    await start(receive)
    for (const size of [0, 1, 3 * mebibyte, 48 * mebibyte])
      expect(JSON.parse((await send(upload.path, Buffer.alloc(size))).text)).toEqual({
        code: 200,
        bytes: size,
        type: 'multipart/form-data; boundary=x',
      })
    for (const type of ['multipart/form-data', 'x', ''])
      expect(JSON.parse((await send(upload.path, Buffer.alloc(5), type)).text)).toEqual({ code: 200, bytes: 5, type })
  })

  it('beyond 48 MiB answers 413, whether its length was said or not', async () => {
    await start(receive)
    for (const more of [[], [['transfer-encoding', 'chunked']]] as const) {
      const { status, text: answer } = await send(upload.path, Buffer.alloc(48 * mebibyte + 1), undefined, more)
      expect([status, JSON.parse(answer)]).toEqual([413, { code: 413, desc: 'the body is too large' }])
    }
    expect(JSON.parse((await send(upload.path, Buffer.alloc(5))).text)).toMatchObject({ code: 200 })
  })

  it('of an operation that takes none is 1 MiB at most', async () => {
    await start(
      receive,
      serve(small, () => ({})),
    )
    expect((await send(small.path, Buffer.alloc(mebibyte, 'a'))).status).toBe(200)
    expect((await send(small.path, Buffer.alloc(mebibyte + 1, 'a'))).status).toBe(413)
  })

  it('need not be read: the answer comes, and the connection serves the next call', async () => {
    await start(
      serveBody(upload, () => {
        throw new Refused(414, 'no boundary')
      }),
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { port } = listener!.server.address() as AddressInfo
    const call = (index: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = signedHeaders(
          (value) => hash('sha1', value, 'hex'),
          application,
          `k${index}`,
          Math.floor(Date.now() / 1000),
        )
        const outgoing = request(
          { port, path: `/nimserver${upload.path}`, method: 'POST', headers, agent },
          (answer) => {
            let body = ''
            answer.setEncoding('utf8').on('data', (part: string) => (body += part))
            answer.on('end', () => resolve(body))
          },
        )
        outgoing.on('error', reject)
        outgoing.end(Buffer.alloc(8 * mebibyte))
      })
    for (const index of [1, 2, 3]) expect(JSON.parse(await call(index))).toEqual({ code: 414, desc: 'no boundary' })
    agent.destroy()
  })

  it('fails for its handler when the caller goes, and nothing else does', async () => {
    let failed: unknown
    let begun = (): void => undefined
    const beginning = new Promise<void>((resolve) => (begun = resolve))
    await start(
      serveBody(upload, async ({ stream }) => {
        stream.once('data', begun)
        try {
          await finished(stream.resume())
        } catch (error) {
          failed = error
        }
        return { bytes: 0, type: '' }
      }),
    )
    const { port } = listener!.server.address() as AddressInfo
    const headers = signedHeaders(
      (value) => hash('sha1', value, 'hex'),
      application,
      'gone',
      Math.floor(Date.now() / 1000),
    )
    const outgoing = request({
      port,
      path: `/nimserver${upload.path}`,
      method: 'POST',
      headers: { ...headers, 'content-length': 1000 },
    })
    outgoing.on('error', () => undefined)
    outgoing.write('abc')
    await beginning
    outgoing.destroy()
    await until('the handler notices', () => failed !== undefined)
    expect(failed).toMatchObject({ message: 'the caller is gone' })
  })
})
