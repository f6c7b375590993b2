import { computed, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { DeletedChannel } from '../../../contract/rpc/index.ts'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRequest } from '../../data/request.ts'
import { useRecordings } from './recorded.ts'
import { useServices, type Services } from '../../data/services.ts'

/** A channel with recordings, which may be deleted. */
export interface RecordedChannel {
  readonly cid: string
  readonly name: string
}

/** Deleted channels with files; empty where the service does not list them. */
export function useFormerChannels() {
  const { rpc } = useServices()
  const companion = useCompanion()
  const channels = useChannels()
  const recordings = useRecordings()
  const { value, failure, run, drop } = useRequest<readonly DeletedChannel[]>()
  const read = async (): Promise<void> => {
    const profileId = channels.profileId
    if (profileId === null || !companion.extended || companion.line !== 'open') drop()
    else await run(() => rpc.recordings.deletedChannels({ profileId }))
  }
  watch(
    [() => channels.profileId, () => channels.slice.channels, () => companion.line, () => recordings.files],
    () => {
      inBackground(read())
    },
    { immediate: true },
  )
  return { list: computed(() => value.value ?? []), failure, read }
}

/** Keys of `ask` with counts, for a question before a deletion. */
export function recordedWords({
  local,
  files,
  recording,
}: {
  readonly local: boolean
  /** Undefined while counting, null if unknown. */
  readonly files: number | null | undefined
  /** A file of a running recording is not listed. */
  readonly recording: boolean
}): readonly {
  readonly key: 'recordedHosted' | 'recordedSome' | 'recordedNone' | 'recorded' | 'recordingNow'
  readonly n: number
}[] {
  if (!local) return [{ key: 'recordedHosted', n: 0 }]
  const now = recording ? [{ key: 'recordingNow', n: 0 } as const] : []
  if (files === 0) return recording ? now : [{ key: 'recordedNone', n: 0 }]
  return [files === undefined || files === null ? { key: 'recordedSome', n: 0 } : { key: 'recorded', n: files }, ...now]
}

const page = 1_000
const maxPages = 20

/** Null above the maximum. */
export async function countRecorded(
  rpc: Services['rpc'],
  profileId: string,
  cids: readonly string[],
): Promise<number | null> {
  const wanted = new Set(cids)
  let count = 0
  let before: { begin: number; vid: number } | null = null
  for (let read = 0; read < maxPages; read++) {
    const { files, more } = await rpc.recordings.all({
      profileId,
      beginTime: 0,
      endTime: Number.MAX_SAFE_INTEGER,
      deletedOnly: false,
      limit: page,
      before,
    })
    count += files.filter(({ cid }) => wanted.has(cid)).length
    const last = files.at(-1)
    if (!more || !last || last.begin === null) return count
    before = { begin: last.begin, vid: last.vid }
  }
  return null
}
