import { hash } from 'node:crypto'
import { readAacConfiguration, type AacConfiguration } from '../media/aac.ts'
import { readAvcConfiguration, type AvcConfiguration } from '../media/avc.ts'
import { maxAudioConfiguration, type Mp4Track } from '../media/mp4-init.ts'
import { videoTimescale } from '../media/mp4-timeline.ts'
import type { MediaPacket } from './packet.ts'

/** A decoder configuration: packet, record, and parsed record. */
interface Configured<T> {
  readonly packet: MediaPacket
  readonly record: Buffer
  readonly parsed: T
}

/** The tracks of a push. */
export interface SliceTracks {
  readonly video?: Configured<AvcConfiguration> | undefined
  readonly audio?: Configured<AacConfiguration> | undefined
}

/** Track numbers in MP4. */
export const trackId = { video: 1, audio: 2 } as const

/** Tracks after a configuration packet: the same object if unchanged, without the track if the record is invalid. */
export function configured(tracks: SliceTracks, packet: MediaPacket): SliceTracks {
  // Configurations are kept for hours and must not retain the receive buffer.
  const body = Buffer.from(packet.body)
  const own = { ...packet, body }
  if (packet.kind === 'video') {
    const record = body.subarray(5)
    if (tracks.video?.record.equals(record)) return tracks
    const parsed = readAvcConfiguration(record)
    return { ...tracks, video: parsed && { packet: own, record, parsed } }
  }
  const record = body.subarray(2)
  if (tracks.audio?.record.equals(record)) return tracks
  const parsed = record.length <= maxAudioConfiguration ? readAacConfiguration(record) : undefined
  return { ...tracks, audio: parsed && { packet: own, record, parsed } }
}

/** A non-empty coded AVC or AAC frame (FLV specification E.4.3.1, E.4.2.1). */
export const isCoded = ({ kind, body }: MediaPacket): boolean =>
  body[1] === 1 &&
  (kind === 'video'
    ? body.length > 5 && (body[0]! & 0xf) === 7
    : kind === 'audio' && body.length > 2 && body[0]! >> 4 === 10)

/** A coded frame of a known track. */
export const isFrame = ({ video, audio }: SliceTracks, packet: MediaPacket): boolean =>
  (packet.kind === 'video' ? video : audio) !== undefined && isCoded(packet)

/** Tracks as MP4 describes them. */
export const mp4Tracks = ({ video, audio }: SliceTracks): Mp4Track[] => [
  ...(video
    ? [
        {
          kind: 'video' as const,
          id: trackId.video,
          timescale: videoTimescale,
          width: video.parsed.width,
          height: video.parsed.height,
          configuration: video.record,
        },
      ]
    : []),
  ...(audio
    ? [
        {
          kind: 'audio' as const,
          id: trackId.audio,
          timescale: audio.parsed.sampleRate,
          channels: audio.parsed.channels ?? 2,
          configuration: audio.record,
        },
      ]
    : []),
]

/** Samples of an AAC frame: SBR (names ending in 5 or 29) doubles them (ISO/IEC 14496-3 4.6.18.2.6). */
export const frameSamples = ({ codec }: AacConfiguration): number => (/\.(5|29)$/.test(codec) ? 2048 : 1024)

const digest = (record: Buffer): string => hash('sha256', record, 'hex').slice(0, 16)

/** Must be equal for a merge (behaviour.md#merging): codecs, and a digest of each configuration. */
export const codecsOf = ({ video, audio }: SliceTracks): string =>
  [
    ...(video ? [`${video.parsed.codec} ${video.parsed.width}x${video.parsed.height} ${digest(video.record)}`] : []),
    ...(audio
      ? [`${audio.parsed.codec} ${audio.parsed.sampleRate}/${audio.parsed.channels ?? 0} ${digest(audio.record)}`]
      : []),
  ].join(', ')
