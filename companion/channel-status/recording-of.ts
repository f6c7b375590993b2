import type { RecordingState } from '../../contract/rpc/index.ts'

const states = new Set(['off', 'asked', 'recording', 'stopped'] as const)
const reasons = new Set(['space', 'readonly', 'folder', 'slow', 'error'] as const)
const among = <T extends string>(known: ReadonlySet<T>, value: string): T | undefined =>
  (known as ReadonlySet<string>).has(value) ? (value as T) : undefined

/** The service's recording state; undefined for an unknown one. */
export function recordingOf(from: {
  readonly state: string
  readonly reason?: string
  readonly since?: number
  readonly recorded?: number
  readonly bytes?: number
  readonly cut?: number
}): RecordingState | undefined {
  const state = among(states, from.state)
  if (!state) return undefined
  return {
    state,
    reason: state === 'stopped' ? (among(reasons, from.reason ?? '') ?? 'error') : null,
    since: from.since ?? null,
    ...(from.recorded !== undefined && { recorded: from.recorded }),
    bytes: from.bytes ?? 0,
    cut: from.cut ?? null,
  }
}
