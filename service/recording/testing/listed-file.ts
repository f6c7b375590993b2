import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { local } from '../../../contract/operations/index.ts'
import type { TestService } from '../../testing/start-service.ts'

/** What a test chooses of a file; by default 10 s long and just completed. Times in ms. */
export interface ListedFile {
  readonly completed?: number
  readonly begin?: number
  readonly duration?: number
  readonly format?: number
  readonly codecs?: string
  readonly bytes?: Buffer
}

/** Writes a listed file and its row as the recorder would; returns its vid. */
export async function listFile(
  service: TestService,
  cid: string,
  now: number,
  values: ListedFile = {},
): Promise<number> {
  const {
    completed = now,
    begin = now - 10_000,
    duration = 10_000,
    format = 0,
    codecs = 'avc1',
    bytes = Buffer.from('not a film'),
  } = values
  const { uid } = (await service.call(local.info, {})).ret!
  const outside = new DatabaseSync(join(service.dataDir, 'sidestage.db'))
  outside.exec('pragma busy_timeout = 20000')
  const { lastInsertRowid } = outside
    .prepare(
      `insert into recording (cid, uid, state, format, merged, slice, beginTime, filename, endTime, completed, name, fileKey, bytes, duration, codecs) values (?, ?, 'ready', ?, 0, 0, ?, '', ?, ?, ?, 'key', ?, ?, ?)`,
    )
    .run(cid, uid, format, begin, begin + duration, completed, `file ${completed}`, bytes.length, duration, codecs)
  outside.close()
  const vid = Number(lastInsertRowid)
  const place = join(service.dataDir, 'recordings', cid)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, `${vid}.${format === 1 ? 'flv' : 'mp4'}`), bytes)
  return vid
}
