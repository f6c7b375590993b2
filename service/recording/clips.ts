import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { packedMedia, segmentFiles } from '../delay/segment-file.ts'
import type { Log } from '../log.ts'
import { codecsOf, type SliceTracks } from '../timeline/tracks.ts'
import { writeClip } from './clip.ts'
import type { WindowMedia } from './clip-window.ts'
import { createClipWindows, type ClipWindows } from './clip-windows.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore } from './files-store.ts'
import type { Finisher } from './finisher.ts'
import type { RecorderHub } from './recorder.ts'
import type { RecordNames } from './record-names.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { Workers } from './workers.ts'

/** Clips of an application that are made at once. */
const atOnce = 3

/** Clips of what is on air. */
export type Clips = Pick<ReturnType<typeof createClips>, 'take'>

const packed = ({ video, audio }: SliceTracks): Buffer =>
  packedMedia([video, audio].flatMap((track) => (track ? [{ packet: track.packet, number: 0, at: 0 }] : [])))

/** Makes clips of the windows of channels on air (behaviour.md#clips). */
function createClips(options: {
  readonly windows: Pick<ClipWindows, 'of'>
  readonly store: Pick<FilesStore, 'begin' | 'forget'>
  readonly folder: RecordingFolder
  /** Where the files of windows are. */
  readonly clipping: string
  readonly finisher: Pick<Finisher, 'finish'>
  readonly workers: Pick<Workers, 'run'>
  readonly names: RecordNames
  readonly files: Pick<FileSystem, 'remove'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { windows, store, folder, clipping, finisher, workers, names, files, clock, log } = options
  const running = new Map<Promise<unknown>, number>()

  interface Asked {
    readonly cid: string
    readonly uid: number
    /** Base name of the channel's files. */
    readonly filename: string
    readonly ms: number
    readonly name?: string | undefined
  }

  const make = async ({ cid, uid, filename, name }: Asked, media: WindowMedia) => {
    const { begin, newest } = media
    const named = name ?? names.name({ filename, cid, begin, end: Math.max(begin, newest) })
    const clip = writeClip({ vids: [], from: 0, to: 0, early: 0, begin })
    const row = {
      cid,
      uid,
      format: 0,
      merged: 1,
      slice: 0,
      beginTime: clock.now(),
      filename: named,
      codecs: codecsOf(media.tracks),
      clip,
    }
    const vid = await store.begin({ ...row, state: 'writing' })
    const place = { cid, vid, format: 0 }
    const paths = { temporary: folder.temporary(place), index: folder.index(place), target: folder.file(place) }
    try {
      const made = await workers.run({
        kind: 'clip',
        configurations: packed(media.tracks),
        files: media.files.map((file) => join(clipping, file)),
        rest: media.rest,
        start: media.start,
        ...paths,
      })
      const listed = await finisher.finish({ ...row, vid }, { recover: false, made })
      if (!listed) return 'short' as const
      const { bytes, duration } = listed
      return { vid, name: named, begin, duration, bytes }
    } catch (error) {
      for (const path of Object.values(paths)) await files.remove(path).catch(() => undefined)
      await store.forget(vid).catch((fault: unknown) => log.warn({ err: fault, vid }, 'a clip that failed is left'))
      throw error
    }
  }
  const take = async (asked: Asked) => {
    const media = await windows.of(asked.cid)?.take(asked.ms)
    if (!media) return 'offAir' as const
    try {
      return await make(asked, media)
    } finally {
      media.release()
    }
  }

  return {
    /**
     * Makes a file of the last `ms` of a channel, from the key frame before, which is listed then; or says why not.
     * Rejects when the disk does not take it: nothing is left of it.
     */
    async take(asked: Asked) {
      if ([...running.values()].filter((uid) => uid === asked.uid).length >= atOnce) return 'busy' as const
      const taking = take(asked)
      running.set(taking, asked.uid)
      try {
        return await taking
      } finally {
        running.delete(taking)
      }
    },
    /** Resolves when no clip is being made. */
    async close() {
      await Promise.allSettled(running.keys())
    },
  }
}

/** Keeps the windows of pushes that begin later, in a folder that is emptied first, and makes clips of them. */
export async function openClips({
  dataDir,
  hub,
  reserve,
  ...options
}: Omit<Parameters<typeof createClips>[0], 'windows' | 'clipping'> & {
  readonly dataDir: string
  readonly hub: Pick<RecorderHub, 'on' | 'join'>
  /** Bytes of the disk that are left free. */
  readonly reserve: number
}) {
  const clipping = join(dataDir, 'clipping')
  const windows = createClipWindows({ hub, files: await segmentFiles(clipping, reserve), log: options.log })
  const clips = createClips({ ...options, windows, clipping })
  return {
    ...clips,
    async close() {
      await clips.close()
      await windows.close()
    },
  }
}
