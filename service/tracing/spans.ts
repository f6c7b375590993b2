import type { IncomingHttpHeaders } from 'node:http'

/** What is known of a span, by the semantic conventions of OpenTelemetry where they have a name for it. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** How a piece of work begins. */
export interface SpanStart {
  readonly name: string
  /** Who is on the other side: a caller, a server, or nobody. */
  readonly kind: 'server' | 'client' | 'internal'
  readonly attributes: SpanAttributes
  /** Headers that may name the caller's trace. */
  readonly headers?: IncomingHttpHeaders
}

/** What came of it. */
export interface SpanOutcome {
  readonly attributes?: SpanAttributes
  /** Code of a failure; absent where it did what it should. */
  readonly fault?: string | undefined
}

/** Follows pieces of work as spans of traces. Where nobody traces there is none, and work costs nothing more. */
export interface Spans {
  /** Runs the work within a span, in which further spans begin; `outcome` is asked when it has ended. */
  within<T>(start: SpanStart, work: () => Promise<T>, outcome: (result: T | undefined) => SpanOutcome): Promise<T>
}
