import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createObsLink, waits } from './obs-link.ts'
import { ConnectionFault, type ObsConnection } from './obs-protocol.ts'

type Events = Parameters<Parameters<typeof createObsLink>[0]['open']>[1]

function stage() {
  const clock = manualClock()
  const lines: { readonly events: Events; readonly at: unknown; dropped: boolean }[] = []
  const states: string[] = []
  const phases: string[] = []
  const next: { open?: Error; greet?: Error } = {}
  const link = createObsLink({
    clock,
    open: (at, events) => {
      const one = { events, at, dropped: false }
      lines.push(one)
      if (next.open) return Promise.reject(next.open)
      return Promise.resolve({
        request: () => Promise.resolve({}),
        drop: () => {
          one.dropped = true
        },
      } as unknown as ObsConnection)
    },
    greet: () => (next.greet ? Promise.reject(next.greet) : Promise.resolve()),
    stream: (state) => states.push(state),
    changed: () => {
      phases.push(link.phase().phase)
    },
    log: () => undefined,
  })
  const place = (host = 'a') => ({ host, port: 4455, password: () => Promise.resolve(`of ${host}`) })
  return { clock, lines, states, phases, next, link, place }
}

it('opens a line to its place with the password of that, and tells each phase', async () => {
  const { link, lines, phases, states, place } = stage()
  expect([link.phase().phase, link.connection()]).toEqual(['off', undefined])
  link.to(place())
  await link.attempt()
  expect(lines.map(({ at }) => at)).toEqual([{ host: 'a', port: 4455, password: 'of a' }])
  expect(phases).toEqual(['off', 'connecting', 'connected'])
  expect(link.connection()).toBeDefined()
  lines[0]!.events.stream('state')
  expect(states).toEqual(['state'])
  // One that is connected is not opened twice.
  await link.attempt()
  expect(lines).toHaveLength(1)
})

it('drops the line of an earlier place, and hears nothing of it any more', async () => {
  const { link, lines, states, phases, place, clock } = stage()
  link.to(place())
  await link.attempt()
  link.to(place('b'))
  await link.attempt()
  expect(lines.map(({ dropped }) => dropped)).toEqual([true, false])
  const before = phases.length
  lines[0]!.events.stream('old')
  lines[0]!.events.closed(new ConnectionFault('absent'))
  expect([states, phases.length, link.phase().phase]).toEqual([[], before, 'connected'])
  link.to(undefined)
  expect([lines[1]!.dropped, link.phase()]).toEqual([true, { phase: 'off', reason: null, nextAttempt: null }])
  clock.advance(60_000)
  await link.attempt()
  expect(lines).toHaveLength(2)
})

it('drops a line that came up for a place that was changed meanwhile', async () => {
  const { link, lines, place } = stage()
  link.to(place())
  const first = link.attempt()
  await Promise.resolve()
  await Promise.resolve()
  expect(lines).toHaveLength(1)
  link.to(undefined)
  await first
  expect([lines[0]!.dropped, link.phase().phase]).toEqual([true, 'off'])
})

it.each([
  ['password', 'refused', false],
  ['noPassword', 'refused', false],
  ['keychain', 'failed', false],
  ['absent', 'absent', true],
  ['foreign', 'failed', true],
  ['slow', 'failed', true],
] as const)('is %s as %s, and tries again by itself: %s', async (reason, phase, again) => {
  const { link, lines, next, place, clock } = stage()
  next.open = new ConnectionFault(reason)
  link.to(place())
  await link.attempt()
  expect(link.phase()).toEqual({ phase, reason, nextAttempt: again ? clock.now() + waits.first : null })
  clock.advance(waits.first)
  await link.attempt()
  expect(lines).toHaveLength(2)
})

it('counts a failed first request as a foreign service, and drops it', async () => {
  const { link, lines, next, place } = stage()
  next.greet = new Error('no answer')
  link.to(place())
  await link.attempt()
  expect([link.phase().phase, link.phase().reason, lines[0]!.dropped]).toEqual(['failed', 'foreign', true])
})

it('begins with short waits again after a connection of 10 s', async () => {
  for (const [lasted, wait] of [
    [9_999, 2 * waits.first],
    [10_000, waits.first],
  ] as const) {
    const { link, lines, next, place, clock } = stage()
    next.open = new ConnectionFault('absent')
    link.to(place())
    await link.attempt()
    delete next.open
    await link.attempt()
    clock.advance(lasted)
    lines.at(-1)!.events.closed(new ConnectionFault('absent'))
    expect(link.phase()).toMatchObject({ phase: 'absent', nextAttempt: clock.now() + wait })
  }
})

