import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  fixturePackets,
  probePackets,
  temporaryFolder,
} from '../hub/testing/fixture.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { until } from '../testing/condition.ts'
import { diskFiles, type FileSystem } from './file-system.ts'
import { createRig, feed, rigCid, type RecordingRig } from './testing/rig.ts'

await requireEncoder()
const folder = temporaryFolder()
let packets: MediaPacket[]
let other: MediaPacket[]
let rig: RecordingRig
afterAll(() => folder.remove())

const listed = (count: number) =>
  until(`${count} files`, async () => (await rig.rows()).filter(({ state }) => state === 'ready').length >= count)
const settled = () =>
  until('nothing being written', async () => (await rig.rows()).every(({ state }) => state === 'ready'))
/** Packets up to a time, with configurations. */
const before = (ms: number): MediaPacket[] => packets.filter((packet) => packet.configuration || packet.timestamp < ms)
const from = (ms: number, to = Infinity): MediaPacket[] =>
  packets.filter((packet) => !packet.configuration && packet.timestamp >= ms && packet.timestamp < to)
const frames = (all: readonly MediaPacket[]): number =>
  all.filter(({ kind, body }) => kind === 'video' && body[1] === 1).length
const probedFrames = async (path: string): Promise<number> =>
  (await probePackets(path)).filter(({ codec_type }) => codec_type === 'video').length

