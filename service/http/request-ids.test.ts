import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createClients } from './clients.ts'
import { createRequestIds } from './request-ids.ts'

type Request = Pick<IncomingMessage, 'headers' | 'socket'>
const from = (remoteAddress: string, id?: string): Request => ({
  headers: id === undefined ? {} : { 'x-request-id': id },
  socket: Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }),
})

it('ids of requests have the prefix of their process, and a count in base 36', () => {
  const next = createRequestIds((bytes) => Buffer.alloc(bytes, 0xab))
  const request = from('192.0.2.1')
  const ids = Array.from({ length: 37 }, () => next(request))
  expect(ids.slice(0, 2)).toEqual(['abababab-1', 'abababab-2'])
  expect(ids.at(-1)).toBe('abababab-11')
  expect(createRequestIds((bytes) => Buffer.alloc(bytes, 1))(request)).toBe('01010101-1')
})

it('the id of a trusted proxy is taken over, if it is short and plain, and nobody else gives one', () => {
  const next = createRequestIds((bytes) => Buffer.alloc(bytes, 0xab), createClients(['10.0.0.0/8']))
  expect(next(from('10.0.0.1', '7b4c-9:a.b_c/d+e='))).toBe('7b4c-9:a.b_c/d+e=')
  expect(next(from('::ffff:10.0.0.1', 'mapped'))).toBe('mapped')
  const own = [
    from('10.0.0.1', ''),
    from('10.0.0.1', 'x'.repeat(65)),
    from('10.0.0.1', 'two words'),
    from('10.0.0.1', '"quoted"'),
    from('10.0.0.1', 'line\nbreak'),
    from('192.0.2.1', 'stranger'),
    from('127.0.0.1', 'here'),
  ].map(next)
  expect(own).toEqual([1, 2, 3, 4, 5, 6, 7].map((count) => `abababab-${count}`))
})
