import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { dataFiles } from '../companion/keeping/testing/data-files.ts'

const root = path.join(import.meta.dirname, '..')
const recording = 'service/recordings/0123456789abcdef0123456789abcdef/a.mp4'
/** What lies elsewhere, or is only read. */
type Elsewhere = 'login item' | 'read' | 'another folder' | 'the place that is given'
/** What the calls of a file of the source write, in the order in which they stand there: a file of the data folders, or why it is none. */
const written: Readonly<Record<string, readonly (string | { readonly not: Elsewhere })[]>> = {
  'companion/settings-file/app-settings.ts': ['settings.json'],
  'companion/data-folder/folder-copy.ts': [{ not: 'another folder' }],
  'companion/data-folder/move-mark.ts': ['service/sidestage-move.json'],
  'companion/instance/instance.ts': ['app-lock.db'],
  'companion/remote-rooms/joined-document.ts': ['joined.json'],
  'companion/messaging/known-accounts.ts': ['accounts.json'],
  'companion/moderators/revocation-marks.ts': ['revoked-seats'],
  'companion/moderators/seat-document.ts': ['seats.json'],
  'companion/obs/obs-settings.ts': ['obs.json'],
  // Read once by the browser that it is made for.
  'companion/opener.ts': [{ not: 'another folder' }],
  'companion/profiles/profiles.ts': ['profiles.json'],
  'companion/receivers/receiver-database.ts': ['receivers.db'],
  'companion/rooms/action-log.ts': ['actions.db'],
  'companion/rooms/copied-lines.ts': ['room-copies.db'],
  'companion/rooms/known-rooms.ts': ['rooms.json'],
  'companion/settings-file/settings-file.ts': ['import.json'],
  'companion/this-computer/computer-document.ts': ['computer.json', 'computer-copy.json'],
  'electron/desktop.ts': ['pop-out.json', 'window.json'],
  'electron/login-item.ts': [{ not: 'login item' }],
  'platform/atomic-file.ts': [
    'settings.json.new',
    'service/credentials.json.7.new',
    { not: 'the place that is given' },
    { not: 'the place that is given' },
  ],
  'platform/disk-fault.ts': ['.sidestage-trial-7', '.sidestage-trial-7'],
  'platform/json-file.ts': [{ not: 'the place that is given' }],
  'platform/lock-file.ts': ['app-lock.db', { not: 'read' }, 'app-lock.db', 'app-lock.db.damaged'],
  'platform/named-file.ts': [{ not: 'read' }],
  'platform/quarantine-manifest.ts': ['quarantine/1/entry.json'],
  'platform/quarantine.ts': ['quarantine/1/entry.json', { not: 'the place that is given' }],
  'platform/sqlite-log.ts': ['actions.db-wal.damaged', { not: 'read' }],
  'platform/stores.ts': ['stores.json', 'actions.db', 'actions.db'],
  'service/credentials.ts': ['service/credentials.json'],
  // The folder of the windows of clips is another one of its kind.
  'service/delay/segment-file.ts': ['service/delay/0123456789abcdef0123456789abcdef-0-1'],
  'service/targets/target-keys.ts': ['service/target-keys.json', 'service/quarantine/1/content/target-keys.json'],
  'service/http/file-reads.ts': [{ not: 'read' }],
  'service/files/incoming-file.ts': ['service/files/incoming/1'],
  'service/recording/far-recordings.ts': [recording],
  'service/recording/work-clip.ts': [recording],
  'service/recording/file-system.ts': [recording, 'service/recordings/.probe'],
  'service/recording/work-finish.ts': [recording],
  'service/recording/work-merge.ts': [recording],
  'service/recording/work.ts': [recording],
  'service/storage/database-suspect.ts': ['service/sidestage.db.doubt'],
  'service/storage/database-work.ts': [
    { not: 'read' },
    'service/copies/copy.new',
    { not: 'read' },
    'service/copies/copy.new',
  ],
  'service/storage/instance-lock.ts': ['service/lock.db', 'service/lock.pid'],
  'service/storage/main-database.ts': ['service/sidestage.db.new', { not: 'read' }],
  'service/storage/read-worker.ts': [{ not: 'read' }],
  'service/storage/store-sqlite.ts': ['service/sidestage.db', 'service/sidestage.db'],
}
const writers =
  /^(?:jsonFile|openDatabaseStore|takeLock|writeAtomically|writeAtomicallyNow|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|cp|cpSync|truncateSync|symlink|symlinkSync|link|linkSync|DatabaseSync|open|openSync|openAs)$/
/** Functions that open a file to read it unless they are told otherwise. */
const openers = /^(?:open|openSync|openAs)$/

