import path from 'node:path'
import { expect, it } from 'vitest'
import { readdirSync } from 'node:fs'
import { scratch } from '../../companion/testing/rig.ts'
import { smallDisk } from './small-disk.ts'

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'is filled to its last byte, and nothing is written where it is gone',
  () => {
    using at = scratch()
    const folder = path.join(at.dir, 'disk')
    const disk = smallDisk(folder, 1)
    disk.fill()
    expect(readdirSync(folder)).toEqual(['filler'])
    disk.empty()
    disk.remove()
    expect(() => disk.fill()).toThrow('no longer a disk of its own')
    expect(readdirSync(folder)).toEqual([])
  },
)
