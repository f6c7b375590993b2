import type { Duplex } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A failure outside operations: the status is the code. */
export const plainFailure = (status: number, sentence: string): string =>
  JSON.stringify({ code: status, msg: sentence })

/** Path prefix of the messaging documents (behaviour.md#base-addresses). */
export const messagingPrefix = '/nimserver'
/** A failure outside operations in the form of the path's document: `desc` in messaging, `msg` elsewhere. */
const failureAt = (url: string | undefined, status: number, sentence: string): string =>
  url?.startsWith(`${messagingPrefix}/`)
    ? JSON.stringify({ code: status, desc: sentence })
    : plainFailure(status, sentence)

/** Content type of every failure. */
export const jsonType = 'application/json; charset=utf-8'

/** Answers a request with a failure outside operations. */
export const sendFailure = (
  reply: FastifyReply,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string | number>> = {},
): FastifyReply =>
  reply
    .code(status)
    .headers({ 'content-type': jsonType, ...headers })
    .send(failureAt(reply.request.url, status, sentence))

/** Refuses a request whose address or application has used its time, with Retry-After in seconds. */
export const refuseForTime = (reply: FastifyReply, seconds: number): void =>
  void sendFailure(reply, 429, 'requests of this address or application have taken more time than one may take', {
    'retry-after': seconds,
  })

/** Refuses an upgrade request with an HTTP failure. */
export function refuseUpgrade(socket: Duplex, status: string, sentence: string, ...headers: readonly string[]): void {
  const body = plainFailure(Number(status.slice(0, 3)), sentence)
  // The peer may be gone.
  socket.on('error', () => undefined)
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `content-type: ${jsonType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
    // Otherwise a peer that does not close would keep its place.
    () => socket.destroy(),
  )
}