/** Calls of a file of the source that write files, each with the text of what it is told first. */
function writesIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const fromSystem = new Set<string>()
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const isFiles = /^node:(?:fs|fs\/promises|sqlite)$|\/(?:json-file|stores|lock-file|atomic-file)\.ts$/.test(
        node.moduleSpecifier.text,
      )
      const { name: whole, namedBindings: names } = node.importClause ?? {}
      if (isFiles && whole) fromSystem.add(whole.text)
      if (isFiles && names && ts.isNamespaceImport(names)) fromSystem.add(names.name.text)
      else if (isFiles && names && ts.isNamedImports(names))
        for (const { name } of names.elements) fromSystem.add(name.text)
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = node.expression.getText().split('.').at(-1) ?? ''
      const flags = node.arguments?.[1]?.getText() ?? "'r'"
      const whole = node.expression.getText()
      if (fromSystem.has(whole.split('.')[0]!) && writers.test(name) && !(openers.test(name) && flags === "'r'"))
        found.push(`${name}(${node.arguments?.[0]?.getText() ?? ''})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
const files = globSync('{contract,platform,service,companion,electron,browser}/**/*.ts', { cwd: root })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !/\.test\.ts$|\/(?:testing|fuzz)\//.test(file))

it('knows every file that the product writes: one that is new has its place in the walks over damaged files and full disks', () => {
  const found = Object.fromEntries(
    files.map((file) => [file, writesIn(file)] as const).filter(([, writes]) => writes.length > 0),
  )
  expect(Object.keys(found).sort()).toEqual(Object.keys(written).sort())
  const counts = Object.entries(found).map(([file, writes]) => [file, writes.length, writes])
  expect(counts).toEqual(Object.entries(found).map(([file, writes]) => [file, written[file]!.length, writes]))
  const names = Object.values(written).flatMap((each) => each.filter((name) => typeof name === 'string'))
  expect(names.filter((name) => !dataFiles.some(({ pattern }) => pattern.test(name)))).toEqual([])
})

/** Names of files of the support archive, of an entry of the quarantine, of what is built and imported, and of the socket of the app. */
const ofSupport = [
  'app-log.txt',
  'app.json',
  'data-folder.json',
  'data.json',
  'health.json',
  'keychain.json',
  'listeners.json',
  'manifest.json',
]
const otherNames = [...ofSupport, 'control.sock', 'csp.json', 'package.json', 'service-log.txt', 'service.json']
it('knows every name of a file that the source has', () => {
  const names = new Set<string>()
  for (const file of files.filter((each) => !each.startsWith('contract/')))
    for (const [, name] of readFileSync(path.join(root, file), 'utf8').matchAll(
      /['"`/]([\w.-]+\.(?:json|db|pid|sock|bin|dat|log|lock|txt))['"`]/g,
    ))
      names.add(name!)
  const known = new Set(dataFiles.flatMap(({ examples }) => examples.map((each) => path.posix.basename(each))))
  expect([...names].filter((name) => !known.has(name)).sort()).toEqual(otherNames.sort())
  // The other way round: what is read of the source is what it has.
  expect([...names]).toEqual(expect.arrayContaining(['window.json', 'copies.db', 'stores.json']))
})

it('has examples of every file that are of its pattern alone', () => {
  for (const { examples, pattern } of dataFiles)
    for (const name of examples)
      expect(dataFiles.filter((each) => each.pattern.test(name)).map((each) => each.pattern)).toEqual([pattern])
})

it('finds what writes, however it is called', () => {
  expect(writesIn('companion/keeping/testing/data-files.ts')).toEqual([])
  expect(writesIn('electron/testing/kept-windows.ts')).toHaveLength(2)
  expect(writesIn('platform/testing/small-disk.ts')).toHaveLength(1)
  expect(writesIn('scripts/launch-build.ts').length).toBeGreaterThan(0)
})

/** Names in the first column of the table of the data folder; an ending belongs to the name before it. */
function namesOfTable(page: string): string[] {
  const rows = /^\| `sidestage\.db`(?:.*\n\|)*.*$/m.exec(page)?.[0].split('\n') ?? []
  return rows.flatMap((row) => {
    const named = [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
    return named.map((name) => (name.startsWith('-') ? named[0]! + name : name))
  })
}
it.each(['en', 'zh'])('names all that lies in the folder of a service in its guide (%s)', (language) => {
  const page = readFileSync(path.join(root, `docs/guide/${language}/service-alone.md`), 'utf8')
  const table = namesOfTable(page)
  const isNamed = (name: string): boolean =>
    table.some((one) =>
      one.startsWith('…')
        ? name.endsWith(one.slice(1))
        : one === name || (one.endsWith('…') && name.startsWith(one.slice(0, -1))),
    )
  // A service that runs alone is not moved by the app.
  const elsewhere = new Set<unknown>(written['companion/data-folder/move-mark.ts'])
  const inService = dataFiles.flatMap(({ pattern, examples }) => {
    const own = examples.filter((each) => each.startsWith('service/') && !elsewhere.has(each))
    const general = examples.filter((each) => !each.startsWith('service/') && pattern.test(`service/${each}`))
    return [...own.map((each) => each.slice('service/'.length)), ...general]
  })
  const names = new Set(inService.map((each) => each.split('/')[0]!))
  expect([...names]).toEqual(expect.arrayContaining(['stores.json', 'delay', 'lock.pid', 'recordings', 'quarantine']))
  expect([...names].filter((name) => !isNamed(name))).toEqual([])
})
