import type { Figures } from '../../contract/rpc/state.ts'
import type { PlaybackFigures, TransportKind } from '../player/transport.ts'
import type { FigureSlice } from './live.ts'

/** The six cells of the health strip, in their order. */
export type HealthName = 'kbps' | 'fps' | 'keyFrameGap' | 'delay' | 'viewers' | 'dropped'

/** One cell: its figure, whether it lies in its range, its last two minutes. */
export interface HealthCell {
  readonly name: HealthName
  readonly from: 'ingest' | 'preview' | 'service'
  readonly value: number | null
  /** The last value while there is none now. */
  readonly last: number | null
  /** `none` where no range is known or nothing is on air. */
  readonly verdict: 'good' | 'poor' | 'none'
  readonly points: readonly number[]
  /** This profile never gives the figure. */
  readonly unavailable: boolean
}

/** One look at the preview. */
export interface PreviewSample {
  readonly at: number
  readonly figures: PlaybackFigures
}

interface HealthInput {
  readonly slice: FigureSlice | undefined
  readonly viewers: number | null
  readonly preview: readonly PreviewSample[]
  readonly transport: TransportKind
  readonly live: boolean
  readonly local: boolean
}

/** Ranges inside which a figure is healthy: bitrate in kbit/s, frames per second, seconds between key frames, seconds of delay, share of frames. */
export const ranges = { kbps: 300, fps: 14.5, keyFrameGap: 4.2, flvDelay: 1.5, hlsDelay: 12, dropped: 0.01 } as const

const pick = (slice: FigureSlice | undefined, read: (figures: Figures) => number | null): Pick<HealthCell, 'value' | 'last' | 'points'> => ({
  value: slice?.figures ? read(slice.figures) : null,
  last: slice?.last ? read(slice.last) : null,
  points: (slice?.history ?? []).flatMap((sample) => read(sample.figures) ?? []),
})
const verdict = (value: number | null, good: (value: number) => boolean): HealthCell['verdict'] => (value === null ? 'none' : good(value) ? 'good' : 'poor')

/** The cells of the health strip. Gaps between key frames and delays are in seconds, dropped is a count of frames. */
export function healthCells({ slice, viewers, preview, transport, live, local }: HealthInput): HealthCell[] {
  const now = preview.at(-1)?.figures
  const seen = (read: (figures: PlaybackFigures) => number | null): Pick<HealthCell, 'value' | 'last' | 'points'> => ({
    value: live && now ? read(now) : null,
    last:
      [...preview]
        .reverse()
        .map((sample) => read(sample.figures))
        .find((value) => value !== null) ?? null,
    points: preview.flatMap((sample) => read(sample.figures) ?? []),
  })
  const kbps = pick(slice, (figures) => figures.kbps)
  const fps = pick(slice, (figures) => figures.fps)
  const gap = pick(slice, (figures) => (figures.keyFrameGap === null ? null : figures.keyFrameGap / 1_000))
  const delay = seen((figures) => figures.delay)
  const dropped = seen((figures) => figures.dropped)
  const share = now?.dropped != null && now.decoded ? now.dropped / now.decoded : null
  const watched = pick(slice, (figures) => figures.viewers)
  return [
    { name: 'kbps', from: 'ingest', ...kbps, verdict: verdict(kbps.value, (value) => value >= ranges.kbps), unavailable: !local },
    { name: 'fps', from: 'ingest', ...fps, verdict: verdict(fps.value, (value) => value >= ranges.fps), unavailable: !local },
    { name: 'keyFrameGap', from: 'ingest', ...gap, verdict: verdict(gap.value, (value) => value <= ranges.keyFrameGap), unavailable: !local },
    {
      name: 'delay',
      from: 'preview',
      ...delay,
      verdict: verdict(delay.value, (value) => value <= (transport === 'flv' ? ranges.flvDelay : ranges.hlsDelay)),
      unavailable: false,
    },
    // The ingest counts them all the time, the tally only when it changes.
    { name: 'viewers', from: 'service', ...watched, value: live ? (watched.value ?? viewers) : null, verdict: 'none', unavailable: !local },
    { name: 'dropped', from: 'preview', ...dropped, verdict: verdict(live ? share : null, (value) => value <= ranges.dropped), unavailable: false },
  ]
}

/** A line through points in a box of `width` by `height`; flat ones lie in the middle. Empty with fewer than two points. */
export function sparkline(points: readonly number[], width: number, height: number, slots = 120): string {
  if (points.length < 2) return ''
  const shown = points.slice(-slots)
  const low = Math.min(...shown)
  const high = Math.max(...shown)
  // A range of less than a tenth of the value is noise: it is not blown up to the full height.
  const span = Math.max(high - low, Math.abs(high) * 0.2, 1e-9)
  const middle = (high + low) / 2
  const step = width / (slots - 1)
  const from = slots - shown.length
  return shown
    .map(
      (value, index) => `${index === 0 ? 'M' : 'L'}${((from + index) * step).toFixed(1)} ${(height / 2 - ((value - middle) / span) * (height - 2)).toFixed(1)}`,
    )
    .join('')
}
