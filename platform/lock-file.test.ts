import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { takeLock } from './lock-file.ts'
import { openQuarantine } from './quarantine.ts'

let folder: string
let file: string
const held: { release(): void }[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-lock-'))
  file = path.join(folder, 'deep', 'lock.db')
})
afterEach(() => {
  for (const lock of held.splice(0)) lock.release()
  rmSync(folder, { recursive: true, force: true })
})
const take = (): boolean => {
  const lock = takeLock(file)
  if (lock) held.push(lock)
  return lock !== undefined
}
const aside = () => openQuarantine({ folder: path.dirname(file), now: Date.now }).list()

it('is had by one at a time, and by the next when it was released', () => {
  expect([take(), take()]).toEqual([true, false])
  held.pop()!.release()
  expect(take()).toBe(true)
})

it('makes its folder for the own user only', () => {
  take()
  if (process.platform !== 'win32') expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
})

it('is had over a damaged file, of which a copy is set aside', () => {
  mkdirSync(path.dirname(file))
  writeFileSync(file, 'no database '.repeat(100))
  expect([take(), take()]).toEqual([true, false])
  expect(aside()).toMatchObject([{ reason: 'damaged', paths: ['lock.db.damaged'] }])
  held.pop()!.release()
  expect(readFileSync(file, 'utf8')).not.toContain('no database')
})

it('sets aside what is in its place and is no file', () => {
  mkdirSync(path.join(file, 'kept'), { recursive: true })
  expect(take()).toBe(true)
  expect(aside()).toMatchObject([{ reason: 'notAFile', paths: ['lock.db'] }])
})

it('throws what the system says where its folder cannot be made', () => {
  writeFileSync(path.dirname(file), 'a file')
  expect(() => takeLock(file)).toThrow(/EEXIST|ENOTDIR/)
})
