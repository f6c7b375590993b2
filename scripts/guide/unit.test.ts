import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { codeBlocks, readPages, root } from './pages.ts'

/** The unit for systemd of docs/guide/en/service-alone.md. */
const [page] = readPages('docs/guide/en/service-alone.md')
const unit = codeBlocks(page!).find(({ language }) => language === 'ini')!.code
const command = /^ExecStart=(.+)$/m.exec(unit)![1]!.split(' ')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-unit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'systemd finds nothing wrong with the unit (skipped without systemd-analyze)',
  () => {
    const file = path.join(folder, 'sidestage.service')
    writeFileSync(file, unit.replace(command[0]!, process.execPath))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  },
)

it.skipIf(process.platform === 'win32')('what the unit starts ends with 0 when systemd stops it', async () => {
  expect(command.slice(0, 3)).toEqual(['/usr/bin/node', 'scripts/bootstrap.mjs', 'service'])
  const args = command.slice(1).map((word) => (word.startsWith('/var/lib') ? path.join(folder, 'data') : word))
  const child = spawn(
    process.execPath,
    [...args, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    // systemd signals each process of the unit.
    { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  expect(await ended).toBe(0)
})
