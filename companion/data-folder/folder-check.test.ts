import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { lookAtFolder, spareBytes } from './folder-check.ts'

it('takes a folder only where enough stays free for recording after the data have come', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-check-'))
  try {
    const present = path.join(folder, 'present')
    const file = path.join(present, 'large')
    mkdirSync(present)
    writeFileSync(file, '')
    const usual = path.join(folder, 'home', 'service')
    const question = { present, home: path.dirname(usual), usual, installation: 'i' }
    const look = () => lookAtFolder(path.join(folder, 'chosen'), question)
    const { bavail, bsize } = statfsSync(folder)
    // A file with a hole has a length and uses nothing of the disk.
    const [fits, doesNot] = [bavail * bsize - 2 * spareBytes, bavail * bsize - spareBytes / 2]
    truncateSync(file, fits)
    expect(await look()).toMatchObject({ fault: null, need: fits })
    truncateSync(file, doesNot)
    expect(await look()).toMatchObject({ fault: 'space', need: doesNot })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
