import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import { beginOf, type FileGroup } from './broadcast-groups.ts'
import { fileAt } from './time-line.ts'

/** A marker or a clip of what is played, with the part that has its first moment. */
export interface FileMoment {
  readonly key: string
  readonly kind: 'marker' | 'clip'
  readonly at: number
  readonly label: string
  readonly file: RecordedFile
  /** In that part, in s. */
  readonly seconds: number
}

/** Markers and clips of a file's broadcast by time; of a file of no broadcast its markers. */
export function momentsOf(
  playing: RecordedFile,
  groups: readonly FileGroup[],
  markers: readonly Marker[],
): FileMoment[] {
  const group = groups.find(({ files }) => files.some(({ vid }) => vid === playing.vid))
  const all = group?.files ?? [playing]
  const parts = all.filter((file) => !file.clip)
  const momentOf = (kind: FileMoment['kind'], key: string, at: number, label: string): FileMoment[] => {
    const file = fileAt(parts, { cid: playing.cid, at })
    return file ? [{ key, kind, at, label, file, seconds: (at - (file.begin ?? at)) / 1000 }] : []
  }
  return [
    ...markers
      .filter(({ cid }) => cid === playing.cid)
      .flatMap(({ markerId, at, label }) => momentOf('marker', `marker-${markerId}`, at, label)),
    ...all.flatMap((file) => {
      const at = file.clip ? beginOf(file) : null
      return at === null ? [] : momentOf('clip', `clip-${file.vid}`, at, file.name)
    }),
  ].sort((one, other) => one.at - other.at)
}
