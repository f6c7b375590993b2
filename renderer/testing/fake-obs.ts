import { implement } from '@orpc/server'
import { rpc, type ObsState } from '../../contract/rpc/index.ts'

const channel = { profileId: 'local', cid: '7e3a91c40123456789abcdef01234567' }
const usual: ObsState = {
  phase: 'off',
  reason: null,
  host: '127.0.0.1',
  port: 4455,
  enabled: false,
  password: 'none',
  beyond: false,
  nextAttempt: null,
  version: null,
  streaming: null,
  target: null,
  statistics: null,
}

/** OBS in one of its states. */
export function makeObs(
  kind: 'off' | 'idle' | 'live' | 'poor' | 'elsewhere' | 'refused' | 'absent' | 'foreign',
  at: number,
): ObsState {
  const known: ObsState = { ...usual, enabled: true, password: 'keychain' }
  const connected: ObsState = { ...known, phase: 'connected', version: '30.2.3', streaming: 'off' }
  const figures = {
    from: 'OBS',
    at,
    fps: 60,
    cpu: 11.4,
    congestion: null,
    kbps: null,
    frames: null,
    dropped: null,
    skipped: 3,
    lagged: 12,
  } as const
  const sending = { ...figures, congestion: 0.02, kbps: 6_148, frames: 367_200, dropped: 41 }
  switch (kind) {
    case 'off':
      return usual
    case 'idle':
      return { ...connected, statistics: figures }
    case 'live':
      return { ...connected, streaming: 'live', target: channel, statistics: sending }
    case 'poor':
      return {
        ...connected,
        streaming: 'live',
        target: channel,
        statistics: { ...sending, congestion: 0.81, kbps: 1_204, dropped: 18_204, cpu: 93.1 },
      }
    case 'elsewhere':
      return { ...connected, host: '192.168.1.20', beyond: true, streaming: 'live', statistics: sending }
    case 'refused':
      return { ...known, phase: 'refused', reason: 'password' }
    case 'absent':
      return { ...known, phase: 'absent', reason: 'absent', nextAttempt: at + 8_000 }
    case 'foreign':
      return { ...known, phase: 'failed', reason: 'foreign', nextAttempt: at + 12_000 }
  }
}

/** OBS as the fake companion drives it: everything that is asked works. */
export function fakeObs(began: number, tell: (obs: ObsState) => void) {
  const os = implement(rpc).obs
  let state = makeObs('live', began)
  const is = (next: ObsState): ObsState => {
    state = next
    tell(next)
    return next
  }
  const done = { outcome: 'done' as const, code: null }
  return {
    state: os.state.handler(() => state),
    configure: os.configure.handler(({ input }) =>
      is(input.enabled ? makeObs('idle', Date.now()) : makeObs('off', Date.now())),
    ),
    connect: os.connect.handler(() => is(makeObs('idle', Date.now()))),
    setUp: os.setUp.handler(() => done),
    start: os.start.handler(() => done),
    stop: os.stop.handler(() => {
      is(makeObs('idle', Date.now()))
      return done
    }),
    goLive: os.goLive.handler(({ input }) => {
      is({ ...makeObs('live', Date.now()), target: { profileId: input.profileId, cid: input.cid } })
      return done
    }),
  }
}
