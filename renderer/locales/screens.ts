import type { Group } from './groups.ts'

/** Wherever a room is open: its user card has words of Messaging, its lines those of recordings. */
const room = [
  'room',
  'roomPanel',
  'roomHosted',
  'roomLists',
  'roomMedia',
  'moderator',
  'messaging',
  'copies',
  'recordings',
  'seats',
] as const satisfies readonly Group[]

/** Besides `frame`, by the name of the route. */
export const screenWords = {
  // Some buttons are called as the command palette calls what they do.
  studio: ['studio', 'broadcasts', 'health', 'obs', 'share', 'hold', 'targets', 'palette', ...room],
  recordings: ['recordings', 'studio', 'roomMedia'],
  broadcasts: ['broadcasts', 'recordings', 'roomMedia'],
  trim: ['trim', 'recordings', 'roomMedia'],
  room: ['studio', ...room],
  popOut: ['studio', 'desktop', ...room],
  messaging: ['messaging', 'console'],
  console: ['console'],
  settings: [
    'settings',
    'computer',
    'recordings',
    'copies',
    'moderator',
    'seats',
    'room',
    'roomLists',
    'about',
    'desktop',
    'support',
    'supportBundle',
  ],
  join: ['joining'],
  seat: ['studio', 'joining', ...room],
  // Above any screen.
  palette: ['palette', 'moderator'],
} as const satisfies Readonly<Record<string, readonly Group[]>>

/** Groups of a screen; none if `frame` suffices. */
export const wordsOf = (name: unknown): readonly Group[] =>
  typeof name === 'string' && Object.hasOwn(screenWords, name) ? screenWords[name as keyof typeof screenWords] : []
