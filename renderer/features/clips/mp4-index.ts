import type { ReadRange } from './ranges.ts'

/** The samples of a track in decode order. */
export interface IndexedTrack {
  readonly kind: 'video' | 'audio'
  /** As WebCodecs name it; undefined for one that this does not know. */
  readonly codec: string | undefined
  /** What its decoder needs before the first sample. */
  readonly description: Uint8Array
  readonly rate: number
  readonly channels: number
  readonly width: number
  readonly height: number
  readonly count: number
  /** When each is shown, in ms of the movie; NaN for one that no edit shows. */
  readonly shown: Float64Array
  /** Length of one in ms, of the most frequent. */
  readonly length: number
  readonly sizes: Uint32Array
  /** Offsets in the file, in bytes. */
  readonly places: Float64Array
  readonly isSync: (index: number) => boolean
}

interface Box {
  readonly type: string
  readonly from: number
  readonly end: number
}

/** As long as the service reads; 4 h at 60 fps with sound need about 30 MB. */
const maxMovie = 128 * 1024 * 1024
const typeOf = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))

function* boxes(view: DataView, from: number, end: number): Iterable<Box> {
  for (let at = from; at + 8 <= end;) {
    const size = view.getUint32(at)
    if (size < 8 || at + size > end) throw new Error('a box is broken')
    yield { type: typeOf(view, at + 4), from: at + 8, end: at + size }
    at += size
  }
}

function inside(view: DataView, box: Box, ...path: readonly string[]): Box {
  return path.reduce((outer, type) => {
    for (const one of boxes(view, outer.from, outer.end)) if (one.type === type) return one
    throw new Error(`the box ${type} is missing`)
  }, box)
}

/** Offset and length of the contents of `moov`. */
async function movieOf(read: ReadRange, size: number): Promise<DataView> {
  for (let at = 0; at + 8 <= size;) {
    const head = new DataView((await read(at, Math.min(16, size - at))).buffer)
    const short = head.getUint32(0)
    const length = short === 1 ? Number(head.getBigUint64(8)) : short
    if (length < 8) break
    if (typeOf(head, 4) === 'moov') {
      if (length > maxMovie) throw new Error('the movie is too long')
      return new DataView((await read(at + 8, length - 8)).buffer)
    }
    at += length
  }
  throw new Error('there is no movie')
}

const hex = (value: number): string => value.toString(16).padStart(2, '0')
const bytesOf = (view: DataView, from: number, end: number): Uint8Array => new Uint8Array(view.buffer, from, end - from)

/** The AudioSpecificConfig in an `esds` (ISO/IEC 14496-1 7.2.6). */
function soundConfiguration(view: DataView, { from, end }: Box): Uint8Array {
  for (let at = from + 4; at + 2 < end;) {
    const tag = view.getUint8(at++)
    let length = 0
    for (let byte = 0x80; byte & 0x80 && at < end;) length = (length << 7) | ((byte = view.getUint8(at++)) & 0x7f)
    if (tag === 5) return bytesOf(view, at, at + length)
    at += tag === 3 ? 3 : tag === 4 ? 13 : length
  }
  return new Uint8Array()
}

function descriptionOf(view: DataView, stsd: Box): Pick<IndexedTrack, 'codec' | 'description' | 'rate' | 'channels'> {
  const [entry] = boxes(view, stsd.from + 8, stsd.end)
  if (entry && /^avc[13]$/.test(entry.type))
    for (const { type, from, end } of boxes(view, entry.from + 78, entry.end))
      if (type === 'avcC') {
        const bytes = bytesOf(view, from, end)
        const codec = `${entry.type}.${hex(bytes[1]!)}${hex(bytes[2]!)}${hex(bytes[3]!)}`
        return { codec, description: bytes, rate: 0, channels: 0 }
      }
  if (entry?.type === 'mp4a')
    for (const box of boxes(view, entry.from + 28, entry.end))
      if (box.type === 'esds') {
        const bytes = soundConfiguration(view, box)
        // The entry says 2 of any sound; its configuration says how many (ISO/IEC 14496-3 1.6.2.1).
        const channels = ((bytes[1] ?? 0) >> 3) & 0xf || view.getUint16(entry.from + 16)
        const rate = view.getUint32(entry.from + 24) >>> 16
        return { codec: `mp4a.40.${(bytes[0] ?? 0) >> 3}`, description: bytes, rate, channels }
      }
  return { codec: undefined, description: new Uint8Array(), rate: 0, channels: 0 }
}

interface Edit {
  readonly at: number
  readonly from: number
  readonly end: number
}

/** Parts of the media that are played, in its units, and where in the movie, in ms. */
function editsOf(view: DataView, trak: Box, movieScale: number, scale: number): Edit[] | undefined {
  const found = [...boxes(view, trak.from, trak.end)].find(({ type }) => type === 'edts')
  if (!found) return undefined
  const list = inside(view, found, 'elst')
  const wide = view.getUint8(list.from) === 1
  const edits: Edit[] = []
  let at = 0
  for (let index = 0; index < view.getUint32(list.from + 4); index++) {
    const row = list.from + 8 + index * (wide ? 20 : 12)
    const length = ((wide ? Number(view.getBigUint64(row)) : view.getUint32(row)) * 1000) / movieScale
    const from = wide ? Number(view.getBigInt64(row + 8)) : view.getInt32(row + 4)
    if (from >= 0) edits.push({ at, from, end: from + (length * scale) / 1000 })
    at += length
  }
  return edits
}

