import { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { plainFailure, refuseUpgrade } from './failures.ts'

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
