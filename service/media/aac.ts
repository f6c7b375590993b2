/** Decoder configuration of an AAC stream. */
export interface AacConfiguration {
  /** MPEG-4 audio object type of the core, for example 2 for AAC-LC. */
  readonly objectType: number
  /** Output rate in Hz; with SBR the extended one. */
  readonly sampleRate: number
  /** Undefined when given by a program configuration element. */
  readonly channels: number | undefined
  /** `AAC-LC`, `HE-AAC`, `HE-AAC v2` or `AAC (type N)`. */
  readonly name: string
  /** RFC 6381 name, for example `mp4a.40.2`. */
  readonly codec: string
}

const rates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const
const channelCounts = [undefined, 1, 2, 3, 4, 5, 6, 8, undefined, undefined, undefined, 7, 8, undefined, 8] as const
const names: Readonly<Record<number, string>> = {
  1: 'AAC Main',
  2: 'AAC-LC',
  3: 'AAC SSR',
  4: 'AAC LTP',
  5: 'HE-AAC',
  29: 'HE-AAC v2',
}
const typeSbr = 5
const typePs = 29
const syncExtension = 0x2b7
const syncExtensionPs = 0x548

/** Reads an AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1); undefined when truncated or invalid. */
export function readAacConfiguration(record: Buffer): AacConfiguration | undefined {
  let at = 0
  const bits = (count: number): number => {
    let value = 0
    for (let index = 0; index < count; index++, at++)
      value = value * 2 + (((record[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return value
  }
  const type = (): number => {
    const value = bits(5)
    return value === 31 ? 32 + bits(6) : value
  }
  const rate = (): number | undefined => {
    const index = bits(4)
    return index === 15 ? bits(24) : rates[index]
  }
  const signalled = type()
  let sampleRate = rate()
  const channels = channelCounts[bits(4)]
  let core = signalled
  if (signalled === typeSbr || signalled === typePs) {
    sampleRate = rate()
    core = type()
  }
  let named = signalled
  if (core === signalled && core < 5 && at + 3 <= record.length * 8) {
    // Backward compatible signalling of SBR and PS follows the core configuration (1.6.5.2).
    at += 1
    if (bits(1)) at += 14
    at += 1
    if (at + 17 <= record.length * 8 && bits(11) === syncExtension && type() === typeSbr && bits(1)) {
      named = typeSbr
      sampleRate = rate()
      if (at + 12 <= record.length * 8 && bits(11) === syncExtensionPs && bits(1)) named = typePs
    }
  }
  if (at > record.length * 8 || core === 0 || sampleRate === undefined || sampleRate < 1 || sampleRate > 192_000)
    return undefined
  return {
    objectType: core,
    sampleRate,
    channels: named === typePs ? 2 : channels,
    name: names[named] ?? `AAC (type ${named})`,
    codec: `mp4a.40.${named}`,
  }
}

const layouts: Readonly<Record<number, string>> = { 1: 'mono', 2: 'stereo', 6: '5.1', 8: '7.1' }

/** Text such as `AAC-LC 48 kHz stereo`. */
export const aacName = ({ name, sampleRate, channels }: AacConfiguration): string =>
  `${name} ${sampleRate / 1000} kHz${channels === undefined ? '' : ` ${layouts[channels] ?? `${channels} channels`}`}`
