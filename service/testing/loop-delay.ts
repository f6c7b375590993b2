import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Event-loop delay of a process over a period, in ms. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** CPU seconds used. */
  readonly cpu: number
}

const resolution = 1
const inMs = (nanoseconds: number): number => Math.round(Math.max(0, nanoseconds / 1e6 - resolution) * 100) / 100

/** Measures until the returned function is called. The timer's own period is subtracted. */
export function measureLoopDelay(): () => LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution })
  const before = process.cpuUsage()
  histogram.enable()
  return () => {
    histogram.disable()
    const { user, system } = process.cpuUsage(before)
    return {
      p50: inMs(histogram.percentile(50)),
      p99: inMs(histogram.percentile(99)),
      max: inMs(histogram.max),
      cpu: (user + system) / 1e6,
    }
  }
}
