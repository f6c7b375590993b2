import type { FastifyRequest } from 'fastify'
import type { AskingPage } from '../access/watch-entry.ts'

/** Longest list of the pages around one, in characters. */
const maxAround = 2_048

type Asked = Pick<FastifyRequest, 'query'>

/** Whether the page of a request is in a frame. Said by the page: not every browser tells it. */
export const isFramed = ({ query }: Asked): boolean => (query as { readonly framed?: unknown }).framed === '1'

/** What the page of a request says of itself. */
export function pageOf(request: Asked): AskingPage {
  const { around, show } = request.query as { readonly around?: unknown; readonly show?: unknown }
  const told = typeof around === 'string' && around.length <= maxAround ? around.split(' ') : undefined
  return { isFramed: isFramed(request), around: told, isChat: show === 'chat' }
}
