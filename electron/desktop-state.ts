import type { DesktopControl } from '../companion/hub/shell-controls.ts'
import type { DesktopState } from '../contract/rpc/index.ts'

/** Which settings the system applied (shortcuts, tray, start at login), with change events. */
export function createDesktopState(): DesktopControl & { change(change: Partial<DesktopState>): void } {
  const listeners = new Set<(state: DesktopState) => void>()
  let now: DesktopState = { keys: [], startAtLogin: 'off' }
  return {
    state: () => now,
    on: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    change: (change) => {
      now = { ...now, ...change }
      for (const listener of listeners) listener(now)
    },
  }
}