it('opens one line for two attempts at once', async () => {
  const { link, lines, place } = stage()
  link.to(place())
  await Promise.all([link.attempt(), link.attempt()])
  expect([lines.length, link.phase().phase]).toEqual([1, 'connected'])
})

it('makes no attempt of its own after one by hand that came in place of it', async () => {
  const { link, lines, next, place, clock } = stage()
  next.open = new ConnectionFault('absent')
  link.to(place())
  await link.attempt()
  await link.attempt()
  expect([lines.length, link.phase().nextAttempt]).toEqual([2, clock.now() + 2 * waits.first])
  clock.advance(2 * waits.first - 1)
  await link.attempt()
  // That one was by hand again.
  expect([lines.length, clock.waiting()]).toEqual([3, 1])
})

it('begins with the first wait at another place', async () => {
  const { link, lines, next, place, clock } = stage()
  next.open = new ConnectionFault('absent')
  link.to(place())
  await link.attempt()
  await link.attempt()
  link.to(place('b'))
  await link.attempt()
  expect(lines.map(({ at }) => (at as { host: string }).host)).toEqual(['a', 'a', 'b'])
  expect([link.phase().nextAttempt, clock.waiting()]).toEqual([clock.now() + waits.first, 1])
})

it('tries nothing more once it is set to no place', async () => {
  const { link, lines, next, place, clock } = stage()
  next.open = new ConnectionFault('absent')
  link.to(place())
  await link.attempt()
  link.to(undefined)
  expect([clock.waiting(), link.phase()]).toEqual([0, { phase: 'off', reason: null, nextAttempt: null }])
  clock.advance(waits.longest)
  expect(lines).toHaveLength(1)
})

it('gives no line out before its first requests were answered', async () => {
  const { lines, place } = stage()
  const greeted = Promise.withResolvers<void>()
  const link = createObsLink({
    clock: manualClock(),
    open: (at, events) => {
      lines.push({ events, at, dropped: false })
      return Promise.resolve({ request: () => Promise.resolve({}), drop: () => undefined })
    },
    greet: () => greeted.promise,
    stream: () => undefined,
    changed: () => undefined,
    log: () => undefined,
  })
  link.to(place())
  const attempt = link.attempt()
  await new Promise((resolve) => setImmediate(resolve))
  expect([lines.length, link.phase().phase, link.connection()]).toEqual([1, 'connecting', undefined])
  greeted.resolve()
  await attempt
  expect([link.phase().phase, link.connection() === undefined]).toEqual(['connected', false])
})

it('counts a line that is lost during its first requests once, with the reason of the loss', async () => {
  const { place } = stage()
  const clock = manualClock()
  const phases: unknown[] = []
  const link = createObsLink({
    clock,
    open: (_at, events) => {
      lose = () => events.closed(new ConnectionFault('flood'))
      return Promise.resolve({ request: () => Promise.resolve({}), drop: () => undefined })
    },
    greet: () => {
      lose()
      return Promise.reject(new ConnectionFault('foreign'))
    },
    stream: () => undefined,
    changed: () => phases.push(link.phase()),
    log: () => undefined,
  })
  let lose = (): void => undefined
  link.to(place())
  await link.attempt()
  expect(phases.slice(2)).toEqual([{ phase: 'failed', reason: 'flood', nextAttempt: clock.now() + waits.first }])
  expect(clock.waiting()).toBe(1)
})

it('says that the keychain refused the password, and opens no line', async () => {
  const { link, lines, clock } = stage()
  link.to({ host: 'a', port: 4455, password: () => Promise.reject(new Error('locked')) })
  await link.attempt()
  expect([link.phase(), lines.length]).toEqual([{ phase: 'failed', reason: 'keychain', nextAttempt: null }, 0])
  expect(clock.waiting()).toBe(0)
})

it('says nothing of a keychain that refuses for a place that was left meanwhile', async () => {
  const { link, place, lines } = stage()
  const password = Promise.withResolvers<string>()
  link.to({ host: 'old', port: 4455, password: () => password.promise })
  link.to(place())
  await link.attempt()
  password.reject(new Error('locked'))
  await new Promise((resolve) => setImmediate(resolve))
  expect([link.phase().phase, lines.length]).toEqual(['connected', 1])
})

it('opens no line with a password that came for a place that was left meanwhile', async () => {
  const { link, lines } = stage()
  const password = Promise.withResolvers<string>()
  link.to({ host: 'old', port: 4455, password: () => password.promise })
  link.to(undefined)
  password.resolve('late')
  await new Promise((resolve) => setImmediate(resolve))
  expect([link.phase().phase, lines]).toEqual(['off', []])
})
