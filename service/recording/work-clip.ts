import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderNow } from '../../platform/atomic-file.ts'
import { moveFile } from '../../platform/moved-file.ts'
import { unpackedMedia } from '../delay/segment-file.ts'
import { configured, isFrame, type SliceTracks } from '../timeline/tracks.ts'
import { Mp4Slice } from './slice-mp4.ts'
import type { SlicePart } from './slice-muxer.ts'
import { finishMp4, writeAll } from './work-finish.ts'
import type { Work, WorkResult } from './work.ts'

/** Not recursive: nothing must be made where a drive was removed. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes a file of packets, from the one with a timestamp on: whole, then renamed, so never a partial file. */
export async function makeClip(work: Extract<Work, { kind: 'clip' }>): Promise<WorkResult> {
  const { configurations, files, rest, start, temporary, index, target } = work
  let tracks: SliceTracks = {}
  for (const { packet } of unpackedMedia(Buffer.from(configurations), 0)) tracks = configured(tracks, packet)
  const slice = new Mp4Slice(tracks)
  const open: number[] = []
  try {
    makeFolder(dirname(temporary))
    const [media, records] = [temporary, index].map((path) => {
      const descriptor = openSync(path, 'w', 0o600)
      open.push(descriptor)
      return { descriptor, at: 0 }
    }) as [{ descriptor: number; at: number }, { descriptor: number; at: number }]
    const append = (to: { descriptor: number; at: number }, bytes: Buffer): void => {
      writeAll(to.descriptor, bytes, to.at)
      to.at += bytes.length
    }
    const write = (part: SlicePart | undefined): void => {
      if (!part) return
      append(media, Buffer.concat(part.media))
      if (part.index) append(records, part.index)
    }
    append(media, slice.head)
    // One file at a time is in memory.
    const pieces = [...files.map((path) => () => readFileSync(path)), () => Buffer.from(rest)]
    for (const read of pieces)
      for (const { packet } of unpackedMedia(read(), 0))
        if (packet.timestamp >= start && isFrame(tracks, packet)) write(slice.packet(packet, packet.timestamp - start))
    write(slice.end())
    for (const descriptor of open.splice(0)) closeSync(descriptor)
    const made = finishMp4({ path: temporary, index, recover: false })
    await moveFile(temporary, target)
    syncFolderNow(dirname(target))
    return made
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    for (const descriptor of open) closeSync(descriptor)
    rmSync(index, { force: true })
  }
}
