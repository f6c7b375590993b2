import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { eachLine } from '../companion/supervisor/launcher.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { ensureBuilt } from './launch-build.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const testing = path.join(root, 'electron', 'testing')
/** A window is not opened as root, so a test that is root becomes nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Runs the start with a display and the given script in the place of Electron's binary. */
function start(dir: string, script: string) {
  const binary = path.join(dir, 'electron')
  writeFileSync(binary, `#!/bin/sh\n${script}\n`)
  chmodSync(binary, 0o755)
  if (nobody.uid !== undefined) chownSync(dir, nobody.uid, nobody.gid)
  const args = [
    '--import',
    path.join(root, 'scripts', 'launch-tether.mjs'),
    path.join(root, 'scripts', 'start.ts'),
    '--no-open',
    '--data',
    path.join(dir, 'data'),
  ]
  const child = spawn(process.execPath, [...args, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: dir,
      DISPLAY: ':99',
      ELECTRON_OVERRIDE_DIST_PATH: dir,
      SIDESTAGE_APP_PATH: root,
      SIDESTAGE_DRIVER: path.join(testing, 'page-driver.ts'),
    },
    ...nobody,
  })
  const lines: string[] = []
  const errors: string[] = []
  if (child.stdout) eachLine(child.stdout, (line) => lines.push(line))
  if (child.stderr) eachLine(child.stderr, (line) => errors.push(line))
  const exited = once(child, 'exit')
  const ready = async (): Promise<Record<string, unknown>> => {
    const line = await until(
      'the ready line',
      () => {
        if (child.exitCode !== null && lines.length === 0) throw new Error(errors.join('\n'))
        return lines[0]
      },
      30_000,
    )
    return JSON.parse(line) as Record<string, unknown>
  }
  return { child, lines, errors, exited, ready }
}

describe.skipIf(process.platform !== 'linux')('npm start with a display', () => {
  beforeAll(async () => {
    await ensureBuilt(root, ['renderer', 'main'], () => undefined)
  })

  it('opens the window, prints its ready line alone, and ends with it', async () => {
    using folder = scratch()
    const window = start(
      folder.dir,
      `exec "${process.execPath}" --import "${path.join(testing, 'hook.mjs')}" "$1/out/main/index.js" "$@"`,
    )
    expect(await window.ready()).toMatchObject({
      event: 'ready',
      shell: 'electron',
      url: 'app://sidestage/',
      service: { event: 'ready' },
    })
    expect(window.lines).toHaveLength(1)
    window.child.kill('SIGTERM')
    expect((await window.exited)[0]).toBe(0)
  })

  it('takes the browser shell when the window ends at once, and says why', async () => {
    using folder = scratch()
    const broken = start(folder.dir, 'echo "cannot open display" >&2; exit 1')
    expect(await broken.ready()).toMatchObject({ event: 'ready', shell: 'browser' })
    expect(broken.errors.join('\n')).toContain('the browser shell is used: the desktop window ended at once (code 1)')
    broken.child.kill('SIGTERM')
    expect((await broken.exited)[0]).toBe(0)
  })

  it('takes the browser shell when the window gives no sign for 10 s', async () => {
    using folder = scratch()
    const silent = start(folder.dir, 'exec sleep 100')
    expect(await silent.ready()).toMatchObject({ event: 'ready', shell: 'browser' })
    expect(silent.errors.join('\n')).toContain('no sign of life in 10 s')
    silent.child.kill('SIGTERM')
    await silent.exited
  })
})
