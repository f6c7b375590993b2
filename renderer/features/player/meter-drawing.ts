import { lowest, type BarLevels } from '../../player/sound-levels.ts'

const segments = -lowest
const labels = [0, 6, 12, 18, 24, 42, 60]
/** In px. */
const bar = { width: 12, gap: 3, inset: 2 }
const label = 10

/** Segments that are lit, of 60, and the one on which the line of the peak lies; −1 without. */
export interface BarLights {
  readonly lit: number
  readonly peak: number
}

const segmentOf = (level: number): number => Math.max(0, Math.min(segments, Math.ceil(level - lowest)))

/** What of levels is seen: where nothing of it changes there is nothing to draw. */
export const lightsOf = ({ mean, peak }: BarLevels): BarLights => ({ lit: segmentOf(mean), peak: segmentOf(peak) - 1 })

/** The token of a segment's colour: green below −18 dB, amber below −6, red above. */
export const colourOf = (segment: number): '--ok' | '--armt' | '--airt' => {
  const from = lowest + segment
  return from < -18 ? '--ok' : from < -6 ? '--armt' : '--airt'
}

/** Two bars and their scale, over the whole canvas; `ratio` is of its pixels to those of the page. */
export function drawMeter(
  canvas: HTMLCanvasElement,
  ratio: number,
  bars: readonly [BarLights, BarLights] | null,
): void {
  const pen = canvas.getContext('2d')
  if (!pen) return
  const { width, height } = canvas
  const style = getComputedStyle(canvas)
  const colours = new Map<string, string>()
  const colour = (name: string): string => {
    const known = colours.get(name) ?? style.getPropertyValue(name).trim()
    colours.set(name, known)
    return known
  }
  const gap = Math.max(1, Math.round(ratio))
  const edge = (segment: number): number => Math.round(height - (segment * height) / segments)
  pen.clearRect(0, 0, width, height)
  for (const index of [0, 1]) {
    const { lit, peak } = bars?.[index] ?? { lit: 0, peak: -1 }
    const left = Math.round((bar.inset + index * (bar.width + bar.gap)) * ratio)
    const wide = Math.round(bar.width * ratio)
    for (let segment = 0; segment < segments; segment++) {
      const top = edge(segment + 1) + gap
      pen.fillStyle = colour(segment < lit ? colourOf(segment) : '--line')
      pen.fillRect(left, top, wide, edge(segment) - top)
    }
    if (peak < 0) continue
    pen.fillStyle = colour('--t1')
    pen.fillRect(left, edge(peak + 1), wide, 2 * gap)
  }
  pen.fillStyle = colour('--t3')
  pen.font = `${label * ratio}px ${style.fontFamily}`
  pen.textAlign = 'right'
  pen.textBaseline = 'middle'
  for (const level of labels) {
    const half = (label * ratio) / 2
    const at = Math.max(half, Math.min(height - half, edge(segments - level)))
    pen.fillText(String(level), width, at)
  }
}
