import { createServer, connect, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/condition.ts'
import type { ReaderOutput } from '../hub/reader-queue-output.ts'
import { createTarget, type TargetProgress } from './target.ts'
import type { connectTarget } from './target-connection.ts'
import { measureEvery } from './target-intake.ts'

type Events = Parameters<typeof connectTarget>[3]

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
  server = undefined
})

/** A target whose connection, and what passes over it, is the test's. */
function started(chance = 0.5) {
  const { monotonic, ...rest } = manualClock()
  let readings = 0
  // Fractions as the system's clock has them, each another.
  const clock = { ...rest, monotonic: () => monotonic() + ++readings / 1024 }
  let events: Events | undefined
  let output: ReaderOutput | undefined
  const told: TargetProgress[] = []
  const target = createTarget({
    settings: { url: 'rtmp://a.example/app', start: 'push' },
    key: () => 'key',
    join: (_streamId, joined) => {
      output = joined
      return () => undefined
    },
    connect: (_address, _key, given) => {
      events = given
      return { close: () => undefined }
    },
    clock,
    chance: () => chance,
    changed: (progress) => void told.push(progress),
  })
  target.onAir()
  return { clock, target, told, events: () => events!, output: () => output! }
}

/** A connection of a server that reads only when it is told to. */
async function pausedServer(): Promise<{ readonly socket: Socket; readonly far: Socket }> {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const accepted = once(server, 'connection')
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  const [far] = (await accepted) as [Socket]
  far.pause()
  sockets.push(socket, far)
  return { socket, far }
}

it('has its bitrate measured when it becomes one that sends', async () => {
  const { clock, target, events, output } = started()
  const { socket, far } = await pausedServer()
  far.resume()
  events().publishing(socket, 1)
  expect(target.progress()).toMatchObject({ state: 'connecting', kbps: 0 })
  output().sink.write(Buffer.alloc(250_000))
  await until('the system has it', () => (socket.writableLength === 0 ? true : undefined))
  clock.advance(measureEvery)
  target.measure()
  clock.advance(1_000)
  expect(target.progress()).toMatchObject({ state: 'sending', kbps: 1_000 })
})

it('that takes nothing while media waits has stalled, and sends again once it takes', async () => {
  const { clock, target, events, output } = started()
  const { socket, far } = await pausedServer()
  events().publishing(socket, 1)
  output().sink.write(Buffer.alloc(1))
  await until('the system has it', () => (socket.writableLength === 0 ? true : undefined))
  clock.advance(3_000)
  expect(target.progress().state).toBe('sending')
  const measured = (): TargetProgress => {
    clock.advance(measureEvery)
    target.measure()
    return target.progress()
  }
  // Without more media nothing can be taken.
  for (let times = 0; times < 4; times++) expect(measured().state).toBe('sending')
  output().sink.write(Buffer.alloc(64 * 1024 * 1024))
  const stalled = await until('it has stalled', () => {
    const now = measured()
    return now.state === 'stalled' ? now : undefined
  })
  expect(stalled).toMatchObject({ kbps: 0, dropped: 0 })
  expect(clock.now() - stalled.since).toBeGreaterThanOrEqual(3_000)
  expect(Number.isInteger(stalled.since)).toBe(true)
  expect(measured()).toMatchObject({ state: 'stalled', since: stalled.since })

  far.resume()
  await until('all is taken', () => socket.writableLength === 0)
  // What is left out until the next key frame is of the time before.
  output().dropped!({ kind: 'video', timestamp: 0, body: Buffer.alloc(9) } as never)
  expect(measured()).toMatchObject({ state: 'sending', dropped: 1 })
})

it('that fails says since when, over all its tries, which come at most 30 s apart', () => {
  const { clock, target, events } = started(1)
  const began = clock.now()
  let longest = 0
  for (let tries = 1; tries <= 8; tries++) {
    events().ended('closed')
    const { state, since, nextTry } = target.progress()
    expect([state, since]).toEqual(['retrying', began])
    longest = Math.max(longest, nextTry! - clock.now())
    clock.advance(nextTry! - clock.now())
    expect(target.progress()).toMatchObject({ state: 'connecting', since: began, tries: tries + 1 })
  }
  expect(longest).toBe(30_000)
})

it('counts a connection after a lost one as a reconnect, and one after a start by hand as none', async () => {
  const { clock, target, events, output } = started()
  const { socket } = await pausedServer()
  const sends = (): void => {
    events().publishing(socket, 1)
    output().sink.write(Buffer.alloc(1))
    clock.advance(3_000)
    expect(target.progress().state).toBe('sending')
  }
  sends()
  target.stop()
  target.start()
  sends()
  expect(target.progress()).toMatchObject({ reconnects: 0 })
  events().ended('closed')
  clock.advance(target.progress().nextTry! - clock.now())
  sends()
  expect(target.progress()).toMatchObject({ reconnects: 1 })
  // Pressed while it sends.
  target.start()
  events().ended('closed')
  clock.advance(target.progress().nextTry! - clock.now())
  sends()
  expect(target.progress()).toMatchObject({ reconnects: 2 })
})

it('waits while there is nothing to send, and sends from the first media on', async () => {
  const { clock, target, told, events, output } = started()
  const { socket, far } = await pausedServer()
  far.resume()
  events().publishing(socket, 1)
  clock.advance(3_000)
  const waiting = { state: 'waiting', since: clock.now(), kbps: 0, tries: 0 }
  expect(target.progress()).toMatchObject(waiting)
  for (let times = 0; times < 4; times++) {
    clock.advance(measureEvery)
    target.measure()
    expect(target.progress()).toMatchObject(waiting)
  }
  // Pressed while it waits: its connection stays.
  target.start()
  expect(target.progress()).toMatchObject(waiting)
  output().sink.write(Buffer.alloc(250_000))
  expect(told.at(-1)).toMatchObject({ state: 'sending', since: clock.now() })
  output().sink.write(Buffer.alloc(250_000))
  expect(told.filter(({ state }) => state === 'sending')).toHaveLength(1)
  events().ended('closed')
  clock.advance(target.progress().nextTry! - clock.now())
  events().publishing(socket, 1)
  clock.advance(3_000)
  expect(target.progress()).toMatchObject({ state: 'waiting', reconnects: 1 })
})
