import { live, local } from '../../contract/operations/index.ts'
import type { Channel } from '../../contract/rpc/index.ts'
import { recordingBy } from '../../contract/switched-recording.ts'
import { disableChannels, removeChannels, resumeChannels } from '../channels/batch.ts'
import { readChannel, readChannels } from '../channels/channel-list.ts'
import type { Client } from '../client/client.ts'
import { reasonOf } from '../failure.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import type { RpcImplementer } from './implementer.ts'
import type { RouterPorts } from './ports.ts'

async function ownChannel(client: Client, seat: ConnectedSeat): ReturnType<typeof readChannels> {
  const cid = seat.cid()
  const own = cid === null ? undefined : await readChannel(client, cid)
  return own ? { channels: [own], total: 1 } : { channels: [], total: 0 }
}

/** How long the picture of a new channel is held when its encoder is lost. */
const newHold = 120

/** Procedures of channels. `changed`: a channel of a profile was changed. */
export function channelsRouter(
  os: RpcImplementer['channels'],
  {
    client,
    addresses,
    recordings,
    settings,
    profiles,
    log,
  }: Pick<RouterPorts, 'client' | 'addresses' | 'recordings' | 'settings' | 'profiles' | 'log'>,
  changed: (profileId: string) => void,
) {
  /** Applies the recording defaults to a new channel; failures are reported, not thrown. */
  const recordNew = async (profileId: string, cid: string, name: string): Promise<'on' | 'failed'> => {
    try {
      await recordings.configure({ profileId, cid, needRecord: true, ...recordingBy(settings.value().recording, name) })
      return 'on'
    } catch (error) {
      log(`a new channel is not recorded as the settings wish: ${reasonOf(error)}`)
      return 'failed'
    }
  }

  /** Holds the picture of a new channel of an extended service; a failure is reported, not thrown. */
  const holdNew = async (service: Client, profileId: string, cid: string): Promise<{ hold?: 'failed' }> => {
    if (!profiles.isExtended(profileId) || local.updateHold.pending) return {}
    try {
      await service.call(local.updateHold, { cid, holdSeconds: newHold })
      return {}
    } catch (error) {
      log(`the picture of a new channel is not held: ${reasonOf(error)}`)
      return { hold: 'failed' }
    }
  }

  return {
    list: os.list.handler(async ({ input, context: { connection } }) => {
      const service = await client(input.profileId)
      const { seat } = connection
      const { channels, total } = seat ? await ownChannel(service, seat) : await readChannels(service)
      return {
        total,
        channels: channels.map((one): Channel => ({
          cid: one.cid,
          name: one.name,
          status: one.status,
          created: one.ctime,
          needRecord: one.needRecord === 1,
          format: one.format === 1 ? 'flv' : 'mp4',
          duration: one.duration,
          filename: one.filename,
        })),
      }
    }),
    create: os.create.handler(async ({ input }) => {
      const service = await client(input.profileId)
      const { ret } = await service.call(live.create, { name: input.name, type: 0 })
      const recording = input.record ? await recordNew(input.profileId, ret.cid, input.name) : 'asIs'
      const hold = await holdNew(service, input.profileId, ret.cid)
      changed(input.profileId)
      return { cid: ret.cid, recording, ...hold }
    }),
    rename: os.rename.handler(async ({ input }) => {
      await (await client(input.profileId)).call(live.update, { cid: input.cid, name: input.name, type: 0 })
      changed(input.profileId)
    }),
    remove: os.remove.handler(async ({ input }) => {
      const report = await removeChannels(await client(input.profileId), input.cids)
      for (const { cid, ok } of report.results) if (ok) addresses.forget(input.profileId, cid)
      changed(input.profileId)
      return report
    }),
    disable: os.disable.handler(async ({ input }) => {
      const report = await disableChannels(await client(input.profileId), input.cids)
      changed(input.profileId)
      return report
    }),
    resume: os.resume.handler(async ({ input }) => {
      const report = await resumeChannels(await client(input.profileId), input.cids)
      changed(input.profileId)
      return report
    }),
  }
}
