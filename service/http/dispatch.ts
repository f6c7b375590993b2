import { systemClock } from '../../platform/clock.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isCode, type Code } from '../../contract/errors.ts'
import type { Answer, Operation, Parameters, RateRule } from '../../contract/operation.ts'
import { detailHeader, reasonHeader, type RefusalReason } from '../../contract/catalogue/refusal-reasons.ts'
import { answerFault, readParameters } from '../../contract/validate.ts'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import { awayRetry, faultOf } from '../away-words.ts'
import type { Application } from '../applications.ts'
import type { Log } from '../log.ts'
import { changeOf } from './logged-changes.ts'
import { isFault, type Authentication, type AuthenticationFault } from './authentication.ts'
import { otherEncoding, readFormBody, readJsonBody } from './body.ts'
import { boundBody, type IncomingBody } from './incoming-body.ts'
import { openLineStream, type LineSink } from './line-stream.ts'
import { messagingPrefix, refuseForTime } from './failures.ts'
import { standingHeaders } from './listener.ts'
import { isMessaging, ratesOf } from './call-rates.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { RequestCounts } from './request-counts.ts'
import { Refused } from '../refusal.ts'
import { asCall } from '../storage/unchanged.ts'
import type { Spans } from '../tracing/spans.ts'
import { requestIdHeader } from './request-ids.ts'
import type { RequestTime } from './request-time.ts'
import { tracedRequest, type Answered } from './traced-request.ts'

/** The caller of an operation. */
export interface Caller {
  readonly application: Application
  /** As of the client: key of limits per address. */
  readonly subnet: string
}

/** Answers an operation; throws `Refused` with a code of its list. */
export type Handler<O extends Operation> = (parameters: Parameters<O>, caller: Caller) => Answer<O> | Promise<Answer<O>>
/** Starts the endless answer of a `stream` operation; resolves to the function that ends it. */
export type StreamHandler<O extends Operation> = (
  parameters: Parameters<O>,
  caller: Caller,
  sink: LineSink,
) => Promise<() => void>

/** Answers an operation with a large, streamed body. The size is limited; the handler checks the fields. */
export type BodyHandler<O extends Operation> = (body: IncomingBody, caller: Caller) => Promise<Answer<O>>

/** An operation with its handler. */
export interface Served {
  readonly operation: Operation
  readonly receive?: (body: IncomingBody, caller: Caller) => Promise<unknown>
  readonly answer?: (parameters: never, caller: Caller) => unknown
  readonly stream?: (parameters: never, caller: Caller, sink: LineSink) => Promise<() => void>
}

/** Pairs an operation with its handler. */
export const serve = <O extends Operation>(operation: O, answer: Handler<O>): Served => ({ operation, answer })
/** Pairs an operation with the handler of its streamed body. */
export const serveBody = <O extends Operation>(operation: O, receive: BodyHandler<O>): Served => ({
  operation,
  receive,
})
/** Pairs a `stream` operation with its handler. */
export const serveStream = <O extends Operation>(operation: O, stream: StreamHandler<O>): Served => ({
  operation,
  stream,
})

declare module 'fastify' {
  interface FastifyRequest {
    /** Set after authentication: the application, and the body's original Content-Type. */
    signed: { readonly application: Application; readonly type: string } | undefined
    /** When it began, in monotonic ms. */
    begun: number
    answered: Answered | undefined
  }
}

/** Path prefix of a document (behaviour.md#base-addresses). */
export const pathPrefix = (operation: Operation): string => (isMessaging(operation) ? messagingPrefix : '')

const documentCodes: Record<Exclude<AuthenticationFault['kind'], 'unknown'>, Code> = {
  noCheckSum: 613,
  noAppKey: 614,
  noCurTime: 615,
  failed: 409,
  repeated: 409,
}

function authenticationCode(operation: Operation, kind: AuthenticationFault['kind']): Code {
  if (kind === 'unknown') return operation.fault
  if (kind === 'repeated' && operation.codes.includes(431)) return 431
  return isMessaging(operation) ? 414 : documentCodes[kind]
}

