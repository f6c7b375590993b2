import { maxListRange } from '../../contract/operations/recordings.ts'
import type { RecordedFile, RecordingPosition } from '../../contract/rpc/index.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Rooms } from './rooms.ts'

/** Ties lines of rooms to recordings. Failures are Failure. */
export type RoomMedia = ReturnType<typeof createRoomMedia>

interface RoomMediaPorts {
  readonly rooms: Pick<Rooms, 'find'>
  readonly recordings: Pick<Recordings, 'list' | 'state'>
}

/** Gap between two slices, in ms. */
const maxSeam = 1000
/** In ms: slices last two hours at most (1-live Limits), until a key frame. */
const maxSlice = 4 * 3600 * 1000

const isTimed = (file: RecordedFile): file is RecordedFile & { readonly begin: number; readonly end: number } =>
  file.begin !== null && file.end !== null && file.merged !== true
/** The file at a time, or its neighbours. */
function placeOf(
  files: readonly RecordedFile[],
  at: number,
): { readonly file?: RecordedFile; readonly before: RecordedFile | null; readonly after: RecordedFile | null } {
  const timed = files.filter(isTimed).sort((one, other) => one.begin - other.begin)
  const before = timed.findLast(({ begin }) => begin <= at) ?? null
  const after = timed.find(({ begin }) => begin > at) ?? null
  if (before && at < before.end + maxSeam) return { file: before, before, after }
  return after && at > after.begin - maxSeam ? { file: after, before, after } : { before, after }
}

/** Makes it. */
export function createRoomMedia({ rooms, recordings }: RoomMediaPorts) {
  const around = async (profileId: string, cid: string, at: number, reach: number) =>
    placeOf(
      (await recordings.list({ profileId, cids: [cid], beginTime: Math.max(0, at - reach), endTime: at + reach }))
        .files,
      at,
    )

  return {
    /** What of the linked channel was recorded at a time, in ms. */
    second: async (profileId: string, roomid: number, at: number): Promise<RecordingPosition> => {
      const { cid = null } = (await rooms.find(profileId, roomid)) ?? {}
      if (cid === null) return { found: 'unlinked' }
      // First: a slice that ends meanwhile is in the list.
      const state = await recordings.state({ profileId, cid })
      const { file } = await around(profileId, cid, at, maxSlice)
      if (file) {
        const { begin, end } = file
        return { found: 'file', cid, file, seconds: Math.max(0, Math.min(at, end ?? at) - (begin ?? at)) / 1000 }
      }
      if (state?.state === 'recording' && state.since !== null && at > state.since - maxSeam)
        return { found: 'running', cid, cut: state.cut }
      const { before, after } = await around(profileId, cid, at, Math.floor(maxListRange / 2))
      return { found: 'none', cid, before, after }
    },
  }
}
