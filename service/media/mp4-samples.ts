import { Mp4Fault, type ReadTrack } from './mp4-reader.ts'

/** The samples of a track in decode order, in units of its media; about 30 bytes each. */
export interface Samples {
  readonly count: number
  readonly begins: Float64Array
  /** When each is shown. */
  readonly shown: Float64Array
  readonly durations: Uint32Array
  /** Composition offsets, where the track has them. */
  readonly offsets: Int32Array | undefined
  readonly sizes: Uint32Array
  /** Offsets in the file, in bytes. */
  readonly places: Float64Array
  isSync(index: number): boolean
}

/** Calls for each run of `stts` or `ctts`, with the first sample that it is of and the one after it. */
function eachRun(table: Buffer, count: number, run: (first: number, end: number, at: number) => void): void {
  let sample = 0
  for (let at = 4; at + 8 <= table.length && sample < count; at += 8) {
    const end = Math.min(count, sample + table.readUInt32BE(at))
    run(sample, end, at + 4)
    sample = end
  }
  if (sample < count) throw new Mp4Fault('a table of samples is cut short')
}

/** Reads the tables of a track (ISO/IEC 14496-12 8.6.1, 8.7); throws `Mp4Fault`. */
export function readSamples({ tables: { stts, ctts, stss, stsc, stsz, co64, stco } }: ReadTrack): Samples {
  const chunks = co64 ?? stco
  if (!stts || !stsc || !stsz || !chunks || stsz.readUInt32BE(0) !== 0)
    throw new Mp4Fault('a table of samples is missing')
  const count = stsz.readUInt32BE(4)
  if (stsz.length < 8 + count * 4) throw new Mp4Fault('a table of samples is cut short')
  const begins = new Float64Array(count)
  const durations = new Uint32Array(count)
  let time = 0
  eachRun(stts, count, (first, end, at) => {
    const duration = stts.readUInt32BE(at)
    for (let index = first; index < end; index++, time += duration) {
      begins[index] = time
      durations[index] = duration
    }
  })
  const shown = begins.slice()
  let offsets: Int32Array | undefined
  if (ctts) {
    const shifts = (offsets = new Int32Array(count))
    eachRun(ctts, count, (first, end, at) => {
      const shift = ctts.readInt32BE(at)
      for (let index = first; index < end; index++) {
        shifts[index] = shift
        shown[index]! += shift
      }
    })
  }
  const sizes = new Uint32Array(count)
  for (let index = 0; index < count; index++) sizes[index] = stsz.readUInt32BE(8 + index * 4)

  const places = new Float64Array(count)
  const step = co64 ? 8 : 4
  const total = chunks.readUInt32BE(0)
  let [sample, perChunk, run] = [0, 0, 4]
  for (let chunk = 0; chunk < total && sample < count; chunk++) {
    if (run + 12 <= stsc.length && stsc.readUInt32BE(run) === chunk + 1) {
      perChunk = stsc.readUInt32BE(run + 4)
      run += 12
    }
    const at = 4 + chunk * step
    let place = co64 ? Number(chunks.readBigUInt64BE(at)) : chunks.readUInt32BE(at)
    for (let index = 0; index < perChunk && sample < count; index++) {
      places[sample] = place
      place += sizes[sample++]!
    }
  }
  if (sample < count) throw new Mp4Fault('a table of samples is cut short')

  const syncs = stss && new Uint8Array(count)
  if (syncs)
    for (let at = 4; at + 4 <= stss.length; at += 4) {
      const number = stss.readUInt32BE(at)
      if (number >= 1 && number <= count) syncs[number - 1] = 1
    }
  return {
    count,
    begins,
    shown,
    durations,
    offsets,
    sizes,
    places,
    isSync: (index) => syncs === undefined || syncs[index] === 1,
  }
}
