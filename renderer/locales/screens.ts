import type { Group } from './groups.ts'

/** What a room shows wherever it is open: the user card has sign-ins in the words of Messaging, a line its recorded second, and a moderator's page its own. */
const room = [
  'room',
  'roomDesk',
  'roomHosted',
  'roomLists',
  'roomMedia',
  'moderator',
  'messaging',
  'copies',
  'recordings',
  'seats',
] as const satisfies readonly Group[]

/** Words beyond those of the frame that a screen shows, by the name of its route. It is shown when they are there. */
export const screenWords = {
  studio: ['studio', 'health', 'obs', ...room],
  recordings: ['recordings', 'studio', 'roomMedia'],
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
} as const satisfies Readonly<Record<string, readonly Group[]>>

/** Words of the screen with that name; none for those that the frame's are enough for. */
export const wordsOf = (name: unknown): readonly Group[] =>
  typeof name === 'string' && Object.hasOwn(screenWords, name) ? screenWords[name as keyof typeof screenWords] : []
