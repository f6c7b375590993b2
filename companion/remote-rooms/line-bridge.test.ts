import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { backlogPause, maxBacklog, maxMessage, refused } from '../lines/connection.ts'
import { bridgeLines } from './line-bridge.ts'

/** A host's socket that a test plays. */
class PlayedSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  isPaused = true
  isTerminated = false
  pings = 0
  readonly sent: string[] = []
  send(text: string): void {
    this.sent.push(text)
  }
  ping(): void {
    this.pings++
  }
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
  terminate(): void {
    this.isTerminated = true
  }
  say(text: string): void {
    this.emit('message', Buffer.from(text), false)
  }
}
/** A bridge between a page and a host, whose line is opened when a test says so. */
function stage() {
  const clock = manualClock()
  const host = new PlayedSocket()
  const opening = Promise.withResolvers<WebSocket>()
  const heard: string[] = []
  const closed: (number | undefined)[] = []
  const on = { backlog: 0 }
  let hear = (_text: string | undefined): void => undefined
  let close = (): void => undefined
  const bridge = bridgeLines(
    {
      send: (text) => void heard.push(text),
      onMessage: (listener) => (hear = listener),
      onClose: (listener) => (close = listener),
      backlog: () => on.backlog,
      close: (code) => void closed.push(code),
    },
    () => opening.promise,
    clock,
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    clock,
    host,
    heard,
    closed,
    on,
    bridge,
    say: (text: string | undefined) => hear(text),
    closePage: () => close(),
    settle,
    open: async () => {
      opening.resolve(host as unknown as WebSocket)
      await settle()
    },
    fail: async () => {
      opening.reject(new Error('away'))
      await settle()
    },
  }
}

describe('a bridge between a page and a host', () => {
  it('sends what the page said before it was open first, in its order, and then each frame at once', async () => {
    const { open, say, host, heard } = stage()
    say('one')
    say('two')
    expect(host.sent).toEqual([])
    await open()
    say('three')
    expect(host.sent).toEqual(['one', 'two', 'three'])
    expect(host.isPaused).toBe(false)
    host.say('answer')
    expect(heard).toEqual(['answer'])
  })

  it('closes the page when the host cannot be reached, has closed meanwhile, or closes', async () => {
    const away = stage()
    await away.fail()
    expect(away.closed).toEqual([undefined])
    const short = stage()
    short.host.readyState = 3
    await short.open()
    expect([short.closed.length, short.host.isTerminated]).toEqual([1, true])
    const one = stage()
    await one.open()
    one.host.emit('close')
    expect(one.closed).toEqual([undefined])
    one.host.say('late')
    expect(one.heard).toEqual([])
  })

  it('ends the line of the host with the page, also when the page closed before it was open', async () => {
    const one = stage()
    await one.open()
    one.closePage()
    expect([one.host.isTerminated, one.clock.waiting()]).toEqual([true, 0])
    const early = stage()
    early.bridge.end()
    await early.open()
    expect([early.host.isTerminated, early.host.sent, early.closed.length]).toEqual([true, [], 1])
    early.bridge.end()
    expect(early.closed).toHaveLength(1)
  })

  it('holds 64 frames and four of the longest before it is open, and ends the line beyond', () => {
    const many = stage()
    for (let frame = 0; frame < 64; frame++) many.say('x')
    expect(many.closed).toEqual([])
    many.say('x')
    expect(many.closed).toEqual([undefined])
    const long = stage()
    for (let frame = 0; frame < 4; frame++) long.say('x'.repeat(maxMessage))
    expect(long.closed).toEqual([])
    long.say('x')
    expect(long.closed).toHaveLength(1)
  })

  it('refuses a frame of the page that is no text or too long', async () => {
    for (const frame of [undefined, 'x'.repeat(maxMessage + 1)]) {
      const { open, say, closed, host } = stage()
      await open()
      say('x'.repeat(maxMessage))
      expect(host.sent).toHaveLength(1)
      say(frame)
      expect([closed, host.sent.length, host.isTerminated]).toEqual([[refused], 1, true])
      say('x')
      expect(host.sent).toHaveLength(1)
    }
  })

  it('ends the line of a host that takes nothing', async () => {
    const { open, say, closed, host } = stage()
    await open()
    host.bufferedAmount = maxBacklog
    say('x')
    expect(closed).toEqual([])
    host.bufferedAmount = maxBacklog + 1
    say('x')
    expect([closed, host.sent.length]).toEqual([[undefined], 1])
  })

  it('ends the line of a host that sends what is no text', async () => {
    const { open, closed, heard, host } = stage()
    await open()
    host.emit('message', Buffer.from('binary'), true)
    expect([closed.length, heard]).toEqual([1, []])
  })

  it('reads nothing of the host while its page takes nothing, and goes on when it does', async () => {
    const { open, host, on, clock } = stage()
    await open()
    on.backlog = backlogPause
    host.say('one')
    expect(host.isPaused).toBe(false)
    on.backlog = backlogPause + 1
    host.say('two')
    expect(host.isPaused).toBe(true)
    clock.advance(500)
    expect(host.isPaused).toBe(true)
    on.backlog = backlogPause
    clock.advance(50)
    expect(host.isPaused).toBe(false)
  })

  it('reads 2,000 frames and 16 MiB of the host at once, and 500 and 4 MiB more with each second', async () => {
    const { open, host, clock } = stage()
    await open()
    for (let frame = 0; frame < 1_999; frame++) host.say('x')
    expect(host.isPaused).toBe(false)
    host.say('x')
    expect(host.isPaused).toBe(true)
    clock.advance(1_000)
    expect(host.isPaused).toBe(false)
    for (let frame = 0; frame < 499; frame++) host.say('x')
    expect(host.isPaused).toBe(false)
    host.say('x')
    expect(host.isPaused).toBe(true)
    const large = stage()
    await large.open()
    const mebibyte = 'x'.repeat(1024 * 1024)
    for (let frame = 0; frame < 15; frame++) large.host.say(mebibyte)
    expect(large.host.isPaused).toBe(false)
    large.host.say(mebibyte)
    expect(large.host.isPaused).toBe(true)
  })

  it('asks a silent host every 10 s for a sign of life, and ends its line without one', async () => {
    const { open, host, clock, closed } = stage()
    await open()
    for (const sign of [() => host.emit('pong'), () => host.say('x')]) {
      clock.advance(10_000)
      sign()
    }
    expect([host.pings, closed]).toEqual([2, []])
    clock.advance(10_000)
    expect([host.pings, closed]).toEqual([3, []])
    clock.advance(9_999)
    expect(closed).toEqual([])
    clock.advance(1)
    expect(closed).toEqual([undefined])
  })

  it('does not take a host that is not read for dead', async () => {
    const { open, host, on, clock, closed } = stage()
    await open()
    on.backlog = backlogPause + 1
    host.say('x')
    clock.advance(60_000)
    expect([host.isPaused, closed]).toEqual([true, []])
  })
})
