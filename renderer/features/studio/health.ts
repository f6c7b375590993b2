import type { Figures } from '../../../contract/rpc/state.ts'
import type { PlaybackFigures, PreviewSample, TransportKind } from '../../player/transport.ts'
import type { FigureSlice } from '../channels/live.ts'
import { streamRanges } from '../channels/stream-ranges.ts'
import type { HealthJudgement } from './stream-health.ts'

/** The cells of the health strip, in order. */
export type HealthName = 'kbps' | 'fps' | 'keyFrameGap' | 'delay' | 'viewers' | 'dropped'

/** A value and its time in ms. */
export interface SparkPoint {
  readonly at: number
  readonly value: number
}

/** A figure, its verdict and last two minutes. */
export interface HealthCell {
  readonly name: HealthName
  readonly from: 'ingest' | 'preview' | 'service'
  readonly value: number | null
  readonly last: number | null
  /** `none`: not judged; `aside`: out of range on this computer, not in the push. */
  readonly verdict: 'good' | 'poor' | 'aside' | 'none'
  readonly points: readonly SparkPoint[]
  readonly unavailable: boolean
}

interface HealthInput {
  readonly slice: FigureSlice | undefined
  readonly viewers: number | null
  readonly health: HealthJudgement
  readonly preview: readonly PreviewSample[]
  readonly transport: TransportKind
  readonly live: boolean
  readonly local: boolean
}

/** In kbit/s, frames per second, s between key frames, s of delay, and share of frames. */
export const ranges = { ...streamRanges, flvDelay: 1.5, hlsDelay: 12, dropped: 0.01 } as const

const pointsOf = <T>(
  samples: readonly { readonly at: number; readonly figures: T }[],
  read: (figures: T) => number | null,
): SparkPoint[] =>
  samples.flatMap(({ at, figures }) => {
    const value = read(figures)
    return value === null ? [] : { at, value }
  })
const pick = (
  slice: FigureSlice | undefined,
  read: (figures: Figures) => number | null,
): Pick<HealthCell, 'value' | 'last' | 'points'> => ({
  value: slice?.figures ? read(slice.figures) : null,
  last: slice?.last ? read(slice.last) : null,
  points: pointsOf(slice?.history ?? [], read),
})

type IngestName = 'kbps' | 'fps' | 'keyFrameGap'
/** An uneven bitrate is within the range of its cell. */
const causes: Partial<
  Record<NonNullable<HealthJudgement['cause']>, { readonly cell: IngestName; readonly verdict: 'poor' | 'none' }>
> = {
  silent: { cell: 'kbps', verdict: 'poor' },
  bitrate: { cell: 'kbps', verdict: 'poor' },
  uneven: { cell: 'kbps', verdict: 'none' },
  frames: { cell: 'fps', verdict: 'poor' },
  keyFrames: { cell: 'keyFrameGap', verdict: 'poor' },
}
/** Agrees with the push's word: out of range is amber only if the word is not good. */
const ingestVerdict = (
  name: IngestName,
  value: number | null,
  isGood: (value: number) => boolean,
  { word, cause }: HealthJudgement,
): HealthCell['verdict'] => {
  if (value === null || word === 'unknown' || word === 'lost') return 'none'
  const named = cause === null ? undefined : causes[cause]
  if (named?.cell === name) return named.verdict
  return isGood(value) ? 'good' : word === 'good' ? 'none' : 'poor'
}
const ownVerdict = (value: number | null, isGood: (value: number) => boolean): HealthCell['verdict'] =>
  value === null ? 'none' : isGood(value) ? 'good' : 'aside'

/** Gaps and delays are in s, `dropped` in frames. */
export function healthCells({ slice, viewers, health, preview, transport, live, local }: HealthInput): HealthCell[] {
  const now = preview.at(-1)?.figures
  // Nothing arrives: figures are stale.
  const isSilent = local && slice?.figures?.kbps === 0
  const isStill = isSilent || (now?.standing ?? 0) > 0
  const seen = (read: (figures: PlaybackFigures) => number | null): Pick<HealthCell, 'value' | 'last' | 'points'> => ({
    value: live && now ? read(now) : null,
    last:
      [...preview]
        .reverse()
        .map((sample) => read(sample.figures))
        .find((value) => value !== null) ?? null,
    points: pointsOf(preview, read),
  })
  const kbps = pick(slice, (figures) => figures.kbps)
  const fps = pick(slice, (figures) => figures.fps)
  const gap = pick(slice, (figures) => (figures.keyFrameGap === null ? null : figures.keyFrameGap / 1_000))
  const ingestGap = { ...gap, ...(isSilent && { value: null }) }
  const delay = { ...seen((figures) => figures.delay), ...(isSilent && { value: null }) }
  const dropped = seen((figures) => figures.dropped)
  const share = now?.dropped != null && now.decoded ? now.dropped / now.decoded : null
  const watched = pick(slice, (figures) => figures.viewers)
  const ofIngest = (name: IngestName, figure: typeof kbps, isGood: (value: number) => boolean): HealthCell => ({
    name,
    from: 'ingest',
    ...figure,
    verdict: ingestVerdict(name, figure.value, isGood, health),
    unavailable: !local,
  })
  return [
    ofIngest('kbps', kbps, (value) => value >= ranges.kbps),
    ofIngest('fps', fps, (value) => value >= ranges.fps),
    ofIngest('keyFrameGap', ingestGap, (value) => value <= ranges.keyFrameGap),
    {
      name: 'delay',
      from: 'preview',
      ...delay,
      verdict: ownVerdict(
        isStill ? null : delay.value,
        (value) => value <= (transport === 'flv' ? ranges.flvDelay : ranges.hlsDelay),
      ),
      unavailable: false,
    },
    // The tally counts viewers on changes only.
    {
      name: 'viewers',
      from: 'service',
      ...watched,
      value: live ? (watched.value ?? viewers) : null,
      verdict: 'none',
      unavailable: !local,
    },
    {
      name: 'dropped',
      from: 'preview',
      ...dropped,
      verdict: ownVerdict(live && !isStill ? share : null, (value) => value <= ranges.dropped),
      unavailable: false,
    },
  ]
}

/** In ms without a sample, after which a line breaks. */
export const gapAfter = 3_500

/** An SVG path of the last `span` ms, with breaks at gaps and `starts` (ms); empty below two points. */
export function sparkline(
  points: readonly SparkPoint[],
  starts: readonly number[],
  width: number,
  height: number,
  span = 119_000,
): string {
  const newest = points.at(-1)?.at ?? 0
  const shown = points.filter(({ at }) => at >= newest - span)
  if (shown.length < 2) return ''
  const values = shown.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  // Noise below a tenth of the value is not scaled up.
  const range = Math.max(high - low, Math.abs(high) * 0.2, 1e-9)
  const middle = (high + low) / 2
  return shown
    .map(({ at, value }, index) => {
      const before = shown[index - 1]?.at
      const begins =
        before === undefined || at - before > gapAfter || starts.some((start) => start > before && start <= at)
      const [x, y] = [width - ((newest - at) / span) * width, height / 2 - ((value - middle) / range) * (height - 2)]
      return `${begins ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
