import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseRange, type RangeChoice } from '../../platform/byte-range.ts'

/** What a request wants of a whole of `size` bytes. A range with If-Range is the whole. */
export const wantedOf = ({ headers }: FastifyRequest, size: number): RangeChoice =>
  chooseRange(headers['if-range'] === undefined ? headers.range : undefined, size)

/**
 * Sets status and headers of an answer by the range that is wanted (RFC 9110, 14): what is to be sent of a whole of `size` bytes, both ends included;
 * undefined where the wanted range does not exist, and the answer is 416 without a body. A range with If-Range is answered with the whole.
 */
export function rangeReply(
  request: FastifyRequest,
  reply: FastifyReply,
  size: number,
): { readonly from: number; readonly to: number } | undefined {
  reply.header('accept-ranges', 'bytes')
  const range = wantedOf(request, size)
  if (range === 'all') return { from: 0, to: size - 1 }
  if (range === 'unsatisfiable') {
    reply.code(416).header('content-range', `bytes */${size}`)
    return undefined
  }
  reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${size}`)
  return range
}
