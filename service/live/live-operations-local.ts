import { statfs } from 'node:fs/promises'
import { local } from '../../contract/operations/index.ts'
import type { Applications } from '../applications.ts'
import { serve, serveStream, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Channels } from './channels.ts'
import { detailsOf, type LiveEvents } from './events.ts'
import { ownChannel } from './live-operations.ts'
import { channelAddresses, type PublicAddresses } from './push-address.ts'

/** A listener as the service describes itself. */
export interface ListenerState {
  readonly name: 'api' | 'media' | 'rtmp'
  readonly address: string
  readonly port: number
  /** Port that was asked for; 0 for any. */
  readonly wanted: number
  readonly holder?: string
}

/** What the extension operations work on. */
export interface LocalParts {
  readonly channels: Channels
  readonly applications: Pick<Applications, 'readSettings' | 'updateSettings'>
  readonly events: Pick<LiveEvents, 'subscribe'>
  /** Waits until what encoders sent before has been read. */
  readonly caughtUp: () => Promise<void>
  readonly addresses: () => PublicAddresses
  readonly viewers: (cid: string) => number
  readonly clock: () => number
  /** What of the disk is for recordings, in bytes: what may be recorded, what must become free first, what stays free. */
  readonly recordingRoom: () => Promise<{
    readonly room: number | undefined
    readonly needs: number | undefined
    readonly reserve: number
  }>
  readonly description: {
    readonly version: string
    readonly startedAt: number
    readonly timeZone: string
    readonly dataDir: string
    readonly listeners: () => ListenerState[]
  }
}

/** The extension operations that stand (contract/operations/local.ts), without the pending ones. */
export function localOperations({
  channels,
  applications,
  events,
  caughtUp,
  addresses,
  viewers,
  clock,
  recordingRoom,
  description,
}: LocalParts): Served[] {
  return [
    serve(local.info, async (_parameters, { application: { uid } }) => {
      const { version, startedAt, timeZone, dataDir, listeners } = description
      // Both of one moment: what is free and what may be recorded of it stand beside each other.
      const [{ bavail, bsize }, { room, needs, reserve }] = await Promise.all([statfs(dataDir), recordingRoom()])
      return {
        ret: {
          version,
          uid,
          startedAt,
          time: clock(),
          timeZone,
          dataDir,
          diskFree: bavail * bsize,
          ...(room !== undefined && { recordingRoom: room }),
          ...(needs !== undefined && { recordingNeeds: needs }),
          recordingReserve: reserve,
          listeners: listeners(),
        },
      }
    }),
    serveStream(local.events, async (_parameters, { application }, sink) => {
      // Whoever asks after this computer slept shall not be told of pushes whose end nobody has read yet.
      await caughtUp()
      const end = events.subscribe(application.uid, sink)
      if (end === 'full') throw new Refused(local.events.fault, 'too many callers listen to events')
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
          return channel?.row.uid === application.uid ? [detailsOf(channel, viewers(cid))] : []
        }),
      },
    })),
    serve(local.replaceKey, async ({ cid }, { application }) => {
      ownChannel(channels, local.replaceKey, application, cid)
      const channel = await channels.replaceKey(cid, application.settings.pushLifeDays)
      if (channel === 'gone') throw new Refused(local.replaceKey.unknown, 'there is no such channel')
      return { ret: { pushUrl: channelAddresses(addresses(), channel.row).pushUrl } }
    }),
  ]
}
