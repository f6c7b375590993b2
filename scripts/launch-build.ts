import { spawn } from 'node:child_process'
import { constants, type Dirent, mkdirSync, readdirSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A part of the build: what it is made from, and the file that it writes last. */
type BuildPart = 'renderer' | 'watch' | 'main'

const ofAll = ['contract', 'electron.vite.config.ts', 'package-lock.json']
const parts: Record<BuildPart, { readonly from: readonly string[]; readonly marker: string }> = {
  renderer: { from: ['renderer', ...ofAll], marker: 'out/renderer/csp.json' },
  watch: {
    from: ['renderer/watch', 'renderer/player', 'renderer/styles', ...ofAll],
    marker: 'out/watch/index.html',
  },
  main: { from: ['electron', 'companion', 'service', 'platform', ...ofAll], marker: 'out/main/service.js' },
}

const changedAt = (file: string): number => {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}

/** The newest change below a path. Folders count too: a deleted or renamed file changes its folder. */
function newest(file: string): number {
  let entries: Dirent[]
  try {
    entries = readdirSync(file, { withFileTypes: true })
  } catch {
    return changedAt(file)
  }
  let latest = changedAt(file)
  for (const entry of entries) {
    const below = path.join(file, entry.name)
    if (entry.isDirectory()) latest = Math.max(latest, newest(below))
    else if (!entry.name.endsWith('.test.ts')) latest = Math.max(latest, changedAt(below))
  }
  return latest
}

/** Whether a part must be built: it was not, or something that it is made from is newer. */
export function isStale(root: string, part: BuildPart): boolean {
  const { from, marker } = parts[part]
  const built = changedAt(path.join(root, marker))
  return built === 0 || from.some((source) => newest(path.join(root, source)) > built)
}

/** Waits for whoever else builds in this folder; the lock frees itself when its process ends, however it ends. */
async function alone(root: string): Promise<() => void> {
  mkdirSync(path.join(root, 'out'), { recursive: true })
  const lock = new DatabaseSync(path.join(root, 'out', 'build-lock.db'))
  for (;;) {
    try {
      lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      return () => lock.close()
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 5) throw error
      await new Promise((resolve) => {
        setTimeout(resolve, 200)
      })
    }
  }
}

function build(root: string): Promise<void> {
  const builder = path.join(root, 'node_modules/electron-vite/bin/electron-vite.js')
  const child = spawn(process.execPath, [builder, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const keep = (text: Buffer): void => {
    said = (said + text.toString('utf8')).slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`the build failed:\n${said}`))
    })
  })
}

/** Rejects with a sentence where this process may not build, as a unit of systemd that sees its code read-only. */
async function requireWritable(root: string): Promise<void> {
  try {
    await access(root, constants.W_OK)
  } catch (error) {
    throw new Error(
      `the sources are newer than what was built, and this process may not write to ${root}: ` +
        'run npm run --silent service -- --help there once, as a user who may, then start it again',
      { cause: error },
    )
  }
}

/** Builds when one of the parts is stale; true when it did. Rejects with the builder's last words. */
export async function ensureBuilt(
  root: string,
  wanted: readonly BuildPart[],
  say: (line: string) => void,
): Promise<boolean> {
  const isNeeded = (): boolean => wanted.some((part) => isStale(root, part))
  if (!isNeeded()) return false
  await requireWritable(root)
  const done = await alone(root)
  try {
    if (!isNeeded()) return false
    const began = performance.now()
    say('building (sources are newer than what was built)')
    await build(root)
    say(`built in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    return true
  } finally {
    done()
  }
}
