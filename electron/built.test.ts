import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { eachLine } from '../companion/supervisor/launcher.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const at = (file: string): string => fileURLToPath(new URL(`testing/${file}`, import.meta.url))
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function launch(dir: string) {
  const child = spawn(
    process.execPath,
    [
      '--import',
      at('hook.mjs'),
      path.join(root, 'out', 'main', 'index.js'),
      '--tethered',
      '--data',
      dir,
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
    ],
    {
      cwd: root,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: dir,
        SIDESTAGE_APP_PATH: root,
        SIDESTAGE_DRIVER: at('page-driver.ts'),
      },
    },
  )
  const lines: string[] = []
  const errors: string[] = []
  eachLine(child.stdout, (line) => lines.push(line))
  eachLine(child.stderr, (line) => errors.push(line))
  const said = <T>(event: string): Promise<T> =>
    until(
      event,
      () => {
        const found = lines.map((line) => JSON.parse(line) as { event: string }).find((line) => line.event === event)
        if (!found && child.exitCode !== null) throw new Error(`ended: ${errors.join('\n')}`)
        return found as T | undefined
      },
      20_000,
    )
  return { child, said, lines }
}

describe('the built bundle', () => {
  beforeAll(async () => {
    await ensureBuilt(root, ['main', 'renderer'], () => undefined)
  })

  it('runs the window, its preload, the RPC and the service as a utility process', async () => {
    using folder = scratch()
    const { child, said, lines } = launch(folder.dir)
    const driven = await said<Record<string, unknown>>('driven')
    expect(driven).toMatchObject({
      about: { shell: 'electron', version: '0.0.0-double', shellReason: null },
      bridge: [
        'close',
        'connect',
        'minimize',
        'pin',
        'popOut',
        'shell',
        'shield',
        'toggleMaximize',
        'unpin',
        'unshield',
      ],
      popOut: {
        answers: ['opened', 'refused', 'opened'],
        windows: 2,
        url: 'app://sidestage/#/pop-out/room/7/local',
        preferences: {
          sandbox: true,
          contextIsolation: true,
          nodeIntegration: false,
          webSecurity: true,
          webviewTag: false,
        },
        onTop: [true, false],
        isGuarded: true,
      },
      hasPage: true,
      isSandboxed: true,
      tray: [['Sidestage – Idle', true]],
      // From source no program is made that of addresses.
      schemes: [],
      copied: true,
      refused: 404,
      preferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
        preload: path.join(root, 'out', 'preload', 'preload.cjs'),
      },
      media: {
        flv: expect.stringMatching(/^\/media\//) as string,
        hls: expect.stringMatching(/playlist\.m3u8$/) as string,
      },
    })
    expect((driven['page'] as Record<string, string>)['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(await said('ready')).toMatchObject({
      shell: 'electron',
      url: 'app://sidestage/',
      service: { event: 'ready' },
    })
    expect(lines.findIndex((line) => line.includes('"window"'))).toBeLessThan(
      lines.findIndex((line) => line.includes('"ready","shell"')),
    )
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await gone)[0]).toBe(0)
    expect(isAlive(driven['utility'] as number)).toBe(false)
  })

  it('ends with whoever started it, and takes the service with it', async () => {
    using folder = scratch()
    const { child, said } = launch(folder.dir)
    const { utility } = await said<{ utility: number }>('driven')
    const gone = once(child, 'exit')
    child.stdin.end()
    await gone
    expect(isAlive(utility)).toBe(false)
  })

  it('that is killed leaves no service behind, and its data folder free', async () => {
    using folder = scratch()
    const first = launch(folder.dir)
    const { utility } = await first.said<{ utility: number }>('driven')
    first.child.kill('SIGKILL')
    await until('the end of the service', () => !isAlive(utility))
    const second = launch(folder.dir)
    await second.said('ready')
    const gone = once(second.child, 'exit')
    second.child.kill('SIGTERM')
    await gone
  })
})
