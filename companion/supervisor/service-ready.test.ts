import { expect, it } from 'vitest'
import type { ServiceReady } from '../../contract/service-process.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { onReadyChange, serviceReady } from './service-ready.ts'
import type { Supervisor } from './supervisor.ts'

/** A supervisor whose state a test sets. */
function played() {
  const listeners = new Set<() => void>()
  const now: { phase: string; ready: ServiceReady | undefined } = { phase: 'starting', ready: undefined }
  return {
    listeners,
    set: (phase: string, ready?: object) => {
      Object.assign(now, { phase, ready })
      for (const listener of listeners) listener()
    },
    supervisor: {
      ready: () => now.ready,
      state: () => ({ phase: now.phase }),
      on: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    } as unknown as Pick<Supervisor, 'ready' | 'state' | 'on'>,
  }
}
const line = { event: 'ready' }

it('waits until the service runs, is given up, or patience ends, and listens no longer then', async () => {
  for (const [end, found] of [
    [({ set }: ReturnType<typeof played>) => set('running', line), line],
    [({ set }: ReturnType<typeof played>) => set('stopped'), undefined],
    [(_play: ReturnType<typeof played>, clock: ReturnType<typeof manualClock>) => clock.advance(1000), undefined],
  ] as const) {
    const clock = manualClock()
    const play = played()
    const waiting = serviceReady(play.supervisor, clock, 1000)
    play.set('restarting')
    end(play, clock)
    expect(await waiting).toEqual(found)
    expect(play.listeners.size).toBe(0)
  }
})

it('tells of a service that is ready, ready elsewhere, and gone, and of nothing else', () => {
  const play = played()
  const told: unknown[] = []
  const end = onReadyChange(play.supervisor, (ready, before) => told.push([ready, before]))
  const elsewhere = { event: 'ready' }
  play.set('restarting')
  play.set('running', line)
  play.set('running', line)
  play.set('running', elsewhere)
  play.set('restarting')
  expect(told).toEqual([
    [line, undefined],
    [elsewhere, line],
    [undefined, elsewhere],
  ])
  end()
  play.set('running', line)
  expect(told).toHaveLength(3)
})
