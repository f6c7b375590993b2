/** Count of segments, and whether the newest one is readable. */
export interface HlsSeen {
  readonly segments: number
  readonly readable: boolean
}

const lookFor = 8_000
const maxBytes = 32 * 1024 * 1024
const boxes = new Set(['ftyp', 'styp', 'moof', 'sidx', 'emsg', 'prft'])

const isMedia = (bytes: Uint8Array): boolean =>
  // ISO BMFF has a box type after the length; MPEG-TS has sync bytes 188 bytes apart.
  boxes.has(String.fromCharCode(...bytes.subarray(4, 8))) || (bytes[0] === 0x47 && bytes[188] === 0x47)
const linesOf = (text: string): string[] => {
  if (!text.startsWith('#EXTM3U')) throw new Error('no playlist')
  return text.split(/\r?\n/).map((line) => line.trim())
}
const addressesIn = (lines: readonly string[]): string[] => lines.filter((line) => line !== '' && !line.startsWith('#'))

/** Reads the playlist and its newest segment, for at most 8 s. Throws the HTTP status in an `Error`. */
export async function lookAtHls(url: string, signal: AbortSignal, fetcher: typeof fetch = fetch): Promise<HlsSeen> {
  const late = AbortSignal.timeout(lookFor)
  const get = async (address: string): Promise<Response> => {
    const answer = await fetcher(address, { signal: AbortSignal.any([signal, late]) })
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
    return answer
  }
  const read = async (address: string): Promise<Uint8Array> => {
    const answer = await get(address)
    if (Number(answer.headers.get('content-length') ?? 0) > maxBytes) throw new Error('too large')
    return new Uint8Array(await answer.arrayBuffer())
  }
  let lines = linesOf(await (await get(url)).text())
  const [variant] = lines.some((line) => line.startsWith('#EXT-X-STREAM-INF')) ? addressesIn(lines) : []
  if (variant !== undefined) lines = linesOf(await (await get(variant)).text())
  const segments = addressesIn(lines)
  const newest = segments.at(-1)
  if (newest === undefined) return { segments: 0, readable: false }
  const map = lines.map((line) => /^#EXT-X-MAP:.*URI="([^"]+)"/.exec(line)?.[1]).find((each) => each !== undefined)
  const parts = await Promise.all([map, newest].flatMap((address) => (address === undefined ? [] : [read(address)])))
  return { segments: segments.length, readable: parts.every((bytes) => isMedia(bytes)) }
}
