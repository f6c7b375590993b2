import type { Socket } from 'node:net'

const sentence = 'this port speaks HTTPS: begin the address with https://'
const body = JSON.stringify({ code: 400, msg: sentence })
const answer = [
  'HTTP/1.1 400 Bad Request',
  'content-type: application/json; charset=utf-8',
  `content-length: ${Buffer.byteLength(body)}`,
  'connection: close',
  '',
  body,
].join('\r\n')

/** Whether a TLS handshake failed since the peer speaks HTTP. */
export const isPlainHttp = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_SSL_HTTP_REQUEST'

/** Answers who speaks HTTP to a port of HTTPS, on the connection below TLS, and closes it. */
export function refusePlainHttp(socket: Socket): void {
  // Otherwise a peer that does not close would keep its place.
  socket.end(answer, () => socket.destroy())
}