function timesOf(view: DataView, tables: ReadonlyMap<string, Box>, count: number): [Float64Array, number] {
  const shown = new Float64Array(count)
  const lengths = new Map<number, number>()
  const runs = (name: string, each: (sample: number, value: number) => void): void => {
    const table = tables.get(name)
    if (!table) return
    let sample = 0
    for (let at = table.from + 8; at + 8 <= table.end && sample < count; at += 8) {
      const value = name === 'ctts' ? view.getInt32(at + 4) : view.getUint32(at + 4)
      for (const end = Math.min(count, sample + view.getUint32(at)); sample < end; sample++) each(sample, value)
    }
  }
  let time = 0
  runs('stts', (sample, length) => {
    shown[sample] = time
    time += length
    lengths.set(length, (lengths.get(length) ?? 0) + 1)
  })
  runs('ctts', (sample, offset) => (shown[sample]! += offset))
  const [[length] = [0]] = [...lengths].sort(([, one], [, other]) => other - one)
  return [shown, length]
}

function placesOf(view: DataView, tables: ReadonlyMap<string, Box>, sizes: Uint32Array): Float64Array {
  const places = new Float64Array(sizes.length)
  const [stsc, wide, narrow] = [tables.get('stsc'), tables.get('co64'), tables.get('stco')]
  const chunks = wide ?? narrow
  if (!stsc || !chunks) throw new Error('a table of samples is missing')
  let [sample, perChunk, run] = [0, 0, stsc.from + 8]
  for (let chunk = 0; chunk < view.getUint32(chunks.from + 4) && sample < sizes.length; chunk++) {
    if (run + 12 <= stsc.end && view.getUint32(run) === chunk + 1) {
      perChunk = view.getUint32(run + 4)
      run += 12
    }
    const at = chunks.from + 8 + chunk * (wide ? 8 : 4)
    let place = wide ? Number(view.getBigUint64(at)) : view.getUint32(at)
    for (let index = 0; index < perChunk && sample < sizes.length; index++) {
      places[sample] = place
      place += sizes[sample++]!
    }
  }
  return places
}

function trackOf(view: DataView, trak: Box, movieScale: number): IndexedTrack | undefined {
  const handler = typeOf(view, inside(view, trak, 'mdia', 'hdlr').from + 8)
  if (handler !== 'vide' && handler !== 'soun') return undefined
  const header = inside(view, trak, 'mdia', 'mdhd').from
  const scale = view.getUint32(header + (view.getUint8(header) === 1 ? 20 : 12))
  const table = inside(view, trak, 'mdia', 'minf', 'stbl')
  const tables = new Map([...boxes(view, table.from, table.end)].map((box) => [box.type, box]))
  const sizeTable = tables.get('stsz')
  const descriptions = tables.get('stsd')
  if (!sizeTable || !descriptions) throw new Error('a table of samples is missing')
  const count = view.getUint32(sizeTable.from + 8)
  const fixed = view.getUint32(sizeTable.from + 4)
  const sizes = new Uint32Array(count)
  for (let index = 0; index < count; index++) sizes[index] = fixed || view.getUint32(sizeTable.from + 12 + index * 4)
  const [shown, length] = timesOf(view, tables, count)
  const edits = editsOf(view, trak, movieScale, scale)
  const ms = (units: number): number => (units * 1000) / scale
  for (let index = 0; index < count; index++) {
    const time = shown[index]!
    const edit = edits?.find((each) => time >= each.from && time < each.end)
    shown[index] = edits ? (edit ? edit.at + ms(time - edit.from) : NaN) : ms(time)
  }
  const stss = tables.get('stss')
  const syncs = stss && new Uint8Array(count)
  if (stss && syncs) for (let at = stss.from + 8; at + 4 <= stss.end; at += 4) syncs[view.getUint32(at) - 1] = 1
  const size = inside(view, trak, 'tkhd').end - 8
  return {
    kind: handler === 'vide' ? 'video' : 'audio',
    ...descriptionOf(view, descriptions),
    width: view.getUint32(size) >>> 16,
    height: view.getUint32(size + 4) >>> 16,
    count,
    shown,
    length: ms(length),
    sizes,
    places: placesOf(view, tables, sizes),
    isSync: (index) => syncs === undefined || syncs[index] === 1,
  }
}

/** Reads where the samples of an MP4 file are (ISO/IEC 14496-12), by its index alone. Rejects when it is none. */
export async function readIndex(read: ReadRange, size: number): Promise<readonly IndexedTrack[]> {
  const view = await movieOf(read, size)
  const movie: Box = { type: 'moov', from: 0, end: view.byteLength }
  const header = inside(view, movie, 'mvhd').from
  const scale = view.getUint32(header + (view.getUint8(header) === 1 ? 20 : 12))
  return [...boxes(view, 0, view.byteLength)].flatMap((box) =>
    box.type === 'trak' ? (trackOf(view, box, scale) ?? []) : [],
  )
}
