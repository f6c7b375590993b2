import { bytesOf, sampleAt, type StripPart } from './strip-parts.ts'

/** Height of a picture of the film in px; twice what is drawn, for dense screens. */
const tileHeight = 144
/** Fetched before they are decoded. */
const ahead = 3

/** Says whether this browser decodes the pictures. */
export async function canDecode(parts: readonly StripPart[]): Promise<boolean> {
  if (typeof VideoDecoder === 'undefined') return false
  for (const { video } of parts) {
    if (!video) continue
    const { codec, description } = video.track
    if (codec === undefined) return false
    if (!(await VideoDecoder.isConfigSupported({ codec, description })).supported) return false
  }
  return true
}

function createPictures({ video }: StripPart, made: (picture: ImageBitmap) => void) {
  const { codec = '', description, width, height } = video!.track
  const size = { resizeHeight: tileHeight, resizeWidth: Math.max(1, Math.round((tileHeight * width) / height)) }
  let broken: Error | undefined
  const pending: Promise<void>[] = []
  const decoder = new VideoDecoder({
    output: (frame) => {
      const picture = createImageBitmap(frame, { ...size, resizeQuality: 'medium' })
      pending.push(picture.then(made).finally(() => frame.close()))
    },
    error: (error) => (broken = error),
  })
  // One picture at a time: a decoder of the graphics card takes longer to begin than to decode.
  decoder.configure({ codec, description, optimizeForLatency: true, hardwareAcceleration: 'prefer-software' })
  return {
    decode: async (data: Uint8Array<ArrayBuffer>): Promise<void> => {
      decoder.decode(new EncodedVideoChunk({ type: 'key', timestamp: 0, data }))
      await decoder.flush()
      if (broken) throw broken
      await Promise.all(pending.splice(0))
    },
    close: () => decoder.state !== 'closed' && decoder.close(),
  }
}

/** Makes the pictures of key frames, in the order of these, until the signal ends it. Rejects at the first fault. */
export async function makeFilm(
  parts: readonly StripPart[],
  keys: readonly number[],
  signal: AbortSignal,
  tile: (key: number, picture: ImageBitmap) => void,
): Promise<void> {
  const fetched: (Promise<Uint8Array<ArrayBuffer>[]> | undefined)[] = []
  const partOf = (key: number): StripPart | undefined => parts.findLast((part) => key >= part.at)
  const fetchOf = (index: number): Promise<Uint8Array<ArrayBuffer>[]> | undefined => {
    const key = keys[index]
    const part = key === undefined ? undefined : partOf(key)
    const sample = part?.video ? sampleAt(part.video, key!) : -1
    if (!part?.video || sample < 0) return undefined
    const reading = bytesOf(part, part.video.track, [[sample]]).then(([run]) => run ?? [])
    // It may fail before its turn, or after the last one.
    reading.catch(() => undefined)
    return reading
  }
  let current = -1
  let using: { readonly part: StripPart; readonly pictures: ReturnType<typeof createPictures> } | undefined
  try {
    for (const [index, key] of keys.entries()) {
      if (signal.aborted) return
      for (let next = fetched.length; next <= index + ahead; next++) fetched.push(fetchOf(next))
      current = key
      const bytes = (await fetched[index])?.[0]
      fetched[index] = undefined
      const part = partOf(key)
      if (!part || !bytes) continue
      if (using?.part !== part) {
        using?.pictures.close()
        using = { part, pictures: createPictures(part, (picture) => tile(current, picture)) }
      }
      await using.pictures.decode(bytes)
    }
  } finally {
    using?.pictures.close()
  }
}
