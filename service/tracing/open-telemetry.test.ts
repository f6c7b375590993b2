import { AsyncLocalStorage } from 'node:async_hooks'
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, live, local } from '../../contract/operations/index.ts'
import { startReceiver } from '../outbox/testing/receiver.ts'
import { startRig } from '../outbox/testing/rig.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { isPreloaded, openSpans } from './open-telemetry.ts'

const exporter = new InMemorySpanExporter()
const traceId = '0af7651916cd43dd8448eb211c80319c'
/** What an SDK registers. */
function register(): void {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  const active = new AsyncLocalStorage<Context>()
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (one, call, self, ...args) => active.run(one, () => call.apply(self as never, args)),
    bind: (_one, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  })
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ['traceparent'],
    extract(one, carrier) {
      const [, trace1, spanId] =
        /^00-(\w{32})-(\w{16})-01$/.exec(String((carrier as object & { traceparent?: string }).traceparent)) ?? []
      if (trace1 === undefined || spanId === undefined) return one
      return trace.setSpanContext(one, { traceId: trace1, spanId, traceFlags: 1, isRemote: true })
    },
  })
}
beforeEach(() => exporter.reset())
afterEach(() => {
  trace.disable()
  context.disable()
  propagation.disable()
})
const spans = () => exporter.getFinishedSpans()

it('without an SDK there are no spans, and nothing looks for one where nothing was loaded before', async () => {
  expect(await openSpans()).toBeUndefined()
  expect(isPreloaded([], undefined)).toBe(false)
  expect(isPreloaded(['--disable-warning=ExperimentalWarning'], '--max-old-space-size=500')).toBe(false)
  expect(isPreloaded([], '--max-old-space-size=500 --import /opt/tracing.mjs')).toBe(true)
  for (const given of [['--import', './a.mjs'], ['--import=./a.mjs'], ['-r', './a.cjs'], ['--require=./a.cjs']])
    expect([given, isPreloaded(given, undefined)]).toEqual([given, true])
})

describe('with an SDK', () => {
  let service: TestService
  beforeEach(async () => {
    register()
    service = await startService({ spans: await openSpans() })
  })
  afterEach(() => service.close())

  it('a call is a span with its operation, its code and its request, within the trace of the caller', async () => {
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    const { ret } = await service.send(live.create, { name: 'Show' }, [['traceparent', traceparent]])
    await service.call(accounts.create, { accid: 'somebody' })
    const [first, second] = spans()
    expect(first).toMatchObject({ name: 'POST /app/channel/create', kind: SpanKind.SERVER, status: { code: 0 } })
    expect(first!.spanContext().traceId).toBe(traceId)
    expect(first!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/app/channel/create',
      'http.response.status_code': 200,
      'client.address': '127.0.0.1',
      'sidestage.code': 200,
      'sidestage.request.id': expect.stringMatching(/^[0-9a-f]{8}-\w+$/) as string,
    })
    expect(second!.name).toBe('POST /nimserver/user/create.action')
    expect(second!.spanContext().traceId).not.toBe(traceId)
    // Nothing of bodies or secrets.
    const told = JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))
    for (const secret of ['Show', 'somebody', ret!.pushUrl, 'test-key', 'test-secret'])
      expect(told).not.toContain(secret)
  })

  it('a refusal is no error, and who is not authenticated makes no span', async () => {
    expect((await service.call(live.state, { cid: 'none' })).code).not.toBe(200)
    await service.send(live.state, { cid: 'none' }, [['CheckSum', '0'.repeat(40)]])
    expect(spans()).toHaveLength(1)
    expect(spans()[0]!.status.code).toBe(SpanStatusCode.UNSET)
    expect(spans()[0]!.attributes['sidestage.code']).not.toBe(200)
  })

  it('a stream of events is a span as long as its begin', async () => {
    const events = await service.events()
    await eventually(() => expect(spans().map(({ name }) => name)).toEqual([`POST ${local.events.path}`]))
    events.close()
  })
})

it('an attempt of the outbox is a span by host and port, an error where it is not delivered', async () => {
  register()
  const receiver = await startReceiver()
  const rig = await startRig({ spans: await openSpans() })
  await rig.callbacks.setAddress(rig.uid, `${receiver.url}?secret=token`)
  receiver.answer = (_request, response) => void response.writeHead(503).end()
  const { nId } = await rig.enqueue()
  await eventually(() => expect(spans()).toHaveLength(1))
  receiver.answer = (_request, response) => void response.end()
  await rig.outbox.resend(nId, undefined)
  await eventually(() => expect(spans()).toHaveLength(2))
  const attributes = {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': receiver.port,
    'sidestage.delivery.id': nId,
    'sidestage.uid': rig.uid,
  }
  expect(spans()).toMatchObject([
    {
      name: 'deliver recording',
      kind: SpanKind.CLIENT,
      status: { code: 2 },
      attributes: { ...attributes, 'error.type': 'status', 'http.request.resend_count': 0 },
    },
    {
      name: 'deliver recording',
      kind: SpanKind.CLIENT,
      status: { code: 0 },
      attributes: { ...attributes, 'http.request.resend_count': 1 },
    },
  ])
  expect(JSON.stringify(spans().map((span) => span.attributes))).not.toContain('token')
  await rig.close()
  await receiver.close()
})

it('spans that begin within work are of its trace, and work that throws is an error', async () => {
  register()
  const made = (await openSpans())!
  const inner = { name: 'inner', kind: 'internal', attributes: { left: undefined, kept: 1 } } as const
  const outer = { name: 'outer', kind: 'internal', attributes: {} } as const
  await made.within(
    outer,
    () =>
      made.within(
        inner,
        () => Promise.resolve(),
        () => ({}),
      ),
    () => ({}),
  )
  const failing = made.within(
    outer,
    () => Promise.reject(new Error('no')),
    () => ({ fault: 'own' }),
  )
  await expect(failing).rejects.toThrow('no')
  const [first, second, third] = spans()
  expect(first!.parentSpanContext?.spanId).toBe(second!.spanContext().spanId)
  expect(first!.attributes).toEqual({ kept: 1 })
  expect(third).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'own' } })
})
