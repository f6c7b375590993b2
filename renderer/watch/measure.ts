import type { PlaybackFigures, TransportKind } from '../player/transport.ts'
import { live } from './abilities.ts'
import type { Age } from './age.ts'
import { behindText, sizeText, type createFigures } from './figures.ts'
import type { createSettingsPanel } from './settings-panel.ts'
import { say } from './words.ts'

/** What is measured. */
export interface Measured {
  /** While it plays, or is paused. */
  readonly figures: PlaybackFigures | undefined
  /** It plays what is made now. */
  readonly isMoving: boolean
  readonly isPaused: boolean
  readonly kind: TransportKind
}

/** Shows how old the picture is, and the other figures of it. */
export function createMeasure(
  video: HTMLVideoElement,
  {
    behind,
    settings,
    figures,
  }: {
    readonly behind: HTMLElement
    readonly settings: ReturnType<typeof createSettingsPanel>
    readonly figures: ReturnType<typeof createFigures>
  },
  age: Age | undefined,
  look: () => Measured,
) {
  /** How old the picture by low delay is beyond the delay of the channel, in s, if known. */
  return (): number | undefined => {
    const { figures: now, isMoving, isPaused, kind } = look()
    const delay = (isMoving ? age?.of(now?.shown) : undefined) ?? null
    const unknown = isMoving && now?.isUndated ? say('behindUnknown') : ''
    const text = isPaused ? say('pausedHere') : delay === null ? unknown : behindText(delay)
    if (behind.textContent !== text) behind.textContent = text
    behind.hidden = text === ''
    const kept = age?.delay() ?? 0
    behind.dataset['late'] = String(isPaused || (delay !== null && delay > live[kind].late + kept))
    settings.show({
      size: sizeText(video.videoHeight, now?.fps ?? null),
      steady: kind === 'hls',
      behind: delay === null ? '' : text,
    })
    if (!figures.node.hidden) figures.show(now, delay, video, kind)
    return delay === null || document.hidden || kind !== 'flv' ? undefined : delay - kept
  }
}
