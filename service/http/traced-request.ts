import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Spans } from '../tracing/spans.ts'

/** What a call was answered. */
export interface Answered {
  readonly code: number
  /** By a fault of the service. */
  readonly failed: boolean
}

/** Follows the calls of an operation, once they are authenticated; a caller may name its own trace. */
export const tracedRequest =
  (spans: Spans, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): typeof handler =>
  (request, reply) => {
    const route = request.routeOptions.url ?? ''
    return spans.within(
      {
        name: `POST ${route}`,
        kind: 'server',
        attributes: {
          'http.request.method': 'POST',
          'http.route': route,
          'url.path': route,
          'url.scheme': request.client.scheme,
          'client.address': request.client.address,
          'sidestage.request.id': request.id,
          'sidestage.uid': request.signed?.application.uid,
        },
        headers: request.headers,
      },
      () => handler(request, reply),
      () => ({
        attributes: { 'http.response.status_code': reply.statusCode, 'sidestage.code': request.answered?.code },
        fault: request.answered?.failed ? String(request.answered.code) : undefined,
      }),
    )
  }
