import { hash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { integer, list, object, text } from '../../contract/field.ts'
import { operation, type Operation } from '../../contract/operation.ts'
import { recordings } from '../../contract/operations/index.ts'
import { signedHeaders } from '../../contract/signing.ts'
import type { Application } from '../applications.ts'
import type { Log } from '../log.ts'
import { listenOn } from '../port-binding.ts'
import { httpRequest } from '../testing/http-request.ts'
import { createAuthentication } from './authentication.ts'
import { dispatch, serve, type Served } from './dispatch.ts'
import { createListener, type Listener } from './listener.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { Refused } from './refusal.ts'

const application = { uid: 7, name: 'main', appKey: 'key', appSecret: 'secret', settings: { oneTimeCheckSum: true } } as unknown as Application
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

async function start(...served: readonly Served[]): Promise<(operation: Operation, body?: string, nonce?: string) => Promise<Record<string, unknown>>> {
  lines = []
  const note = (fields: object, sentence: string): void => void lines.push({ fields, sentence })
  const log: Log = { debug: () => {}, info: note, warn: note, error: note }
  let requests = 0
  let nonces = 0
  listener = createListener({ requestId: () => `id-${++requests}`, origin: () => false, allowed: () => undefined })
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, 1)
  dispatch(listener.app, served, {
    authentication: createAuthentication({ byKey: (key) => (key === 'key' ? application : undefined), clock: Date.now, monotonic: () => now, random }),
    limiter: createRateLimiter(() => now),
    log,
  })
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  return async ({ path, document }, body = '', nonce = `n${++nonces}`) => {
    const headers = signedHeaders((value) => hash('sha1', value, 'hex'), application, nonce, Math.floor(Date.now() / 1000))
    const { text, status } = await httpRequest(`http://127.0.0.1:${port}${document === 2 ? '/nimserver' : ''}${path}`, {
      headers: Object.entries(headers),
      body,
    })
    expect(status).toBe(200)
    return JSON.parse(text) as Record<string, unknown>
  }
}
afterEach(async () => listener?.close(100))

describe('the dispatcher', () => {
  it('answers an own fault with the code of the operation and a log id, and logs the reason under it', async () => {
    const one = operation({ ...plain, document: 1, path: '/x' })
    const call = await start(fault(one, 'the disk is on fire'))
    expect(await call(one)).toEqual({ code: 501, msg: 'internal fault; log id id-1' })
    expect(lines).toMatchObject([{ fields: { reqId: 'id-1', err: { message: 'the disk is on fire' } } }])
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
    for (let index = 0; index < 10; index++) expect((await call(recordings.merge, index % 2 ? good : '{}')).code).toBe(index % 2 ? 200 : 631)
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
    expect(await call(broken)).toMatchObject({ code: 500, desc: expect.stringMatching(/^internal fault; log id id-/) as string })
    expect(await call(one, 'accid=a', 'same')).toMatchObject({ code: 200 })
    expect(await call(one, 'accid=a', 'same')).toEqual({ code: 431, desc: 'this CheckSum was used before' })
    expect(await call(one, 'accid=a', '')).toEqual({ code: 414, desc: 'bad http header' })
  })
})
