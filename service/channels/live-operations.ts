import type { Unusable } from '../hub/hub.ts'
import { live } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Application } from '../applications.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { inForce, type OwedReason } from '../storage/held-writes.ts'
import { isUniqueViolation } from '../storage/store.ts'
import { statusOf, type Channel, type Channels } from './channels.ts'
import { channelAddresses, type PublicAddresses } from '../ingest/push-address.ts'

/** The channel of a call; throws the operation's `unknown` or `foreign` code. */
export function ownChannel(
  channels: Pick<Channels, 'get'>,
  operation: Operation,
  { uid }: Application,
  cid: string,
): Channel {
  const channel = channels.get(cid)
  if (!channel) throw new Refused(operation.unknown, 'there is no such channel')
  if (channel.row.uid !== uid)
    throw new Refused(
      operation.foreign,
      operation.foreign === operation.unknown
        ? 'there is no such channel'
        : 'the channel belongs to another application',
    )
  return channel
}

/** A channel in answers (1-live Channel). */
const readBack = (channel: Channel) => {
  const { ctime, cid, name, type, uid, needRecord, format, duration, filename } = channel.row
  return { ctime, cid, name, status: statusOf(channel), type, uid, needRecord, format, duration, filename }
}

const nameTaken = (): never => {
  throw new Refused(611, 'another channel has this name')
}

/** Handlers of contract/operations/live.ts. */
export function liveOperations(options: {
  readonly channels: Channels
  readonly addresses: () => PublicAddresses
  /** Query of pull addresses, for channels that not everybody may watch. */
  readonly pullQuery?: (cid: string) => string
  readonly cut: (cid: string, why: Unusable) => void
}): Served[] {
  const { channels, addresses, pullQuery = () => '', cut } = options
  const owner = ({ settings }: Application): void => {
    if (!settings.ownerPresent) throw new Refused(607, 'the owner of this application is not known')
  }
  const gone = (operation: Operation): never => {
    throw new Refused(operation.unknown, 'there is no such channel')
  }
  const ownOf = ({ uid }: Application, cids: readonly string[]): string[] =>
    cids.filter((cid) => channels.get(cid)?.row.uid === uid)
  const disable = async (
    application: Application,
    cids: readonly string[],
  ): Promise<{ done: string[]; owed: OwedReason | undefined }> => {
    const { done, stored } = channels.disable(ownOf(application, cids))
    for (const cid of done) cut(cid, 'disabled')
    return { done, owed: await stored }
  }

  return [
    serve(live.create, async ({ name }, { application }) => {
      owner(application)
      if (!application.settings.liveEnabled) throw new Refused(635, 'live is not activated for this application')
      let channel: Channel | 'taken'
      try {
        channel = await channels.create(application.uid, name, application.settings.pushLifeDays)
      } catch (error) {
        if (isUniqueViolation(error)) return nameTaken()
        throw error
      }
      if (channel === 'taken') return nameTaken()
      const { cid, ctime } = channel.row
      return { ret: { cid, ctime, name, ...channelAddresses(addresses(), channel.row) } }
    }),
    serve(live.update, async ({ cid, name }, { application }) => {
      owner(application)
      ownChannel(channels, live.update, application, cid)
      const outcome = await channels.rename(cid, name)
      if (outcome === 'taken') nameTaken()
      if (outcome === 'gone') gone(live.update)
      return { ret: {} }
    }),
    serve(live.remove, async ({ cid }, { application }) => {
      owner(application)
      ownChannel(channels, live.remove, application, cid)
      if (!(await channels.remove(cid))) gone(live.remove)
      cut(cid, 'deleted')
      return { ret: {} }
    }),
    serve(live.state, ({ cid }, { application }) => {
      owner(application)
      return { ret: readBack(ownChannel(channels, live.state, application, cid)) }
    }),
    serve(live.list, async ({ records, pnum, sort }, { application }) => {
      owner(application)
      const { channels: page, total } = await channels.page({
        uid: application.uid,
        page: pnum,
        size: records,
        ascending: sort === 1,
      })
      const totalPnum = Math.ceil(total / records)
      // docs/decisions/001-page-beyond-the-last.md: an application without channels has an empty first page.
      if (pnum > Math.max(totalPnum, 1))
        throw new Refused(live.list.unknown, `the last page is ${Math.max(totalPnum, 1)}`)
      return { ret: { pnum, totalPnum, records, totalRecords: total, list: page.map(readBack) } }
    }),
    serve(live.address, async ({ cid }, { application }) => {
      owner(application)
      ownChannel(channels, live.address, application, cid)
      const channel = await channels.freshAddress(cid, application.settings.pushLifeDays)
      if (channel === 'gone') return gone(live.address)
      return { ret: { ...channelAddresses(addresses(), channel.row, pullQuery(cid)), name: channel.row.name } }
    }),
    serve(live.pause, async ({ cid }, { application }) => {
      ownChannel(channels, live.pause, application, cid)
      const { done, owed } = await disable(application, [cid])
      if (done.length === 0) throw new Refused(629, 'the channel is already disabled')
      return inForce(owed)
    }),
    serve(live.pauseMany, async ({ cidList }, { application }) => {
      const { done, owed } = await disable(application, cidList)
      return { ret: { successList: done }, ...inForce(owed) }
    }),
    serve(live.resume, async ({ cid }, { application }) => {
      ownChannel(channels, live.resume, application, cid)
      if ((await channels.enable(ownOf(application, [cid]))).length === 0)
        throw new Refused(630, 'the channel is not disabled')
      return {}
    }),
    serve(live.resumeMany, async ({ cidList }, { application }) => ({
      ret: { successList: await channels.enable(ownOf(application, cidList)) },
    })),
  ]
}
