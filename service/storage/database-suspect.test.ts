import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { clearSuspect, isSuspect, markSuspect } from './database-suspect.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-suspect-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))
const mark = (): string => join(dir, 'sidestage.db.doubt')

it('a database is doubted from the note of its damage until the note is removed', () => {
  expect(isSuspect(dir)).toBe(false)
  markSuspect(dir, 'a page is missing')
  expect([isSuspect(dir), readFileSync(mark(), 'utf8')]).toEqual([true, 'a page is missing\n'])
  markSuspect(dir, 'another page')
  expect(readFileSync(mark(), 'utf8')).toBe('another page\n')
  clearSuspect(dir)
  expect([isSuspect(dir), readdirSync(dir)]).toEqual([false, []])
  clearSuspect(dir)
})

it.skipIf(process.platform === 'win32')('the note of a damage is for the owner of the folder alone', () => {
  markSuspect(dir, 'a page is missing')
  expect(statSync(mark()).mode & 0o777).toBe(0o600)
})

it('a folder in the place of the note is a doubt too, and is removed with what is in it', () => {
  mkdirSync(mark())
  writeFileSync(join(mark(), 'x'), 'x')
  expect(isSuspect(dir)).toBe(true)
  clearSuspect(dir)
  expect(isSuspect(dir)).toBe(false)
})

it('a damage that cannot be noted fails with the error of the system', () => {
  expect(() => markSuspect(join(dir, 'gone'), 'x')).toThrow('ENOENT')
})
