import { z } from 'zod'
import type { ObsState, ObsStatistics } from '../../contract/rpc/obs.ts'

/** Requests of obs-websocket used here. */
type ObsRequest =
  | 'GetVersion'
  | 'GetStats'
  | 'GetStreamStatus'
  | 'GetStreamServiceSettings'
  | 'SetStreamServiceSettings'
  | 'StartStream'
  | 'StopStream'

/** A logged-in connection with OBS. */
export interface ObsConnection {
  /** Throws ConnectionFault, or ObsRejection when OBS refuses. The answer is unchecked. */
  request(type: ObsRequest, data?: Readonly<Record<string, unknown>>): Promise<unknown>
  drop(fault?: ConnectionFault): void
}

interface ObsLineEvents {
  /** obs-websocket's name of the stream's state. */
  stream(outputState: string): void
  /** Called once, after it was open. */
  closed(fault: ConnectionFault): void
}

/** Connects and logs in; throws ConnectionFault. */
export type OpenObsConnection = (
  place: { readonly host: string; readonly port: number; readonly password: string | undefined },
  events: ObsLineEvents,
) => Promise<ObsConnection>

/** Why there is no connection. */
export class ConnectionFault extends Error {
  readonly reason: NonNullable<ObsState['reason']>

  constructor(reason: NonNullable<ObsState['reason']>) {
    super(`OBS: ${reason}`)
    this.name = 'ConnectionFault'
    this.reason = reason
  }
}

/** OBS refused a request. Its comment may repeat the request and is not kept. */
export class ObsRejection extends Error {
  readonly code: number

  constructor(code: number) {
    super(`OBS answered ${code}`)
    this.name = 'ObsRejection'
    this.code = code
  }
}

const count = z.number().min(0)
/** Answer to GetVersion, digits only. */
export const ObsVersion = z.object({
  obsVersion: z
    .string()
    .max(64)
    .transform((text) => /^\d{1,4}(?:\.\d{1,6}){1,3}/.exec(text)?.[0] ?? null),
})
/** Answer to GetStreamStatus. */
export const StreamStatus = z.object({
  outputActive: z.boolean(),
  outputReconnecting: z.boolean(),
  outputCongestion: z.number().nullish(),
  outputBytes: count,
  outputSkippedFrames: count,
  outputTotalFrames: count,
})
/** Answer to GetStreamStatus. */
export type StreamStatus = z.infer<typeof StreamStatus>
const Stats = z.object({ cpuUsage: count, activeFps: count, renderSkippedFrames: count, outputSkippedFrames: count })
/** Answer to GetStreamServiceSettings. */
export const ServiceSettings = z.object({
  streamServiceType: z.string(),
  streamServiceSettings: z.record(z.string(), z.unknown()),
})

/** States of StreamStateChanged; others are ignored. */
export const streamStates: Readonly<Record<string, NonNullable<ObsState['streaming']>>> = {
  OBS_WEBSOCKET_OUTPUT_STARTING: 'starting',
  OBS_WEBSOCKET_OUTPUT_STARTED: 'live',
  OBS_WEBSOCKET_OUTPUT_STOPPING: 'stopping',
  OBS_WEBSOCKET_OUTPUT_STOPPED: 'off',
  OBS_WEBSOCKET_OUTPUT_RECONNECTING: 'reconnecting',
  OBS_WEBSOCKET_OUTPUT_RECONNECTED: 'live',
}

/** A byte count and its time, for a rate. */
export interface ByteCount {
  readonly at: number
  readonly bytes: number
}

/** Figures of one look; the rate needs the previous look. */
export function statisticsOf(
  status: StreamStatus,
  stats: unknown,
  at: number,
  before: ByteCount | undefined,
): ObsStatistics {
  const own = Stats.safeParse(stats).data
  const { outputActive: on } = status
  const elapsed = before === undefined ? 0 : at - before.at
  // A smaller count belongs to another stream.
  const grown = before === undefined ? -1 : status.outputBytes - before.bytes
  return {
    from: 'OBS',
    at,
    fps: own?.activeFps ?? null,
    cpu: own?.cpuUsage ?? null,
    congestion: on && status.outputCongestion != null ? Math.min(1, Math.max(0, status.outputCongestion)) : null,
    kbps: on && elapsed > 0 && grown >= 0 ? (grown * 8) / elapsed : null,
    frames: on ? status.outputTotalFrames : null,
    dropped: on ? status.outputSkippedFrames : null,
    skipped: own?.outputSkippedFrames ?? null,
    lagged: own?.renderSkippedFrames ?? null,
  }
}

/** Validates an answer of OBS; an invalid one ends the connection. */
export const checked = <T>(schema: { safeParse: (value: unknown) => { data?: T } }, value: unknown): T => {
  const { data } = schema.safeParse(value)
  if (data === undefined) throw new ConnectionFault('foreign')
  return data
}
