import path from 'node:path'
import { expect, it } from 'vitest'
import { smallDisk } from '../../platform/testing/small-disk.ts'
import { scratch } from '../testing/rig.ts'
import { type KeptJoined, openJoinedDocument } from './joined-document.ts'

const seat = (id: string): KeptJoined => ({
  id: id.repeat(16),
  host: 'studio.example:7443',
  secured: true,
  fingerprint: 'ab'.repeat(32),
  accid: 'mod',
  name: 'Mod',
  roomid: 7,
  room: 'Room',
  joined: 1,
  lastAt: 1,
})

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'joins and forgets nothing on a full disk, not even in memory, and does both when there is room',
  async () => {
    using at = scratch()
    const home = path.join(at.dir, 'home')
    const disk = smallDisk(home, 2)
    try {
      const document = await openJoinedDocument(home)
      await document.change(() => [seat('a')])
      disk.fill()
      const joined = document.change((seats) => [seat('b'), ...seats])
      const forgotten = document.change((seats) => seats.filter(({ id }) => id !== seat('a').id))
      // While it is written nobody sees what may never be.
      expect(document.all()).toEqual([seat('a')])
      for (const refused of [joined, forgotten]) await expect(refused).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(document.all()).toEqual([seat('a')])
      disk.empty()
      // Two at the same moment: neither undoes the other.
      await Promise.all([
        document.change((seats) => [seat('b'), ...seats]),
        document.change((seats) => seats.filter(({ id }) => id !== seat('a').id)),
      ])
      expect(document.all()).toEqual([seat('b')])
      expect((await openJoinedDocument(home)).all()).toEqual([seat('b')])
    } finally {
      disk.remove()
    }
  },
)
