import { Duplex } from 'node:stream'
import fastify, { type FastifyReply } from 'fastify'
import { expect, it } from 'vitest'
import { plainFailure, refuseForTime, refuseUpgrade, sendFailure } from './failures.ts'

it('an upgrade is refused with status, headers and a JSON body of that length', async () => {
  const written: Buffer[] = []
  const socket = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      written.push(bytes)
      done()
    },
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  refuseUpgrade(socket, '503 Service Unavailable', 'zu viele für heute', 'retry-after: 1')
  await closed
  const body = plainFailure(503, 'zu viele für heute')
  expect(JSON.parse(body)).toEqual({ code: 503, msg: 'zu viele für heute' })
  expect(Buffer.concat(written).toString().split('\r\n')).toEqual([
    'HTTP/1.1 503 Service Unavailable',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    'retry-after: 1',
    '',
    body,
  ])
  expect(socket.destroyed).toBe(true)
})

/** What a request for a path is answered by a service that refuses all of them. */
async function refusal(url: string, refuse: (reply: FastifyReply) => void) {
  const app = fastify()
  app.get('/*', (_request, reply) => refuse(reply))
  const { statusCode, headers, body } = await app.inject({ method: 'GET', url })
  await app.close()
  return { status: statusCode, headers, body: JSON.parse(body) as unknown }
}

it.each([
  ['/nimserver/user/create.action', { code: 418, desc: 'no' }],
  ['/nimserver/', { code: 418, desc: 'no' }],
  ['/nimserver', { code: 418, msg: 'no' }],
  ['/nimserverx/user', { code: 418, msg: 'no' }],
  ['/app/nimserver/', { code: 418, msg: 'no' }],
])('a failure at %s is said with desc in messaging and msg elsewhere', async (url, body) => {
  const answer = await refusal(url, (reply) => void sendFailure(reply, 418, 'no', { 'x-more': 7 }))
  expect(answer).toMatchObject({
    status: 418,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-more': '7' },
  })
  expect(answer.body).toEqual(body)
})

it('who has used the time is answered 429 with the seconds to wait', async () => {
  const answer = await refusal('/app/x', (reply) => refuseForTime(reply, 3))
  expect([answer.status, answer.headers['retry-after'], answer.body]).toEqual([
    429,
    '3',
    { code: 429, msg: 'requests of this address or application have taken more time than one may take' },
  ])
})

it('an upgrade whose peer breaks off while it is refused does no harm', async () => {
  const socket = new Duplex({
    read: () => undefined,
    write: (_bytes, _encoding, done) => done(new Error('ECONNRESET')),
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  refuseUpgrade(socket, '403 Forbidden', 'no')
  await closed
  expect(socket.destroyed).toBe(true)
})
