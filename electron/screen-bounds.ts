import type { Rectangle } from 'electron'
import { z } from 'zod'

const place = z.int().min(-100_000).max(100_000)
const size = z.int().min(1).max(32_768)

/** Schema of saved window bounds, in px of the desktop. */
export const KeptBounds = z.object({ x: place, y: place, width: size, height: size })

const overlap = (a: Rectangle, b: Rectangle): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))
const within = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to))

/** Moves and shrinks bounds into the area that holds most of them; never below `least`. */
export function fitted(
  wanted: Rectangle,
  areas: readonly Rectangle[],
  least: { readonly width: number; readonly height: number },
): Rectangle {
  let area = areas[0]
  for (const each of areas) if (area && overlap(wanted, each) > overlap(wanted, area)) area = each
  if (!area) return wanted
  const width = Math.max(least.width, Math.min(wanted.width, area.width))
  const height = Math.max(least.height, Math.min(wanted.height, area.height))
  return {
    x: within(wanted.x, area.x, Math.max(area.x, area.x + area.width - width)),
    y: within(wanted.y, area.y, Math.max(area.y, area.y + area.height - height)),
    width,
    height,
  }
}
