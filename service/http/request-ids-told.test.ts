import { afterEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { listenOn } from '../../platform/listen.ts'
import { silentLog, type Log } from '../log.ts'
import { httpRequest } from '../testing/http-request.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createListener } from './listener.ts'

const undo: (() => unknown)[] = []
/** Prefixes of ids differ by it. */
let random = 0
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})
/** A log that keeps what has the id of a request. */
function keptLog(): { readonly log: Log; readonly lines: { readonly reqId: unknown; readonly sentence: string }[] } {
  const lines: { reqId: unknown; sentence: string }[] = []
  const keep = (fields: object, sentence: string): void => {
    if ('reqId' in fields) lines.push({ reqId: fields.reqId, sentence })
  }
  return { log: { ...silentLog, info: keep, warn: keep, error: keep }, lines }
}
const started = async (options: Parameters<typeof startService>[0]): Promise<TestService> => {
  const service = await startService(options)
  undo.push(() => service.close())
  return service
}

it('an answer tells the id of its request, which its log line has: done, refused, unknown, and of media', async () => {
  const { log, lines } = keptLog()
  const { service, raw, sign } = await started({ log, random: (bytes) => Buffer.alloc(bytes, ++random) })
  const ids = [
    await raw(live.create.path, { headers: Object.entries(sign()), body: '{"name":"a"}' }),
    await raw(live.create.path, { body: '{"name":"a"}' }),
    await raw('/app/nothing'),
    await raw('/app/%zz'),
    await raw(live.create.path, { method: 'GET' }),
    await raw('/', { host: 'rebound.example' }),
    await httpRequest(`${service.ready.mediaUrl}/live/${'0'.repeat(32)}.flv`, { method: 'GET' }),
  ].map(({ headers }) => String(headers['x-request-id']))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
  expect(new Set(ids).size).toBe(ids.length)
  expect(lines.map(({ reqId }) => reqId)).toEqual([ids[1]])
  const stream = await fetch(service.ready.baseUrl + local.events.path, { method: 'POST', headers: sign(), body: '{}' })
  expect(stream.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-/)
  await stream.body!.cancel()
})

it('the id of a trusted proxy goes through: into the log line and the answer', async () => {
  const { log, lines } = keptLog()
  const { raw } = await started({ log, trustedProxies: ['127.0.0.1'] })
  const ask = (id: string) => raw(live.create.path, { headers: [['x-request-id', id]], body: '{}' })
  expect((await ask('proxy-17')).headers['x-request-id']).toBe('proxy-17')
  expect((await ask('a b')).headers['x-request-id']).not.toBe('a b')
  expect(lines[0]!.reqId).toBe('proxy-17')
})

it('a request that fails outside of operations is logged with its id and route, without its address', async () => {
  const { log, lines } = keptLog()
  const routes: unknown[] = []
  const listener = createListener({
    requestId: () => 'the-id',
    bounds: testBounds(),
    log: {
      error: (fields, sentence) => (routes.push((fields as { route: unknown }).route), log.error(fields, sentence)),
    },
    origin: () => false,
    allowed: () => undefined,
  })
  listener.app.get('/files/:name', () => Promise.reject(new Error('broken')))
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  undo.push(() => listener.close(0))
  const { status, headers } = await httpRequest(`http://127.0.0.1:${port}/files/canary?ticket=canary`, {
    method: 'GET',
  })
  expect([status, headers['x-request-id']]).toEqual([500, 'the-id'])
  expect([lines, routes]).toEqual([[{ reqId: 'the-id', sentence: 'a request failed' }], ['/files/:name']])
})
