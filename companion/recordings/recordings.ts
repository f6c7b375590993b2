import { receivedReason } from '../../contract/catalogue/reasons.ts'
import type { AnswerOf } from '../../contract/field.ts'
import type { Answer } from '../../contract/operation.ts'
import { type recordedFileDetails } from '../../contract/operations/local.ts'
import { local, recordings as operations } from '../../contract/operations/index.ts'
import { maxListRange } from '../../contract/operations/recordings.ts'
import type {
  DeletedChannel,
  ListedFile,
  OutgoingCallbacks,
  RecordedFile,
  RecordingState,
  Retention,
  RpcInputs,
} from '../../contract/rpc/index.ts'
import { callsOf, type Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { extendedOnly, type IsExtended, isLocal, localOnly } from '../profiles/profiles.ts'
import type { GrantedFile } from '../relay/tickets.ts'
import { recordingOf } from '../channel-status/recording-of.ts'
import { each } from './parallel.ts'
import { readFileKey } from './file-key.ts'
import { checkedPlace } from './file-place.ts'
import { createClips } from './clips.ts'
import { createMarkers } from './markers.ts'
import { createMerges } from './merges.ts'
import { oneOf } from './one-of.ts'

/** Whether files are being merged. Throws Failure. */
export async function isMerging(client: Client): Promise<boolean> {
  const { ret } = await client.call(local.mergeTasks, {})
  return ret.list.some(({ state }) => state === 'running')
}

/** Recordings of a profile. Throws Failure. */
export type Recordings = ReturnType<typeof createRecordings>

type Input = RpcInputs['recordings']

/** Remaining validity in ms below which an address is renewed. */
const addressMargin = 60_000
/** End of a file's address. Before it is what others reach, which the service's own computer may not. */
const filePath = /\/recordings\/[^/]+\/[^/]+$/

const fileOf = (cid: string, { format, ...file }: AnswerOf<typeof recordedFileDetails>) => ({
  ...file,
  cid,
  format: format === 1 ? ('flv' as const) : ('mp4' as const),
})

const retentionOf = ({
  recordingDays = 0,
  recordingGigabytes = 0,
}: Answer<typeof local.settings>['ret']): Retention => ({
  days: recordingDays,
  gigabytes: recordingGigabytes,
})

/** Makes the calls. */
export function createRecordings(ports: {
  readonly clock: Clock
  readonly client: (profileId: string) => Promise<Client>
  readonly isExtended: IsExtended
  /** Where signed calls reach the profile's service. */
  readonly root: (profileId: string) => Promise<string>
  readonly folder: () => string
  readonly showFile?: ((file: string) => void) | undefined
}) {
  const { clock, client, isExtended } = ports
  const call = callsOf(client)
  const listOf = async (
    profileId: string,
    cid: string,
    beginTime: number,
    endTime: number,
  ): Promise<RecordedFile[]> => {
    const caller = await client(profileId)
    if (isExtended(profileId)) {
      const { ret } = await caller.call(local.recordedFiles, { cid, beginTime, endTime })
      return ret.list.map((file) => fileOf(cid, file))
    }
    const { ret } = await caller.call(operations.videoListInRange, { cid, beginTime, endTime })
    const untold = { bytes: null, duration: null, codecs: null, merged: null }
    return ret.videoList.map(({ vid, name, url }) => ({ vid, cid, name, key: url, ...untold, ...readFileKey(url) }))
  }
  const addressOf = async (profileId: string, vid: number): Promise<{ url: URL; expires: number }> => {
    const { ret } = await call(profileId, local.playbackTicket, { vid })
    const path = URL.canParse(ret.url) ? filePath.exec(new URL(ret.url).pathname)?.[0] : undefined
    if (path === undefined) throw new Failure('notOurs', 'the address of the file is not within the service')
    // The relay checks where another computer's address leads.
    const url = isLocal(profileId) ? new URL(path, await ports.root(profileId)) : new URL(ret.url)
    return { url, expires: ret.expires }
  }

  return {
    ...createMerges(clock, client, isExtended),
    ...createMarkers(clock, client, isExtended),
    ...createClips(client, isExtended),
    state: async ({ profileId, cid }: Input['state']): Promise<RecordingState | null> => {
      if (!isExtended(profileId)) return null
      const { ret } = await call(profileId, local.recordingState, { cid })
      return recordingOf(ret) ?? null
    },
    configure: async ({ profileId, cid, needRecord, format, duration, filename }: Input['configure']) => {
      await call(profileId, operations.setAlwaysRecord, {
        cid,
        needRecord: needRecord ? 1 : 0,
        format: format === 'flv' ? 1 : 0,
        duration,
        filename,
      })
    },
    list: async ({ profileId, cids, beginTime, endTime }: Input['list']): Promise<{ files: RecordedFile[] }> => {
      if (endTime < beginTime || endTime - beginTime > maxListRange)
        throw new Failure('absent', 'a range is at most a week')
      const lists = await each(cids, (cid) => listOf(profileId, cid, beginTime, endTime))
      return { files: lists.flat().sort((a, b) => (b.begin ?? 0) - (a.begin ?? 0) || b.vid - a.vid) }
    },
    /** Newest first, deleted channels included. */
    all: async ({ profileId, before, ...filter }: Input['all']): Promise<{ files: ListedFile[]; more: boolean }> => {
      extendedOnly(isExtended, profileId)
      const after = before && { beforeBegin: before.begin, beforeVid: before.vid }
      const { ret } = await call(profileId, local.allRecordedFiles, { ...filter, ...after })
      const files = ret.list.map(({ cid, channel, deleted, ...file }) => ({
        ...fileOf(cid, file),
        channel: channel ?? null,
        deleted,
      }))
      return { files, more: ret.more }
    },
    deletedChannels: async ({ profileId }: Input['deletedChannels']): Promise<DeletedChannel[]> => {
      if (!isExtended(profileId)) return []
      const { ret } = await call(profileId, local.deletedChannels, {})
      return ret.list.map(({ cid, name, deleted }) => ({ cid, name: name ?? null, deleted }))
    },
    /** For a ticket of the relay. */
    file: async (profileId: string, vid: number): Promise<GrantedFile> => {
      extendedOnly(isExtended, profileId)
      let address = await addressOf(profileId, vid)
      return {
        name: /[^/]*$/.exec(address.url.pathname)?.[0] ?? String(vid),
        url: async () => {
          if (address.expires - clock.now() < addressMargin) address = await addressOf(profileId, vid)
          return address.url
        },
      }
    },
    show: async ({ profileId, vid }: Input['show']) => {
      localOnly(profileId)
      if (!ports.showFile) throw new Failure('absent', 'this shell cannot show files in a folder')
      const { ret } = await call(profileId, local.playbackTicket, { vid })
      ports.showFile(await checkedPlace(ports.folder(), vid, ret.file))
    },
    remove: async ({ profileId, vids }: Input['remove']): Promise<{ removed: number[] }> => {
      extendedOnly(isExtended, profileId)
      const { ret } = await call(profileId, local.removeRecordings, { vidList: vids })
      return { removed: ret.successList }
    },
    retention: async ({ profileId }: Input['retention']): Promise<Retention> => {
      extendedOnly(isExtended, profileId)
      return retentionOf((await call(profileId, local.settings, {})).ret)
    },
    setRetention: async ({ profileId, days, gigabytes }: Input['setRetention']): Promise<Retention> => {
      extendedOnly(isExtended, profileId)
      return retentionOf(
        (await call(profileId, local.updateSettings, { recordingDays: days, recordingGigabytes: gigabytes })).ret,
      )
    },
    callbacks: async ({ profileId, limit }: Input['callbacks']): Promise<OutgoingCallbacks> => {
      extendedOnly(isExtended, profileId)
      const { ret } = await call(profileId, local.deliveries, { limit, kind: 'recording' })
      const list = ret.list.map(({ nId, vid, url, state, attempts, at, due, result }) => ({
        nId,
        vid: vid ?? null,
        url,
        attempts,
        at,
        state: oneOf(state, 'waiting', 'delivered', 'failed'),
        due: due ?? null,
        result: result ? receivedReason('delivery', result) : null,
      }))
      return { list, waiting: ret.waiting ?? list.filter((each) => each.state === 'waiting').length }
    },
    resend: async ({ profileId, nId }: Input['resend']) => {
      extendedOnly(isExtended, profileId)
      await call(profileId, local.resend, { nId })
    },
  }
}
