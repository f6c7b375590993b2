import type { Attributes, SpanKind, Tracer } from '@opentelemetry/api'
import { version } from '../version.ts'
import type { SpanAttributes, SpanStart, Spans } from './spans.ts'

/** Name of the instrumentation. */
const scope = 'sidestage'
/** What loads an SDK before this program: switches of Node, on its command line or in NODE_OPTIONS. */
const preload = /(?:^|\s)(?:--import|--require|--experimental-loader|-r)(?:[\s=]|$)/

/** Whether something was loaded before this program, as an SDK is. */
export const isPreloaded = (execArgv: readonly string[], nodeOptions: string | undefined): boolean =>
  preload.test([...execArgv, nodeOptions ?? ''].join(' '))

const present = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

/** Spans for the SDK that the operator has registered; undefined without one. Loads OpenTelemetry's API. */
export async function openSpans(): Promise<Spans | undefined> {
  const { context, propagation, ProxyTracerProvider, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api')
  const provider = trace.getTracerProvider()
  const tracer: Tracer | undefined =
    provider instanceof ProxyTracerProvider
      ? provider.getDelegateTracer(scope, version)
      : provider.getTracer(scope, version)
  if (!tracer) return undefined
  const kinds: Readonly<Record<SpanStart['kind'], SpanKind>> = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
  }
  return {
    within({ name, kind, attributes, headers }, work, outcome) {
      const parent = headers ? propagation.extract(ROOT_CONTEXT, headers) : context.active()
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: present(attributes) }, parent)
      return context.with(trace.setSpan(parent, span), async () => {
        let result: Awaited<ReturnType<typeof work>> | undefined
        try {
          result = await work()
          return result
        } catch (error) {
          if (error instanceof Error) span.recordException(error)
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          const { attributes: more = {}, fault } = outcome(result)
          span.setAttributes(present(fault === undefined ? more : { ...more, 'error.type': fault }))
          if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        }
      })
    },
  }
}
