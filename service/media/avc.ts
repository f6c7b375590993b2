import { BitReader } from './avc-bits.ts'

/** Picture format of a sequence parameter set. */
export interface AvcPicture {
  /** profile_idc, constraint flags and level_idc as one byte each (ISO/IEC 14496-10 7.4.2.1.1). */
  readonly profile: number
  readonly constraints: number
  readonly level: number
  /** Size after cropping, in luma samples. */
  readonly width: number
  readonly height: number
}

/** Decoder configuration of an H.264 stream, from its sequence header. */
export interface AvcConfiguration extends AvcPicture {
  /** Bytes of the length before each NAL unit: 1, 2 or 4. */
  readonly lengthSize: number
  readonly sps: readonly Buffer[]
  readonly pps: readonly Buffer[]
  /** RFC 6381 codec, for example `avc1.64001f`. */
  readonly codec: string
}

/** Largest accepted side in luma samples: the limit of level 6.2. */
export const maxPictureSide = 16_384

const profilesWithChroma = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244])

function skipScalingList(bits: BitReader, size: number): void {
  let last = 8
  let next = 8
  for (let index = 0; index < size; index++) {
    if (next !== 0) next = (last + bits.signed() + 256) & 255
    if (next !== 0) last = next
  }
}

/** Reads a sequence parameter set NAL unit (ISO/IEC 14496-10 7.3.2.1.1); undefined when invalid. */
export function readSps(nal: Buffer): AvcPicture | undefined {
  const profile = nal[1]
  const constraints = nal[2]
  const level = nal[3]
  if (
    nal.length < 5 ||
    (nal[0]! & 0x1f) !== 7 ||
    profile === undefined ||
    constraints === undefined ||
    level === undefined
  )
    return undefined
  const bits = new BitReader(nal, 4)
  if (bits.unsigned() > 31) return undefined
  let chroma = 1
  if (profilesWithChroma.has(profile)) {
    chroma = bits.unsigned()
    if (chroma > 3) return undefined
    if (chroma === 3 && bits.bit()) chroma = 0
    bits.unsigned()
    bits.unsigned()
    bits.bit()
    if (bits.bit())
      for (let list = 0; list < (chroma === 3 ? 12 : 8); list++)
        if (bits.bit()) skipScalingList(bits, list < 6 ? 16 : 64)
  }
  bits.unsigned()
  const order = bits.unsigned()
  if (order === 0) bits.unsigned()
  else if (order === 1) {
    bits.bit()
    bits.signed()
    bits.signed()
    const cycle = bits.unsigned()
    if (cycle > 255) return undefined
    for (let index = 0; index < cycle; index++) bits.signed()
  } else if (order > 2) return undefined
  bits.unsigned()
  bits.bit()
  const columns = bits.unsigned() + 1
  const rows = bits.unsigned() + 1
  const frameOnly = bits.bit()
  if (!frameOnly) bits.bit()
  bits.bit()
  const crop = bits.bit()
    ? ([bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()] as const)
    : ([0, 0, 0, 0] as const)
  if (bits.exhausted) return undefined
  const stepX = chroma === 1 || chroma === 2 ? 2 : 1
  const stepY = (chroma === 1 ? 2 : 1) * (2 - frameOnly)
  const width = columns * 16 - (crop[0] + crop[1]) * stepX
  const height = rows * 16 * (2 - frameOnly) - (crop[2] + crop[3]) * stepY
  if (!(width > 0 && height > 0 && width <= maxPictureSide && height <= maxPictureSide)) return undefined
  return { profile, constraints, level, width, height }
}

const hex = (value: number): string => value.toString(16).padStart(2, '0')

/** Reads an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 5.3.3.1); undefined when truncated or invalid. */
export function readAvcConfiguration(record: Buffer): AvcConfiguration | undefined {
  if (record.length < 7 || record[0] !== 1) return undefined
  const lengthSize = (record[4]! & 3) + 1
  if (lengthSize === 3) return undefined
  let at = 5
  const sets = (mask: number): Buffer[] | undefined => {
    const count = record[at]
    if (count === undefined) return undefined
    at += 1
    const found: Buffer[] = []
    for (let index = 0; index < (count & mask); index++) {
      if (at + 2 > record.length) return undefined
      const length = record.readUInt16BE(at)
      if (length === 0 || at + 2 + length > record.length) return undefined
      found.push(record.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
    return found
  }
  const sps = sets(0x1f)
  const pps = sps && sets(0xff)
  const first = sps?.[0]
  if (!sps || !pps || !first || pps.length === 0) return undefined
  const picture = readSps(first)
  return (
    picture && {
      ...picture,
      lengthSize,
      sps,
      pps,
      codec: `avc1.${hex(picture.profile)}${hex(picture.constraints)}${hex(picture.level)}`,
    }
  )
}

const profileNames: Readonly<Record<number, string>> = {
  66: 'Baseline',
  77: 'Main',
  88: 'Extended',
  100: 'High',
  110: 'High 10',
  122: 'High 4:2:2',
  244: 'High 4:4:4',
}

/** Profile and level, for example `H.264 High 4.1`. */
export function avcName({
  profile,
  constraints,
  level,
}: Pick<AvcConfiguration, 'profile' | 'constraints' | 'level'>): string {
  const constrained = profile === 66 && (constraints & 0x40) !== 0
  const step =
    level === 9 || (level === 11 && profile < 100 && (constraints & 0x10) !== 0)
      ? '1b'
      : `${Math.floor(level / 10)}.${level % 10}`
  return `H.264 ${constrained ? 'Constrained ' : ''}${profileNames[profile] ?? `profile ${profile}`} ${step}`
}
