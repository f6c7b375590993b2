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
