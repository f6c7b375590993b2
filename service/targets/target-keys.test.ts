import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openQuarantine } from '../../platform/quarantine.ts'
import { fileKeys, memoryKeys, wasReplaced, type KeyPlace } from './target-keys.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sidestage-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
const cid = 'c'.repeat(32)
const [a, b] = ['rtmps://a.example/app', 'rtmp://b.example/app']
const target = (targetId: number, url = a): KeyPlace => ({ cid, targetId, url })
const quarantineOf = (path: string) => openQuarantine({ folder: path, now: () => Date.now() })
/** Opens them, as a start with these targets does. */
const open = (path: string, targets: readonly KeyPlace[] = [target(3), target(4)], isReplaced = false) =>
  fileKeys(path, {
    targets,
    isReplaced: () => isReplaced,
    quarantine: quarantineOf(path),
    log: { info: () => undefined, warn: () => undefined },
  })
/** What was set aside, newest first. */
const setAside = (path: string): unknown[] =>
  quarantineOf(path)
    .list()
    .flatMap(({ id }) => quarantineOf(path).files(id) ?? [])
    .map(({ file }) => JSON.parse(readFileSync(file, 'utf8')) as unknown)
const fileOf = (path: string): string => join(path, 'target-keys.json')
const inFile = (path: string): unknown => JSON.parse(readFileSync(fileOf(path), 'utf8'))

it('keys of a stand-alone service are in one file of its user alone, and are there after a restart', async () => {
  const path = folder()
  const keys = await open(path)
  await keys.set(target(3), 'live_1')
  await keys.set(target(4), 'live_2')
  await keys.remove([4, 9])
  expect(inFile(path)).toEqual({ version: 1, keys: { 3: { cid, address: a, key: 'live_1' } } })
  if (process.platform !== 'win32') expect(statSync(fileOf(path)).mode & 0o777).toBe(0o600)
  const again = await open(path)
  expect([again.get(target(3)), again.get(target(4))]).toEqual(['live_1', undefined])
})

it('a key that the disk refuses, as a full one does, is told so and leaves the file as it was', async () => {
  const path = folder()
  const keys = await open(path)
  // A folder in the place of the file refuses every write, whoever asks.
  mkdirSync(fileOf(path))
  await expect(keys.set(target(3), 'live_1')).rejects.toThrow()
  expect(keys.get(target(3))).toBeUndefined()
  rmSync(fileOf(path), { recursive: true })
  await keys.set(target(3), 'live_2')
  expect((await open(path)).get(target(3))).toBe('live_2')
})

it('keys in memory end with the process', async () => {
  const keys = memoryKeys()
  await keys.set(target(1), 'a')
  expect(keys.get(target(1))).toBe('a')
  await keys.remove([1])
  expect(keys.get(target(1))).toBeUndefined()
})

it.each(['in memory', 'in a file'])(
  'a key %s is given for no newer version, and stays where one is read',
  async (where) => {
    const path = folder()
    const keys = where === 'in memory' ? memoryKeys() : await open(path)
    const at = (keyVersion: number): KeyPlace => ({ ...target(3), keyVersion })
    const given = (from = keys) => [from.get(target(3)), from.get(at(1)), from.get(at(2))]
    await keys.set(target(3), 'live_1')
    expect(given()).toEqual(['live_1', undefined, undefined])
    await keys.set(at(1), 'live_2')
    expect(given()).toEqual(['live_2', 'live_2', undefined])
    if (where === 'in memory') return
    expect(given(await open(path, [at(2)]))).toEqual(given())
    expect([setAside(path), inFile(path)]).toEqual([
      [],
      { version: 1, keys: { 3: { cid, address: a, key: 'live_2', version: 1 } } },
    ])
  },
)

