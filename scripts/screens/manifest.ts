import { createHash } from 'node:crypto'
import { screenWords } from '../../renderer/locales/screens.ts'
import type { Screen } from './screen-list.ts'
import { importsOf, sourcesOf, withoutComments, type ReadSource } from './sources.ts'

/** Of each screen the digest of the sources that its pictures were taken of. */
export type Manifest = Readonly<Record<string, string>>

/** Looks in which each screen is shown. */
export const looks = ['dark-en', 'light-en', 'dark-zh', 'light-zh'] as const
/** Pictures of a screen, by name. */
export const picturesOf = (screen: string): string[] => looks.map((look) => `${screen}-${look}.webp`)

/** Drawn by the page: what stores and other code do with data is not seen in their files. */
const within = (file: string): boolean =>
  /^renderer\/(?:ui|styles|watch)\/|^renderer\/features\/.*\.(?:vue|css)$/.test(file)
const isWords = (file: string): boolean => /\/words[-\w]*\.ts$/.test(file)
const frame = {
  entry: 'renderer/app.vue',
  looks: ['renderer/styles/main.css', 'renderer/kit-theme.ts'],
  words: 'renderer/features/frame/words.ts',
} as const
const groups = 'renderer/locales/groups.ts'

/** Files of the words of groups, as groups.ts imports them for each language. */
function wordsFiles(wanted: readonly string[], read: ReadSource): string[] {
  const text = read(groups)
  return wanted.flatMap((group) => {
    const [, entry = ''] = new RegExp(`^  ${group}: \\{([\\s\\S]*?)\\},$`, 'm').exec(text) ?? []
    const files = new Set(importsOf(groups, entry).map(({ file }) => file.replace(/\?\w+$/, '')))
    if (files.size !== 1) throw new Error(`${groups} has no files of the words of ${group}`)
    return [...files]
  })
}

/** Files that a screen's pictures show, sorted: its view with what it imports, its words, and the frame around it. */
export function screenSources(screen: Screen, all: readonly Screen[], read: ReadSource): string[] {
  const others = new Set(
    all.flatMap(({ view, part }) => (view === screen.view && part !== undefined && part !== screen.part ? [part] : [])),
  )
  const own = sourcesOf([screen.view, ...(screen.part ? [screen.part] : [])], {
    within: (file) => within(file) && !others.has(file),
    lazy: true,
    read,
  })
  if (screen.view.startsWith('renderer/watch/')) return own
  const around = sourcesOf([...(screen.framed ? [frame.entry] : []), ...frame.looks], { within, lazy: false, read })
  const words = screen.words ? wordsFiles(screenWords[screen.words], read) : []
  const told = sourcesOf([frame.words, ...words], { within: isWords, lazy: false, read })
  return [...new Set([...own, ...around, ...told])].sort()
}

/** Digest of a screen's sources. */
export function screenDigest(screen: Screen, all: readonly Screen[], read: ReadSource): string {
  const hash = createHash('sha256')
  for (const file of screenSources(screen, all, read)) hash.update(`${file}\0${withoutComments(read(file))}\0`)
  return hash.digest('hex').slice(0, 32)
}

/** Names of the screens whose pictures are older than their sources, or of which there are none. */
export const staleScreens = (all: readonly Screen[], manifest: Manifest, read: ReadSource): string[] =>
  all.filter((screen) => manifest[screen.name] !== screenDigest(screen, all, read)).map(({ name }) => name)
