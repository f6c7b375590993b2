import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import type { FileGroup, groupsOf } from './broadcast-groups.ts'
import { fileAt } from './time-line.ts'

/** A marker that was found, with the file that has its moment. */
export interface MarkerHit {
  readonly marker: Marker
  readonly file: RecordedFile
  /** In the file, in s. */
  readonly seconds: number
}

/** Broadcasts, files and markers with a text in their titles, names and labels; all and no markers for no text. */
export function soughtIn(
  all: ReturnType<typeof groupsOf>,
  markers: readonly Marker[],
  query: string,
): ReturnType<typeof groupsOf> & { readonly hits: readonly MarkerHit[] } {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return { ...all, hits: [] }
  const has = (text: string): boolean => text.toLowerCase().includes(wanted)
  const files = [...all.groups.flatMap((group) => group.files), ...all.others]
  const hits = markers.flatMap((marker): MarkerHit[] => {
    const file = has(marker.label) ? fileAt(files, marker) : undefined
    return file ? [{ marker, file, seconds: (marker.at - (file.begin ?? marker.at)) / 1000 }] : []
  })
  const marked = new Set(hits.map(({ file }) => file.vid))
  const isFound = (file: RecordedFile): boolean => has(file.name) || marked.has(file.vid)
  return {
    groups: all.groups.flatMap((group): FileGroup[] => {
      if (has(group.broadcast.title)) return [group]
      const found = group.files.filter(isFound)
      return found.length > 0 ? [{ ...group, files: found }] : []
    }),
    others: all.others.filter(isFound),
    hits,
  }
}
