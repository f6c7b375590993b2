import { screenWords } from '../../renderer/locales/screens.ts'

/** A screen of which docs/screens has pictures. */
export interface Screen {
  readonly name: string
  /** What it is made of: a view, or the entry of a page of its own. */
  readonly view: string
  /** The part of the view that the picture shows; parts that other screens show do not count for it. */
  readonly part?: string
  /** The window's own frame is around it. */
  readonly framed: boolean
  /** Its words, by the name of its route; absent for those of the frame alone. */
  readonly words?: keyof typeof screenWords
}

type Words = keyof typeof screenWords
const view = (name: string, file: string, words?: Words, part?: string): Screen => ({
  name,
  view: `renderer/features/${file}-view.vue`,
  framed: true,
  ...(words && { words }),
  ...(part && { part: `renderer/features/${part}.vue` }),
})
const settings = (section: string, part: string): Screen =>
  view(`settings-${section}`, 'settings/settings', 'settings', `${part}-panel`)
const bare = (screen: Screen): Screen => ({ ...screen, framed: false })

/** Every screen, in the order in which a newcomer meets them. */
export const screens: readonly Screen[] = [
  view('first-run', 'channels/channels', undefined, 'channels/first-run'),
  view('channels', 'channels/channels', undefined, 'channels/channel-table'),
  view('studio-before', 'studio/studio', 'studio', 'studio/get-on-air'),
  view('studio', 'studio/studio', 'studio'),
  view('studio-check', 'studio/studio', 'studio', 'studio/go-live-panel'),
  view('studio-obs', 'studio/studio', 'studio', 'obs/obs-form'),
  view('share', 'studio/studio', 'studio', 'share/share-sheet'),
  view('targets', 'studio/studio', 'studio'),
  view('hold', 'studio/studio', 'studio'),
  view('room', 'rooms/room', 'room'),
  view('room-statistics', 'rooms/room', 'room', 'rooms/room-statistics'),
  bare(view('pop-out', 'rooms/pop-out', 'popOut')),
  view('recordings', 'recordings/recordings', 'recordings'),
  view('recordings-player', 'recordings/recordings', 'recordings', 'recordings/file-player'),
  view('broadcasts', 'broadcasts/broadcasts', 'broadcasts', 'broadcasts/broadcast-list'),
  view('broadcast', 'broadcasts/broadcasts', 'broadcasts', 'broadcasts/broadcast-page'),
  view('trim', 'clips/trim', 'trim'),
  view('messaging', 'messaging/messaging', 'messaging', 'messaging/conversations-part'),
  view('messaging-accounts', 'messaging/messaging', 'messaging', 'messaging/accounts-part'),
  view('messaging-teams', 'messaging/messaging', 'messaging', 'messaging/teams-part'),
  view('messaging-words', 'messaging/messaging', 'messaging', 'messaging/words-part'),
  view('console', 'console/console', 'console'),
  settings('profiles', 'profiles/profiles'),
  view('settings-computer', 'settings/settings', 'settings', 'this-computer/computer-panel'),
  settings('recordings', 'recordings/retention'),
  settings('receivers', 'receivers/receivers'),
  settings('copies', 'receivers/copies'),
  settings('room', 'keys/presets'),
  settings('keys', 'keys/keys'),
  settings('moderators', 'moderators/moderators'),
  settings('desktop', 'desktop/desktop'),
  settings('appearance', 'settings/appearance'),
  settings('support', 'support/support'),
  settings('about', 'about/about'),
  view('elsewhere-studio', 'studio/studio', 'studio'),
  view('elsewhere-share', 'studio/studio', 'studio', 'share/share-sheet'),
  view('elsewhere-room', 'rooms/room', 'room'),
  view('elsewhere-recordings', 'recordings/recordings', 'recordings'),
  view('elsewhere-away', 'studio/studio', 'studio'),
  view('elsewhere-full', 'studio/studio', 'studio'),
  view('join', 'remote-rooms/join', 'join'),
  bare(view('seat-sign-in', 'remote-rooms/seat', 'seat', 'remote-rooms/seat-sign-in')),
  bare(view('seat-room', 'remote-rooms/seat', 'seat', 'remote-rooms/seat-room')),
  ...['', '-phone', '-settings', '-held', '-passphrase', '-full', '-off-air', '-off-air-phone', '-embed'].map(
    (state) => ({
      name: `watch${state}`,
      view: 'renderer/watch/main.ts',
      framed: false,
    }),
  ),
  { name: 'watch-check', view: 'renderer/watch/check.ts', framed: false },
]
