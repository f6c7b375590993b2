import { inBackground } from '../background.ts'
import type { ObsState } from '../../contract/rpc/obs.ts'
import type { Clock } from '../../platform/clock.ts'
import { ConnectionFault, type ObsConnection, type OpenObsConnection } from './obs-protocol.ts'
import { createBackoff, doubledWait } from '../../platform/backoff.ts'

/** Waits before retries, in ms; each doubles. */
export const waits = { first: 1_000, longest: 15_000 } as const
/** A connection this long, in ms, resets the waits. */
const steady = 10_000
/** Not retried: a person must act. */
const final: ReadonlySet<ConnectionFault['reason']> = new Set(['password', 'noPassword', 'keychain'])

/** Where OBS is, and how its password is read when it is needed. */
interface ObsPlace {
  readonly host: string
  readonly port: number
  /** Rejects when the keychain refuses. */
  readonly password: () => Promise<string | undefined>
}

/** The connection with OBS, reopened when lost. */
type ObsLink = ReturnType<typeof createObsLink>

/** Makes an unconnected link. */
export function createObsLink(ports: {
  readonly clock: Clock
  readonly open: OpenObsConnection
  /** First requests of a connection; an error ends it. */
  readonly greet: (connection: ObsConnection) => Promise<void>
  readonly stream: (outputState: string) => void
  readonly changed: () => void
  readonly log: (connection: string) => void
}) {
  const { clock } = ports
  let place: ObsPlace | undefined
  let phase: ReturnType<ObsLink['phase']> = { phase: 'off', reason: null, nextAttempt: null }
  let connection: ObsConnection | undefined
  let trying: Promise<void> | undefined

  const is = (next: typeof phase): void => {
    phase = next
    ports.changed()
  }
  const failed = (fault: ConnectionFault): void => {
    connection = undefined
    const { reason } = fault
    const named =
      reason === 'password' || reason === 'noPassword' ? 'refused' : reason === 'absent' ? 'absent' : 'failed'
    if (final.has(reason)) return is({ phase: named, reason, nextAttempt: null })
    is({ phase: named, reason, nextAttempt: clock.now() + backoff.again() })
  }
  const connect = async (to: ObsPlace): Promise<void> => {
    let made: ObsConnection | undefined
    let lost: ConnectionFault | undefined
    try {
      const password = await to.password().catch(() => {
        throw new ConnectionFault('keychain')
      })
      if (place !== to) return
      const since = clock.monotonic()
      made = await ports.open(
        { host: to.host, port: to.port, password },
        {
          stream: (state) => {
            if (connection !== undefined && connection === made) ports.stream(state)
          },
          closed: (fault) => {
            lost = fault
            if (connection === undefined || connection !== made) return
            if (clock.monotonic() - since >= steady) backoff.reset()
            failed(fault)
          },
        },
      )
      if (place !== to) return made.drop()
      connection = made
      await ports.greet(made)
      if (place !== to || connection !== made) return
      is({ phase: 'connected', reason: null, nextAttempt: null })
    } catch (error) {
      if (place !== to) return made?.drop()
      const fault = lost ?? (error instanceof ConnectionFault ? error : new ConnectionFault('foreign'))
      // Lost during the first requests: handled already.
      if (made !== undefined && connection !== made) return
      connection = undefined
      made?.drop(fault)
      failed(fault)
    }
  }
  const attempt = (): Promise<void> => {
    backoff.stop()
    if (!place || phase.phase === 'connected') return Promise.resolve()
    if (trying) return trying
    is({ phase: 'connecting', reason: null, nextAttempt: null })
    const mine = connect(place).finally(() => {
      if (trying === mine) trying = undefined
    })
    trying = mine
    return mine
  }

  const tryInBackground = (): void => inBackground(attempt(), ports.log, 'connecting with OBS')
  const backoff = createBackoff(clock, (before) => doubledWait(waits, before), tryInBackground)

  return {
    phase: (): Pick<ObsState, 'phase' | 'reason' | 'nextAttempt'> => phase,
    connection: (): ObsConnection | undefined => (phase.phase === 'connected' ? connection : undefined),
    to: (next: ObsPlace | undefined) => {
      backoff.stop()
      place = next
      const before = connection
      connection = undefined
      trying = undefined
      backoff.reset()
      before?.drop()
      is({ phase: 'off', reason: null, nextAttempt: null })
      if (next) tryInBackground()
    },
    /** Connects now; resolves after the try. */
    attempt,
  }
}
