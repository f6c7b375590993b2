import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordings } from '../../contract/operations/index.ts'
import { readParameters } from '../../contract/validate.ts'
import { encodeFixture, requireEncoder, fixturePackets, probePackets, temporaryFolder } from '../hub/testing/fixture.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { until } from '../testing/condition.ts'
import { createRig, feed, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'
import { mergesDone, mergesOf, recordFile } from './testing/merging.ts'
import { createWorkers, type Workers } from './workers.ts'

/** Names must never be used as a path, pattern, option or another file's name (docs/checks.md#8-files-recording-merging). */
const acceptable = [
  '../../../etc/passwd',
  '..\\..\\windows\\system.ini',
  '/etc/cron.d/x',
  'C:\\x.mp4',
  '\\\\server\\share\\x',
  'name:stream',
  'CON',
  'nul.mp4',
  'COM1',
  'x.',
  '...',
  '-y',
  '--output=x',
  '%d-%s-%00',
  '%2e%2e%2f',
  '$(touch\u00b7x)',
  "';drop/**/table/**/recording;--",
  'é',
  'e\u0301',
  'a',
  'A',
  '录'.repeat(128),
  '\u{20bb7}'.repeat(128),
]
const unacceptable = [
  '',
  ' ',
  'x ',
  ' x',
  'a b',
  'a\nb',
  'a\r',
  'a\tb',
  'a\u0000',
  'a\u0085',
  'a\u2028b',
  'a\u3000b',
  'a\u007f',
  '录'.repeat(129),
]

await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let packets: MediaPacket[]
let rig: RecordingRig
let workers: Workers

describe('the name of a merge', () => {
  const accepts = (outputName: string): boolean => readParameters(recordings.merge, { outputName, vidList: [1] }).ok

  it('is anything of 1 to 128 characters without white space and control characters', () => {
    for (const name of acceptable) expect(accepts(name), JSON.stringify(name)).toBe(true)
    for (const name of unacceptable) expect(accepts(name), JSON.stringify(name)).toBe(false)
  })
})

describe('a file on the disk', () => {
  beforeAll(async () => {
    packets = fixturePackets(await encodeFixture(folder.path, 'names', { duration: 1.5, gop: 15 }))
  })
  beforeEach(async () => {
    rig = await createRig()
    workers = createWorkers()
  })
  afterEach(async () => {
    await workers.close()
    await rig.close()
  })

  it('is named by its number, whatever its merge was called', { timeout: 240_000 }, async () => {
    const vid = await recordFile(rig, packets)
    const merges = mergesOf(rig, { workers })
    for (const [index, name] of acceptable.entries()) {
      expect(await merges.begin(rigUid, name, [vid])).toBeUndefined()
      await mergesDone(merges, index + 1)
    }
    const rows = await rig.rows()
    expect(rows.slice(1).map(({ name }) => name)).toEqual(acceptable)
    expect(readdirSync(join(rig.dataDir, 'recordings'))).toEqual([rigCid])
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid)).sort()).toEqual(
      rows.map((row) => `${row.vid}.mp4`).sort(),
    )
    for (const row of rows) expect(row.fileKey).toMatch(/^c{32}_[0-9]+_[0-9]+_[0-9]+-00000\.mp4$/)
    expect((await probePackets(rig.path(rows.at(-1)!))).length).toBe((await probePackets(rig.path(rows[0]!))).length)
  })

  it('is named by its number, also where the longest name in Chinese or a reserved one was set for recording', async () => {
    for (const filename of ['录'.repeat(64), 'CON', 'nul', 'COM1']) {
      rig.choice = { format: 0, duration: 3_600_000, filename }
      const publication = rig.publish()
      feed(publication, packets)
      publication.end('closed')
    }
    await until('four files', async () => (await rig.rows()).filter(({ state }) => state === 'ready').length === 4)
    const rows = await rig.rows()
    expect(rows.map(({ name }) => name.split('_')[0])).toEqual(['录'.repeat(64), 'CON', 'nul', 'COM1'])
    for (const row of rows) expect(existsSync(rig.path(row))).toBe(true)
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid)).sort()).toEqual(
      rows.map((row) => `${row.vid}.mp4`).sort(),
    )
  })
})
