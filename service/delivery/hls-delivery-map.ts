import type { AacConfiguration } from '../media/aac.ts'
import type { AvcConfiguration } from '../media/avc.ts'
import { initSegment, type Mp4Track } from '../media/mp4-init.ts'
import { videoTimescale } from '../media/mp4-timeline.ts'

/** Contents of a MAP: the start of a run of segments with the same tracks and time line. */
export interface HlsMap {
  readonly data: Buffer
  /** RFC 6381 codecs, separated by commas. */
  readonly codecs: string
}

/** Decoder configurations of a push, each with the record as sent by the publisher. */
export interface HlsConfigurations {
  readonly video?: { readonly record: Buffer; readonly parsed: AvcConfiguration } | undefined
  readonly audio?: { readonly record: Buffer; readonly parsed: AacConfiguration } | undefined
}

/** Track ids of all runs. */
export const trackId = { video: 1, audio: 2 } as const

const tracksOf = ({ video, audio }: HlsConfigurations): Mp4Track[] => [
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

/** The MAP of a run with these configurations. */
export const mapOf = (configurations: HlsConfigurations): HlsMap => ({
  data: initSegment(tracksOf(configurations)),
  codecs: [configurations.video, configurations.audio]
    .flatMap((track) => (track ? [track.parsed.codec] : []))
    .join(','),
})
