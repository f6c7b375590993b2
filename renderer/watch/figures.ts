import type { PlaybackFigures } from '../player/transport.ts'
import { element } from './element.ts'
import { count, say, type Word } from './words.ts'

const none = '–'
const rounded = (value: number | null, unit: string, digits = 0): string =>
  value === null ? none : `${value.toFixed(digits)} ${unit}`

/** Height and frames in a second, such as 1080p60; empty without a picture. */
export const sizeText = (height: number, fps: number | null): string =>
  height === 0 ? '' : `${height}p${fps === null ? '' : Math.round(fps)}`

/** Figures of the player, over the picture. */
export function createFigures() {
  const rows = (
    ['figureSize', 'figureRate', 'figureBehind', 'figureDropped', 'figureWay'] as const satisfies Word[]
  ).map((word) => ({ term: element('dt', {}, say(word)), value: element('dd', {}, none) }))
  const node = element(
    'dl',
    { class: 'figures', 'aria-label': say('figures') },
    ...rows.flatMap((row) => [row.term, row.value]),
  )
  node.hidden = true
  return {
    node,
    show(figures: PlaybackFigures | undefined, width: number, height: number, way: string): void {
      const { fps = null, kbps = null, delay = null, dropped = null, decoded = null } = figures ?? {}
      const texts = [
        height === 0 ? none : `${width} × ${height}${fps === null ? '' : `, ${rounded(fps, 'fps')}`}`,
        rounded(kbps === null ? null : kbps / 1000, 'Mbit/s', 1),
        rounded(delay, 's', 1),
        dropped === null ? none : `${count(dropped)}${decoded === null ? '' : ` / ${count(decoded)}`}`,
        way,
      ]
      for (const [index, { value }] of rows.entries()) value.textContent = texts[index] ?? none
    },
  }
}