/** A body to send; with the reason of a refusal. */
interface Outgoing {
  readonly operation: Operation
  readonly body: { readonly code: number; readonly desc?: string; readonly msg?: string }
  readonly reason?: RefusalReason
  /** By a fault of the service. */
  readonly failed?: boolean
  /** In s: for Retry-After. */
  readonly retry?: string
  /** What is wrong with a signature, where the body has a fixed text. */
  readonly detail?: string
}

const failure = (operation: Operation, code: number, sentence: string, reason: RefusalReason = 'other'): Outgoing => ({
  operation,
  body: isMessaging(operation) ? { code, desc: sentence } : { code, msg: sentence },
  reason,
})

/** Registers operations. Checks in order: authentication, frozen application, body, rates, parameters. */
export function dispatch(
  app: FastifyInstance,
  served: readonly Served[],
  {
    authentication,
    limiter,
    log,
    failing,
    time,
    counts,
    spans,
  }: {
    readonly authentication: Authentication<Application>
    readonly limiter: RateLimiter
    readonly log: Log
    /** Code to fail with on request (`--faults`). */
    readonly failing?: ((uid: number, path: string) => Code | undefined) | undefined
    /** Counts the time of applications. */
    readonly time?: RequestTime | undefined
    readonly counts?: Pick<RequestCounts, 'answered'> | undefined
    readonly spans?: Spans | undefined
  },
): void {
  const strangerLines = createBoundedLines(systemClock)
  const awayLines = createBoundedLines(systemClock)
  /** Writes head and body directly, at half the cost of fastify's hooks and headers. */
  const send = (
    reply: FastifyReply,
    { operation, body, reason, failed = false, retry, detail }: Outgoing,
  ): FastifyReply => {
    reply.request.answered = { code: body.code, failed }
    counts?.answered(operation, body.code, systemClock.monotonic() - reply.request.begun, failed)
    const text = JSON.stringify(body)
    const headers = {
      ...standingHeaders,
      [requestIdHeader]: reply.request.id,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...(reason && { [reasonHeader]: reason }),
      ...(retry !== undefined && { 'retry-after': retry }),
      ...(detail !== undefined && { [detailHeader]: detail }),
    }
    reply.hijack().raw.writeHead(reply.statusCode, headers).end(text)
    return reply
  }

  const faulted = (operation: Operation, request: FastifyRequest, error: unknown): Outgoing => {
    const { sentence, refusal, about, isAway } = faultOf(error)
    const fields = { reqId: request.id, path: operation.path, ...about }
    const line = sentence === undefined ? 'an operation failed' : `an operation failed: ${sentence}`
    if (isAway) awayLines.line((leftOut) => log.error({ ...fields, ...leftOut }, line))
    else log.error(fields, line)
    const said = sentence ?? `internal fault; log id ${request.id}`
    return { ...failure(operation, operation.fault, said, refusal), failed: true, ...(isAway && { retry: awayRetry }) }
  }
  const refused = (operation: Operation, request: FastifyRequest, error: unknown): Outgoing => {
    if (!(error instanceof Refused) || !isCode(error.code) || !operation.codes.includes(error.code))
      return faulted(operation, request, error)
    log.debug({ reqId: request.id, path: operation.path, code: error.code }, error.message)
    return failure(operation, error.code, error.message, error.reason)
  }
  const checked = (operation: Operation, request: FastifyRequest, answer: unknown): Outgoing => {
    const result = { code: 200, ...(answer as object) }
    const wrong = answerFault(operation, result)
    return wrong === undefined ? { operation, body: result } : faulted(operation, request, new Error(wrong))
  }
  const callerOf = (request: FastifyRequest): Caller => ({
    application: request.signed!.application,
    subnet: request.client.subnet,
  })
  /** Why a call of an authenticated caller is refused. */
  const blocker = (
    operation: Operation,
    { application, subnet }: Caller,
  ): Outgoing | undefined | Promise<Outgoing | undefined> => {
    const refusal = (broken: RateRule | undefined): Outgoing | undefined => {
      if (broken) return failure(operation, broken.code, `more than ${broken.calls} calls in ${broken.seconds} s`)
      const asked = failing?.(application.uid, operation.path)
      return asked === undefined ? undefined : failure(operation, asked, 'a failure that was asked for')
    }
    const broken = limiter.take(operation.path, ratesOf(operation, application.settings), {
      application: application.uid,
      address: subnet,
    })
    return broken instanceof Promise ? broken.then(refusal) : refusal(broken)
  }
  const route = (
    scope: FastifyInstance,
    operation: Operation,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    const asked: typeof handler = (request, reply) => asCall(() => handler(request, reply))
    scope.route({
      method: 'POST',
      url: pathPrefix(operation) + operation.path,
      exposeHeadRoute: false,
      // Before the body is read, so that unauthenticated callers cannot fill the memory.
      onRequest(request, reply, done) {
        request.begun = systemClock.monotonic()
        const refuse = (fault: AuthenticationFault): void => {
          const about = { reqId: request.id, path: operation.path, remote: request.client.address }
          strangerLines.line((leftOut) => log.info({ ...about, ...leftOut }, fault.reason))
          const code = authenticationCode(operation, fault.kind)
          const { reason, desc, about: cause } = fault
          const failed = fault.kind === 'unknown'
          if (isMessaging(operation)) send(reply, { ...failure(operation, code, desc, cause), detail: reason, failed })
          else send(reply, { ...failure(operation, code, reason, cause), failed })
        }
        const accept = (application: Application): void => {
          if (application.settings.frozen && isMessaging(operation)) {
            send(reply, failure(operation, 403, 'the application is frozen'))
            return
          }
          request.signed = { application, type: request.headers['content-type'] ?? '' }
          // The contract decides how a body is parsed, whatever Content-Type the client sends.
          request.raw.headers['content-type'] = 'application/octet-stream'
          const account = time?.ofApplication(request, application.uid)
          if (!account) return done()
          time!.pass(request, account, done, (seconds) => refuseForTime(reply, seconds))
        }
        const outcome = authentication.check(request.raw)
        if (isFault(outcome)) return refuse(outcome)
        if (!authentication.once || !outcome.settings.oneTimeCheckSum) return accept(outcome)
        authentication.once(outcome, request.raw).then((fault) => (fault ? refuse(fault) : accept(outcome)), done)
      },
      handler: spans ? tracedRequest(spans, asked) : asked,
    })
  }

  app.decorateRequest('signed', undefined)
  app.decorateRequest('begun', 0)
  app.decorateRequest('answered', undefined)
  for (const { operation, answer, stream, receive } of served) {
    if (receive) continue
    route(app, operation, async (request, reply) => {
      const caller = callerOf(request)
      const blocked = blocker(operation, caller)
      const refusal = blocked instanceof Promise ? await blocked : blocked
      if (refusal) return send(reply, refusal)
      const raw = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
      const body = operation.encoding === 'json' ? readJsonBody(raw) : readFormBody(raw)
      const hint = otherEncoding(operation, request.signed!.type)
      if (!body.ok) return send(reply, failure(operation, operation.invalid, body.reason + hint))
      const reading = readParameters(operation, body.value)
      if (!reading.ok) {
        const { code, reason } = reading.refusal
        return send(reply, failure(operation, code, reason + hint))
      }
      try {
        if (stream) return await openLineStream(reply, (sink) => stream(reading.value as never, caller, sink))
        const outgoing = checked(operation, request, await answer!(reading.value as never, caller))
        const change = changeOf(operation, reading.value)
        const about = { reqId: request.id, path: operation.path, remote: request.client.address }
        if (change) log.info({ ...about, ...change }, 'a signed call made a change')
        return send(reply, outgoing)
      } catch (error) {
        return send(reply, refused(operation, request, error))
      }
    })
  }
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
    for (const { operation, receive } of served) {
      if (!receive) continue
      route(scope, operation, async (request, reply) => {
        const caller = callerOf(request)
        const blocked = blocker(operation, caller)
        const refusal = blocked instanceof Promise ? await blocked : blocked
        if (refusal) return send(reply, refusal)
        const body = boundBody(request.raw, request.signed!.type)
        try {
          return send(reply, checked(operation, request, await receive(body, caller)))
        } catch (error) {
          if (!body.exceeded()) return send(reply, refused(operation, request, error))
          return send(reply.code(413), failure(operation, 413, 'the body is too large'))
        } finally {
          body.release()
        }
      })
    }
    done()
  })
}
