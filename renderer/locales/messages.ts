import type { Spoken } from '../format/languages.ts'
import { aboutWords } from '../features/about/words.ts'
import { broadcastsWords } from '../features/broadcasts/words.ts'
import { computerWords } from '../features/this-computer/words.ts'
import { consoleWords } from '../features/console/words.ts'
import { copiesWords } from '../features/receivers/words.ts'
import { desktopWords } from '../features/desktop/words.ts'
import { frameWords } from '../features/frame/words.ts'
import { healthWords } from '../features/studio/words-health.ts'
import { holdWords } from '../features/hold/words.ts'
import { joiningWords } from '../features/remote-rooms/words.ts'
import { messagingWords } from '../features/messaging/words.ts'
import { moderatorWords } from '../features/remote-rooms/words-seat.ts'
import { obsWords } from '../features/obs/words.ts'
import { paletteWords } from '../features/frame/words-palette.ts'
import { recordingsWords } from '../features/recordings/words.ts'
import { roomPanelWords } from '../features/rooms/words-panel.ts'
import { roomWords } from '../features/rooms/words.ts'
import { roomHostedWords } from '../features/rooms/words-hosted.ts'
import { roomListsWords } from '../features/rooms/words-lists.ts'
import { roomMediaWords } from '../features/rooms/words-media.ts'
import { seatsWords } from '../features/moderators/words.ts'
import { settingsWords } from '../features/settings/words.ts'
import { shareWords } from '../features/share/words.ts'
import { studioWords } from '../features/studio/words.ts'
import { supportBundleWords } from '../features/support/words-bundle.ts'
import { supportWords } from '../features/support/words.ts'
import { trimWords } from '../features/clips/words.ts'
import { targetsWords } from '../features/targets/words.ts'

/** The words of all groups, in all languages. A page loads those that it shows (`groups.ts`). */
export const allWords = {
  ...frameWords,
  ...aboutWords,
  ...broadcastsWords,
  ...computerWords,
  ...consoleWords,
  ...copiesWords,
  ...desktopWords,
  ...healthWords,
  ...holdWords,
  ...joiningWords,
  ...messagingWords,
  ...moderatorWords,
  ...obsWords,
  ...paletteWords,
  ...recordingsWords,
  ...roomPanelWords,
  ...roomWords,
  ...roomHostedWords,
  ...roomListsWords,
  ...roomMediaWords,
  ...seatsWords,
  ...settingsWords,
  ...shareWords,
  ...studioWords,
  ...supportBundleWords,
  ...supportWords,
  ...targetsWords,
  ...trimWords,
}

/** The keys of every language, from all groups. */
export type Messages = Spoken<typeof allWords>
