import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { PushTurn } from '../../../contract/rpc/health.ts'
import type { ServiceState } from '../../../contract/rpc/state.ts'

/** A line of a push's log. */
export interface LogLine {
  readonly at: number
  readonly kind:
    | Extract<AppEvent, { type: 'push' }>['kind']
    | 'silent'
    | 'serviceLost'
    | 'serviceRestart'
    | 'serviceBack'
    | 'recordingStarted'
    | 'recordingStopped'
    | 'recordingEnded'
    | 'fileReady'
    | 'merged'
    | 'clipped'
    | 'marked'
    | PushTurn['kind']
    | 'targetDropped'
    | 'turnedOff'
    | 'turnedOn'
    | 'delaySet'
    | 'dumped'
  /** For targets their key (features/channels/targets.ts). */
  readonly detail: string | null
  readonly remedy: string | null
  readonly from?: string | undefined
  /** The words of a target's server. */
  readonly answer?: string | null
  /** It was made of a state, without what came before it. */
  readonly isGuess?: true
  /** Frames that a target did not get, or seconds. */
  readonly count?: number
  /** By how many s viewers see the end of a hold later. */
  readonly later?: number | undefined
  readonly end?: ServiceState['reason']
}
