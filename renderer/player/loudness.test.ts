import { describe, expect, it } from 'vitest'
import { createBlockMeter, kWeighting } from './loudness.ts'
import { createSoundLevels } from './sound-levels.ts'

/** A tone: its level in dB of full scale by its highest sample, and how long it is, in s. */
interface Tone {
  readonly level: number
  readonly seconds: number
}
const quantum = 128

/** Sines of 1 kHz one after another, one list for each channel, measured as an AudioWorklet gives them. */
function heard(channels: readonly (readonly Tone[])[], { rate = 48_000, frequency = 1_000 } = {}) {
  const levels = createSoundLevels()
  const loudness: number[] = []
  const meter = createBlockMeter(rate, (block) => {
    levels.add(block)
    const now = levels.now()?.loudness
    if (now !== null && now !== undefined) loudness.push(now)
  })
  const samples = channels.map((tones) => {
    const ends = tones.map((_, index) => tones.slice(0, index + 1).reduce((sum, { seconds }) => sum + seconds, 0))
    return Float32Array.from({ length: Math.round(ends.at(-1)! * rate) }, (_, at) => {
      const { level } =
        tones[
          Math.max(
            0,
            ends.findIndex((end) => at / rate < end),
          )
        ]!
      return 10 ** (level / 20) * Math.sin((2 * Math.PI * frequency * at) / rate)
    })
  })
  for (let at = 0; at < samples[0]!.length; at += quantum)
    meter.add(samples.map((channel) => channel.subarray(at, at + quantum)))
  return { now: levels.now(), loudness }
}
const steady = (level: number, seconds = 4): Tone[] => [{ level, seconds }]

describe('the K-weighting', () => {
  it('has the coefficients of BS.1770 at 48 kHz', () => {
    const [shelf, pass] = kWeighting(48_000)
    const wanted = [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585]
    for (const [index, value] of [...shelf.b, ...shelf.a].entries()) expect(value).toBeCloseTo(wanted[index]!, 8)
    expect(pass.b).toEqual([1, -2, 1])
    expect(pass.a[0]).toBeCloseTo(-1.99004745483398, 8)
    expect(pass.a[1]).toBeCloseTo(0.99007225036621, 8)
  })

  it('is 0 dB at 997 Hz with the offset of the standard, at each sample rate', () => {
    for (const rate of [22_050, 32_000, 44_100, 48_000, 96_000, 192_000]) {
      const { now } = heard([steady(0)], { rate, frequency: 997 })
      // BS.1770: a sine of full scale in one channel has −3.01 LKFS.
      expect(now!.loudness, String(rate)).toBeCloseTo(-3.01, 1)
    }
  })
})

describe('the signals of EBU Tech 3341, by their short-term loudness', () => {
  const within = (value: number | null | undefined, target: number): void => {
    expect(value).toBeGreaterThanOrEqual(target - 0.1)
    expect(value).toBeLessThanOrEqual(target + 0.1)
  }

  it.each([-23, -33])('1 and 2: a stereo sine of 1 kHz with %d dBFS', (level) => {
    const { loudness } = heard([steady(level, 20), steady(level, 20)])
    expect(loudness.length).toBe(20 * 20 - 59)
    for (const value of loudness) within(value, level)
  })

  it('6: five channels with the weights of the surrounds, LFE without any', () => {
    const surround = [-28, -28, -24, 0, -30, -30].map((level) => steady(level, 20))
    within(heard(surround).now!.loudness, -23)
    within(heard(surround.toSpliced(3, 1)).now!.loudness, -23)
  })

  it('9: tones of −20 and −30 dBFS in turn are −23 LUFS at each moment after 3 s', () => {
    const turns = Array.from({ length: 5 }, () => [
      { level: -20, seconds: 1.34 },
      { level: -30, seconds: 1.66 },
    ]).flat()
    const { loudness } = heard([turns, turns])
    expect(loudness.length).toBe(15 * 20 - 59)
    for (const value of loudness) within(value, -23)
  })

  it.each(Array.from({ length: 20 }, (_, index) => index * 0.15))(
    '10: a tone of 3 s is −23 LUFS at its most, %d s after the begin',
    (before) => {
      const tones = [
        { level: -400, seconds: before },
        { level: -23, seconds: 3 },
        { level: -400, seconds: 1 },
      ]
      within(Math.max(...heard([tones, tones]).loudness), -23)
    },
  )
})

describe('levels of tones', () => {
  it('show a sine by its level of full scale: as mean, as peak, in both bars', () => {
    for (const level of [-60, -23, -18.06, -6, 0]) {
      const { now } = heard([steady(level), steady(level - 6)])
      expect(now!.mean).toBeCloseTo(level, 1)
      expect(now!.peak).toBeCloseTo(level, 1)
      expect(now!.bars[0].mean).toBeCloseTo(level, 1)
      expect(now!.bars[1].mean).toBeCloseTo(level - 6, 1)
    }
  })

  it('has another number of channels begin anew, with blocks of 50 ms whatever the pieces', () => {
    const counts: number[] = []
    const meter = createBlockMeter(48_000, ({ channels }) => counts.push(channels.length))
    meter.add([new Float32Array(2_399)])
    meter.add([new Float32Array(1), new Float32Array(1)])
    expect(counts).toEqual([])
    meter.add([new Float32Array(4_800), new Float32Array(4_800)])
    expect(counts).toEqual([2, 2])
    meter.add([])
    expect(counts).toEqual([2, 2])
  })
})
