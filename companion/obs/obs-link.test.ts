import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createObsLink, waits } from './obs-link.ts'
import { LineFault, type ObsLine } from './obs-protocol.ts'

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
      } as unknown as ObsLine)
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
  expect([link.phase().phase, link.line()]).toEqual(['off', undefined])
  link.to(place())
  await link.attempt()
  expect(lines.map(({ at }) => at)).toEqual([{ host: 'a', port: 4455, password: 'of a' }])
  expect(phases).toEqual(['off', 'connecting', 'connected'])
  expect(link.line()).toBeDefined()
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
  lines[0]!.events.closed(new LineFault('absent'))
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
  next.open = new LineFault(reason)
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
    next.open = new LineFault('absent')
    link.to(place())
    await link.attempt()
    delete next.open
    await link.attempt()
    clock.advance(lasted)
    lines.at(-1)!.events.closed(new LineFault('absent'))
    expect(link.phase()).toMatchObject({ phase: 'absent', nextAttempt: clock.now() + wait })
  }
})
