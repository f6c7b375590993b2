import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { boundBody } from './incoming-body.ts'

const request = (announced?: string): IncomingMessage => {
  const message = new IncomingMessage(new Socket())
  if (announced !== undefined) message.headers['content-length'] = announced
  return message
}
/** Ends the request as the parser does. */
const end = (message: IncomingMessage): void => {
  message.complete = true
  message.push(null)
}

it('a body comes with its type, up to its limit', async () => {
  const message = request('5')
  const body = boundBody(message, 'text/plain', 5)
  message.push('hel')
  message.push('lo')
  end(message)
  expect(body.type).toBe('text/plain')
  expect((await buffer(body.stream)).toString()).toBe('hello')
  expect(body.exceeded()).toBe(false)
})

it('a body that is announced longer fails before it is read', async () => {
  const body = boundBody(request('6'), '', 5)
  expect(body.exceeded()).toBe(true)
  await expect(buffer(body.stream)).rejects.toThrow('the body has more than 5 bytes')
})

it('a body that is longer than its limit fails when it is', async () => {
  const message = request()
  const body = boundBody(message, '', 5)
  expect(body.exceeded()).toBe(false)
  message.push('hello!')
  end(message)
  await expect(buffer(body.stream)).rejects.toThrow('the body has more than 5 bytes')
  expect(body.exceeded()).toBe(true)
})

it('a body fails when its caller goes, and is then not too long', async () => {
  const message = request('5')
  const body = boundBody(message, '', 5)
  message.push('he')
  const read = buffer(body.stream)
  message.destroy()
  await expect(read).rejects.toThrow('the caller is gone')
  expect(body.exceeded()).toBe(false)
})

it('a body that is released is read to its end, and nobody gets it', async () => {
  const message = request('5')
  const body = boundBody(message, '', 5)
  body.release()
  expect(body.stream.destroyed).toBe(true)
  const ended = new Promise<void>((resolve) => message.once('end', resolve))
  message.push('hello')
  end(message)
  await ended
})
