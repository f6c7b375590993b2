/** From its tags (FLV specification, annex E), without decoding. */
export interface FlvSeen {
  readonly flv: boolean
  readonly keyFrame: boolean
  readonly audio: boolean
  /** In ms. */
  readonly media: number
}

const fileHeader = 9
const backPointer = 4
const tagHeader = 11
/** Bytes after a tag's header: frame type and codec, packet type. */
const peeked = 2

/** Reads a stream in parts; keeps at most 13 bytes. */
export function createFlvLook() {
  const held = new Uint8Array(tagHeader + peeked)
  let have = 0
  let skip = 0
  let flv = false
  let keyFrame = false
  let audio = false
  let first: number | undefined
  let last = 0

  const tag = (): void => {
    const [type = 0, a = 0, b = 0, c = 0, t1 = 0, t2 = 0, t3 = 0, t0 = 0, , , , kind = 0, packet = 0] = held
    const size = a * 65_536 + b * 256 + c
    // The bytes of a shorter tag would be read together with the next tag.
    if (size < peeked) throw new Error('not FLV')
    skip = size - peeked + backPointer
    const isVideo = type === 9
    if ((!isVideo && type !== 8) || packet === 0) return
    const time = t0 * 16_777_216 + t1 * 65_536 + t2 * 256 + t3
    first ??= time
    last = Math.max(last, time)
    if (!isVideo) audio = true
    else if (kind >> 4 === 1) keyFrame = true
  }

  return {
    feed(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length;) {
        if (skip > 0) {
          const step = Math.min(skip, bytes.length - at)
          skip -= step
          at += step
          continue
        }
        const wanted = flv ? tagHeader + peeked : fileHeader
        const step = Math.min(wanted - have, bytes.length - at)
        held.set(bytes.subarray(at, at + step), have)
        have += step
        at += step
        if (have < wanted) return
        have = 0
        if (flv) tag()
        else {
          if (held[0] !== 0x46 || held[1] !== 0x4c || held[2] !== 0x56) throw new Error('not FLV')
          flv = true
          skip = backPointer
        }
      }
    },
    /** Timestamp of the first media, in ms. */
    first: (): number | undefined => first,
    seen: (): FlvSeen => ({ flv, keyFrame, audio, media: first === undefined ? 0 : last - first }),
  }
}

/** In ms, bytes and ms of media. */
const lookFor = 8_000
const maxBytes = 16 * 1024 * 1024
const mediaEnough = 1_000

/** Up to a key frame and a second of media, 8 s or 16 MiB. Throws the HTTP status in an `Error`. */
export async function lookAtFlv(url: string, signal: AbortSignal, fetcher: typeof fetch = fetch): Promise<FlvSeen> {
  const end = new AbortController()
  const late = setTimeout(() => end.abort(), lookFor)
  const look = createFlvLook()
  try {
    const answer = await fetcher(url, { signal: AbortSignal.any([signal, end.signal]) })
    if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`)
    const reader = answer.body.getReader()
    for (let bytes = 0; bytes < maxBytes;) {
      const part = await reader.read()
      if (part.done) break
      bytes += part.value.length
      look.feed(part.value)
      const { keyFrame, audio, media } = look.seen()
      if (media >= mediaEnough && keyFrame && audio) break
      // Three seconds of video without sound: the stream has no audio.
      if (media >= 3 * mediaEnough && keyFrame) break
    }
  } catch (error) {
    if (signal.aborted || !end.signal.aborted) throw error
  } finally {
    clearTimeout(late)
    end.abort()
  }
  return look.seen()
}
