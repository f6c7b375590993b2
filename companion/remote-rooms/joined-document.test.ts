import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { smallDisk } from '../../platform/testing/small-disk.ts'
import { scratch } from '../testing/rig.ts'
import { type KeptJoined, maxJoined, openJoinedDocument } from './joined-document.ts'

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

const numbered = (count: number): KeptJoined[] =>
  Array.from({ length: count }, (_, index) => ({ ...seat('a'), id: index.toString(16).padStart(16, '0') }))

it.each([
  ['100 rooms', numbered(maxJoined), 100],
  ['101 rooms', numbered(maxJoined + 1), 0],
  ['a room with an id of 15 digits', [{ ...seat('a'), id: 'a'.repeat(15) }], 0],
  ['a room whose host has no port', [{ ...seat('a'), host: 'studio.example' }], 0],
  ['a room whose fingerprint is in capitals', [{ ...seat('a'), fingerprint: 'AB'.repeat(32) }], 0],
  ['a room without TLS', [{ ...seat('a'), secured: false, fingerprint: null }], 1],
])('takes of a file with %s just what is in order', async (_what, seats, taken) => {
  using at = scratch()
  writeFileSync(path.join(at.dir, 'joined.json'), JSON.stringify({ version: 1, seats }))
  expect((await openJoinedDocument(at.dir)).all()).toHaveLength(taken)
})

it('keeps joined rooms in their order for the next start', async () => {
  using at = scratch()
  const document = await openJoinedDocument(at.dir)
  expect(document.all()).toEqual([])
  await document.change(() => [seat('b'), seat('a')])
  expect((await openJoinedDocument(at.dir)).all()).toEqual([seat('b'), seat('a')])
})
