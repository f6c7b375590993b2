import type { LocalEvent } from '../../contract/local-events.ts'
import type { NewEvent } from './broadcasts-store.ts'

/** What happened, without its number. */
export type Happened = Omit<NewEvent, 'number'>

/** States of a target that come and go many times. */
const passing: ReadonlySet<string> = new Set(['connecting', 'waiting', 'stalled'])
const none = { state: null, detail: null, targetId: null }

/** Finds in the events of a push what is kept of its broadcast: each state once, and no figures. */
export function createBroadcastEvents() {
  let isHeld = false
  let recording = 'off'
  /** State and reason of each target, as kept last. */
  const targets = new Map<number, string>()
  return (event: LocalEvent): Happened | undefined => {
    const { at } = event
    switch (event.type) {
      case 'push': {
        const { kind, detail = null, remedy = null } = event
        if (kind === 'stalled') return { ...none, at, kind, detail }
        return kind === 'retimed' || kind === 'leftOut' ? { ...none, at, kind, detail: remedy } : undefined
      }
      case 'hold': {
        if (event.holding === isHeld) return undefined
        isHeld = event.holding
        return {
          ...none,
          at,
          kind: isHeld ? 'held' : 'wentOn',
          detail: isHeld ? (event.byHand ? 'hand' : 'lost') : null,
        }
      }
      case 'recording': {
        const { state, reason = null } = event
        if (state === recording || state === 'fileReady' || state === 'asked') return undefined
        recording = state
        return { ...none, at, kind: 'recording', state, detail: reason }
      }
      case 'target': {
        const { targetId, state, reason = null } = event
        const now = state === 'retrying' ? `${state} ${reason}` : state
        if (passing.has(state) || now === (targets.get(targetId) ?? 'off')) return undefined
        targets.set(targetId, now)
        return { at, kind: 'target', state, detail: reason, targetId }
      }
      default:
        return undefined
    }
  }
}
