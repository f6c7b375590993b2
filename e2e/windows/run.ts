import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { ensureBuilt } from '../../scripts/launch-build.ts'
import { startHost } from './host.ts'
import { scenarioFolder } from './scenario.ts'
import { isWineThere, windowsNodeIn, winePrefixIn } from './wine.ts'

/**
 * `npm run windows`: the built service and the companion as Windows programs under Wine. What runs in there is `program.ts`; here are its
 * Node, its computer, the app installed on drive C, and the encoder. An expression as argument runs only the scenarios whose names match it.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const out = path.join(root, 'out', 'windows')
/** Where the app is, below drive C. */
const installed = ['Program Files', 'Sidestage 侧台']
/** Until when everything must have ended, in ms. */
const longest = 900_000
const say = (line: string): void => {
  process.stderr.write(`windows: ${line}\n`)
}

/** Bundles what runs from source elsewhere, in the syntax of the Node in there; what comes from npm stays outside. */
async function bundle(to: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: ['unhomoglyph'] },
    build: {
      ssr: true,
      target: 'node22',
      outDir: to,
      emptyOutDir: false,
      rolldownOptions: {
        input: {
          'scripts/start': path.join(root, 'scripts/start.ts'),
          'scripts/program': path.join(root, 'e2e/windows/program.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'scripts/[name]-[hash].js' },
      },
    },
  })
}

/** Packages of hundreds of files, each of which Wine takes long to open; put into few files. */
const large = { kysely: { '.': 'kysely', './migration': 'kysely/migration' }, fastify: { '.': 'fastify' } }

/** The packages of npm as links, without copies; the large ones bundled each by itself. */
async function linkPackages(to: string): Promise<void> {
  const from = path.join(root, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) if (!(name in large)) symlinkSync(path.join(from, name), path.join(to, name))
  for (const [name, entries] of Object.entries(large)) {
    const place = path.join(to, name)
    const input = Object.fromEntries(Object.values(entries).map((entry, index) => [`entry-${index}`, entry]))
    await build({
      configFile: false,
      root,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: {
        ssr: true,
        target: 'node22',
        outDir: place,
        rolldownOptions: { input, output: { entryFileNames: '[name].js' } },
      },
    })
    const exports = Object.fromEntries(Object.keys(entries).map((entry, index) => [entry, `./entry-${index}.js`]))
    writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name, type: 'module', exports }))
  }
}

/** Puts the app onto drive C as if it was installed there, in a folder with a blank and Chinese in its name. */
async function install(drive: string): Promise<void> {
  const app = path.join(drive, ...installed)
  rmSync(app, { recursive: true, force: true })
  mkdirSync(app, { recursive: true })
  for (const part of ['main', 'renderer', 'watch'])
    cpSync(path.join(root, 'out', part), path.join(app, 'out', part), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(app, 'package.json'))
  await bundle(app)
  cpSync(path.join(root, 'scripts/launch-tether.mjs'), path.join(app, 'scripts/launch-tether.mjs'))
  await linkPackages(path.join(app, 'node_modules'))
}

async function main(): Promise<boolean> {
  if (!isWineThere()) {
    say('Wine for 64 bits is needed: sudo apt-get install wine wine64')
    return false
  }
  const output = path.join(out, 'said.txt')
  rmSync(output, { force: true })
  await ensureBuilt(root, ['renderer', 'watch', 'main'], say)
  const node = windowsNodeIn(out)
  const prefix = winePrefixIn(path.join(out, 'prefix'))
  // What a run that was cut off has left.
  await prefix.end()
  for (const drive of [prefix.drive, prefix.otherDrive])
    rmSync(path.join(drive, scenarioFolder), { recursive: true, force: true })
  await install(prefix.drive)
  const host = await startHost(prefix.drive, out)
  const program = ['C:', ...installed, 'scripts', 'program.js'].join('\\')
  const child = prefix.start(node, [program, host.url, ...process.argv.slice(2)], output)
  const late = setTimeout(() => {
    say(`not at its end after ${longest / 1000} s`)
    child.kill('SIGKILL')
  }, longest)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    process.stdout.write(existsSync(output) ? readFileSync(output, 'utf8') : '')
    return code === 0
  } finally {
    clearTimeout(late)
    await prefix.end()
    await host.close()
  }
}

process.exitCode = (await main()) ? 0 : 1