it.each(['in memory', 'in a file'])('a key %s is given for its channel and its address alone', async (where) => {
  const keys = where === 'in memory' ? memoryKeys() : await open(folder())
  await keys.set(target(3), 'live_1')
  expect(keys.get(target(3))).toBe('live_1')
  expect([keys.get(target(3, b)), keys.get({ ...target(3), cid: 'd'.repeat(32) }), keys.get(target(4))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('a start sets aside keys whose target is gone, or is another one', async () => {
  const path = folder()
  const all = [target(3), target(4), target(5), target(6)]
  const keys = await open(path, all)
  for (const each of all) await keys.set(each, `live_${each.targetId}`)
  await open(path, [target(3), target(4, b), { ...target(5), cid: 'd'.repeat(32) }])
  expect(inFile(path)).toEqual({ version: 1, keys: { 3: { cid, address: a, key: 'live_3' } } })
  const kept = (id: number) => [id, { cid, address: a, key: `live_${id}` }] as const
  expect(setAside(path)).toEqual([{ version: 1, keys: Object.fromEntries([4, 5, 6].map(kept)) }])
})

it('keys that were set aside come back with their targets, and for no others', async () => {
  const path = folder()
  const all = [target(3), target(4)]
  const keys = await open(path, all)
  for (const each of all) await keys.set(each, `live_${each.targetId}`)
  // An older database has none of them; a target that was made in it has the number of one.
  const older = await open(path, [])
  expect(inFile(path)).toEqual({ version: 1, keys: {} })
  await older.set(target(4, b), 'live_b')
  const elsewhere = await open(path, [target(3, b), target(4, b)])
  expect([elsewhere.get(target(3, b)), elsewhere.get(target(4, b))]).toEqual([undefined, 'live_b'])
  const back = await open(path, all)
  expect(all.map((each) => back.get(each))).toEqual(['live_3', 'live_4'])
  expect(inFile(path)).toMatchObject({ keys: { 3: { key: 'live_3' }, 4: { key: 'live_4' } } })
  // A newer one is not replaced by one of before.
  await back.set(target(3), 'live_new')
  expect((await open(path, all)).get(target(3))).toBe('live_new')
})

it('a crash between setting aside and writing anew loses no key', async () => {
  const path = folder()
  const keys = await open(path)
  await keys.set(target(3), 'live_3')
  await keys.set(target(4), 'live_4')
  quarantineOf(path).setAside(['target-keys.json'], 'replaced', 'as before a crash')
  expect((await open(path, [target(3)])).get(target(3))).toBe('live_3')
  expect((await open(path)).get(target(4))).toBe('live_4')
})

it('keys that cannot be set aside stay in the file, and none of them is given', async () => {
  const path = folder()
  const keys = await open(path)
  await keys.set(target(3), 'live_3')
  const before = inFile(path)
  const refused = (): never => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  const quarantine = { ...quarantineOf(path), setAside: refused }
  const log = { info: () => undefined, warn: () => undefined }
  const opened = await fileKeys(path, { targets: [target(3, b)], isReplaced: () => true, quarantine, log })
  expect(opened.get(target(3, b))).toBeUndefined()
  expect(inFile(path)).toEqual(before)
})

it('keys of a file without addresses are bound once to the targets that are there', async () => {
  const path = folder()
  writeFileSync(fileOf(path), JSON.stringify({ version: 1, keys: { 3: 'live_3', 9: 'live_9' } }))
  expect((await open(path)).get(target(3))).toBe('live_3')
  expect(inFile(path)).toEqual({ version: 1, keys: { 3: { cid, address: a, key: 'live_3' } } })
  expect((await open(path, [target(3, b), target(9)])).get(target(3, b))).toBeUndefined()
})

it('keys of a file without addresses are dropped after the database was put back or begun anew', async () => {
  const path = folder()
  writeFileSync(fileOf(path), JSON.stringify({ version: 1, keys: { 3: 'live_3' } }))
  expect((await open(path, undefined, true)).get(target(3))).toBeUndefined()
  expect(inFile(path)).toEqual({ version: 1, keys: {} })
  const none = { id: '', at: 0, detail: '', count: 1, bytes: 1, seen: true, until: 0 }
  const entry = (reason: 'replaced' | 'damaged', name: string) => ({ ...none, reason, paths: [name] })
  const replaced = (...list: ReturnType<typeof entry>[]): boolean => wasReplaced({ list: () => list })
  expect(replaced(entry('damaged', 'sidestage.db'), entry('replaced', 'other.json'))).toBe(false)
  expect(replaced(entry('damaged', 'other.json'), entry('replaced', 'sidestage.db'))).toBe(true)
})
