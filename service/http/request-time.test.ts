import { systemClock, type Clock } from '../../platform/clock.ts'
import { hash } from 'node:crypto'
import { connect } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operation } from '../../contract/operation.ts'
import { signedHeaders } from '../../contract/signing.ts'
import type { Application } from '../applications.ts'
import { silentLog } from '../log.ts'
import { listenOn } from '../../platform/listen.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createAuthentication } from './authentication.ts'
import { createClients } from './clients.ts'
import { dispatch, serve } from './dispatch.ts'
import { createListener, type Listener } from './listener.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createRequestTime } from './request-time.ts'
import { createTimeBudget, type TimeBudget } from './time-budget.ts'

const [one, other] = ['192.0.2.1', '192.0.2.2'] as const
let listener: Listener
let budget: TimeBudget
let port: number
/** Clock of the charges, in ms. */
let now: number
let served: string[]
/** Delays of requests, in ms. */
let waits: number[]
let time: ReturnType<typeof manualClock>

const signedOne = operation({
  document: 1,
  path: '/signed',
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
})
const settings = { oneTimeCheckSum: false, frozen: false, callsPerMinute: 0, blockSeconds: 10 }
const application = (uid: number): Application =>
  ({ uid, name: `app ${uid}`, appKey: `key ${uid}`, appSecret: 'secret', settings }) as unknown as Application

const start = async (isUnsigned: boolean): Promise<void> => {
  ;[now, served, waits, time] = [0, [], [], manualClock()]
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    after: (ms, call) => {
      waits.push(ms)
      return time.after(ms, call)
    },
  }
  budget = createTimeBudget(clock, { application: { perSecond: 100, atOnce: 500 } })
  listener = createListener({
    clients: createClients(['127.0.0.1']),
    requestId: () => 'x',
    bounds: testBounds(),
    origin: () => true,
    allowed: () => undefined,
    time: {
      budget,
      isUnsigned,
      clock,
    },
  })
  const { app } = listener
  // Costs: 1 s of the loop; nothing; 1 s after the body; 1 s in another thread.
  app.get('/costly', (request, reply) => {
    served.push(request.client.address)
    now += 1000
    return reply.send('done')
  })
  app.get('/cheap', (request, reply) => {
    served.push(request.client.address)
    return reply.send('done')
  })
  app.post('/body', (_request, reply) => {
    now += 1000
    return reply.send('done')
  })
  app.get('/thread', async (_request, reply) => {
    await nextTurn()
    budget.spent(1000)
    return reply.send('done')
  })
  dispatch(
    app,
    [
      serve(signedOne, () => {
        now += 550
        return {}
      }),
    ],
    {
      authentication: createAuthentication({
        byKey: (key) => [application(1), application(2)].find(({ appKey }) => appKey === key),
        clock,
        random: (bytes) => Buffer.alloc(bytes, 1),
      }),
      limiter: createRateLimiter(clock),
      log: silentLog,
      time: listener.time,
    },
  )
  await app.ready()
  port = await listenOn(listener.server, '127.0.0.1', 0)
}
beforeEach(() => start(false))
afterEach(() => listener.close(100))

/** Requests as a proxy for this address; without one as this computer. */
const ask = (
  path: string,
  address?: string,
  more: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
) =>
  httpRequest(`http://127.0.0.1:${port}${path}`, {
    method: more.method ?? 'GET',
    headers: Object.entries({ ...more.headers, ...(address !== undefined && { 'x-forwarded-for': address }) }),
    ...(more.body !== undefined && { body: more.body }),
  })
const call = (uid: number, address?: string): Promise<RawAnswer> =>
  ask('/signed', address, {
    method: 'POST',
    headers: signedHeaders(
      (text) => hash('sha1', text, 'hex'),
      application(uid),
      'nonce',
      Math.floor(Date.now() / 1000),
    ),
    body: '{}',
  })

