import { blockRate, type SoundBlock } from './loudness.ts'

/** Of one bar, in dB of full scale; −Infinity for digital silence. A sine at full scale has 0 dB, in both (AES17). */
export interface BarLevels {
  /** Of the last 400 ms. */
  readonly mean: number
  /** Highest sample of the last 2 s. */
  readonly peak: number
}

/** What is heard now. */
export interface SoundLevels {
  /** Left and right; both alike for a single channel. */
  readonly bars: readonly [BarLevels, BarLevels]
  /** Of the louder bar. */
  readonly mean: number
  readonly peak: number
  /** Short-term loudness in LUFS, of the last 3 s (ITU-R BS.1770, EBU Tech 3341); null until so much was heard. */
  readonly loudness: number | null
  /** For 3 s nothing reached the lowest segment. */
  readonly isSilent: boolean
  /** In the last 2 s a sample reached full scale. */
  readonly isClipping: boolean
}

/** In dB: what the meter shows begins here. */
export const lowest = -60
const meanBlocks = 0.4 * blockRate
const heldBlocks = 2 * blockRate
const loudnessBlocks = 3 * blockRate
/** −0.1 dB: what was cut at full scale stands a little lower after a lossy codec. */
const full = 10 ** (-0.1 / 20)

/** Bars of surround have the loudest of their side; the centre is in both, LFE in none. */
const sides: Readonly<Record<number, readonly [readonly number[], readonly number[]]>> = {
  1: [[0], [0]],
  2: [[0], [1]],
  4: [
    [0, 2],
    [1, 3],
  ],
  6: [
    [0, 2, 4],
    [1, 2, 5],
  ],
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Keeps the blocks of the last 3 s. */
export function createSoundLevels() {
  let blocks: SoundBlock[] = []
  const bar = (indices: readonly number[]): BarLevels => {
    const means = indices.map((index) =>
      meanOf(blocks.slice(-meanBlocks).map(({ channels }) => channels[index]!.square)),
    )
    const peaks = blocks.slice(-heldBlocks).flatMap(({ channels }) => indices.map((index) => channels[index]!.peak))
    return { mean: 10 * Math.log10(2 * Math.max(...means)), peak: 20 * Math.log10(Math.max(...peaks)) }
  }
  return {
    add: (block: SoundBlock): void => {
      // Other channels are another sound.
      if (blocks[0] && blocks[0].channels.length !== block.channels.length) blocks = []
      blocks.push(block)
      if (blocks.length > loudnessBlocks) blocks.shift()
    },
    /** Null before the first 400 ms. */
    now: (): SoundLevels | null => {
      const count = blocks.at(-1)?.channels.length ?? 0
      if (count === 0 || blocks.length < meanBlocks) return null
      const [left, right] = sides[count] ?? [[0], [1]]
      const bars = [bar(left), bar(right)] as const
      const isWhole = blocks.length === loudnessBlocks
      const peak = Math.max(bars[0].peak, bars[1].peak)
      return {
        bars,
        mean: Math.max(bars[0].mean, bars[1].mean),
        peak,
        loudness: isWhole ? -0.691 + 10 * Math.log10(meanOf(blocks.map(({ weighted }) => weighted))) : null,
        isSilent:
          isWhole && blocks.every(({ channels }) => channels.every(({ peak: top }) => 20 * Math.log10(top) < lowest)),
        isClipping: 10 ** (peak / 20) >= full,
      }
    },
    clear: (): void => {
      blocks = []
    },
  }
}
