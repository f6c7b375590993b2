import { screenWords } from '../../renderer/locales/screens.ts'

/** A screen of which docs/screens has pictures. */
export interface Screen {
  readonly name: string
  /** What it is made of: a view, or the entry of a page of its own. */
  readonly view: string
  /** The part of the view that the picture shows. Parts of the same view that other screens show do not count for it. */
  readonly part?: string
  /** The window's own frame is around it. */
  readonly framed: boolean
  /** Its words, by the name of its route; absent for those of the frame alone. */
  readonly words?: keyof typeof screenWords
}

type Words = keyof typeof screenWords
const view = (name: string, file: string, words?: Words, part?: string): Screen => ({
  name,
  view: `renderer/views/${file}-view.vue`,
  framed: true,
  ...(words && { words }),
  ...(part && { part: `renderer/components/${part}.vue` }),
})
const settings = (section: string, part: string): Screen =>
  view(`settings-${section}`, 'settings', 'settings', `settings/${part}-panel`)
const bare = (screen: Screen): Screen => ({ ...screen, framed: false })

/** Every screen, in the order in which a newcomer meets them. */
export const screens: readonly Screen[] = [
  view('first-run', 'channels', undefined, 'channels/first-run'),
  view('channels', 'channels', undefined, 'channels/channel-table'),
  view('studio', 'studio', 'studio'),
  view('studio-check', 'studio', 'studio', 'studio/go-live-panel'),
  view('studio-obs', 'studio', 'studio', 'studio/obs-form'),
  view('room', 'room', 'room'),
  view('room-statistics', 'room', 'room', 'room/room-statistics'),
  bare(view('pop-out', 'pop-out', 'popOut')),
  view('recordings', 'recordings', 'recordings'),
  view('recordings-player', 'recordings', 'recordings', 'recordings/file-player'),
  view('messaging', 'messaging', 'messaging', 'messaging/talks-part'),
  view('messaging-accounts', 'messaging', 'messaging', 'messaging/accounts-part'),
  view('messaging-teams', 'messaging', 'messaging', 'messaging/teams-part'),
  view('messaging-words', 'messaging', 'messaging', 'messaging/words-part'),
  view('console', 'console', 'console'),
  settings('profiles', 'profiles'),
  view('settings-computer', 'settings', 'settings', 'computer/computer-panel'),
  settings('recordings', 'retention'),
  settings('receivers', 'receivers'),
  settings('copies', 'copies'),
  settings('room', 'presets'),
  settings('keys', 'keys'),
  settings('moderators', 'moderators'),
  settings('desktop', 'desktop'),
  settings('appearance', 'appearance'),
  settings('support', 'support'),
  settings('about', 'about'),
  view('join', 'join', 'join'),
  bare(view('seat-sign-in', 'seat', 'seat', 'seat/seat-sign-in')),
  bare(view('seat-room', 'seat', 'seat', 'seat/seat-room')),
  { name: 'watch', view: 'renderer/watch/main.ts', framed: false },
  { name: 'watch-phone', view: 'renderer/watch/main.ts', framed: false },
]
