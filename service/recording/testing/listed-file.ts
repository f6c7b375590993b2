import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { local } from '../../../contract/operations/index.ts'
import type { TestService } from '../../testing/start-service.ts'
import { beside } from '../../testing/beside.ts'

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
  const row = {
    cid,
    uid,
    state: 'ready',
    format,
    merged: 0,
    slice: 0,
    beginTime: begin,
    filename: '',
    endTime: begin + duration,
    completed,
    name: `file ${completed}`,
    fileKey: 'key',
    bytes: bytes.length,
    duration,
    codecs,
  } as const
  const { vid } = await beside(service.dataDir, (db) =>
    db.insertInto('recording').values(row).returning('vid').executeTakeFirstOrThrow(),
  )
  const place = join(service.dataDir, 'recordings', cid)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, `${vid}.${format === 1 ? 'flv' : 'mp4'}`), bytes)
  return vid
}