describe('the recorder', () => {
  beforeAll(async () => {
    // Key frames at about 0, 2, 4, 6, 8 s.
    packets = fixturePackets(await encodeFixture(folder.path, 'source', { duration: 10, gop: 60 }))
    other = fixturePackets(await encodeFixture(folder.path, 'other', { duration: 4, gop: 60, size: '160x90' }))
  })
  afterEach(() => rig.close())

  it.each([
    ['mp4', 0],
    ['flv', 1],
  ])(
    'writes slices of %s on key frames, lists each with its name and storage path, and calls back once',
    async (extension, format) => {
      rig = await createRig()
      rig.choice = { format, duration: 3500, filename: '录像1' }
      const publication = rig.publish()
      expect(rig.on.get(rigCid)).toBe(true)
      feed(publication, packets)
      publication.end('closed')
      await listed(3)
      await settled()
      const rows = await rig.rows()
      // 3.5 s are full at the key frame of 4 s.
      expect(rows.map(({ duration }) => Math.round(duration / 200))).toEqual([20, 20, 10])
      expect(rows.map(({ slice, state }) => [slice, state])).toEqual([
        [0, 'ready'],
        [1, 'ready'],
        [2, 'ready'],
      ])
      for (const row of rows) {
        expect(row.endTime - row.beginTime).toBe(row.duration)
        expect(row.fileKey).toBe(`${rigCid}_${row.beginTime}_${row.endTime}_${row.vid}-0000${row.slice}.${extension}`)
        expect(row.name).toMatch(/^录像1_20231114-2213[0-9]{2}_20231114-2213[0-9]{2}$/)
        expect(statSync(rig.path(row)).size).toBe(row.bytes)
        expect(await decodeFaults(rig.path(row))).toBe('')
      }
      let total = 0
      for (const row of rows) total += await probedFrames(rig.path(row))
      expect(total).toBe(frames(packets))
      expect(rig.called.map(({ vid, merged }) => [vid, merged]).sort()).toEqual(rows.map(({ vid }) => [vid, false]))
      expect(readdirSync(join(rig.dataDir, 'recordings', rigCid)).sort()).toEqual(
        rows.map(({ vid }) => `${vid}.${extension}`).sort(),
      )
      expect(rig.states()).toEqual(['asked', 'recording', 'off', 'fileReady'])
    },
  )

  it('tells the length of what was recorded, which does not grow while nothing comes', async () => {
    rig = await createRig()
    rig.choice = { format: 0, duration: 3500, filename: '' }
    const publication = rig.publish()
    const told = (): number[] =>
      rig.events.flatMap((event) =>
        event.type === 'recording' && event.state === 'recording' ? (event.recorded ?? -1) : [],
      )
    const recordedNow = async (): Promise<number> => {
      const before = told().length
      await until('the recorder tells how it stands', () => Promise.resolve(told().length > before))
      return told().at(-1) ?? -1
    }
    const ends = (ms: number) =>
      Math.max(...before(ms).map(({ timestamp }) => timestamp)) -
      packets.find(({ configuration }) => !configuration)!.timestamp
    feed(publication, before(2500))
    expect(Math.abs((await recordedNow()) - ends(2500))).toBeLessThan(100)
    // Continues over a cut; time without media adds nothing.
    feed(publication, from(2500, 5000))
    const stood = await recordedNow()
    expect(Math.abs(stood - ends(5000))).toBeLessThan(100)
    rig.now += 8000
    expect(await recordedNow()).toBe(stood)
    publication.end('closed')
    await listed(2)
    await settled()
    expect(Math.abs((await rig.rows()).reduce((sum, { duration }) => sum + duration, 0) - stood)).toBeLessThan(200)
  })

  it('names a file by its channel when no name is set', async () => {
    rig = await createRig()
    const publication = rig.publish()
    feed(publication, before(4000))
    publication.end('closed')
    await listed(1)
    expect((await rig.rows())[0]!.name).toMatch(new RegExp(`^${rigCid}_[0-9]{8}-[0-9]{6}_[0-9]{8}-[0-9]{6}$`))
  })

  it('begins and ends during a push at the next key frame, without touching the push', async () => {
    rig = await createRig()
    rig.choice = undefined
    const publication = rig.publish()
    feed(publication, before(1500))
    expect(rig.on.get(rigCid)).toBe(false)
    rig.choice = { format: 0, duration: 3_600_000, filename: '' }
    feed(publication, from(1500, 1900))
    expect(rig.on.get(rigCid)).toBe(false)
    feed(publication, from(1900, 5500))
    expect(rig.on.get(rigCid)).toBe(true)
    rig.choice = undefined
    feed(publication, from(5500, 5900))
    expect(rig.on.get(rigCid)).toBe(true)
    feed(publication, from(5900))
    expect(rig.on.get(rigCid)).toBe(false)
    expect(rig.hub.stream(rigCid)).toBeDefined()
    await listed(1)
    await settled()
    const [row, ...more] = await rig.rows()
    expect(more).toEqual([])
    expect(Math.round(row!.duration / 100)).toBe(40)
    // From the key frame at 2 s to the one at 6 s.
    expect(await probedFrames(rig.path(row!))).toBe(120)
    expect(row!.beginTime - packets[0]!.arrived).toBeGreaterThan(1900)
  })

  it('changes the format at the next key frame, and begins a new slice when a decoder configuration changes', async () => {
    rig = await createRig()
    const publication = rig.publish()
    feed(publication, before(3000))
    rig.choice = { format: 1, duration: 3_600_000, filename: '' }
    feed(publication, from(3000, 6000))
    const begin = packets.findLast(({ timestamp }) => timestamp < 6000)!
    feed(
      publication,
      other.map((packet) => ({
        ...packet,
        timestamp: packet.timestamp + begin.timestamp + 40,
        arrived: packet.arrived + begin.timestamp + 40,
      })),
    )
    publication.end('lost')
    await listed(3)
    await settled()
    const rows = await rig.rows()
    expect(rows.map(({ format }) => format)).toEqual([0, 1, 1])
    expect(rows[0]!.codecs).toContain('320x180')
    expect(rows[2]!.codecs).toContain('160x90')
    expect(await probedFrames(rig.path(rows[2]!))).toBe(frames(other))
    for (const row of rows) expect(await decodeFaults(rig.path(row))).toBe('')
  })

  it('gives sound that comes after the cut and belongs before it to the slice before, and ends that one when sound has come so far', async () => {
    rig = await createRig()
    rig.choice = { format: 1, duration: 3500, filename: '' }
    const publication = rig.publish()
    // Audio interleaved half a second late, as by some encoders; the first slice is full at the key frame of 4 s.
    const late = packets.map((packet, order) => ({
      packet,
      order,
      place: packet.timestamp + (packet.kind === 'audio' && !packet.configuration ? 500 : 0),
    }))
    feed(
      publication,
      late.toSorted((one, other) => one.place - other.place || one.order - other.order).map(({ packet }) => packet),
    )
    publication.end('closed')
    await listed(3)
    await settled()
    const kept: { readonly kind: string; readonly at: number; readonly slice: number }[] = []
    for (const [slice, row] of (await rig.rows()).entries())
      for (const { codec_type, dts_time } of await probePackets(rig.path(row)))
        kept.push({ kind: codec_type, slice, at: row.beginTime - packets[0]!.arrived + Number(dts_time) * 1000 })
    for (const kind of ['video', 'audio'] as const) {
      const tracks = kept.filter((each) => each.kind === kind)
      expect(tracks).toHaveLength(
        kind === 'video'
          ? frames(packets)
          : packets.filter((packet) => packet.kind === 'audio' && !packet.configuration).length,
      )
      // Each slice has only its own audio.
      for (const cut of [4000, 8000])
        for (const { slice, at } of tracks)
          expect(slice <= cut / 4000 - 1, `${kind} at ${at}`).toBe(at < cut - 1 || slice <= cut / 4000 - 1)
    }
  })

  it.each([
    ['mp4', 0],
    ['flv', 1],
  ])(
    'ends a slice of %s that is full before its key frame, tells that the rest is left out, and begins anew at the key frame',
    async (_extension, format) => {
      rig = await createRig({ sliceBytes: 130_000 })
      rig.choice = { format, duration: 3_600_000, filename: '' }
      const told: string[] = []
      rig.hub.on(({ type, remedy }) => void (type === 'leftOut' && told.push(remedy ?? '')))
      const publication = rig.publish()
      // Each key frame is followed by more bytes than a slice may have.
      feed(
        publication,
        packets.map((packet) =>
          packet.kind === 'video' && !packet.configuration && !packet.keyFrame
            ? { ...packet, body: Buffer.concat([packet.body, Buffer.alloc(2000)]) }
            : packet,
        ),
      )
      publication.end('closed')
      await listed(2)
      await settled()
      const rows = await rig.rows()
      expect(told).toEqual(['leftOut_fullSlice'])
      // Plus up to one second of buffered media.
      for (const { bytes } of rows) expect(bytes).toBeLessThan(240_000)
      const begins = rows.map(({ beginTime }) => Math.round((beginTime - packets[0]!.arrived) / 1000))
      expect(begins).toEqual([0, 2, 4, 6, 8])
    },
  )

  it('ends a slice at the key frame before which it became full, and leaves nothing out', async () => {
    // The same GOP five times, of similar frames. A slice is full after its third half second; a fourth would exceed
    // it.
    const configurations = packets.filter(({ configuration }) => configuration)
    const gop = before(2000).flatMap((packet) =>
      packet.configuration
        ? []
        : [packet.kind === 'video' ? { ...packet, body: Buffer.concat([packet.body, Buffer.alloc(5000)]) } : packet],
    )
    const moved = (by: number) =>
      gop.map((packet) => ({ ...packet, timestamp: packet.timestamp + by, arrived: packet.arrived + by }))
    rig = await createRig({ sliceBytes: 0.73 * gop.reduce((sum, { body }) => sum + body.length, 0) })
    rig.choice = { format: 0, duration: 3_600_000, filename: '' }
    const told: string[] = []
    rig.hub.on(({ type, remedy }) => void (type === 'leftOut' && told.push(remedy ?? '')))
    const publication = rig.publish()
    feed(publication, [...configurations, ...[0, 2000, 4000, 6000, 8000].flatMap(moved)])
    publication.end('closed')
    await listed(5)
    await settled()
    const begins = (await rig.rows()).map(({ beginTime }) => Math.round((beginTime - packets[0]!.arrived) / 1000))
    expect([begins, told]).toEqual([[0, 2, 4, 6, 8], []])
  })

  it('writes what a second publisher that takes over sends to a file of its own', async () => {
    rig = await createRig()
    const first = rig.publish()
    feed(first, before(3000))
    rig.now += 10_000
    const second = rig.publish()
    feed(second, other)
    feed(first, from(3000))
    second.end('closed')
    await listed(2)
    await settled()
    const rows = await rig.rows()
    expect(rows.map(({ codecs }) => /[0-9]+x[0-9]+/.exec(codecs)?.[0])).toEqual(['320x180', '160x90'])
    expect(await Promise.all(rows.map((row) => probedFrames(rig.path(row))))).toEqual([
      frames(before(3000)),
      frames(other),
    ])
    for (const row of rows) expect(await decodeFaults(rig.path(row))).toBe('')
  })

  it('writes no file of metadata alone', async () => {
    rig = await createRig()
    const publication = rig.publish()
    feed(
      publication,
      packets.filter(({ kind }) => kind === 'data'),
    )
    publication.end('closed')
    await rig.stop()
    expect(
      existsSync(join(rig.dataDir, 'recordings', rigCid)) ? readdirSync(join(rig.dataDir, 'recordings', rigCid)) : [],
    ).toEqual([])
    rig = await createRig({}, rig.dataDir)
    expect(await rig.rows()).toEqual([])
  })

  it('writes below a folder whose path is longer than 260 characters', async () => {
    const deep = join(folder.path, 'a'.repeat(150), 'b'.repeat(150))
    mkdirSync(deep, { recursive: true })
    rig = await createRig({}, deep)
    const publication = rig.publish()
    feed(publication, before(3000))
    publication.end('closed')
    await listed(1)
    const [row] = await rig.rows()
    expect(rig.path(row!).length).toBeGreaterThan(300)
    expect(await decodeFaults(rig.path(row!))).toBe('')
  })

  it('drops a slice under 1 s, file and row', async () => {
    rig = await createRig()
    const told: string[] = []
    rig.hub.on(({ type, remedy }) => void (type === 'leftOut' && told.push(remedy ?? '')))
    const publication = rig.publish()
    feed(publication, before(900))
    publication.end('closed')
    // Before that the row may not be there yet.
    await until('the slice is dropped', () => told.includes('leftOut_shortSlice'))
    expect(await rig.rows()).toEqual([])
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid))).toEqual([])
    expect(rig.called).toEqual([])
  })

  it('records sound alone, and picture alone after a short wait for sound', async () => {
    rig = await createRig()
    for (const kind of ['audio', 'video'] as const) {
      const publication = rig.publish()
      feed(
        publication,
        packets.filter((packet) => packet.kind === kind),
      )
      publication.end('closed')
    }
    await listed(2)
    await settled()
    const rows = await rig.rows()
    expect(rows.every(({ duration }) => Math.abs(duration - 10_000) < 120)).toBe(true)
    expect(rows.map(({ codecs }) => codecs.split(' ')[0])).toEqual(['mp4a.40.2', expect.stringMatching(/^avc1/)])
    expect(await probedFrames(rig.path(rows[1]!))).toBe(frames(packets))
  })

  it('does not record for an application whose on-demand video is off', async () => {
    rig = await createRig()
    rig.mayRecord = false
    const publication = rig.publish()
    feed(publication, before(4000))
    publication.end('closed')
    expect(await rig.rows()).toEqual([])
    expect(rig.on.get(rigCid)).toBe(false)
  })

  it('ends slices when the service closes', async () => {
    rig = await createRig()
    const publication = rig.publish()
    feed(publication, packets)
    const path = rig.dataDir
    await rig.stop()
    rig = await createRig({}, path)
    expect((await rig.rows()).map(({ state }) => state)).toEqual(['ready'])
  })
})

