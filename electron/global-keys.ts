import type { GlobalShortcut } from 'electron'
import type { Clock } from '../platform/clock.ts'
import type { DesktopState, GlobalCommand, Settings } from '../contract/rpc/index.ts'

interface GlobalKeyPorts {
  readonly shortcuts: Pick<GlobalShortcut, 'register' | 'unregister'>
  readonly run: (command: GlobalCommand) => void
  readonly changed: (keys: DesktopState['keys']) => void
  readonly clock: Pick<Clock, 'now'>
}

/** Minimum time between two presses, in ms: a held key repeats. */
const held = 400

/** Global shortcuts: registered as the settings say, unregistered on close. */
export function createGlobalKeys({ shortcuts, run, changed, clock }: GlobalKeyPorts): {
  apply(wanted: Settings['globalKeys']): void
  close(): void
} {
  let kept = ''
  let taken: DesktopState['keys'] = []
  const lastAt = new Map<GlobalCommand, number>()
  const press = (command: GlobalCommand): void => {
    const now = clock.now()
    const before = lastAt.get(command)
    lastAt.set(command, now)
    if (before === undefined || now - before >= held) run(command)
  }
  const release = (): void => {
    for (const { key, state } of taken) if (state === 'registered') shortcuts.unregister(key)
    taken = []
  }
  const register = (command: GlobalCommand, key: string): boolean => {
    try {
      return shortcuts.register(key, () => press(command))
    } catch {
      // This system does not know the key.
      return false
    }
  }
  return {
    apply: (wanted) => {
      const next = JSON.stringify(wanted)
      if (next === kept) return
      kept = next
      release()
      taken = Object.entries(wanted).flatMap(([name, key]) => {
        const command = name as GlobalCommand
        return [{ command, key, state: register(command, key) ? ('registered' as const) : ('taken' as const) }]
      })
      changed(taken)
    },
    close: release,
  }
}
