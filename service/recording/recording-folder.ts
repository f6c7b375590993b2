import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { clearFolderPlace } from '../../platform/stores.ts'
import { extensionOf } from './record-names.ts'

/** Paths of recordings: `DATA/recordings/<cid>/<vid>.<ext>`. Never made from user input. */
export type RecordingFolder = ReturnType<typeof createRecordingFolder>

const cidPattern = /^[0-9a-f]{32}$/

/** Makes the folder if missing; later only folders of channels are made in it. */
export function createRecordingFolder(dataDir: string) {
  const root = join(dataDir, 'recordings')
  clearFolderPlace(root)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const of = (cid: string): string => {
    if (!cidPattern.test(cid)) throw new Error('not a channel id')
    return join(root, cid)
  }
  return {
    root,
    of,
    file: ({ cid, vid, format }: { readonly cid: string; readonly vid: number; readonly format: number }) =>
      join(of(cid), `${vid}.${extensionOf(format)}`),
    /** Sample index of a file being written; temporary file of a merge. */
    index: ({ cid, vid }: { readonly cid: string; readonly vid: number }) => join(of(cid), `${vid}.index`),
    temporary: ({ cid, vid }: { readonly cid: string; readonly vid: number }) => join(of(cid), `${vid}.part`),
  }
}
