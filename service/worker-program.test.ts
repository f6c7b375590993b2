import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { workerProgram } from './worker-program.ts'

it('the program of a thread stands beside its source, or beside or above what is built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-program-'))
  const url = (...names: string[]): string => pathToFileURL(join(folder, ...names)).href
  const found = (...names: string[]): string => workerProgram(url(...names), 'thread.ts', 'thread.js').href
  try {
    mkdirSync(join(folder, 'chunks'))
    expect(found('a.ts')).toBe(url('thread.ts'))
    expect(found('chunks', 'a.js')).toBe(url('chunks', 'thread.js'))
    writeFileSync(join(folder, 'thread.js'), '')
    expect(found('chunks', 'a.js')).toBe(url('thread.js'))
    writeFileSync(join(folder, 'chunks', 'thread.js'), '')
    expect(found('chunks', 'a.js')).toBe(url('chunks', 'thread.js'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
