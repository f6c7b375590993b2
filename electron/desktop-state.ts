import type { DesktopControl } from '../companion/hub/shell-controls.ts'
import { createListeners } from '../companion/listeners.ts'
import type { DesktopState } from '../contract/rpc/index.ts'

/** Which settings the system applied (shortcuts, tray, start at login), with change events. */
export function createDesktopState(): DesktopControl & { change(change: Partial<DesktopState>): void } {
  const { on, tell } = createListeners<[DesktopState]>()
  let now: DesktopState = { keys: [], startAtLogin: 'off' }
  return {
    state: () => now,
    on,
    change: (change) => {
      now = { ...now, ...change }
      tell(now)
    },
  }
}
