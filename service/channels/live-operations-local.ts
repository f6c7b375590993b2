import type { Clock } from '../../platform/clock.ts'
import { statfs } from 'node:fs/promises'
import { local } from '../../contract/operations/index.ts'
import type { Applications } from '../applications.ts'
import { serve, serveStream, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Channels } from './channels.ts'
import { detailsOf, type LiveEvents } from './events.ts'
import { inForce } from '../storage/held-writes.ts'
import { ownChannel } from './live-operations.ts'
import { channelAddresses, type PublicAddresses } from '../ingest/push-address.ts'

/** A listener as the service reports it. */
export interface ListenerState {
  readonly name: 'api' | 'media' | 'rtmp'
  readonly address: string
  readonly port: number
  /** Requested port; 0 for any. */
  readonly wanted: number
  readonly holder?: string
}

/** The live operations of contract/operations/local.ts. */
export function localOperations(options: {
  readonly channels: Channels
  readonly applications: Pick<Applications, 'readSettings' | 'updateSettings'>
  readonly events: Pick<LiveEvents, 'subscribe'>
  readonly rtmp: {
    caughtUp(): Promise<void>
  }
  readonly addresses: () => PublicAddresses & { readonly link: string }
  /** The pushes of all nodes. */
  readonly hub: { viewers(cid: string): number; endHold?(cid: string): unknown }
  readonly clock: Clock
  readonly recording: {
    /** Bytes for recordings: usable, still to be freed, and kept free. */
    space(): Promise<{
      readonly space: number | undefined
      readonly needs: number | undefined
      readonly reserve: number
    }>
  }
  readonly description: {
    readonly version: string
    readonly startedAt: number
    readonly timeZone: string
    readonly dataDir: string
    readonly listeners: () => ListenerState[]
  }
}): Served[] {
  const { channels, applications, events, rtmp, addresses, hub, clock, recording, description } = options
  return [
    serve(local.info, async (_parameters, { application: { uid } }) => {
      const { version, startedAt, timeZone, dataDir, listeners } = description
      const { media, link } = addresses()
      // Read together, so that both figures are of the same moment.
      const [{ bavail, bsize }, { space, needs, reserve }] = await Promise.all([statfs(dataDir), recording.space()])
      return {
        ret: {
          version,
          uid,
          startedAt,
          time: clock.now(),
          timeZone,
          dataDir,
          diskFree: bavail * bsize,
          ...(space !== undefined && { recordingRoom: space }),
          ...(needs !== undefined && { recordingNeeds: needs }),
          recordingReserve: reserve,
          media,
          link,
          listeners: listeners(),
        },
      }
    }),
    serveStream(local.events, async ({ after }, { application }, sink) => {
      // After a sleep, pushes whose end is not read yet must not be reported as on air.
      await rtmp.caughtUp()
      const end = events.subscribe(application.uid, sink, after)
      if (end === 'full') throw new Refused(local.events.fault, 'too many subscribers of events')
      return end
    }),
    serve(local.settings, async (_parameters, { application }) => ({
      ret: { ...(await applications.readSettings(application.uid)) },
    })),
    serve(local.updateSettings, async (changes, { application }) => ({
      ret: { ...(await applications.updateSettings(application.uid, changes)) },
    })),
    serve(local.channelDetails, ({ cidList }, { application }) => ({
      ret: {
        list: [...new Set(cidList)].flatMap((cid) => {
          const channel = channels.get(cid)
          return channel?.row.uid === application.uid ? [detailsOf(channel, hub.viewers(cid))] : []
        }),
      },
    })),
    serve(local.replaceKey, async ({ cid }, { application }) => {
      ownChannel(channels, local.replaceKey, application, cid)
      const replaced = await channels.replaceKey(cid, application.settings.pushLifeDays)
      if (replaced === 'gone') throw new Refused(local.replaceKey.unknown, 'there is no such channel')
      // A lost encoder could not return.
      hub.endHold?.(cid)
      return {
        ret: { pushUrl: channelAddresses(addresses(), replaced.channel.row).pushUrl },
        ...inForce(replaced.owed),
      }
    }),
  ]
}
