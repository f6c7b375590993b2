/** One filter of second order, in direct form II transposed. */
interface Biquad {
  readonly b: readonly [number, number, number]
  readonly a: readonly [number, number]
}

/**
 * The two filters of the K-weighting of ITU-R BS.1770-5, Annex 1, at any sample rate. The standard has their values for
 * 48 kHz alone; frequency, gain and Q of the analogue filters behind those give the same at 48 kHz.
 */
export function kWeighting(rate: number): readonly [Biquad, Biquad] {
  const shelf = (() => {
    const [frequency, gain, q] = [1681.974450955533, 3.999843853973347, 0.7071752369554196]
    const k = Math.tan((Math.PI * frequency) / rate)
    const high = 10 ** (gain / 20)
    const band = high ** 0.4996667741545416
    const whole = 1 + k / q + k * k
    return {
      b: [
        (high + (band * k) / q + k * k) / whole,
        (2 * (k * k - high)) / whole,
        (high - (band * k) / q + k * k) / whole,
      ],
      a: [(2 * (k * k - 1)) / whole, (1 - k / q + k * k) / whole],
    } as const
  })()
  const pass = (() => {
    const [frequency, q] = [38.13547087602444, 0.5003270373238773]
    const k = Math.tan((Math.PI * frequency) / rate)
    const whole = 1 + k / q + k * k
    return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / whole, (1 - k / q + k * k) / whole] } as const
  })()
  return [shelf, pass]
}

/** By the number of channels, in the order of Web Audio: left, right, centre, LFE, surrounds. LFE does not count. */
const weights: Readonly<Record<number, readonly number[]>> = {
  4: [1, 1, 1.41, 1.41],
  5: [1, 1, 1, 1.41, 1.41],
  6: [1, 1, 1, 0, 1.41, 1.41],
}

/** Of one channel over a block. */
export interface ChannelBlock {
  /** Largest sample, 1 at full scale. */
  readonly peak: number
  /** Mean of the squared samples. */
  readonly square: number
}

/** What a block of sound comes to. */
export interface SoundBlock {
  readonly channels: readonly ChannelBlock[]
  /** Mean square after the K-weighting, summed over the channels with their weights. */
  readonly weighted: number
}

/** Blocks in a second. */
export const blockRate = 20

/** Below it a state of a filter is 0: smaller numbers cost a processor many times the work, and nobody hears them. */
const least = 1e-15

/** Measures samples as they come, in blocks of 50 ms; `told` gets each block once it is whole. */
export function createBlockMeter(rate: number, told: (block: SoundBlock) => void) {
  const filters = kWeighting(rate)
  const length = Math.round(rate / blockRate)
  /** Four states of each channel: two of each filter. */
  let states: Float64Array[] = []
  let peaks = new Float64Array(0)
  let squares = new Float64Array(0)
  let sums = new Float64Array(0)
  let filled = 0

  const clear = (): void => {
    peaks.fill(0)
    squares.fill(0)
    sums.fill(0)
    filled = 0
  }
  const use = (count: number): void => {
    states = Array.from({ length: count }, () => new Float64Array(4))
    peaks = new Float64Array(count)
    squares = new Float64Array(count)
    sums = new Float64Array(count)
    filled = 0
  }
  const measure = (index: number, samples: Float32Array, from: number, to: number): void => {
    const state = states[index]!
    const [{ b: b1, a: a1 }, { b: b2, a: a2 }] = filters
    let [s1, s2, s3, s4] = state as unknown as [number, number, number, number]
    let [peak, square, sum] = [peaks[index]!, squares[index]!, sums[index]!]
    for (let at = from; at < to; at++) {
      const sample = samples[at]!
      const size = Math.abs(sample)
      if (size > peak) peak = size
      square += sample * sample
      const high = b1[0] * sample + s1
      s1 = b1[1] * sample - a1[0] * high + s2
      s2 = b1[2] * sample - a1[1] * high
      const out = b2[0] * high + s3
      s3 = b2[1] * high - a2[0] * out + s4
      s4 = b2[2] * high - a2[1] * out
      sum += out * out
    }
    state[0] = Math.abs(s1) < least ? 0 : s1
    state[1] = Math.abs(s2) < least ? 0 : s2
    state[2] = Math.abs(s3) < least ? 0 : s3
    state[3] = Math.abs(s4) < least ? 0 : s4
    peaks[index] = peak
    squares[index] = square
    sums[index] = sum
  }

  return {
    /** One array of samples for each channel, all of one length. Another number of channels begins a new block. */
    add: (channels: readonly Float32Array[]): void => {
      if (channels.length === 0) return
      if (channels.length !== states.length) use(channels.length)
      const { length: given } = channels[0]!
      for (let from = 0; from < given;) {
        const to = Math.min(given, from + length - filled)
        for (const [index, samples] of channels.entries()) measure(index, samples, from, to)
        filled += to - from
        from = to
        if (filled < length) continue
        const factors = weights[states.length]
        let weighted = 0
        for (const [index, sum] of sums.entries()) weighted += (sum / length) * (factors?.[index] ?? 1)
        told({
          channels: Array.from(peaks, (peak, index) => ({ peak, square: squares[index]! / length })),
          weighted,
        })
        clear()
      }
    },
  }
}
