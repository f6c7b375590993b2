import { expect, it } from 'vitest'
import { createDesktopState } from './desktop-state.ts'

it('begins without keys and without a start at login, and tells each change with the rest as it was', () => {
  const state = createDesktopState()
  expect(state.state()).toEqual({ keys: [], startAtLogin: 'off' })
  const told: unknown[] = []
  const off = state.on((now) => told.push(now))
  const keys = [{ command: 'show', key: 'F9', state: 'registered' } as const]
  state.change({ keys })
  state.change({ startAtLogin: 'on' })
  expect(told).toEqual([
    { keys, startAtLogin: 'off' },
    { keys, startAtLogin: 'on' },
  ])
  off()
  state.change({ keys: [] })
  expect([told.length, state.state()]).toEqual([2, { keys: [], startAtLogin: 'on' }])
})
