import type { Shape } from '../format/message-shape.ts'
import type { aboutEn } from '../features/about/words.en.ts'
import type { computerEn } from '../features/this-computer/words.en.ts'
import type { consoleEn } from '../features/console/words.en.ts'
import type { copiesEn } from '../features/receivers/words.en.ts'
import type { desktopEn } from '../features/desktop/words.en.ts'
import type { en } from '../features/frame/words.en.ts'
import type { healthEn } from '../features/studio/words-health.en.ts'
import type { messagingEn } from '../features/messaging/words.en.ts'
import type { moderatorEn } from '../features/remote-rooms/words-seat.en.ts'
import type { obsEn } from '../features/obs/words.en.ts'
import type { recordingsEn } from '../features/recordings/words.en.ts'
import type { roomDeskEn } from '../features/rooms/words-desk.en.ts'
import type { roomEn } from '../features/rooms/words.en.ts'
import type { roomHostedEn } from '../features/rooms/words-hosted.en.ts'
import type { roomListsEn } from '../features/rooms/words-lists.en.ts'
import type { roomMediaEn } from '../features/rooms/words-media.en.ts'
import type { seatsEn } from '../features/moderators/words.en.ts'
import type { settingsEn } from '../features/settings/words.en.ts'
import type { studioEn } from '../features/studio/words.en.ts'
import type { supportBundleEn } from '../features/support/words-bundle.en.ts'
import type { supportEn } from '../features/support/words.en.ts'

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

/** The keys of every language, from all groups. */
export type Messages = Shape<English>
/** Languages of the interface. */
export type Language = 'en' | 'zh'
