import type { PlaybackFigures, TransportKind } from '../player/transport.ts'
import { element } from './element.ts'
import { clock, count, say, type Word } from './words.ts'

const none = '–'
const rounded = (value: number | null, unit: string, digits = 0): string =>
  value === null ? none : `${value.toFixed(digits)} ${unit}`

/** Height and frames in a second, such as 1080p60; empty without a picture. */
export const sizeText = (height: number, fps: number | null): string =>
  height === 0 ? '' : `${height}p${fps === null ? '' : Math.round(fps)}`

/** How old the picture is, in s. */
export const behindText = (seconds: number): string =>
  seconds < 60 ? say('behind', { seconds: seconds.toFixed(1) }) : say('behindLong', { time: clock(seconds) })

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
    /** `behind` is in s. */
    show(
      figures: PlaybackFigures | undefined,
      behind: number | null,
      { videoWidth: width, videoHeight: height }: Pick<HTMLVideoElement, 'videoWidth' | 'videoHeight'>,
      kind: TransportKind,
    ): void {
      const { fps = null, kbps = null, dropped = null, decoded = null } = figures ?? {}
      const texts = [
        height === 0 ? none : `${width} × ${height}${fps === null ? '' : `, ${rounded(fps, 'fps')}`}`,
        rounded(kbps === null ? null : kbps / 1000, 'Mbit/s', 1),
        behind === null || behind < 60 ? rounded(behind, 's', 1) : clock(behind),
        dropped === null ? none : `${count(dropped)}${decoded === null ? '' : ` / ${count(decoded)}`}`,
        kind === 'flv' ? 'HTTP-FLV' : 'HLS',
      ]
      for (const [index, { value }] of rows.entries()) value.textContent = texts[index] ?? none
    },
  }
}
