import { globSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { screenDigest, screenSources, staleScreens, type Manifest } from './manifest.ts'
import { screens } from './screen-list.ts'
import { importsOf, sourceReader, withoutComments, type ReadSource } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = sourceReader(root)
const manifest = (reader: ReadSource): Manifest =>
  Object.fromEntries(screens.map((screen) => [screen.name, screenDigest(screen, screens, reader)]))
/** The sources with one of them changed. */
const changed =
  (file: string): ReadSource =>
  (name) =>
    name === file ? `${read(name)}\n` : read(name)
const staleAfter = (file: string): string[] => staleScreens(screens, manifest(read), changed(file))

it('makes stale exactly the screens on which a changed component is', () => {
  expect(staleAfter('renderer/features/about/licence-list.vue')).toEqual(['settings-about'])
  expect(staleAfter('renderer/features/recordings/merge-tray.vue')).toEqual([
    'recordings',
    'recordings-player',
    'broadcast',
    'elsewhere-recordings',
  ])
  expect(staleAfter('renderer/features/recordings/time-line.vue')).toEqual([
    'recordings',
    'recordings-player',
    'elsewhere-recordings',
  ])
  expect(staleAfter('renderer/features/recordings/file-player.vue')).not.toContain('recordings')
  expect(staleAfter('renderer/features/rooms/room-row.vue')).toEqual(
    expect.arrayContaining(['studio', 'room', 'pop-out', 'seat-room']),
  )
  expect(staleAfter('renderer/features/rooms/room-row.vue')).not.toEqual(expect.arrayContaining(['channels']))
  expect(staleAfter('renderer/features/obs/obs-form.vue')).toEqual(['studio-obs'])
  expect(staleAfter('renderer/watch/watch.css')).toEqual([
    'watch',
    'watch-phone',
    'watch-settings',
    'watch-held',
    'watch-passphrase',
    'watch-full',
    'watch-off-air',
    'watch-off-air-phone',
    'watch-embed',
    'watch-check',
  ])
})

it('makes stale every screen of a changed frame, the one of its changed words, and none after a change that is not drawn', () => {
  const framed = screens.filter(({ framed }) => framed).map(({ name }) => name)
  expect(staleAfter('renderer/features/frame/nav-rail.vue')).toEqual(framed)
  expect(staleAfter('renderer/styles/tokens.css')).toEqual(screens.map(({ name }) => name))
  expect(staleAfter('renderer/features/console/words.ts')).toEqual(expect.arrayContaining(['console']))
  expect(staleAfter('renderer/features/console/words.ts')).not.toContain('room')
  expect(staleAfter('renderer/features/recordings/merge.ts')).toEqual([])
  expect(staleAfter('renderer/features/rooms/room-log.test.ts')).toEqual([])
})

it('names a screen that has no picture yet', () => {
  const { room: _, ...rest } = manifest(read)
  expect(staleScreens(screens, rest, read)).toEqual(['room'])
})

it('reads of every source of the page the same imports as TypeScript does', () => {
  const files = globSync('renderer/**/*.{vue,ts}', { cwd: root, exclude: ['**/*.test.ts', '**/*.d.ts'] }).map((file) =>
    file.replaceAll(path.sep, '/'),
  )
  for (const file of files) {
    const text = read(file)
    const code = file.endsWith('.vue')
      ? [...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(([, inside]) => inside).join('\n')
      : text
    const source = ts.createSourceFile('source.ts', code, ts.ScriptTarget.Latest)
    const found: string[] = []
    const add = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) && node.text.startsWith('.'))
        found.push(path.posix.join(path.posix.dirname(file), node.text))
    }
    const look = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) add(node.moduleSpecifier)
      else if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier) add(node.moduleSpecifier)
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0])
        add(node.arguments[0])
      ts.forEachChild(node, look)
    }
    look(source)
    const ours = importsOf(file, text).map((each) => each.file)
    expect([...new Set(ours)].sort(), file).toEqual([...new Set(found)].sort())
  }
})

it('has words, view and part of each screen among its sources', () => {
  for (const screen of screens) {
    const sources = screenSources(screen, screens, read)
    expect(sources).toContain(screen.view)
    if (screen.part) expect(sources).toContain(screen.part)
    if (!screen.view.startsWith('renderer/watch/')) expect(sources).toContain('renderer/features/frame/words.ts')
  }
})

it('takes no picture as older for a comment that has lines of its own', () => {
  expect(
    withoutComments(
      '/** Two\n * lines. */\nconst a = 1 // kept\n  // gone\nconst url = "http://x" /* kept */\n* { margin: 0 }',
    ),
  ).toBe('const a = 1 // kept\nconst url = "http://x" /* kept */\n* { margin: 0 }')
  const file = 'renderer/features/rooms/room-row.vue'
  const commented: ReadSource = (name) => (name === file ? read(name).replace('\n', '\n// A comment.\n') : read(name))
  expect(staleScreens(screens, manifest(read), commented)).toEqual([])
})
