import { z } from 'zod'
import { obsHost } from '../obs-host.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const onChannel = z.strictObject({ profileId: z.string().min(1).max(64), cid: z.string().regex(/^[0-9a-f]{32}$/) })
const host = z.string().regex(obsHost)

/** What OBS says of itself. Every figure is OBS's own; `kbps` is computed here from the bytes that it counts. Null is what it does not tell now. */
export const ObsStatistics = z.object({
  from: z.literal('OBS'),
  /** When it was asked, in ms. */
  at: z.number(),
  fps: z.number().nullable(),
  /** Percent of all cores, of the process of OBS. */
  cpu: z.number().nullable(),
  /** Share of the way to the server that is congested, 0 to 1. */
  congestion: z.number().nullable(),
  kbps: z.number().nullable(),
  /** Frames of this stream, and those that the network was too slow for. */
  frames: z.number().nullable(),
  dropped: z.number().nullable(),
  /** Frames that the encoder was too slow for, and those that the drawing of the scene was, since OBS began. */
  skipped: z.number().nullable(),
  lagged: z.number().nullable(),
})
/** What OBS says of itself. */
export type ObsStatistics = z.infer<typeof ObsStatistics>

/** How far the connection with OBS is, and what is known over it. The password is never told. */
export const ObsState = z.object({
  /**
   * `refused`: it did not take the password, and is not asked again before a person says so. `absent`: nothing answers there. `failed`:
   * something is there and cannot be used, see `reason`. The last two are tried again by themselves.
   */
  phase: z.enum(['off', 'connecting', 'connected', 'refused', 'absent', 'failed']),
  /** `slow`: no answer in time; `foreign`: not the protocol of OBS; `version`: another version of it; `flood`: more than OBS ever sends; `keychain`: the password cannot be read. */
  reason: z.enum(['password', 'noPassword', 'absent', 'slow', 'foreign', 'version', 'flood', 'keychain']).nullable(),
  host: z.string(),
  port: z.number(),
  enabled: z.boolean(),
  /** Where the password is kept; `none`: OBS is asked without one. */
  password: z.enum(['keychain', 'session', 'none']),
  /** OBS is on another computer: a hash of its password and the stream key in clear cross the network. */
  beyond: z.boolean(),
  /** When it is tried again, in ms. */
  nextAttempt: z.number().nullable(),
  /** Version of OBS, while connected. */
  version: z.string().nullable(),
  /** Null while not connected. */
  streaming: z.enum(['off', 'starting', 'live', 'reconnecting', 'stopping']).nullable(),
  /** The channel that OBS is set to; null for another server, or where that is not known. */
  target: z.object({ profileId: z.string(), cid: z.string() }).nullable(),
  /** Renewed every 2 s while OBS is connected and a page is open. */
  statistics: ObsStatistics.nullable(),
})
/** How far the connection with OBS is, and what is known over it. */
export type ObsState = z.infer<typeof ObsState>

/** What came of something that OBS was asked to do. */
export const ObsOutcome = z.object({
  /**
   * `already`: it was so before. `busyElsewhere`: OBS streams to another server or channel, nothing was changed. `occupied`: something else
   * that was asked for is still under way. `notConnected`: there is no OBS. `loopback`: OBS is on another computer and the service
   * listens on this one only. `rejected`: OBS refused, `code` is its reason. `slow`: it did not answer in time. `notStarted`: it began and could not
   * reach the service, or was refused there.
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
/** What came of something that OBS was asked to do. */
export type ObsOutcome = z.infer<typeof ObsOutcome>

/** Procedures that drive OBS over obs-websocket (protocol 5). The stream key goes from the companion to OBS and never through a page. */
export const obsProcedures = {
  state: forPage.output(ObsState),
  /** Keeps where OBS is and connects. An absent password keeps the present one on the same host, null forgets it. Answers when it was tried. */
  configure: forPage
    .input(
      z.strictObject({
        host,
        port: z.number().int().min(1).max(65_535),
        enabled: z.boolean(),
        password: secret(z.string().min(1).max(256)).nullable().optional(),
      }),
    )
    .output(ObsState),
  /** Tries the connection now. Answers when it was tried. */
  connect: forPage.output(ObsState),
  /** Sets server and key of the channel in OBS, in place of what was set there. */
  setUp: forPage.input(onChannel).output(ObsOutcome),
  /** Starts the stream with what is set in OBS. Answers when it runs or has failed. */
  start: forPage.output(ObsOutcome),
  stop: forPage.output(ObsOutcome),
  /** Sets up and starts. `instead` stops a stream to elsewhere first. */
  goLive: forPage.input(onChannel.extend({ instead: z.boolean() })).output(ObsOutcome),
}