describe('a disk that fails', () => {
  beforeAll(async () => {
    packets = fixturePackets(await encodeFixture(folder.path, 'source', { duration: 10, gop: 60 }))
  })
  afterEach(() => rig.close())

  /** The real disk with injected faults. */
  const failing = (state: {
    free?: number
    looked?: number
    fault?: string
    slow?: Promise<void> | undefined
  }): FileSystem => {
    const check = (): void => {
      if (state.fault !== undefined)
        throw Object.assign(new Error(`the disk says ${state.fault}`), { code: state.fault })
    }
    return {
      ...diskFiles,
      async create(folder, path) {
        check()
        const file = await diskFiles.create(folder, path)
        return {
          ...file,
          async writev(parts, at) {
            await state.slow
            check()
            return file.writev(parts, at)
          },
        }
      },
      async free(path) {
        state.looked = (state.looked ?? 0) + 1
        return state.free ?? (await diskFiles.free(path))
      },
      async probe(path) {
        check()
        await diskFiles.probe(path)
      },
    }
  }

  it.each([
    ['EROFS', 'readonly'],
    ['ENOSPC', 'space'],
    ['EIO', 'error'],
  ])(
    'with %s stops recording visibly, keeps what was written, leaves the push alone, and goes on when it can',
    async (fault, reason) => {
      const state: { fault?: string } = {}
      rig = await createRig({ files: failing(state), lookEvery: 50 })
      const publication = rig.publish()
      feed(publication, before(3500))
      await until('something is written', async () => {
        const [row] = await rig.rows()
        return row && (statSync(rig.path(row), { throwIfNoEntry: false })?.size ?? 0) > 50_000
      })
      state.fault = fault
      feed(publication, from(3500, 5000))
      await until('it is stopped', () => rig.states().includes(`stopped ${reason}`))
      expect(rig.on.get(rigCid)).toBe(false)
      expect(rig.hub.stream(rigCid)).toBeDefined()
      await listed(1)
      delete state.fault
      await until('it is possible again', () => rig.states().at(-1) === 'asked')
      feed(publication, from(5000))
      publication.end('closed')
      await listed(2)
      await settled()
      const rows = await rig.rows()
      for (const row of rows) expect(await decodeFaults(rig.path(row))).toBe('')
      expect(rows[0]!.duration).toBeGreaterThan(2400)
      expect(await probedFrames(rig.path(rows[1]!))).toBe(
        frames(from(packets.find(({ keyFrame, timestamp }) => keyFrame && timestamp >= 5000)!.timestamp)),
      )
    },
  )

  it('that has little room left stops recording before it is full, and goes on when there is room', async () => {
    const state: { free?: number; looked?: number } = { free: 10_000_000 }
    rig = await createRig({ files: failing(state), lookEvery: 20, reserve: 1_000_000 })
    const publication = rig.publish()
    feed(publication, before(3500))
    state.free = 900_000
    await until('it is stopped', () => rig.states().includes('stopped space'))
    await listed(1)
    expect(rig.on.get(rigCid)).toBe(false)
    feed(publication, from(3500, 4500))
    state.free = 1_050_000
    // By the second check the result of the first is known.
    const { looked = 0 } = state
    await until('it has looked again', () => (state.looked ?? 0) > looked + 1)
    expect(rig.states().at(-1)).not.toBe('asked')
    state.free = 2_000_000
    await until('there is room', () => rig.states().at(-1) === 'asked')
    feed(publication, from(4500))
    publication.end('closed')
    await listed(2)
  })

  it('that lost its folder is not written to elsewhere, and is used again when it is back', async () => {
    rig = await createRig({ lookEvery: 20 })
    const publication = rig.publish()
    feed(publication, before(3000))
    const root = join(rig.dataDir, 'recordings')
    const away = join(rig.dataDir, 'away')
    await until('something is written', async () => {
      const [row] = await rig.rows()
      return row && (statSync(rig.path(row), { throwIfNoEntry: false })?.size ?? 0) > 10_000
    })
    renameSync(root, away)
    await until('it is stopped', () => rig.states().includes('stopped folder'))
    feed(publication, from(3000, 5000))
    expect(statSync(root, { throwIfNoEntry: false })).toBeUndefined()
    mkdirSync(root)
    await until('it is back', () => rig.states().at(-1) === 'asked')
    feed(publication, from(5000))
    publication.end('closed')
    await listed(1)
  })

  it('that is too slow ends the slice whole instead of piling up memory, and goes on when it has caught up', async () => {
    let release = (): void => {}
    const state: { slow?: Promise<void> | undefined } = {}
    rig = await createRig({ files: failing(state), queueBound: 150_000 })
    const publication = rig.publish()
    feed(publication, before(1500))
    await until('something is written', async () => (await rig.rows()).length === 1)
    state.slow = new Promise((resolve) => {
      release = resolve
    })
    feed(publication, from(1500, 7000))
    expect(rig.states()).toContain('stopped slow')
    state.slow = undefined
    release()
    await listed(1)
    await until('it has caught up', () => rig.states().at(-1) === 'asked')
    feed(publication, from(7000))
    publication.end('closed')
    await listed(2)
    await settled()
    for (const row of await rig.rows()) expect(await decodeFaults(rig.path(row))).toBe('')
  })
})
