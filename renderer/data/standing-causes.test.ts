import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { RpcClient } from './client.ts'
import type { Failure, FailureKind } from './failure.ts'
import { makeProfiles, makeService } from '../testing/fake-state.ts'
import { useCompanion } from './companion.ts'
import { applyEvent } from '../events.ts'
import { servicesKey } from './services.ts'
import { useStandingCauses } from './standing-causes.ts'

const mebibyte = 1024 * 1024
const failure = (kind: FailureKind): Failure => ({ kind, code: null, skewSeconds: null, detail: '' })
const stage = () => {
  const app = createApp({})
  app.provide(servicesKey, {
    rpc: {} as RpcClient,
    now: () => 1_000,
    memory: { read: () => null, write: () => undefined },
  })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  companion.lineIs('open')
  companion.apply({ type: 'profiles', profiles: makeProfiles('full') })
  const service = (phase: 'running' | 'restarting', diskFree: number | null): void =>
    companion.apply({ type: 'service', service: { ...makeService(1_000, 'full'), phase, diskFree } })
  service('running', 900 * mebibyte)
  return { pinia, companion, service, isOver: useStandingCauses().isOver }
}
let on: ReturnType<typeof stage>
beforeEach(() => {
  on = stage()
})

describe('a failure that was told of a cause that lasts', () => {
  it('is over when the disk has room again, not while a little comes and goes', () => {
    // The room that was told last is of a moment before.
    const full = failure('full')
    expect(on.isOver(full)).toBe(false)
    for (const free of [0, 300_000, 0, 4 * mebibyte]) {
      on.service('running', free)
      expect(on.isOver(full)).toBe(false)
    }
    on.service('running', 900 * mebibyte)
    expect(on.isOver(full)).toBe(true)
    const again = failure('full')
    expect(on.isOver(again)).toBe(false)
    on.service('running', 899 * mebibyte)
    on.service('running', 899.5 * mebibyte)
    expect(on.isOver(again)).toBe(false)
  })

  it('is over when a disk takes writes again that could only be read or failed, not while it refuses', () => {
    for (const kind of ['readOnly', 'broken'] as const) {
      on.companion.apply({ type: 'disk', refuses: true })
      const refused = failure(kind)
      expect(on.isOver(refused)).toBe(false)
      on.companion.lineIs('lost')
      on.companion.lineIs('open')
      on.companion.apply({ type: 'disk', refuses: true })
      on.service('restarting', 0)
      on.service('running', 900 * mebibyte)
      expect(on.isOver(refused)).toBe(false)
      on.companion.apply({ type: 'disk', refuses: false })
      expect(on.isOver(refused)).toBe(true)
      expect(on.isOver(failure(kind))).toBe(false)
    }
  })

  it('is over when the service is back', () => {
    on.service('restarting', null)
    const down = failure('down')
    expect(on.isOver(down)).toBe(false)
    on.service('running', null)
    expect(on.isOver(down)).toBe(true)
    expect(on.isOver(failure('down'))).toBe(false)
  })

  it('is over when the page is connected again', () => {
    const offline = failure('offline')
    expect(on.isOver(offline)).toBe(false)
    on.companion.lineIs('lost')
    expect(on.isOver(offline)).toBe(false)
    on.companion.lineIs('open')
    expect(on.isOver(offline)).toBe(true)
  })

  it('is over when a host answers again that did not, not when another profile is chosen', () => {
    const told = (profileId: string, fault: (AppEvent & { type: 'tallies' })['fault']): void =>
      applyEvent(
        { type: 'tallies', profileId, at: 1_000, source: 'poll', fault, tallies: [] } satisfies AppEvent,
        on.pinia,
        1_000,
      )
    on.companion.choose('hosted-1')
    told('hosted-1', 'poll')
    const unreachable = failure('unreachable')
    expect(on.isOver(unreachable)).toBe(false)
    on.companion.choose('local')
    expect(on.isOver(unreachable)).toBe(false)
    on.companion.choose('hosted-1')
    told('hosted-1', null)
    expect(on.isOver(unreachable)).toBe(true)
  })

  it('stays where nobody says that the cause is over', () => {
    const others = (['code', 'signature', 'absent', 'unlogged'] as const).map((kind) => failure(kind))
    expect(others.some((one) => on.isOver(one))).toBe(false)
    on.companion.lineIs('lost')
    on.companion.lineIs('open')
    on.service('restarting', 0)
    on.service('running', 900 * mebibyte)
    expect(others.some((one) => on.isOver(one))).toBe(false)
  })
})

it.each([
  [8 * mebibyte, 0, true],
  [8 * mebibyte - 1, 0, false],
  [20 * mebibyte, 19 * mebibyte, true],
  [20 * mebibyte - 1, 19 * mebibyte, false],
])('takes a disk with %d bytes that had %d for one with room: %s', (free, before, isOver) => {
  const full = failure('full')
  expect(on.isOver(full)).toBe(false)
  on.service('running', before)
  on.service('running', null)
  on.service('running', free)
  expect(on.isOver(full)).toBe(isOver)
})

it('does not take the end of one cause for that of another', () => {
  const full = failure('full')
  const down = failure('down')
  expect([on.isOver(full), on.isOver(down)]).toEqual([false, false])
  on.companion.lineIs('lost')
  on.companion.lineIs('open')
  expect([on.isOver(full), on.isOver(down)]).toEqual([false, false])
  on.service('restarting', 900 * mebibyte)
  expect(on.isOver(down)).toBe(false)
  on.service('running', 900 * mebibyte)
  expect([on.isOver(full), on.isOver(down)]).toEqual([false, true])
})
