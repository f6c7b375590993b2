import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isCode, type Code } from '../../contract/errors.ts'
import type { Answer, Operation, Parameters } from '../../contract/operation.ts'
import { answerFault, readParameters } from '../../contract/validate.ts'
import type { Application } from '../applications.ts'
import type { Log } from '../log.ts'
import { isFault, type Authentication, type AuthenticationFault } from './authentication.ts'
import { readFormBody, readJsonBody } from './body.ts'
import { openLineStream, type LineSink } from './line-stream.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { Refused } from './refusal.ts'

/** Who calls. */
export interface Caller {
  readonly application: Application
  readonly address: string
}

/** Answers an operation; throws `Refused` for a code of its list. */
export type Handler<O extends Operation> = (parameters: Parameters<O>, caller: Caller) => Answer<O> | Promise<Answer<O>>
/** Begins the endless answer of a `stream` operation and returns its end. */
export type StreamHandler<O extends Operation> = (parameters: Parameters<O>, caller: Caller, sink: LineSink) => () => void

/** An operation with what serves it. */
export interface Served {
  readonly operation: Operation
  readonly answer?: (parameters: never, caller: Caller) => unknown
  readonly stream?: (parameters: never, caller: Caller, sink: LineSink) => () => void
}

/** Pairs an operation with its handler. */
export const serve = <O extends Operation>(operation: O, answer: Handler<O>): Served => ({ operation, answer })
/** Pairs a `stream` operation with its handler. */
export const serveStream = <O extends Operation>(operation: O, stream: StreamHandler<O>): Served => ({ operation, stream })

declare module 'fastify' {
  interface FastifyRequest {
    /** The application that signed, once that was checked. */
    caller: Application | undefined
  }
}

/** Prefix of a document's paths (decisions, Listeners): the messaging documents have a base URL of their own. */
export const pathPrefix = ({ document }: Operation): string => (document === 2 || document === 3 ? '/nimserver' : '')

const documentCodes: Record<AuthenticationFault['kind'], Code> = { noCheckSum: 613, noAppKey: 614, noCurTime: 615, failed: 409, repeated: 409 }

function authenticationCode({ codes, document }: Operation, kind: AuthenticationFault['kind']): Code {
  if (kind === 'repeated' && codes.includes(431)) return 431
  return document === 2 || document === 3 ? 414 : documentCodes[kind]
}

const failure = ({ document }: Operation, code: number, sentence: string): object =>
  document === 2 || document === 3 ? { code, desc: sentence } : { code, msg: sentence }

/** Registers operations on a listener: authentication, rates, parameters, handler, answer, in that order. */
export function dispatch(
  app: FastifyInstance,
  served: readonly Served[],
  {
    authentication,
    limiter,
    log,
    failing,
  }: {
    readonly authentication: Authentication<Application>
    readonly limiter: RateLimiter
    readonly log: Log
    /** The code that a call must fail with because somebody asked for it (`--faults`). */
    readonly failing?: ((uid: number, path: string) => Code | undefined) | undefined
  },
): void {
  const send = (reply: FastifyReply, body: object): FastifyReply => reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))

  const faulted = (operation: Operation, request: FastifyRequest, error: unknown): object => {
    log.error({ reqId: request.id, path: operation.path, err: error }, 'an operation failed')
    return failure(operation, operation.fault, `internal fault; log id ${request.id}`)
  }
  const refused = (operation: Operation, request: FastifyRequest, error: unknown): object => {
    if (!(error instanceof Refused) || !isCode(error.code) || !operation.codes.includes(error.code)) return faulted(operation, request, error)
    log.debug({ reqId: request.id, path: operation.path, code: error.code }, error.message)
    return failure(operation, error.code, error.message)
  }

  app.decorateRequest('caller', undefined)
  for (const { operation, answer, stream } of served) {
    app.route({
      method: 'POST',
      url: pathPrefix(operation) + operation.path,
      exposeHeadRoute: false,
      preValidation(request, reply, done) {
        const outcome = authentication.check(request.raw)
        if (isFault(outcome)) {
          log.info({ reqId: request.id, path: operation.path, remote: request.ip }, outcome.reason)
          send(reply, failure(operation, authenticationCode(operation, outcome.kind), outcome.reason))
          return
        }
        request.caller = outcome
        done()
      },
      async handler(request, reply) {
        const application = request.caller!
        const caller: Caller = { application, address: request.ip }
        const broken = operation.rates && limiter.take(operation.path, operation.rates, { application: application.uid, address: caller.address })
        if (broken) return send(reply, failure(operation, broken.code, `more than ${broken.calls} calls in ${broken.seconds} s`))
        const asked = failing?.(application.uid, operation.path)
        if (asked !== undefined) return send(reply, failure(operation, asked, 'a failure that was asked for'))
        const raw = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
        const body = operation.encoding === 'form' ? readFormBody(raw) : readJsonBody(raw)
        if (!body.ok) return send(reply, failure(operation, operation.invalid, body.reason))
        const reading = readParameters(operation, body.value)
        if (!reading.ok) return send(reply, failure(operation, reading.refusal.code, reading.refusal.reason))
        try {
          if (stream) return openLineStream(reply, (sink) => stream(reading.value as never, caller, sink))
          const result = { code: 200, ...((await answer!(reading.value as never, caller)) as object) }
          const wrong = answerFault(operation, result)
          return send(reply, wrong === undefined ? result : faulted(operation, request, new Error(wrong)))
        } catch (error) {
          return send(reply, refused(operation, request, error))
        }
      },
    })
  }
}
