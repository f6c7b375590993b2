import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Manifest, quarantineReasons, readManifest, writeManifest } from './quarantine-manifest.ts'

let entry: string
let file: string
beforeEach(() => {
  entry = mkdtempSync(path.join(tmpdir(), 'sidestage-manifest-'))
  file = path.join(entry, 'manifest.json')
})
afterEach(() => rmSync(entry, { recursive: true, force: true }))
const manifest: Manifest = {
  at: 5,
  reason: 'damaged',
  detail: 'why',
  paths: ['a', 'b'],
  seen: true,
  days: ['2026-01-02', '2026-01-03'],
}
const write = (change: object) => writeFileSync(file, JSON.stringify({ ...manifest, ...change }))

it.each(quarantineReasons)('reads what was written of an entry that is %s', (reason) => {
  writeManifest(entry, { ...manifest, reason })
  expect(readManifest(entry)).toEqual({ ...manifest, reason })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1 })
})

it.each([{ at: '5' }, { reason: 'of tomorrow' }, { paths: 'a' }])('takes no manifest with %j', (change) => {
  write(change)
  expect(readManifest(entry)).toBeUndefined()
})

it('takes of a manifest what it can read, and has nothing seen that does not say so', () => {
  write({ detail: 7, paths: ['a', 7, null, 'b'], seen: 'yes', days: ['2026-01-02', '2026-01-02', '2026-1-2', 7] })
  expect(readManifest(entry)).toEqual({ ...manifest, detail: '', seen: false, days: ['2026-01-02'] })
  write({ days: 'x' })
  expect(readManifest(entry)?.days).toEqual([])
})

it('has no manifest where there is none, where it is no JSON, and where it is no file', () => {
  expect(readManifest(entry)).toBeUndefined()
  for (const text of ['{', 'null', '7', '[]']) {
    writeFileSync(file, text)
    expect(readManifest(entry), text).toBeUndefined()
  }
  rmSync(file)
  mkdirSync(file)
  expect(readManifest(entry)).toBeUndefined()
  rmSync(file, { recursive: true })
  writeFileSync(path.join(entry, 'other.json'), JSON.stringify(manifest))
  symlinkSync(path.join(entry, 'other.json'), file)
  expect(readManifest(entry)).toBeUndefined()
})

it('takes a manifest of 4 MiB, and none that is longer', () => {
  const text = JSON.stringify(manifest)
  writeFileSync(file, text.padEnd(4 * 1024 * 1024))
  expect(readManifest(entry)).toEqual(manifest)
  writeFileSync(file, text.padEnd(4 * 1024 * 1024 + 1))
  expect(readManifest(entry)).toBeUndefined()
})
