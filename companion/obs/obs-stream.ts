import type { ObsState, ObsStatistics } from '../../contract/rpc/obs.ts'
import type { Clock } from '../../platform/clock.ts'
import { type ByteCount, checked, type ObsConnection, statisticsOf, StreamStatus } from './obs-protocol.ts'

/** In ms. */
export const lookEvery = 2_000
/** Time for a stream to start or stop, in ms. */
export const settleWithin = 30_000
/** A starting stream that OBS reports as stopped for this long, in ms, has failed. */
const silent = 15_000

type Streaming = NonNullable<ObsState['streaming']>

/** Makes it for a stopped stream. */
export function createObsStream(clock: Clock, isConnected: () => boolean) {
  let streaming: Streaming = 'off'
  let streamingSince = 0
  let statistics: ObsStatistics | null = null
  let bytes: ByteCount | undefined
  const waiting = new Set<() => void>()
  const becomes = (next: Streaming): boolean => {
    if (next === streaming) return false
    streaming = next
    streamingSince = clock.now()
    return true
  }

  return {
    now: (): Streaming => streaming,
    statistics: (): ObsStatistics | null => statistics,
    /** Sets the state; whether it changed. */
    becomes,
    look: async (connection: ObsConnection): Promise<void> => {
      const status = checked(StreamStatus, await connection.request('GetStreamStatus'))
      const stats = await connection.request('GetStats')
      const at = clock.now()
      const fresh = statisticsOf(status, stats, at, bytes)
      // Two looks in short order give no useful rate.
      const soon = status.outputActive && bytes !== undefined && at - bytes.at < lookEvery / 2
      statistics = soon ? { ...fresh, kbps: statistics?.kbps ?? null } : fresh
      if (!soon) bytes = status.outputActive ? { at, bytes: status.outputBytes } : undefined
      if (status.outputActive && status.outputReconnecting) becomes('reconnecting')
      else if (status.outputActive) {
        if (streaming !== 'stopping') becomes('live')
      } else if (streaming !== 'starting' || at - streamingSince > silent) becomes('off')
    },
    /** Figures of an earlier connection do not apply. */
    forget: () => {
      statistics = null
      bytes = undefined
    },
    /** Resolves with false when the state is out of reach or too late. */
    settled: (wished: Streaming, hopeless: Streaming | undefined): Promise<boolean> =>
      new Promise((resolve) => {
        const finish = (good: boolean): void => {
          waiting.delete(check)
          cancel()
          resolve(good)
        }
        const check = (): void => {
          if (streaming === wished) finish(true)
          else if (streaming === hopeless || !isConnected()) finish(false)
        }
        const cancel = clock.after(settleWithin, () => finish(false))
        waiting.add(check)
        check()
      }),
    changed: () => {
      for (const look of waiting) look()
    },
  }
}