describe('requests of an address that has taken its time', () => {
  it('wait until it has some again, while others and this computer are served', async () => {
    expect((await ask('/costly', one)).text).toBe('done')
    const late = ask('/cheap', one)
    // 600 ms at once, 1000 used, 300 refilled per second.
    await eventually(() => expect(waits).toEqual([1337]))
    expect((await ask('/cheap', other)).text).toBe('done')
    for (let each = 0; each < 3; each++) expect((await ask('/costly')).text).toBe('done')
    expect(served).toEqual([one, other, '127.0.0.1', '127.0.0.1', '127.0.0.1'])
    now += 1337
    time.advance(1337)
    expect((await late).text).toBe('done')
    expect(served.at(-1)).toBe(one)
  })

  it('are refused with 429 and when to come again, where they would wait for long', async () => {
    await ask('/costly', one)
    budget.ofAddress(one)!.spend(2000)
    for (const [path, words] of [
      ['/cheap', 'msg'],
      ['/unknown', 'msg'],
      ['/nimserver/unknown', 'desc'],
    ] as const) {
      const { status, headers, text } = await ask(path, one)
      expect([status, headers['retry-after'], JSON.parse(text)]).toEqual([
        429,
        '9',
        { code: 429, [words]: expect.stringContaining('more time') },
      ])
    }
    expect([waits, served]).toEqual([[], [one]])
  })

  it('are refused when too many wait', async () => {
    await ask('/costly', one)
    const late = Array.from({ length: 32 }, () => ask('/cheap', one))
    await eventually(() => expect(waits).toHaveLength(32))
    const { status, headers, text } = await ask('/cheap', one)
    expect([status, headers['retry-after'], (JSON.parse(text) as { code: number }).code]).toEqual([429, '2', 429])
    now += 1337
    time.advance(1337)
    expect((await Promise.all(late)).map(({ status: each }) => each)).toEqual(Array(32).fill(200))
  })

  it('go nowhere when their connection has ended meanwhile', async () => {
    await ask('/costly', one)
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /cheap HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Forwarded-For: ${one}\r\n\r\n`)
    await eventually(() => expect(waits).toHaveLength(1))
    socket.destroy()
    await eventually(
      () =>
        new Promise<void>((resolve, reject) =>
          listener.server.getConnections((_fault, count) =>
            count === 0 ? resolve() : reject(new Error(`${count} are left`)),
          ),
        ),
    )
    now += 1337
    time.advance(1337)
    await nextTurn()
    expect(served).toEqual([one])
  })
})

describe('the time of a request', () => {
  it.each([
    ['on the loop', { path: '/costly' }],
    ['once its body has come', { path: '/body', method: 'POST', body: 'x'.repeat(100_000) }],
    ['in another thread', { path: '/thread' }],
  ])('is charged to its address: what it takes %s', async (_where, { path, ...more }) => {
    expect((await ask(path, one, more)).text).toBe('done')
    expect([budget.ofAddress(one)!.wait(), budget.ofAddress(other)!.wait()]).toEqual([1337, 0])
  })
})

describe('signed requests', () => {
  it('take the time of their application too, from whatever address, but not from this computer', async () => {
    expect((await call(1, one)).text).toBe('{"code":200}')
    let isAnswered = false
    const late = call(1, other).finally(() => (isAnswered = true))
    await eventually(() => expect(waits).toEqual([510]))
    expect((await call(2, '192.0.2.3')).text).toBe('{"code":200}')
    expect((await call(1)).text).toBe('{"code":200}')
    expect(isAnswered).toBe(false)
    time.advance(510)
    expect((await late).text).toBe('{"code":200}')
  })
})

describe('requests of a listener where nobody signs', () => {
  it('take of the time of all strangers: whoever has asked for much waits, who has not does not', async () => {
    await listener.close(100)
    await start(true)
    for (const address of [one, other]) expect((await ask('/costly', address)).text).toBe('done')
    // Their own account is full before that of all strangers.
    budget.ofStranger('192.0.2.3')!.spend(1000)
    now += 3000
    expect([budget.ofAddress(one)!.wait(), waits]).toEqual([0, []])
    const late = ask('/cheap', one)
    await eventually(() => expect(waits).toHaveLength(1))
    expect((await ask('/cheap', '198.51.100.1')).text).toBe('done')
    expect(served).toEqual([one, other, '198.51.100.1'])
    now += 2000
    time.advance(2000)
    expect((await late).text).toBe('done')
  })
})

describe('a request whose account is empty', () => {
  /** Passes requests against an account that says how long to wait; what came of each is kept in order. */
  function bench(waits: number[]) {
    const clock = manualClock()
    const spent: number[] = []
    const account = { wait: () => waits.shift() ?? 0, spend: (ms: number) => void spent.push(ms) }
    const hooks: unknown[] = []
    const app = { decorateRequest: () => undefined, addHook: (...hook: unknown[]) => hooks.push(hook) }
    const { pass } = createRequestTime(app as unknown as FastifyInstance, { budget: createTimeBudget(clock), clock })
    const came: (string | number)[] = []
    const request = () => ({ accounts: undefined, socket: { destroyed: false } }) as unknown as FastifyRequest
    const ask = (one = request()): FastifyRequest => {
      pass(
        one,
        account,
        () => came.push('go'),
        (seconds) => came.push(seconds),
      )
      return one
    }
    return { ask, account, came, clock, take: () => came.splice(0) }
  }

  it('waits 2 s at most, and is refused at once with the seconds, rounded up, where it would be more', () => {
    const { ask, take, clock } = bench([2000, 0, 2001])
    ask()
    clock.advance(1999)
    expect(take()).toEqual([])
    clock.advance(1)
    expect(take()).toEqual(['go'])
    ask()
    expect([take(), clock.waiting()]).toEqual([[3], 0])
  })

  it('waits again for what others took meanwhile, but no more than 2 s in all', () => {
    const { ask, take, clock } = bench([1500, 500, 0, 1500, 501])
    ask()
    clock.advance(1500)
    expect(take()).toEqual([])
    clock.advance(500)
    expect(take()).toEqual(['go'])
    ask()
    clock.advance(1500)
    expect([take(), clock.waiting()]).toEqual([[1], 0])
  })

  it('leaves its place among the 32 that may wait when it goes on, and when its connection is gone', () => {
    const waits = Array.from({ length: 33 }, () => 100)
    const { ask, take, clock } = bench(waits)
    const all = Array.from({ length: 33 }, () => ask())
    expect([take(), clock.waiting()]).toEqual([[1], 32])
    Object.assign(all[0]!.socket, { destroyed: true })
    clock.advance(100)
    expect(take()).toEqual(Array.from({ length: 31 }, () => 'go'))
    waits.push(...Array.from({ length: 32 }, () => 100))
    for (let count = 0; count < 32; count++) ask()
    expect([take(), clock.waiting()]).toEqual([[], 32])
  })

  it('is charged to each account that it passed', () => {
    const { ask, account, take } = bench([])
    const one = ask(ask())
    expect([one.accounts, take()]).toEqual([
      [account, account],
      ['go', 'go'],
    ])
  })
})
