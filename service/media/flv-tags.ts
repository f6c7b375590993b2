/** Bodies of FLV tags (E.4.2.1, E.4.3.1). Enhanced RTMP's H.264 and AAC are converted to the plain form for readers. */

/** Contents of a tag: `other` is a codec that is not served, `ignored` is not needed by readers. */
export type TagContent =
  | { readonly kind: 'media'; readonly body: Buffer; readonly keyFrame: boolean; readonly configuration: boolean }
  | { readonly kind: 'other'; readonly codec: string }
  | { readonly kind: 'ignored' }

const ignored: TagContent = { kind: 'ignored' }
const other = (codec: string): TagContent => ({ kind: 'other', codec })

const avc = 7
const aac = 10
const extendedAudio = 9
const keyFrameType = 1
const commandFrameType = 5
const videoCodecs: Readonly<Record<number, string>> = {
  2: 'H.263',
  3: 'Screen video',
  4: 'VP6',
  5: 'VP6',
  6: 'Screen video',
  8: 'VP8',
  9: 'VP9',
  12: 'HEVC',
  13: 'AV1',
  14: 'VP9',
}
const audioCodecs: Readonly<Record<number, string>> = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'MP3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  7: 'G.711',
  8: 'G.711',
  11: 'Speex',
  13: 'Opus',
  14: 'MP3',
}
const fourCcs: Readonly<Record<string, string>> = {
  hvc1: 'HEVC',
  hev1: 'HEVC',
  av01: 'AV1',
  vp08: 'VP8',
  vp09: 'VP9',
  vvc1: 'VVC',
  Opus: 'Opus',
  fLaC: 'FLAC',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  '.mp3': 'MP3',
}
const named = (fourCc: string): string =>
  fourCcs[fourCc] ?? (/^[\x21-\x7e]{4}$/.test(fourCc) ? fourCc : 'an unknown codec')

/** Packet types of extended tags (Enhanced RTMP v2, ExVideoTagHeader and ExAudioTagHeader). */
const extended = {
  sequenceStart: 0,
  codedFrames: 1,
  sequenceEnd: 2,
  codedFramesX: 3,
  multitrackVideo: 6,
  multitrackAudio: 5,
  modEx: 7,
} as const

/** Skips ModEx prefixes; returns the packet type after them and the offset of the four-character code. */
function afterModEx(body: Buffer): { readonly type: number; readonly at: number } | undefined {
  let type = body[0]! & 0x0f
  let at = 1
  while (type === extended.modEx) {
    const small = body[at]
    if (small === undefined) return undefined
    const long = small === 0xff
    if (long && at + 3 > body.length) return undefined
    at += long ? 3 + body.readUInt16BE(at + 1) + 1 : 1 + small + 1
    const next = body[at]
    if (next === undefined) return undefined
    type = next & 0x0f
    at += 1
  }
  return { type, at }
}

/** In memory of its own: bodies are kept and must not retain unrelated data. */
function joined(...parts: readonly Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) at += part.copy(whole, at)
  return whole
}

function readExtendedVideo(body: Buffer): TagContent {
  const frameType = (body[0]! >> 4) & 7
  const head = afterModEx(body)
  if (!head || frameType === commandFrameType) return ignored
  if (head.type === extended.multitrackVideo) return other('several video tracks')
  if (head.at + 4 > body.length) return ignored
  const fourCc = body.toString('latin1', head.at, head.at + 4)
  if (fourCc !== 'avc1') return other(named(fourCc))
  const data = body.subarray(head.at + 4)
  const plain = (packetType: number, rest: Buffer, time: Buffer = Buffer.alloc(3)): Buffer =>
    joined(Buffer.from([(frameType << 4) | avc, packetType]), time, rest)
  switch (head.type) {
    case extended.sequenceStart:
      return { kind: 'media', body: plain(0, data), keyFrame: false, configuration: true }
    case extended.codedFrames:
      return data.length < 3
        ? ignored
        : {
            kind: 'media',
            body: plain(1, data.subarray(3), data.subarray(0, 3)),
            keyFrame: frameType === keyFrameType,
            configuration: false,
          }
    case extended.codedFramesX:
      return { kind: 'media', body: plain(1, data), keyFrame: frameType === keyFrameType, configuration: false }
    default:
      return ignored
  }
}

/** Reads the body of a video tag. */
export function readVideoTag(body: Buffer): TagContent {
  const first = body[0]
  if (first === undefined) return ignored
  if (first & 0x80) return readExtendedVideo(body)
  const frameType = first >> 4
  const codec = first & 0x0f
  if (frameType === commandFrameType) return ignored
  if (codec !== avc) return other(videoCodecs[codec] ?? `video codec ${codec}`)
  const packetType = body[1]
  if (body.length <= 5 || (packetType !== 0 && packetType !== 1)) return ignored
  return {
    kind: 'media',
    body,
    keyFrame: frameType === keyFrameType && packetType === 1,
    configuration: packetType === 0,
  }
}

function readExtendedAudio(body: Buffer): TagContent {
  const head = afterModEx(body)
  // An additional track beside the first one is ignored.
  if (!head || head.type === extended.multitrackAudio || head.at + 4 > body.length) return ignored
  const fourCc = body.toString('latin1', head.at, head.at + 4)
  if (fourCc !== 'mp4a') return other(named(fourCc))
  const data = body.subarray(head.at + 4)
  if (data.length === 0 || head.type > extended.codedFrames) return ignored
  return {
    kind: 'media',
    body: joined(Buffer.from([0xaf, head.type]), data),
    keyFrame: false,
    configuration: head.type === extended.sequenceStart,
  }
}

/** Reads the body of an audio tag. */
export function readAudioTag(body: Buffer): TagContent {
  const first = body[0]
  if (first === undefined) return ignored
  const format = first >> 4
  if (format === extendedAudio) return readExtendedAudio(body)
  if (format !== aac) return other(audioCodecs[format] ?? `audio codec ${format}`)
  const packetType = body[1]
  if (body.length <= 2 || (packetType !== 0 && packetType !== 1)) return ignored
  return { kind: 'media', body, keyFrame: false, configuration: packetType === 0 }
}
