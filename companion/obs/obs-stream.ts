import type { ObsState, ObsStatistics } from '../../contract/rpc/obs.ts'
import type { Clock } from '../../platform/clock.ts'
import { type ByteCount, checked, type ObsLine, statisticsOf, StreamStatus } from './obs-protocol.ts'

/** Milliseconds between two looks at OBS. */
export const lookEvery = 2_000
/** How long a stream may take to begin or to end, in ms. */
export const settleWithin = 30_000
/** A stream that began and of which OBS says so long that it does not run has failed without a word, in ms. */
const silent = 15_000

type Streaming = NonNullable<ObsState['streaming']>

/** Whether OBS streams, and its figures. */
export interface ObsStream {
  now(): Streaming
  statistics(): ObsStatistics | null
  /** Takes in how it is now; whether it was another way before. */
  becomes(next: Streaming): boolean
  /** Asks OBS. */
  look(line: ObsLine): Promise<void>
  /** Forgets the figures: those of another connection are not its own. */
  forget(): void
  /** Waits until the stream is as wished; false when that is out of reach or takes too long. */
  settled(wished: Streaming, hopeless: Streaming | undefined): Promise<boolean>
  /** To be called when something of it, or of the connection, has changed. */
  changed(): void
}

/** Makes it of a stream that is off; `isConnected` says whether OBS can still be asked. */
export function createObsStream(clock: Clock, isConnected: () => boolean): ObsStream {
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
    now: () => streaming,
    statistics: () => statistics,
    becomes,
    look: async (line: ObsLine): Promise<void> => {
      const status = checked(StreamStatus, await line.request('GetStreamStatus'))
      const stats = await line.request('GetStats')
      const at = clock.now()
      const fresh = statisticsOf(status, stats, at, bytes)
      // Between two looks in short order the rate is left as it was.
      const soon = status.outputActive && bytes !== undefined && at - bytes.at < lookEvery / 2
      statistics = soon ? { ...fresh, kbps: statistics?.kbps ?? null } : fresh
      if (!soon) bytes = status.outputActive ? { at, bytes: status.outputBytes } : undefined
      if (status.outputActive && status.outputReconnecting) becomes('reconnecting')
      else if (status.outputActive) {
        if (streaming !== 'stopping') becomes('live')
      } else if (streaming !== 'starting' || at - streamingSince > silent) becomes('off')
    },
    forget: () => {
      statistics = null
      bytes = undefined
    },
    settled: (wished, hopeless) =>
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
        const cancel = clock.after(settleWithin, () => {
          finish(false)
        })
        waiting.add(check)
        check()
      }),
    changed: () => {
      for (const look of waiting) look()
    },
  }
}
