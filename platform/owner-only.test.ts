import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeToOthers } from './owner-only.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-owner-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const modeOf = (name: string): number => statSync(path.join(folder, name)).mode & 0o777
const put = (name: string, mode: number): void => {
  writeFileSync(path.join(folder, name), '')
  chmodSync(path.join(folder, name), mode)
}

it
  .skipIf(process.platform === 'win32')
  .each([
    'app-lock.db',
    'lock.db',
    'sidestage.db',
    'sidestage.db-wal',
    'sidestage.db-shm',
    'actions.db-journal',
    'receivers.db.doubt',
    'copies.db.damaged',
    'room-copies.db',
    'profiles.json',
    'settings.json.new',
    'stores.json.4711.new',
    'seats.json',
    'joined.json',
    'credentials.json',
    'sidestage-move.json',
    'lock.pid',
    'revoked-seats',
  ])('closes %s to other users', (name) => {
  put(name, 0o666)
  closeToOthers(folder)
  expect(modeOf(name)).toBe(0o600)
})

it
  .skipIf(process.platform === 'win32')
  .each(['notes.txt', 'my-profiles.json', 'profiles.json.bak', 'other.db', 'revoked-seats.txt'])(
  'leaves %s of a person as it is',
  (name) => {
    put(name, 0o666)
    closeToOthers(folder)
    expect(modeOf(name)).toBe(0o666)
  },
)

it.skipIf(process.platform === 'win32')(
  'closes the folders of recordings, files, copies and the quarantine, and no other',
  () => {
    const names = ['recordings', 'files', 'copies', 'quarantine', 'mine']
    for (const name of names) {
      mkdirSync(path.join(folder, name))
      chmodSync(path.join(folder, name), 0o755)
    }
    closeToOthers(folder)
    expect(names.map(modeOf)).toEqual([0o700, 0o700, 0o700, 0o700, 0o755])
  },
)

it.skipIf(process.platform === 'win32')('takes no right of the owner, and follows no link', () => {
  put('settings.json', 0o444)
  put('target', 0o666)
  symlinkSync(path.join(folder, 'target'), path.join(folder, 'profiles.json'))
  mkdirSync(path.join(folder, 'rooms.json'))
  chmodSync(path.join(folder, 'rooms.json'), 0o755)
  closeToOthers(folder)
  expect([modeOf('settings.json'), modeOf('target'), modeOf('rooms.json')]).toEqual([0o400, 0o666, 0o755])
})
