import { EventEmitter } from 'node:events'
import type http from 'node:http'
import { expect, it } from 'vitest'
import { createBodyBudget, type HeldBody } from './body-budget.ts'

class PlayedRequest extends EventEmitter {
  readonly headers: http.IncomingHttpHeaders
  constructor(announced?: number) {
    super()
    this.headers = announced === undefined ? {} : { 'content-length': String(announced) }
  }
}
const far = '192.0.2.1'
function stage(limits = { all: 100, perAddress: 50 }) {
  const budget = createBodyBudget(limits)
  const send = (group: string, { announced, most = 40 }: { announced?: number; most?: number } = {}) => {
    const request = new PlayedRequest(announced)
    const response = new EventEmitter()
    const came: HeldBody[] = []
    budget.collect(
      request as unknown as http.IncomingMessage,
      response as unknown as http.ServerResponse,
      { group, most },
      (body) => came.push(body),
    )
    return {
      request,
      came,
      say: (bytes: number | string) =>
        request.emit('data', Buffer.from(typeof bytes === 'string' ? bytes : 'x'.repeat(bytes))),
      end: () => request.emit('end'),
      close: () => response.emit('close'),
    }
  }
  return { budget, send }
}

it('gives a body once it is whole, of one part or of many, and holds its bytes until the answer is out', () => {
  const { budget, send } = stage()
  const one = send(far)
  one.say('abc')
  expect([one.came, budget.held]).toEqual([[], 3])
  one.end()
  expect([one.came.map(String), budget.held]).toEqual([['abc'], 3])
  one.close()
  expect([one.came.length, budget.held]).toEqual([1, 0])
  const many = send(far)
  for (const part of ['a', 'bc', 'd']) many.say(part)
  many.end()
  expect(many.came.map(String)).toEqual(['abcd'])
  const empty = send(far)
  empty.end()
  expect(empty.came.map(String)).toEqual([''])
})

it('takes a body of its bound, and says of a longer one so at once, announced or not', () => {
  const { budget, send } = stage()
  const fits = send(far, { announced: 40 })
  fits.say(40)
  fits.end()
  expect(fits.came.map((body) => body.length)).toEqual([40])
  fits.close()
  expect(send(far, { announced: 41 }).came).toEqual(['long'])
  const grows = send(far)
  grows.say(40)
  grows.say(1)
  expect([grows.came, budget.held]).toEqual([['long'], 0])
  // Nothing of it is heard any more.
  grows.say(1)
  grows.end()
  grows.close()
  expect([grows.came, budget.held]).toEqual([['long'], 0])
})

it('holds for one address so many bytes and no more, and those of another beside them', () => {
  const { budget, send } = stage()
  send(far).say(40)
  const more = send(far)
  more.say(10)
  expect(more.came).toEqual([])
  more.say(1)
  expect([more.came, budget.held]).toEqual([['budget'], 40])
  const other = send('192.0.2.2')
  other.say(40)
  expect([other.came, budget.held]).toEqual([[], 80])
})

it('holds so many bytes in all, of this computer by no other bound', () => {
  const { budget, send } = stage()
  for (let count = 0; count < 2; count++) send('127.0.0.1').say(40)
  const last = send('127.0.0.1')
  last.say(20)
  expect([last.came, budget.held]).toEqual([[], 100])
  const beyond = send(far)
  beyond.say(1)
  expect([beyond.came, budget.held]).toEqual([['budget'], 100])
  last.close()
  const again = send(far)
  again.say(20)
  expect([again.came, budget.held]).toEqual([[], 100])
})

it('says that a sender has gone, by the connection or by an error, and holds nothing of it', () => {
  const { budget, send } = stage()
  const closed = send(far)
  closed.say(10)
  closed.close()
  expect([closed.came, budget.held]).toEqual([['gone'], 0])
  const failed = send(far)
  failed.say(10)
  failed.request.emit('error', new Error('reset'))
  failed.close()
  expect([failed.came, budget.held]).toEqual([['gone'], 0])
})
