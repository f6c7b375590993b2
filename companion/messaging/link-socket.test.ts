import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { linkLimits } from '../../contract/link/frames.ts'
import { until } from '../testing/rig.ts'
import { openLinkSocket } from './link-socket.ts'

let server: WebSocketServer
let said: (string | number)[]
const events = {
  opened: () => void said.push('opened'),
  text: (text: string) => void said.push(text.length > 100 ? text.length : text),
  closed: (code: number) => void said.push(code),
}
const url = (): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`
beforeEach(async () => {
  said = []
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: true })
  await once(server, 'listening')
})
afterEach(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})
const open = async () => {
  const came = once(server, 'connection')
  const socket = openLinkSocket(url(), events)
  const [far] = (await came) as [WebSocket]
  await until('the open socket', () => said.length > 0)
  return { socket, far }
}

it('passes texts both ways, tells that it is open and how it ended, and leaves bytes out', async () => {
  const { socket, far } = await open()
  const heard = once(far, 'message')
  socket.send('out')
  expect(String((await heard)[0])).toBe('out')
  far.send(Buffer.from('bytes'))
  far.send('录像')
  await until('the text', () => said.length === 2)
  expect(said).toEqual(['opened', '录像'])
  far.close(4403)
  await until('the end', () => said.length === 3)
  expect(said).toEqual(['opened', '录像', 4403])
  // What is sent after that is lost without a fault.
  socket.send('late')
})

it('closes when it is told to, and asks for no compression', async () => {
  const { socket, far } = await open()
  expect(far.extensions).toBe('')
  const gone = once(far, 'close')
  socket.send('before')
  socket.close()
  await gone
  await until('the end', () => said.length === 2)
})

it('tells once that it is closed where nobody listens', async () => {
  const nowhere = url()
  server.close()
  await once(server, 'close')
  const socket = openLinkSocket(nowhere, events)
  socket.send('not open')
  await until('the end', () => said.length > 0)
  expect(said).toEqual([1006])
})

it('takes a text as long as a part of the stream may be, and ends with a longer one', async () => {
  const { far } = await open()
  const most = linkLimits.page * linkLimits.frame
  far.on('error', () => undefined)
  far.send('x'.repeat(most))
  await until('the text', () => said.length === 2)
  far.send('x'.repeat(most + 1))
  await until('the end', () => said.length === 3)
  expect(said).toEqual(['opened', most, 1006])
})
