import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { failureOf, until } from '../testing/rig.ts'
import { maxSeatCalls } from '../lines/connection.ts'
import type { RouterPorts } from './ports.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { createSeatReads, seatReadRate, maxSeatReads } from './seat-reads.ts'
import { createRpcServer } from './server.ts'

const profileId = 'local'
const roomid = 7
const patience = 10_000

/** A server over a service that answers a read when it is let. */
function gated() {
  /** What reached the service and was not answered, in its order. */
  const asked: { readonly path: string; readonly answer: () => void }[] = []
  let reached = 0
  const call = ({ path }: { readonly path: string }): Promise<unknown> =>
    new Promise((resolve) => {
      reached++
      asked.push({ path, answer: () => resolve({ ret: { list: [], more: false } }) })
    })
  const server = createRpcServer({
    clock: manualClock(),
    log: () => undefined,
    heard: () => undefined,
    tryDisk: () => undefined,
    client: () => Promise.resolve({ call }),
    rooms: { note: () => 'a note', mustModerateToRead: () => Promise.resolve() },
  } as unknown as RouterPorts)
  const page = (id?: string) => {
    const seat = {
      id,
      profileId,
      roomid,
      accid: id,
      name: id,
      ready: Promise.resolve(),
      cid: () => null,
    } as unknown as ConnectedSeat
    const answers: string[] = []
    let hear = (_text: string): void => undefined
    let count = 0
    const line = server.attach(
      {
        send: (text) => void answers.push(text),
        onMessage: (listener) => (hear = listener),
        onClose: () => undefined,
        backlog: () => 0,
        close: () => undefined,
      },
      id === undefined ? undefined : seat,
    )
    const say = (path: string, json: object): void =>
      hear(JSON.stringify({ i: String(++count), p: { u: `/${path}`, b: { json } } }))
    const read = (times = 1, operation = 'local/blacklisted'): void => {
      for (let done = 0; done < times; done++) say(`operations/${operation}`, { profileId, call: { roomid } })
    }
    /** Resolves when the server has read everything that came before, also from other pages. */
    const heard = async (): Promise<void> => {
      const before = answers.length
      say('rooms/note', { profileId, accid: 'x' })
      await until('an answer', () => answers.length > before, patience)
    }
    /** As many as a seat may have under way, and one more, which is refused when those before have come. */
    const flood = async (): Promise<void> => {
      read(maxSeatCalls + 1)
      await until('a refusal', () => answers.length > 0, patience)
      expect(answers).toHaveLength(1)
      expect(answers[0]).toContain('"code":416')
    }
    return { answers, read, heard, flood, end: () => line.end() }
  }
  return { page, asked, reached: () => reached }
}

it('of the reads that seats have under way only a few reach the service, and those of the host go by at once', async () => {
  const { page, asked } = gated()
  const host = page()
  const [mei, rob, kim] = [page('mei'), page('rob'), page('kim')]
  await mei.flood()
  expect(asked).toHaveLength(maxSeatReads.ofSeat)
  await rob.flood()
  await kim.flood()
  expect(asked).toHaveLength(maxSeatReads.ofAll)
  host.read()
  await until('the read of the host', () => asked.length > maxSeatReads.ofAll, patience)
  asked.pop()!.answer()
  await until('its answer', () => host.answers.length === 1, patience)
  // Every read is answered in the end.
  for (const seat of [mei, rob, kim])
    await until(
      'the answers',
      () => {
        expect(asked.length).toBeLessThanOrEqual(maxSeatReads.ofAll)
        asked.shift()?.answer()
        return seat.answers.length === maxSeatCalls + 1
      },
      patience,
    )
})

it('a seat that comes last waits behind no more than one read of each that came before', async () => {
  const { page, asked } = gated()
  const host = page()
  await page('mei').flood()
  await page('rob').flood()
  page('kim').read(1, 'local/muted')
  await host.heard()
  for (let answered = 0; answered < 2; answered++) {
    asked.shift()!.answer()
    await host.heard()
  }
  expect(asked.filter(({ path }) => path.endsWith('/muted'))).toHaveLength(1)
})

it('what a seat has waiting is never asked when its page ends, and holds no place', async () => {
  const { page, asked, reached } = gated()
  const host = page()
  const mei = page('mei')
  await mei.flood()
  mei.end()
  for (const { answer } of asked.splice(0)) answer()
  await host.heard()
  await host.heard()
  expect(reached()).toBe(maxSeatReads.ofSeat)
  const again = page('mei')
  await again.flood()
  expect(reached()).toBe(2 * maxSeatReads.ofSeat)
})

it('a seat reads so many times and so much at once, and more with time', async () => {
  const clock = manualClock()
  const reads = createSeatReads(clock)
  const { signal } = new AbortController()
  const times = async (seat: string, size: number): Promise<number> => {
    for (let done = 0; done < 5_000; done++)
      try {
        await reads.read(
          seat,
          signal,
          () => Promise.resolve(),
          () => size,
        )
      } catch (error) {
        expect(await failureOf(Promise.reject(error as Error))).toMatchObject({ kind: 'code', code: 416 })
        return done
      }
    return Infinity
  }
  const { calls, characters } = seatReadRate
  expect(await times('mei', 0)).toBe(calls.atOnce)
  expect(await times('rob', 1_048_576)).toBe(characters.atOnce / 1_048_576)
  clock.advance(10_000)
  expect(await times('mei', 0)).toBe(10 * calls.perSecond)
  expect(await times('rob', 1_048_576)).toBe((10 * characters.perSecond) / 1_048_576)
})

it('a read gives its answer or its failure back, and its place in both cases', async () => {
  const reads = createSeatReads(manualClock())
  const { signal } = new AbortController()
  const read = (work: () => Promise<string>) => reads.read('mei', signal, work, (answer) => answer.length)
  for (let times = 0; times < maxSeatReads.ofAll + 1; times++) {
    expect(await read(() => Promise.resolve('answer'))).toBe('answer')
    await expect(read(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  }
})

it('a read of a page that is gone is refused and not made, whether it comes late or waits', async () => {
  const reads = createSeatReads(manualClock())
  const gone = new AbortController()
  const stays = new AbortController()
  let made = 0
  const held = Promise.withResolvers<void>()
  const read = (signal: AbortSignal) =>
    reads.read(
      'mei',
      signal,
      () => {
        made++
        return held.promise
      },
      () => 0,
    )
  const running = Array.from({ length: maxSeatReads.ofSeat }, () => read(stays.signal))
  const waiting = failureOf(read(gone.signal))
  const after = read(stays.signal)
  gone.abort()
  expect(await waiting).toMatchObject({ kind: 'forbidden' })
  expect(await failureOf(read(gone.signal))).toMatchObject({ kind: 'forbidden' })
  expect(made).toBe(maxSeatReads.ofSeat)
  held.resolve()
  await Promise.all([...running, after])
  expect(made).toBe(maxSeatReads.ofSeat + 1)
})
