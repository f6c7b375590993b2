import type { aboutEn } from './about-en.ts'
import type { computerEn } from './computer-en.ts'
import type { consoleEn } from './console-en.ts'
import type { copiesEn } from './copies-en.ts'
import type { desktopEn } from './desktop-en.ts'
import type { en } from './en.ts'
import type { healthEn } from './health-en.ts'
import type { messagingEn } from './messaging-en.ts'
import type { moderatorEn } from './moderator-en.ts'
import type { obsEn } from './obs-en.ts'
import type { recordingsEn } from './recordings-en.ts'
import type { roomDeskEn } from './room-desk-en.ts'
import type { roomEn } from './room-en.ts'
import type { roomHostedEn } from './room-hosted-en.ts'
import type { roomListsEn } from './room-lists-en.ts'
import type { roomMediaEn } from './room-media-en.ts'
import type { seatsEn } from './seats-en.ts'
import type { settingsEn } from './settings-en.ts'
import type { studioEn } from './studio-en.ts'
import type { supportBundleEn } from './support-bundle-en.ts'
import type { supportEn } from './support-en.ts'

type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : Shape<T[K]> }
type English = typeof en &
  typeof aboutEn &
  typeof computerEn &
  typeof consoleEn &
  typeof copiesEn &
  typeof desktopEn &
  typeof healthEn &
  typeof messagingEn &
  typeof moderatorEn &
  typeof obsEn &
  typeof recordingsEn &
  typeof roomDeskEn &
  typeof roomEn &
  typeof roomHostedEn &
  typeof roomListsEn &
  typeof roomMediaEn &
  typeof seatsEn &
  typeof settingsEn &
  typeof studioEn &
  typeof supportBundleEn &
  typeof supportEn

/** The keys that every language has: those of the frame and of every group. */
export type Messages = Shape<English>
/** Languages of the interface. */
export type Language = 'en' | 'zh'
