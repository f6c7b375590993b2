import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fileKeys, memoryKeys } from './target-keys.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sidestage-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it('keys of a stand-alone service are in one file of its user alone, and are there after a restart', async () => {
  const path = folder()
  const keys = await fileKeys(path)
  await keys.set(3, 'live_1')
  await keys.set(4, 'live_2')
  await keys.remove([4, 9])
  const file = join(path, 'target-keys.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, keys: { 3: 'live_1' } })
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = await fileKeys(path)
  expect([again.get(3), again.get(4)]).toEqual(['live_1', undefined])
})

it('a key that the disk refuses, as a full one does, is told so and leaves the file as it was', async () => {
  const path = folder()
  const keys = await fileKeys(path)
  // A folder in the place of the file refuses every write, whoever asks.
  mkdirSync(join(path, 'target-keys.json'))
  await expect(keys.set(3, 'live_1')).rejects.toThrow()
  expect(keys.get(3)).toBeUndefined()
  rmSync(join(path, 'target-keys.json'), { recursive: true })
  await keys.set(3, 'live_2')
  expect((await fileKeys(path)).get(3)).toBe('live_2')
})

it('keys in memory end with the process', async () => {
  const keys = memoryKeys()
  await keys.set(1, 'a')
  expect(keys.get(1)).toBe('a')
  await keys.remove([1])
  expect(keys.get(1)).toBeUndefined()
})
