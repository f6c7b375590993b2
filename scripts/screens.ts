import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { picturesOf, screenSources, staleScreens, type Manifest } from './screens/manifest.ts'
import { screens } from './screens/screen-list.ts'
import { sourceReader } from './screens/sources.ts'

/** Fails for outdated, missing or unknown pictures in docs/screens, and for components on no screen. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, 'docs', 'screens')
const manifestFile = path.join(folder, 'manifest.json')
const read = sourceReader(root)
const manifest = existsSync(manifestFile) ? (JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest) : {}
const faults: string[] = []

const stale = staleScreens(screens, manifest, read)
if (stale.length > 0)
  faults.push(`pictures are older than what they show; run\n  npm run screens -- --only ${stale.join(',')}`)

const wanted = new Set(screens.flatMap(({ name }) => picturesOf(name)))
const there = new Set(existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.webp')) : [])
for (const name of wanted)
  if (!there.has(name) && !stale.some((screen) => picturesOf(screen).includes(name)))
    faults.push(`docs/screens/${name} is missing`)
for (const name of there) if (!wanted.has(name)) faults.push(`docs/screens/${name} belongs to no screen`)

const shown = new Set(screens.flatMap((screen) => screenSources(screen, screens, read)))
/** Shown over any screen, or before the app's settings are known, without a theme of its own: no picture has to have them. */
const passing = new Set([
  'renderer/features/channels/rename-form.vue',
  'renderer/features/frame/command-palette.vue',
  'renderer/features/frame/unauthorized-view.vue',
])
for (const file of globSync('renderer/{features,ui}/**/*.vue', { cwd: root }).map((name) =>
  name.replaceAll(path.sep, '/'),
))
  if (!shown.has(file) && !passing.has(file)) faults.push(`${file} is on no screen of scripts/screens/screen-list.ts`)

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
