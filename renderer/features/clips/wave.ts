import { lastBy } from './reel.ts'
import type { StripBars, WantedBars } from './strip-messages.ts'
import { bytesOf, type OrderedTrack, type StripPart } from './strip-parts.ts'

/** Frames of sound that a bar is measured by at most, so that a long file costs what a short one does. */
const maxFrames = 4
/** Bars that are measured at once. */
const batch = 24
const perSecond = 1_000_000
/** What is less loud is not drawn, in dB. */
const floor = -54

/** Says whether this browser decodes the sound. */
export async function canHear(parts: readonly StripPart[]): Promise<boolean> {
  if (typeof AudioDecoder === 'undefined') return false
  for (const { audio } of parts)
    if (audio && !(await AudioDecoder.isConfigSupported(configurationOf(audio))).supported) return false
  return true
}

const configurationOf = ({ track }: OrderedTrack): AudioDecoderConfig => ({
  codec: track.codec ?? 'none',
  description: track.description,
  sampleRate: track.rate,
  numberOfChannels: track.channels,
})

/** Frames in the middle of a bar, after one that a decoder needs before them; empty where there is no sound. */
export function framesOf({ samples, times, track }: OrderedTrack, from: number, to: number): number[] {
  const [before, last] = [lastBy(times, from), lastBy(times, to)]
  const count = Math.min(maxFrames, Math.max(1, last - before))
  const first = Math.max(0, before + 1 + Math.max(0, Math.floor((last - before - count) / 2)))
  if (last < 0 || times.length === 0 || from - (times[last] ?? -Infinity) > track.length * 2) return []
  const indices = [...samples.subarray(Math.max(0, Math.min(first, last) - 1), Math.min(first + count, last + 1))]
  // What lies apart in the file would be fetched with the pictures between.
  const apart = indices.findIndex((index, at) => {
    const previous = indices[at - 1]
    return previous !== undefined && track.places[index] !== track.places[previous]! + track.sizes[previous]!
  })
  if (apart < 0) return indices
  return apart >= 2 ? indices.slice(0, apart) : indices.slice(apart)
}

/** Loudness of a frame from 0 to 1. */
function loudnessOf(data: AudioData): number {
  let loudest = 0
  for (let plane = 0; plane < Math.min(2, data.numberOfChannels); plane++) {
    const values = new Float32Array(data.numberOfFrames)
    data.copyTo(values, { planeIndex: plane, format: 'f32-planar' })
    let sum = 0
    for (const value of values) sum += value * value
    loudest = Math.max(loudest, Math.sqrt(sum / Math.max(1, values.length)))
  }
  return loudest <= 0 ? 0 : Math.min(1, Math.max(0, 1 - (20 * Math.log10(loudest)) / floor))
}

function createEar(audio: OrderedTrack, heard: (frame: number, loudness: number) => void) {
  let broken: Error | undefined
  let count = 0
  // A clock without gaps, of whole frames: it tells which one is heard.
  const step = Math.max(1, Math.round((audio.track.length * perSecond) / 1000))
  const decoder = new AudioDecoder({
    output: (data) => {
      heard(Math.round(data.timestamp / step), loudnessOf(data))
      data.close()
    },
    error: (error) => (broken = error),
  })
  decoder.configure(configurationOf(audio))
  return {
    /** Gives the number of the frame. */
    decode: (data: Uint8Array<ArrayBuffer>): number => {
      decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: count * step, data }))
      return count++
    },
    flush: async (): Promise<void> => {
      await decoder.flush()
      if (broken) throw broken
    },
    close: () => decoder.state !== 'closed' && decoder.close(),
  }
}

async function batchOf(
  part: StripPart,
  audio: OrderedTrack,
  bar: number,
  count: number,
  from: number,
  width: number,
): Promise<{ readonly runs: readonly number[][]; readonly read: Uint8Array<ArrayBuffer>[][] }> {
  const runs = Array.from({ length: count }, (_, index) =>
    framesOf(audio, from + (bar + index) * width, from + (bar + index + 1) * width),
  )
  return { runs, read: await bytesOf(part, audio.track, runs) }
}

/** Measures some frames of each bar, tells of them while it does, and ends with the signal. */
export async function makeWave(
  parts: readonly StripPart[],
  { from, to, count }: WantedBars,
  signal: AbortSignal,
  told: (bars: StripBars) => void,
): Promise<void> {
  const values = new Float32Array(count).fill(NaN)
  const width = (to - from) / count
  let measured = 0
  const tell = (): void => told({ from, to, count, values: values.slice(), measured })
  for (const part of parts) {
    const { audio } = part
    if (!audio) continue
    const barOf = new Map<number, number>()
    const ear = createEar(audio, (frame, loudness) => {
      const bar = barOf.get(frame)
      if (bar !== undefined) values[bar] = Math.max(Number.isNaN(values[bar]!) ? 0 : values[bar]!, loudness)
    })
    const begin = Math.max(0, Math.floor((part.at - from) / width))
    const end = Math.min(count, Math.ceil((part.at + part.length - from) / width))
    try {
      const fetchFrom = (bar: number): ReturnType<typeof batchOf> | undefined => {
        if (bar >= end) return undefined
        const reading = batchOf(part, audio, bar, Math.min(batch, end - bar), from, width)
        // It may fail before its turn, or after the last one.
        reading.catch(() => undefined)
        return reading
      }
      let next = fetchFrom(begin)
      for (let bar = begin; bar < end; bar += batch) {
        const { runs, read } = (await next)!
        if (signal.aborted) return
        next = fetchFrom(bar + batch)
        for (const [index, frames] of read.entries())
          for (const [place, bytes] of frames.entries()) {
            const number = ear.decode(bytes)
            // Of the first of several only the half is right.
            if (place > 0 || frames.length === 1) barOf.set(number, bar + index)
          }
        await ear.flush()
        if (signal.aborted) return
        measured = Math.max(measured, ...runs.map((run) => Math.max(1, run.length - 1) * audio.track.length))
        tell()
      }
    } finally {
      ear.close()
    }
  }
}
