import { z } from 'zod'
import { onChannel } from './ids.ts'
import { obsHost } from '../obs-host.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const host = z.string().regex(obsHost)

/** OBS's own figures; `kbps` is computed here from its byte count. Null: not available. */
export const ObsStatistics = z.object({
  from: z.literal('OBS'),
  /** In ms. */
  at: z.number(),
  fps: z.number().nullable(),
  /** CPU use of the OBS process, in percent of all cores. */
  cpu: z.number().nullable(),
  /** Congestion of the path to the server, 0 to 1. */
  congestion: z.number().nullable(),
  kbps: z.number().nullable(),
  /** Frames of this stream, and those dropped by the network. */
  frames: z.number().nullable(),
  dropped: z.number().nullable(),
  /** Frames skipped by the encoder, and by rendering, since OBS started. */
  skipped: z.number().nullable(),
  lagged: z.number().nullable(),
})
export type ObsStatistics = z.infer<typeof ObsStatistics>

/** Connection with OBS. Never contains the password. */
export const ObsState = z.object({
  /** `refused`: wrong password, not retried. `absent`: no answer; `failed`: see `reason`; both are retried. */
  phase: z.enum(['off', 'connecting', 'connected', 'refused', 'absent', 'failed']),
  /**
   * `slow`: time-out; `foreign`: not OBS's protocol; `version`: another version; `flood`: more than OBS sends;
   * `keychain`: the password cannot be read.
   */
  reason: z.enum(['password', 'noPassword', 'absent', 'slow', 'foreign', 'version', 'flood', 'keychain']).nullable(),
  host: z.string(),
  port: z.number(),
  enabled: z.boolean(),
  /** Where the password is kept; `none`: no password is used. */
  password: z.enum(['keychain', 'session', 'none']),
  /** OBS is on another computer: a password hash and the plain stream key cross the network. */
  beyond: z.boolean(),
  /** Time of the next attempt, in ms. */
  nextAttempt: z.number().nullable(),
  /** While connected. */
  version: z.string().nullable(),
  streaming: z.enum(['off', 'starting', 'live', 'reconnecting', 'stopping']).nullable(),
  /** Channel set in OBS; null for another server, or if unknown. */
  target: z.object({ profileId: z.string(), cid: z.string() }).nullable(),
  /** Every 2 s while connected and a page is open. */
  statistics: ObsStatistics.nullable(),
})
export type ObsState = z.infer<typeof ObsState>

/** Result of a command to OBS. */
export const ObsOutcome = z.object({
  /**
   * `already`: no change needed. `busyElsewhere`: OBS streams elsewhere; nothing changed. `occupied`: another command
   * is running. `notConnected`. `loopback`: OBS is on another computer, the service listens locally only. `rejected`:
   * OBS refused, see `code`. `slow`: time-out. `notStarted`: the stream could not reach the service, or was refused.
   */
  outcome: z.enum([
    'done',
    'already',
    'busyElsewhere',
    'occupied',
    'notConnected',
    'loopback',
    'rejected',
    'slow',
    'notStarted',
  ]),
  /** RequestStatus of obs-websocket, for `rejected`. */
  code: z.number().nullable(),
})
export type ObsOutcome = z.infer<typeof ObsOutcome>

/** OBS over obs-websocket (protocol 5). The key goes from the companion to OBS, never through a page. */
export const obsProcedures = {
  state: forPage('How far the connection with OBS is.').output(ObsState),
  configure: forPage(
    'Stores the address and connects; returns after the attempt. An absent password keeps the current ' +
      'one on the same host, null forgets it.',
  )
    .input(
      z.strictObject({
        host,
        port: z.number().int().min(1).max(65_535),
        enabled: z.boolean(),
        password: secret(z.string().min(1).max(256)).nullable().optional(),
      }),
    )
    .output(ObsState),
  connect: forPage('Connects now; returns after the attempt.').output(ObsState),
  setUp: forPage('Sets server and key of the channel in OBS.').input(onChannel).output(ObsOutcome),
  start: forPage('Starts the stream as set in OBS; returns when it runs or has failed.').output(ObsOutcome),
  stop: forPage('Ends the stream of OBS.').output(ObsOutcome),
  goLive: forPage('Sets up and starts. `instead` first stops a stream to elsewhere.')
    .input(onChannel.extend({ instead: z.boolean() }))
    .output(ObsOutcome),
}
