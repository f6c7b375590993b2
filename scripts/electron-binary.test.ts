import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readLaunchOptions } from '../companion/instance/launch-options.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { downloadElectron } from './electron-binary-download.ts'
import { chooseShell, findElectron, type ShellFacts } from './electron-binary.ts'
import { launchDesktop } from './launch-electron.ts'

const facts = (more: Partial<ShellFacts> = {}): ShellFacts => ({
  wanted: undefined,
  binary: '/x/electron',
  platform: 'linux',
  environment: { DISPLAY: ':0' },
  uid: 1000,
  ...more,
})

describe('the choice of the shell', () => {
  it('is the window where its binary is there, there is a display, and we are not root', () => {
    expect(chooseShell(facts())).toEqual({ shell: 'electron', reason: null, fetch: false })
    expect(chooseShell(facts({ environment: { WAYLAND_DISPLAY: 'wayland-0' } })).shell).toBe('electron')
    expect(chooseShell(facts({ platform: 'win32', environment: {}, uid: undefined })).shell).toBe('electron')
    expect(chooseShell(facts({ wanted: 'browser' }))).toEqual({ shell: 'browser', reason: null, fetch: false })
  })

  it('is the browser at once otherwise, with the reason, and fetches only what a display could show', () => {
    expect(chooseShell(facts({ environment: {} }))).toMatchObject({
      shell: 'browser',
      reason: expect.stringContaining('display') as string,
      fetch: false,
    })
    expect(chooseShell(facts({ uid: 0, binary: undefined }))).toMatchObject({
      shell: 'browser',
      reason: expect.stringContaining('root') as string,
      fetch: false,
    })
    expect(chooseShell(facts({ binary: undefined }))).toMatchObject({ shell: 'browser', fetch: true })
    expect(chooseShell(facts({ binary: undefined, wanted: 'electron' }))).toMatchObject({
      shell: 'browser',
      fetch: true,
    })
  })
})

describe('the binary', () => {
  it('is found without loading the package, and only where it really is', () => {
    using folder = scratch()
    const electron = path.join(folder.dir, 'node_modules', 'electron')
    mkdirSync(path.join(electron, 'dist'), { recursive: true })
    expect(findElectron(folder.dir, {}, 'linux')).toBeUndefined()
    writeFileSync(path.join(electron, 'path.txt'), 'electron')
    expect(findElectron(folder.dir, {}, 'linux')).toBeUndefined()
    writeFileSync(path.join(electron, 'dist', 'electron'), '')
    expect(findElectron(folder.dir, {}, 'linux')).toBe(path.join(electron, 'dist', 'electron'))
    expect(findElectron(folder.dir, { ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' }, 'linux')).toBeUndefined()
    expect(findElectron('/nowhere', { ELECTRON_OVERRIDE_DIST_PATH: path.join(electron, 'dist') }, 'linux')).toBe(
      path.join(electron, 'dist', 'electron'),
    )
  })
})

describe.skipIf(process.platform === 'win32')("the window's process", () => {
  const options = (dir: string) => readLaunchOptions(['--data', dir])
  const binary = (dir: string, script: string): string => {
    const file = path.join(dir, 'electron')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return file
  }

  it('hands its ready line on, and is never started without its sandbox', async () => {
    using folder = scratch()
    const said: string[] = []
    const desktop = launchDesktop(
      binary(
        folder.dir,
        'echo "args: $*" >&2\necho noise\necho \'{"event":"window"}\'\necho \'{"event":"ready","shell":"electron"}\'\nread line',
      ),
      folder.dir,
      options(folder.dir),
      (line) => said.push(line),
    )
    expect(await desktop.ready).toBe('{"event":"ready","shell":"electron"}')
    await until('its arguments', () => said.length > 0)
    expect(said[0]).toContain('--tethered --data')
    expect(said.join()).not.toMatch(/no-sandbox|inspect|remote-debugging/)
    desktop.stop()
    await desktop.ended
  })

  it('that gives no sign is killed, and one that ends is not waited for', async () => {
    using folder = scratch()
    const silent = launchDesktop(
      binary(folder.dir, 'exec sleep 60'),
      folder.dir,
      options(folder.dir),
      () => undefined,
      200,
    )
    await expect(silent.ready).rejects.toThrow('no sign of life')
    await silent.ended
    await expect(
      launchDesktop(binary(folder.dir, 'exit 3'), folder.dir, options(folder.dir), () => undefined).ready,
    ).rejects.toThrow('code 3')
    await expect(
      launchDesktop('/nowhere/electron', folder.dir, options(folder.dir), () => undefined).ready,
    ).rejects.toThrow('ended at once')
  })

  it('may wait for the service once it has shown itself', async () => {
    using folder = scratch()
    const desktop = launchDesktop(
      binary(folder.dir, 'echo \'{"event":"window"}\'\nsleep 0.6\necho \'{"event":"ready"}\''),
      folder.dir,
      options(folder.dir),
      () => undefined,
      300,
    )
    expect(await desktop.ready).toBe('{"event":"ready"}')
  })
})

describe('the fetch', () => {
  const fetcher = (dir: string, script: string): string => {
    const file = path.join(dir, 'fetcher.mjs')
    writeFileSync(file, script)
    return file
  }

  it('reports its progress to the end', async () => {
    using folder = scratch()
    const seen: string[] = []
    const fetch = downloadElectron(
      fetcher(
        folder.dir,
        `const say = (phase, received) => process.send({ phase, received, total: 10, reason: null }); say('connecting', 0); say('downloading', 5); say('done', 10); setTimeout(() => process.exit(0), 20)`,
      ),
    )
    fetch.on((state) => seen.push(`${state.phase} ${state.received}`))
    await until('the end', () => fetch.state().phase === 'done')
    expect(seen).toEqual(['connecting 0', 'downloading 5', 'done 10'])
  })

  it('can be cancelled, and says why it failed', async () => {
    using folder = scratch()
    const endless = downloadElectron(
      fetcher(
        folder.dir,
        `process.send({ phase: 'downloading', received: 1, total: null, reason: null }); setInterval(() => {}, 1000)`,
      ),
    )
    await until('a start', () => endless.state().phase === 'downloading')
    endless.cancel()
    expect(endless.state()).toMatchObject({ phase: 'cancelled' })
    const failing = downloadElectron(
      fetcher(
        folder.dir,
        `process.send({ phase: 'failed', received: 0, total: null, reason: { code: 'silent', params: { host: 'x' } } }, () => process.exit(1))`,
      ),
    )
    await until('the failure', () => failing.state().phase === 'failed')
    expect(failing.state().reason).toEqual({ code: 'silent', params: { host: 'x' } })
    const dying = downloadElectron(fetcher(folder.dir, 'process.exit(1)'))
    await until('the failure', () => dying.state().phase === 'failed')
  })
})
