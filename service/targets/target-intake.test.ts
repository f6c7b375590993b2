import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { acknowledgementWindow } from '../media/rtmp-client.ts'
import { until } from '../testing/condition.ts'
import { createTargetIntake, measureEvery, stalledAfter } from './target-intake.ts'

let server: Server
let socket: Socket
let received = 0
beforeEach(async () => {
  received = 0
  server = createServer((far) => far.on('data', ({ length }) => (received += length))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  await once(socket, 'connect')
})
afterEach(() => {
  socket.destroy()
  server.close()
})

/** An intake of a server whose system takes everything. */
function taking() {
  const clock = manualClock()
  const intake = createTargetIntake(socket, clock)
  return {
    clock,
    intake,
    /** Sends so many bytes in the time of a measure, and measures. */
    async sends(bytes: number) {
      const before = received
      socket.write(Buffer.alloc(bytes))
      await until('it was taken', () => received === before + bytes)
      clock.advance(measureEvery)
      return intake.measure()
    },
  }
}
const second = 100_000
const untakenOf = async (measures: number, sends: () => Promise<{ untaken: number }>): Promise<number[]> => {
  const all: number[] = []
  for (let count = 0; count < measures; count++) all.push((await sends()).untaken)
  return all
}

describe('what a server takes', () => {
  it('is what the system takes, while it acknowledges nothing or an answer to commands', async () => {
    const { clock, intake, sends } = taking()
    intake.acknowledged(received)
    expect(await sends(2 * second)).toEqual({ kbps: 800, untaken: 0, isWaiting: false })
    expect(Math.max(...(await untakenOf(10, () => sends(2 * second))))).toBe(0)
    // The first measure of a push comes after more than the usual time.
    clock.advance(measureEvery)
    expect((await sends(4 * second)).kbps).toBe(800)
  })

  it('is nothing once it acknowledges no more, though the system takes all of it', async () => {
    const { intake, sends } = taking()
    const acknowledges = async () => {
      const measure = await sends(2 * second)
      intake.acknowledged(received)
      return measure
    }
    expect(Math.max(...(await untakenOf(5, acknowledges)))).toBeLessThan(stalledAfter)
    // Less than a step says nothing.
    expect(Math.max(...(await untakenOf(5, () => sends(acknowledgementWindow / 8))))).toBe(0)
    intake.acknowledged(received)
    const stopped = await untakenOf(4, () => sends(2 * second))
    expect(stopped.at(-1)).toBeGreaterThanOrEqual(stalledAfter)
    expect((await sends(2 * second)).kbps).toBe(0)
    intake.acknowledged(received)
    expect(await sends(2 * second)).toMatchObject({ untaken: 0, kbps: 800 })
  })

  it('is told by the steps of the server where it acknowledges seldom', async () => {
    const { intake, sends } = taking()
    for (let step = 0; step < 6; step++) {
      // 2.5 MB in 24 s.
      expect(Math.max(...(await untakenOf(12, () => sends(208_334))))).toBeLessThan(stalledAfter)
      intake.acknowledged(received)
    }
    const after = await untakenOf(16, () => sends(208_334))
    expect(after.at(-1)).toBeGreaterThanOrEqual(stalledAfter)
  })

  it('is what the system takes again, once that is more than systems hold', async () => {
    const { intake, sends } = taking()
    for (let step = 0; step < 3; step++) {
      await sends(second)
      intake.acknowledged(received)
    }
    for (let megabytes = 0; megabytes < 17; megabytes++) await sends(1024 * 1024)
    expect(Math.max(...(await untakenOf(5, () => sends(2 * second))))).toBe(0)
  })

  it('is never more than was sent, whatever a server acknowledges', () => {
    const clock = manualClock()
    const socket = { bytesWritten: 10_000_000, writableLength: 10_000_000 }
    const intake = createTargetIntake(socket, clock)
    const sentOf = (bytes: number): number => {
      socket.bytesWritten += bytes
      for (let times = 1; times <= 5; times++) intake.acknowledged((count += 16_000_000))
      clock.advance(measureEvery)
      return intake.measure().kbps
    }
    let count = 0
    expect(sentOf(1_000_000)).toBeLessThanOrEqual(4_000)
    expect(sentOf(0)).toBe(0)
  })

  it.each([
    ['one number again and again', () => 5_000_000],
    ['a byte more each time', (time: number) => time],
    ['two numbers by turns', (time: number) => (time % 2) * 1_000_000],
    ['far more than was sent', (time: number) => time * 16_000_000],
    ['less each time', (time: number) => 4_000_000_000 - time * 100_000],
  ])('is nothing of a server whose system is full, whatever it acknowledges: %s', (_name, numberOf) => {
    const clock = manualClock()
    const intake = createTargetIntake({ bytesWritten: 3_000_000, writableLength: 1_000_000 }, clock)
    let [time, untaken] = [0, 0]
    for (let measures = 0; measures < 6; measures++) {
      for (let times = 0; times < 5; times++) {
        clock.advance(measureEvery / 5)
        intake.acknowledged(numberOf(++time))
      }
      untaken = intake.measure().untaken
    }
    expect(untaken).toBeGreaterThanOrEqual(stalledAfter)
    expect(intake.measure().kbps).toBe(0)
  })

  it('is what the system takes where a server acknowledges one number again and again', async () => {
    const { intake, sends } = taking()
    const acknowledges = () => {
      for (let times = 0; times < 5; times++) intake.acknowledged(1_000_000)
      return sends(2 * second)
    }
    expect(Math.max(...(await untakenOf(10, acknowledges)))).toBe(0)
  })

  it('is what it acknowledges while the buffers of the system are full', () => {
    const clock = manualClock()
    const full = { bytesWritten: 50 * second, writableLength: 10 * second }
    const intake = createTargetIntake(full, clock)
    const acknowledges = (count: number) => {
      intake.acknowledged(count)
      clock.advance(measureEvery)
      return intake.measure()
    }
    for (const count of [1, 2]) acknowledges(count * second)
    expect(acknowledges(3 * second)).toEqual({ kbps: 400, untaken: measureEvery, isWaiting: true })
    // Its count begins anew.
    expect(acknowledges(0).kbps).toBe(0)
    expect(acknowledges(second).kbps).toBe(400)
  })
})
