import type { Age } from './age.ts'

/** What the page adds to the picture. */
export interface PictureParts {
  /** Buttons before the settings, and before the full screen. */
  readonly buttons?: readonly HTMLElement[]
  readonly lastButtons?: readonly HTMLElement[]
  /** Shown below the words off the air, while not hidden. */
  readonly offer?: HTMLElement
  readonly age?: Age
  /** The stream broke off, or the picture stands still: the service may tell why. */
  broke?(): void
  /** It has not come back, and the service has not answered since. */
  lost?(): void
  /** It plays, or does not any more. */
  playing?(isPlaying: boolean): void
}
