import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Browser } from 'playwright'
import { ensureDebianPackages } from '../../scripts/debian-packages.ts'
import { screenDigest, staleScreens, type Manifest } from '../../scripts/screens/manifest.ts'
import { screens } from '../../scripts/screens/screen-list.ts'
import { sourceReader } from '../../scripts/screens/sources.ts'
import type { Language } from './personas.ts'
import { needsKeyring, runWithKeyring } from './keyring.ts'
import { toWebp } from './picture.ts'
import { sizes, type Booth, type Shot } from './booth.ts'
import { closeElsewhere } from './elsewhere.ts'
import { setTheme, shots, tidy } from './shots.ts'
import { readWords } from './words.ts'
import { fillArchive, fillEvening, openWorld } from './screen-app.ts'

/**
 * `npm run screens`: takes the pictures of docs/screens that are older than what they show, or those of `--only room,studio`, or `--all`. It starts
 * the app on a folder of its own in either language, with invented people, a real push and real recordings, in under six minutes. `--language zh` tries one
 * language out: the screens stay as old as they were.
 */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const folder = path.join(root, 'docs', 'screens')
const manifestFile = path.join(folder, 'manifest.json')
const { values } = parseArgs({
  options: { only: { type: 'string' }, all: { type: 'boolean', default: false }, language: { type: 'string' } },
})
const languages = (['en', 'zh'] as const).filter(
  (language) => values.language === undefined || values.language === language,
)
const manifest: Manifest = existsSync(manifestFile) ? (JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest) : {}
const read = sourceReader(root)

function wanted(): readonly string[] {
  const names = screens.map(({ name }) => name)
  if (values.only !== undefined) {
    const asked = values.only.split(',').filter((name) => name !== '')
    const unknown = asked.filter((name) => !names.includes(name))
    if (unknown.length > 0) throw new Error(`there is no screen ${unknown.join(', ')}; there are ${names.join(', ')}`)
    return asked
  }
  return values.all ? names : staleScreens(screens, manifest, read)
}

const chosen = new Set(wanted())
for (const { name } of screens)
  if (!shots[name]) throw new Error(`e2e/screens/shots.ts does not say how ${name} is opened`)
// Digests of now: what is changed while pictures are taken is stale again.
const digests = Object.fromEntries(screens.map((screen) => [screen.name, screenDigest(screen, screens, read)]))
const faults: string[] = []
let taken = 0
let writing: Promise<void> = Promise.resolve()

async function take(booth: Booth, name: string): Promise<void> {
  const shot = shots[name]!
  try {
    await takeLooks(booth, name, shot)
  } finally {
    await shot.after?.(booth)
  }
}

async function takeLooks(booth: Booth, name: string, shot: Shot): Promise<void> {
  const page = await shot.open(booth)
  for (const theme of ['dark', 'light'] as const) {
    await setTheme(booth, page, theme, shot.theme)
    const file = path.join(folder, `${name}-${theme}-${booth.world.language}.webp`)
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    // While one is written, the next is taken.
    await writing
    writing = toWebp(png)
      .then((picture) => {
        writeFileSync(file, picture)
        taken++
      })
      .catch((error: unknown) => {
        faults.push(name)
        console.error(`${path.basename(file)}: ${error instanceof Error ? error.message : String(error)}`)
      })
  }
  if (shot.theme === undefined) await booth.world.companion.rpc.app.changeSettings({ theme: 'dark' })
  await tidy(booth, page)
}

async function takeAll(booth: Booth, empty: boolean): Promise<void> {
  for (const [name, shot] of Object.entries(shots)) {
    if (!chosen.has(name) || (shot.empty === true) !== empty) continue
    const begun = performance.now()
    try {
      await take(booth, name)
      console.error(`${booth.world.language} ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
    } catch (error) {
      await booth.page.screenshot({ path: path.join(root, 'out', `screens-${name}.png`) }).catch(() => undefined)
      faults.push(name)
      console.error(`${booth.world.language} ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

async function photograph(browser: Browser, language: Language): Promise<void> {
  const world = await openWorld(language)
  const { locale } = world.personas
  const timezoneId = process.env['TZ'] ?? 'UTC'
  const context = await browser.newContext({
    viewport: sizes.window,
    locale,
    timezoneId,
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  let evening: { close: () => Promise<void> } | undefined
  try {
    const page = await context.newPage()
    const booth: Booth = {
      browser,
      world,
      say: readWords(language),
      page,
      elsewhere: async (options) => {
        const other = await browser.newContext({
          viewport: sizes.window,
          locale,
          timezoneId,
          colorScheme: 'dark',
          reducedMotion: 'reduce',
          ...options,
        })
        other.setDefaultTimeout(60_000)
        return other.newPage()
      },
    }
    const open = async (): Promise<void> => {
      await page.goto(await world.app.link())
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    }
    await open()
    await takeAll(booth, true)
    if ([...chosen].every((name) => shots[name]?.empty)) return
    await page.goto('about:blank')
    const show = await fillArchive(world, browser)
    await world.companion.rpc.profiles
      .add({
        name: world.personas.hosted,
        liveUrl: 'https://live.studio.example',
        messagingUrl: 'https://im.studio.example',
        appKey: 'b7d1c05fa94e',
        appSecret: 'of-the-pictures',
      })
      .catch(() => undefined)
    await open()
    evening = await fillEvening(world, show)
    await takeAll(booth, false)
  } finally {
    await evening?.close()
    await closeElsewhere(world)
    await context.close()
    await world.close()
  }
}

async function takePictures(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const begun = performance.now()
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--autoplay-policy=no-user-gesture-required',
      '--hide-scrollbars',
    ],
  })
  try {
    for (const language of languages) await photograph(browser, language)
    await writing
  } finally {
    await browser.close()
  }
  const good = languages.length === 2 ? [...chosen].filter((name) => !faults.includes(name)) : []
  const next = { ...manifest, ...Object.fromEntries(good.map((name) => [name, digests[name]])) }
  const inOrder = Object.fromEntries(
    screens.flatMap(({ name }) => (next[name] === undefined ? [] : [[name, next[name]]])),
  )
  writeFileSync(manifestFile, `${JSON.stringify(inOrder, null, 2)}\n`)
  console.error(`${taken} pictures in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  if (faults.length > 0) {
    console.error(`not taken: ${[...new Set(faults)].join(', ')}`)
    process.exitCode = 1
  }
}

if (!ensureDebianPackages()) process.exit(1)
if (chosen.size === 0) console.error('every picture is up to date')
else if (needsKeyring()) process.exitCode = await runWithKeyring()
else await takePictures()
