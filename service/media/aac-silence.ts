import { readAacConfiguration } from './aac.ts'

/** Writes bits, first the highest, and fills the last byte with zeros. */
function bitsOf(fields: readonly (readonly [value: number, bits: number])[]): Buffer {
  const text = fields.map(([value, bits]) => value.toString(2).padStart(bits, '0')).join('')
  const bytes = Math.ceil(text.length / 8)
  return Buffer.from(
    Array.from({ length: bytes }, (_, at) => Number.parseInt(text.slice(at * 8, at * 8 + 8).padEnd(8, '0'), 2)),
  )
}

/** ID, tag of the element. */
const singleChannel = [0, 7] as const
const channelPair = [0b001_0000, 7] as const
const end = [0b111, 3] as const
/** Reserved bit, long window, its shape, no scale factor band, no prediction (ISO/IEC 14496-3 table 4.6). */
const window = [0, 1 + 2 + 1 + 6 + 1] as const
/** Global gain, then: no pulses, no noise shaping, no gain control (table 4.50). */
const gain = [0, 8] as const
const noTools = [0, 3] as const

/** A raw frame without sound. */
const mono = bitsOf([singleChannel, gain, window, noTools, end])
const stereo = bitsOf([channelPair, [1, 1], window, [0, 2], gain, noTools, gain, noTools, end])

/** Silence that fits a decoder configuration. */
export interface SilentSound {
  /** A raw AAC frame. */
  readonly frame: Buffer
  /** Its duration in ms. */
  readonly duration: number
}

/** Silence for the record of an AAC stream; undefined unless its core is AAC-LC with one or two channels. */
export function silentSound(record: Buffer): SilentSound | undefined {
  const configuration = readAacConfiguration(record)
  if (configuration?.objectType !== 2) return undefined
  const { channels, sampleRate, codec } = configuration
  // The second channel of HE-AAC v2 is made of the first.
  const coded = codec === 'mp4a.40.29' ? 1 : channels
  const frame = coded === 1 ? mono : coded === 2 ? stereo : undefined
  const samples = codec === 'mp4a.40.2' ? 1024 : 2048
  return frame && { frame, duration: (samples * 1000) / sampleRate }
}
