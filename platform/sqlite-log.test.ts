import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findLogDamage } from './sqlite-log.ts'

let folder: string
let log: string
let frame: number
/** A log after a kill: old frames behind the current ones. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-log-'))
  log = path.join(folder, 'left-wal')
  const database = new DatabaseSync(path.join(folder, 'a.db'))
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table one (a)')
  const insert = database.prepare('insert into one values (?)')
  for (let n = 0; n < 40; n++) insert.run('x'.repeat(3_000))
  database.exec('pragma wal_checkpoint(restart)')
  for (let n = 0; n < 12; n++) insert.run('y'.repeat(3_000))
  copyFileSync(path.join(folder, 'a.db-wal'), log)
  frame = 24 + readFileSync(log).readUInt32BE(8)
  database.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const changed = (change: (bytes: Buffer) => void): string | undefined => {
  const file = path.join(folder, 'changed-wal')
  const bytes = readFileSync(log)
  change(bytes)
  writeFileSync(file, bytes)
  return findLogDamage(file)
}
const flip = (at: number) => (bytes: Buffer) => {
  bytes[at] = bytes[at]! ^ 0xff
}

describe('the log of a database', () => {
  it('is sound as a kill leaves it, also with frames of before behind it, or cut off anywhere', () => {
    expect(findLogDamage(log)).toBe(undefined)
    for (const bytes of [0, 10, 32, 33, 32 + frame, 32 + frame * 5 + 100]) {
      const cut = path.join(folder, 'cut-wal')
      copyFileSync(log, cut)
      truncateSync(cut, bytes)
      expect(findLogDamage(cut), `${bytes}`).toBe(undefined)
    }
    expect(findLogDamage(path.join(folder, 'none-wal'))).toBe(undefined)
  })

  it('is damaged where its head or a frame before its end is, whether in the page, its number, its sum or its salt', () => {
    expect(changed((bytes) => bytes.fill(0))).toBe('its head is wrong')
    expect(changed(flip(5))).toBe('its head is wrong')
    for (const at of [0, 9, 17, 24, frame - 1])
      expect(changed(flip(32 + frame * 3 + at)), `byte ${at}`).toBe('frame 4 of it is wrong')
  })

  it('is not called damaged for what is wrong behind its end', () => {
    const frames = Math.floor((statSync(log).size - 32) / frame)
    expect(changed(flip(32 + frame * (frames - 3)))).toBe(undefined)
  })
})
