import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { readUse } from './folder-use.ts'

it('counts as recordings the files that play; the index of one that is written and a merge that is not done only take room', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-use-'))
  try {
    const channel = path.join(folder, 'recordings', 'c1')
    mkdirSync(channel, { recursive: true })
    for (const name of ['1.mp4', '2.flv', '3.mp4', '3.index', '4.part'])
      writeFileSync(path.join(channel, name), 'x'.repeat(10))
    expect((await readUse(folder)).recordings).toEqual({ files: 3, bytes: 50 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('counts files by where they lie, and tells the room of the disk', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-use-'))
  try {
    mkdirSync(path.join(folder, 'files', 'incoming'), { recursive: true })
    mkdirSync(path.join(folder, 'backup'))
    const sizes = {
      'sidestage.db': 1,
      'sidestage.db-wal': 2,
      'other.db-journal': 4,
      'sidestage.db-shm': 8,
      'notes.txt': 16,
      'files/a': 32,
      'files/incoming/b': 64,
      'backup/sidestage.db': 128,
    }
    for (const [name, size] of Object.entries(sizes)) writeFileSync(path.join(folder, name), 'x'.repeat(size))
    const use = await readUse(folder)
    expect(use).toMatchObject({
      databases: { bytes: 7, files: 3 },
      files: { bytes: 96, files: 2 },
      other: { bytes: 144, files: 2 },
      recordings: { bytes: 0, files: 0 },
    })
    expect(use.free).toBeGreaterThan(0)
    expect(use.total).toBeGreaterThanOrEqual(use.free)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
