import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { rangeReply } from './range-reply.ts'

/** What is answered to a request for a whole of so many bytes: the part, status and headers. */
function answered(size: number, headers: Readonly<Record<string, string>> = {}) {
  const set: Record<string, unknown> = {}
  const reply = {
    status: 200,
    code(status: number) {
      reply.status = status
      return reply
    },
    header(name: string, value: unknown) {
      set[name] = value
      return reply
    },
  }
  const part = rangeReply({ headers } as unknown as FastifyRequest, reply as unknown as FastifyReply, size)
  return [part, reply.status, set]
}
const accepts = { 'accept-ranges': 'bytes' }

it('without a range the whole is answered with 200, and that ranges may be asked for', () => {
  expect(answered(10)).toEqual([{ from: 0, to: 9 }, 200, accepts])
  expect(answered(0)).toEqual([{ from: 0, to: -1 }, 200, accepts])
})

it.each([
  ['bytes=0-0', { from: 0, to: 0 }, 'bytes 0-0/10'],
  ['bytes=2-5', { from: 2, to: 5 }, 'bytes 2-5/10'],
  ['bytes=9-', { from: 9, to: 9 }, 'bytes 9-9/10'],
  ['bytes=5-100', { from: 5, to: 9 }, 'bytes 5-9/10'],
  ['bytes=-3', { from: 7, to: 9 }, 'bytes 7-9/10'],
  ['bytes=-100', { from: 0, to: 9 }, 'bytes 0-9/10'],
])('the range %s is answered with 206 and which part of the whole it is', (range, part, said) => {
  expect(answered(10, { range })).toEqual([part, 206, { ...accepts, 'content-range': said }])
})

it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])(
  'the range %s of 10 bytes is answered with 416 and the size',
  (range) => {
    expect(answered(10, { range })).toEqual([undefined, 416, { ...accepts, 'content-range': 'bytes */10' }])
  },
)

it.each(['bytes=0-1,3-4', 'bytes=5-2', 'lines=0-1', 'bytes=-'])(
  'what is no single range, as %s, gets the whole',
  (range) => {
    expect(answered(10, { range })).toEqual([{ from: 0, to: 9 }, 200, accepts])
  },
)

it('a range with a condition gets the whole, whatever the condition says', () => {
  for (const condition of ['"tag"', ''])
    expect(answered(10, { range: 'bytes=2-5', 'if-range': condition })).toEqual([{ from: 0, to: 9 }, 200, accepts])
})
