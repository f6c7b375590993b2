import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { groups, type Group } from './groups.ts'
import { screenWords, wordsOf } from './screens.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (file: string): string => readFileSync(file, 'utf8')
const names = Object.keys(groups) as Group[]

/** What a file imports at once, and what it imports when it is asked to; types and words are no part of it. */
function importsOf(file: string): { readonly now: readonly string[]; readonly later: readonly string[] } {
  const text = source(file)
  const found = (pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)]
      .map(([, to]) => path.resolve(path.dirname(file), to ?? ''))
      .filter(
        (to) =>
          /\.(ts|vue)$/.test(to) && to.startsWith(root) && !/\/locales\/|\/words[-\w]*\.ts$/.test(to) && existsSync(to),
      )
  return {
    now: found(/^\s*(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s)?'(\.[^']+)'/gm),
    later: found(/\bimport\('(\.[^']+)'\)/g),
  }
}

/** All files that are there when one is shown; `deep` follows what is imported later too. */
function reach(from: string, deep: boolean): ReadonlySet<string> {
  const files = new Set([from])
  for (const file of files) {
    const { now, later } = importsOf(file)
    for (const next of deep ? [...now, ...later] : now) files.add(next)
  }
  return files
}

/** The top of a key and the group that has it. */
const homes = new Map<string, Group>()
for (const name of names) for (const top of Object.keys(await groups[name].en())) homes.set(top, name)

/** Groups that a file loads itself before it uses their words. */
const loadedBy = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\bawait needWords\?\.\(\['(\w+)'\]\)/g)].map(([, group = '']) => group))

/**
 * Groups of all keys in these files, whether asked for at once or handed on, with a file that has one; those that the
 * file loads itself are left out.
 */
function askedIn(files: Iterable<string>): ReadonlyMap<Group, string> {
  const asked = new Map<Group, string>()
  for (const file of files) {
    const text = source(file)
    const loaded = loadedBy(text)
    for (const [, top] of text.matchAll(/(?<!from )['`]([a-zA-Z]+)\.[\w$]/g)) {
      const home = homes.get(top ?? '')
      if (home !== undefined && !loaded.has(home)) asked.set(home, path.relative(root, file))
    }
  }
  return asked
}

const frame = reach(path.join(root, 'main.ts'), false)
/** What is loaded with words of its own though it is no route: a moderator's page, and the command palette. */
const apart = [
  { name: 'seat', file: path.join(root, 'features', 'remote-rooms', 'seat-view.vue') },
  { name: 'palette', file: path.join(root, 'features', 'frame', 'command-palette.vue') },
]
const frameLater = [...frame]
  .filter((file) => !file.endsWith('routes.ts'))
  .flatMap((file) => importsOf(file).later.filter((later) => !apart.some((one) => one.file === later)))
/** The screens that are loaded when first opened: what they are called, and their file. */
const views = [
  ...source(path.join(root, 'routes.ts')).matchAll(
    /name: '(\w+)',\s+component: fetchedAgain\(\(\) => import\('\.\/([^']+)'\)/g,
  ),
].map(([, name = '', file = '']) => ({
  name,
  file: path.join(root, file),
}))
views.push(...apart)

describe('the words that a screen shows', () => {
  it('are there from the start for the frame, the first screen and what opens above any screen', () => {
    const files = new Set([...frame, ...frameLater.flatMap((file) => [...reach(file, true)])])
    expect(frame.size).toBeGreaterThan(40)
    expect([...askedIn(files)].filter(([group]) => group !== 'frame')).toEqual([])
  })

  it('come with each of the others', () => {
    expect(views.map(({ name }) => name).sort()).toEqual(Object.keys(screenWords).sort())
    for (const { name, file } of views) {
      const asked = askedIn([...reach(file, true)].filter((each) => !frame.has(each)))
      const there = new Set<Group>(['frame', ...wordsOf(name)])
      expect(asked.size, name).toBeGreaterThan(0)
      expect(
        [...asked].filter(([group]) => !there.has(group)),
        name,
      ).toEqual([])
    }
  })
})
