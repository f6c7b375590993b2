import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { ListedFile, Marker } from '../../../contract/rpc/index.ts'
import { useRequest } from '../../data/request.ts'
import { useServices } from '../../data/services.ts'
import { reelOf } from './reel.ts'

/** Which files are trimmed: one, or all of its channel from it up to another. */
export interface TrimAsked {
  readonly profileId: string
  readonly vid: number
  readonly to: number
}

const pageSize = 1000
const maxPages = 10
/** Addresses of a page are bounded; longer seams are merged first. */
const maxParts = 32
/** Beyond any recording, in ms. */
const never = 8.64e15

/** Why files cannot be trimmed. */
export type TrimFault = 'gone' | 'flv' | 'parts'

const isPart = (file: ListedFile): boolean => file.format === 'mp4' && file.merged !== true && file.begin !== null

/** The files between two of a channel, in order; or why they cannot be trimmed. */
export function partsOf(files: readonly ListedFile[], vid: number, to: number): readonly ListedFile[] | TrimFault {
  const [first, last] = [vid, to].map((each) => files.find((file) => file.vid === each))
  if (!first || !last) return 'gone'
  if (first.format !== 'mp4' || last.format !== 'mp4') return 'flv'
  if (first === last) return [first]
  const parts = files
    .filter(
      (file) => file.cid === first.cid && isPart(file) && file.begin! >= first.begin! && file.begin! <= last.begin!,
    )
    .sort((one, other) => one.begin! - other.begin! || one.vid - other.vid)
  const fits = parts[0] === first && parts.at(-1) === last && parts.every(({ codecs }) => codecs === first.codecs)
  return fits && parts.length <= maxParts ? parts : 'parts'
}

/** The files that are trimmed, addresses of them, and the markers of their time. */
export function useTrimmedFiles(wanted: Readonly<Ref<TrimAsked | null>>) {
  const { rpc } = useServices()
  const files = shallowRef<readonly ListedFile[]>([])
  const fault = ref<TrimFault | null>(null)
  const paths = shallowRef<readonly string[] | null>(null)
  const markers = shallowRef<readonly Marker[]>([])
  const { failure, busy, run } = useRequest<void>()
  const reel = computed(() => reelOf(files.value))

  const find = async ({ profileId, vid, to }: TrimAsked): Promise<readonly ListedFile[] | TrimFault> => {
    const found: ListedFile[] = []
    let before: { begin: number; vid: number } | null = null
    for (let page = 0; page < maxPages; page++) {
      const asked = { profileId, beginTime: 0, endTime: never, deletedOnly: false, limit: pageSize, before }
      const list: { files: ListedFile[]; more: boolean } = await rpc.recordings.all(asked)
      found.push(...list.files)
      const last = list.files.at(-1)
      if (!list.more || last?.begin == null || [vid, to].every((each) => found.some((file) => file.vid === each))) break
      before = { begin: last.begin, vid: last.vid }
    }
    return partsOf(found, vid, to)
  }
  const tickets = (profileId: string): Promise<string[]> =>
    Promise.all(files.value.map(async ({ vid }) => (await rpc.recordings.ticket({ profileId, vid })).path))
  const load = (): Promise<unknown> =>
    run(async (isLate) => {
      const asked = wanted.value
      if (!asked) return
      const found = await find(asked)
      if (isLate()) return
      fault.value = typeof found === 'string' ? found : null
      files.value = typeof found === 'string' ? [] : found
      if (typeof found === 'string') return
      const addresses = await tickets(asked.profileId)
      if (isLate()) return
      paths.value = addresses
      const [first, last] = [reel.value.parts[0], reel.value.parts.at(-1)]
      if (first?.begin == null || last?.begin == null) return
      const range = { beginTime: Math.floor(first.begin), endTime: Math.ceil(last.begin + last.length) }
      const marked = await rpc.recordings.markers({ profileId: asked.profileId, cids: [first.file.cid], ...range })
      if (!isLate()) markers.value = marked
    })
  watch(
    () => JSON.stringify(wanted.value),
    () => {
      files.value = []
      paths.value = null
      markers.value = []
      fault.value = null
      inBackground(load())
    },
    { immediate: true },
  )
  return {
    files,
    reel,
    paths,
    markers,
    fault,
    failure,
    busy,
    load,
    /** New addresses, where the old ones were not used for long. */
    renew: async (): Promise<void> => {
      const asked = wanted.value
      if (!asked) return
      const addresses = await tickets(asked.profileId)
      if (wanted.value === asked) paths.value = addresses
    },
  }
}
