import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { trySmallDisk } from '../../platform/testing/small-disk.ts'
import { decodeFaults, encodeFixture, requireEncoder, fixturePackets, temporaryFolder } from '../hub/testing/fixture.ts'
import { until } from '../testing/condition.ts'
import { createRig, feed, rigCid } from './testing/rig.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
const recordings = join(dataDir, 'recordings')

/** A separate disk of 3 MB; needs root. */
const disk = trySmallDisk(recordings, 3)
await requireEncoder()
const missing = typeof disk === 'string' ? disk : undefined
afterAll(() => {
  if (typeof disk !== 'string') disk.remove()
  folder.remove()
})

it.skipIf(missing)(
  'a disk that is really full stops recording visibly and leaves the push alone; with room again what was written is finished and recording goes on',
  async () => {
    const packets = fixturePackets(await encodeFixture(folder.path, 'source', { duration: 10, gop: 60, bitrate: '1M' }))
    // Without a reserve the disk is really full; the guard has its own test.
    const rig = await createRig({ reserve: 0, lookEvery: 50 }, dataDir)
    try {
      writeFileSync(join(recordings, 'filler'), Buffer.alloc(2_500_000))
      const publication = rig.publish()
      const early = packets.filter(({ timestamp }) => timestamp < 2200)
      feed(publication, early)
      await until('something is written', async () => {
        const [row] = await rig.rows()
        return row && (statSync(rig.path(row), { throwIfNoEntry: false })?.size ?? 0) > 150_000
      })
      feed(publication, packets.slice(early.length))
      await until('it is stopped', () => rig.states().includes('stopped space'))
      expect(rig.hub.stream(rigCid)).toBeDefined()
      expect(rig.on.get(rigCid)).toBe(false)
      rmSync(join(recordings, 'filler'))
      await until('there is room', () => rig.states().at(-1) === 'asked')
      await until('the first file is finished', async () => (await rig.rows())[0]?.state === 'ready')
      const [row] = await rig.rows()
      expect(row!.duration).toBeGreaterThan(1000)
      expect(statSync(rig.path(row!)).size).toBe(row!.bytes)
      expect(await decodeFaults(rig.path(row!))).toBe('')
      feed(
        publication,
        packets.filter(({ configuration }) => !configuration),
        10_100,
      )
      publication.end('closed')
      await until(
        'the second file',
        async () => (await rig.rows()).filter(({ state }) => state === 'ready').length === 2,
      )
    } finally {
      await rig.stop()
    }
  },
  30_000,
)
