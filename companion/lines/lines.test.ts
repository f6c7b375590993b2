import { EventEmitter, once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createInflow, createSeatInflows, inflowBurst } from './inflow.ts'
import { portLine, socketLine, type PortLike } from './lines.ts'

it('a line over a port passes texts both ways, tells anything else, and ends with either side', async () => {
  const { port1, port2 } = new MessageChannel()
  const line = portLine(port1 as unknown as PortLike)
  const heard: unknown[] = []
  const closed = new Promise<void>((resolve) => line.onClose(resolve))
  line.onMessage((text) => heard.push(text))
  const answered = once(port2, 'message')
  line.send('out')
  expect((await answered)[0]).toBe('out')
  for (const message of ['in', { data: 'of Electron' }, { data: 7 }, 8]) port2.postMessage(message)
  port2.postMessage('last')
  await expect.poll(() => heard.at(-1)).toBe('last')
  expect(heard).toEqual(['in', 'of Electron', undefined, undefined, 'last'])
  const ended = once(port2, 'close')
  line.close()
  await ended
  await closed
})

it('a line over a socket tells binary messages from texts, and closes with the code and backlog of the socket', () => {
  const calls: unknown[] = []
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 5,
    send: (text: string) => void calls.push(text),
    close: (code?: number) => void calls.push(code),
    terminate: () => undefined,
  })
  const line = socketLine(socket)
  const heard: unknown[] = []
  let ends = 0
  line.onMessage((text) => heard.push(text))
  line.onClose(() => ends++)
  socket.emit('message', Buffer.from('é'), false)
  socket.emit('message', Buffer.from('x'), true)
  socket.emit('message', [Buffer.from('x')], false)
  expect(heard).toEqual(['é', undefined, undefined])
  line.send('out')
  line.close(1008)
  expect(calls).toEqual(['out', 1008])
  expect(line.backlog()).toBe(5)
  socket.emit('close')
  socket.emit('error')
  expect(ends).toBe(2)
})

it('so many frames and characters are taken at once, and more with the time that passes, never above the burst', () => {
  const clock = manualClock()
  for (const [most, characters] of [
    [inflowBurst.frames, 1],
    [16, inflowBurst.characters / 16],
  ] as const) {
    const inflow = createInflow(clock)
    const taken = (): number => {
      for (let n = 0; n < 10_000; n++) if (!inflow.take(characters)) return n
      return Infinity
    }
    expect(inflow.isWhole()).toBe(true)
    expect(taken()).toBe(most)
    expect(inflow.isWhole()).toBe(false)
    clock.advance(3_600_000)
    expect(inflow.isWhole()).toBe(true)
    expect(taken()).toBe(most)
  }
})

it('what a seat has used counts on for its next connection, and not for other seats', () => {
  const clock = manualClock()
  const inflows = createSeatInflows(clock)
  for (let n = 0; n < inflowBurst.frames; n++) expect(inflows.take('mei', 1)).toBe(true)
  expect(inflows.take('rob', 1)).toBe(true)
  expect(inflows.take('mei', 1)).toBe(false)
  clock.advance(3_600_000)
  expect(inflows.take('kim', 1)).toBe(true)
  expect(inflows.take('mei', 1)).toBe(true)
})

it('each second gives 500 frames and 4 MiB more', () => {
  const clock = manualClock()
  const frames = createInflow(clock)
  for (let n = 0; n < inflowBurst.frames; n++) frames.take(0)
  clock.advance(1_000)
  for (let n = 0; n < 500; n++) expect(frames.take(0), String(n)).toBe(true)
  expect(frames.take(0)).toBe(false)
  const characters = createInflow(clock)
  characters.take(inflowBurst.characters)
  clock.advance(1_000)
  expect([characters.take(4 * 1024 * 1024), characters.take(1)]).toEqual([true, false])
})

it('a line over a port has no backlog that it could tell', () => {
  const { port1, port2 } = new MessageChannel()
  expect(portLine(port1 as unknown as PortLike).backlog()).toBe(0)
  port1.close()
  port2.close()
})
