import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFailure } from './failures.ts'

/** The node to which a request was led, in the query of the address. */
const led = 'led'

/**
 * Leads to an address of another node by a 302, with the query of the request; `more` adds to it or, undefined, takes
 * away. A request that was led to that node before, and came here, is answered 503: its proxy does not reach that node,
 * and would bring it here again and again.
 */
export function leadToNode(
  request: FastifyRequest,
  reply: FastifyReply,
  to: { readonly node: string; readonly address: string },
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string | undefined>> = {},
): FastifyReply {
  const { url } = request.raw
  const at = url?.indexOf('?') ?? -1
  const query = new URLSearchParams(at < 0 ? '' : url!.slice(at + 1))
  if (query.get(led) === to.node)
    return sendFailure(reply, 503, 'the computer of the service that has this cannot be reached now', {
      'cache-control': 'no-store',
      'retry-after': 1,
    })
  for (const [name, value] of Object.entries({ ...more, [led]: to.node }))
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  return reply
    .code(302)
    .headers({ location: `${to.address}?${query.toString()}`, 'referrer-policy': 'no-referrer', ...headers })
    .send('')
}
