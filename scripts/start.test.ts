import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { controlPath } from '../companion/instance/instance.ts'
import {
  defaultDataDir,
  desktopArguments,
  readLaunchOptions,
  serviceChoices,
} from '../companion/instance/launch-options.ts'
import { eachLine } from '../companion/supervisor/launcher.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { ensureBuilt } from './launch-build.ts'
import { launchPace, promised } from '../service/testing/machine-pace.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
interface Ready {
  event: string
  shell: string
  url: string
  service: { baseUrl: string; rtmpUrl: string }
  alreadyRunning?: boolean
}

const start = (dir: string, ...more: string[]) => startIn(process.env, dir, '--no-open', ...more)
function startIn(environment: NodeJS.ProcessEnv, dir: string, ...more: string[]) {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'scripts', 'bootstrap.mjs'),
      'start',
      '--shell',
      'browser',
      '--data',
      dir,
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
      ...more,
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: environment },
  )
  const lines: string[] = []
  const errors: string[] = []
  eachLine(child.stdout, (line) => lines.push(line))
  eachLine(child.stderr, (line) => errors.push(line))
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const ready = async (): Promise<Ready & { after: number }> => {
    const line = await until('the ready line', () => {
      if (child.exitCode !== null && lines.length === 0) throw new Error(errors.join('\n'))
      return lines[0]
    })
    return { ...(JSON.parse(line) as Ready), after: performance.now() - began }
  }
  return { child, lines, errors, exited, ready }
}
const signIn = async (url: string): Promise<number> => {
  const { origin, hash } = new URL(url)
  return (
    await fetch(`${origin}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ token: hash.slice('#token='.length) }),
    })
  ).status
}
const isOpen = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
const isGone = (ready: Ready): Promise<true> =>
  until(
    'the end of every listener',
    async () =>
      !(await isOpen(ready.service.baseUrl)) && !(await isOpen(ready.service.rtmpUrl)) && !(await isOpen(ready.url)),
  )
/** The process that really runs the app, below the bootstrap. */
const below = (pid: number | undefined): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

describe.skipIf(process.platform !== 'linux')('npm start', () => {
  beforeAll(async () => {
    await ensureBuilt(root, ['renderer'], () => undefined)
  })

  it('prints one JSON line within 3 s of a later start, signs in once, and ends in order', async () => {
    using folder = scratch()
    const pace = launchPace()
    const first = start(folder.dir)
    const ready = await first.ready()
    expect(ready).toMatchObject({ event: 'ready', shell: 'browser', service: { event: 'ready' } })
    expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[A-Za-z0-9_-]{43}$/)
    expect(ready.after).toBeLessThan(3_000 * Math.max(pace, launchPace()))
    expect(await signIn(ready.url)).toBe(204)
    expect(await signIn(ready.url)).toBe(401)
    await promised(5_000, async () => {
      first.child.kill('SIGTERM')
      expect(await first.exited).toEqual([0, null])
    })
    await isGone(ready)
    expect(first.lines).toHaveLength(1)
    expect(`${first.lines.join()}${first.errors.join()}`).not.toMatch(/appSecret/i)
  })

  it('opens the page once, and a second time on the same data names the first by an address that works', async () => {
    using folder = scratch()
    // Stands where the system keeps what opens an address.
    const opened = path.join(folder.dir, 'opened')
    writeFileSync(path.join(folder.dir, 'xdg-open'), `#!/bin/sh\necho "$1" >> '${opened}'\n`, { mode: 0o700 })
    const first = startIn({ ...process.env, PATH: `${folder.dir}:${process.env['PATH'] ?? ''}` }, folder.dir)
    const ready = await first.ready()
    const [address = ''] = await until(
      'the page to be opened',
      () => existsSync(opened) && readFileSync(opened, 'utf8').split('\n').slice(0, -1),
    )
    expect(address).not.toBe(ready.url)
    expect(await signIn(address)).toBe(204)
    const second = start(folder.dir)
    const named = await second.ready()
    expect(named).toMatchObject({ event: 'ready', alreadyRunning: true, service: ready.service })
    expect(await second.exited).toEqual([0, null])
    expect(new URL(named.url).origin).toBe(new URL(ready.url).origin)
    expect(await signIn(named.url)).toBe(204)
    expect(readFileSync(opened, 'utf8')).toBe(`${address}\n`)
    expect(await signIn(ready.url)).toBe(204)
    first.child.kill('SIGINT')
    expect((await first.exited)[0]).toBe(0)
  })

  it('leaves nothing behind when it is killed, at either end, and starts again on the same data', async () => {
    using folder = scratch()
    const first = start(folder.dir)
    const one = await first.ready()
    process.kill(below(first.child.pid), 'SIGKILL')
    expect((await first.exited)[0]).toBe(137)
    await isGone(one)
    expect(existsSync(controlPath(folder.dir))).toBe(true)
    const second = start(folder.dir)
    const two = await second.ready()
    expect(two.alreadyRunning).toBeUndefined()
    second.child.kill('SIGKILL')
    await isGone(two)
    const third = start(folder.dir)
    const three = await third.ready()
    third.child.kill('SIGTERM')
    await third.exited
    await isGone(three)
  })

  it('says a fault that nobody caught, a thrown one and a promise, and goes on', async () => {
    using folder = scratch()
    const fault =
      'globalThis.n=0;process.on(`SIGUSR2`,()=>{if(n++)throw(Error(`thrown`));Promise.reject(Error(`rejected`))})'
    const one = startIn(
      { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${fault}` },
      folder.dir,
      '--no-open',
    )
    const ready = await one.ready()
    const app = below(one.child.pid)
    for (const said of [
      /a promise failed and nobody waited for it; going on: rejected/,
      /an exception was not caught; going on: thrown/,
    ]) {
      process.kill(app, 'SIGUSR2')
      await until(String(said), () => one.errors.some((line) => said.test(line)))
    }
    expect(await signIn(ready.url)).toBe(204)
    expect(await isOpen(ready.service.baseUrl)).toBe(true)
    one.child.kill('SIGTERM')
    expect((await one.exited)[0]).toBe(0)
  })

  it('takes a port that is asked for, and says when it cannot', async () => {
    using folder = scratch()
    const server = net.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as net.AddressInfo
    const refused = start(folder.dir, '--port', String(port))
    expect((await refused.exited)[0]).toBe(1)
    expect(refused.errors.join('\n')).toContain('EADDRINUSE')
    server.close()
    await once(server, 'close')
    const taken = start(folder.dir, '--port', String(port))
    expect(new URL((await taken.ready()).url).port).toBe(String(port))
    taken.child.kill('SIGTERM')
    await taken.exited
  })

  it('refuses a command line that it does not know', async () => {
    const wrong = start('/nowhere', '--prot', '1')
    expect((await wrong.exited)[0]).toBe(1)
    expect(wrong.lines).toEqual([])
    expect(wrong.errors.join()).toContain('--prot')
  })

  it('prints nothing of npm before its line where it is started as the read-me says for scripts', () => {
    const [, flags = ''] =
      /`npm (start [^`]*?)-- --no-open[^`]*`/.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? []
    const { status, stdout, stderr } = spawnSync('npm', [...flags.trim().split(' '), '--', '--prot', '1'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('--prot')
  })
})

describe('launch options', () => {
  const ports = { platform: 'linux' as const, environment: {}, home: '/home/ana', cwd: '/home/ana/work' }
  it("have the platform's own places and the default ports", () => {
    expect(readLaunchOptions([], ports)).toEqual({
      open: true,
      shell: undefined,
      dataDir: '/home/ana/.local/share/sidestage',
      port: 0,
      apiPort: 8710,
      mediaPort: 8711,
      rtmpPort: 1935,
      named: { data: false, ports: [] },
    })
    expect(defaultDataDir('darwin', {}, '/Users/ana')).toBe('/Users/ana/Library/Application Support/Sidestage')
    expect(defaultDataDir('linux', { XDG_DATA_HOME: '/data' }, '/home/ana')).toBe('/data/sidestage')
    expect(
      readLaunchOptions(['--no-open', '--shell', 'browser', '--data', 'here', '--port', '81'], ports),
    ).toMatchObject({
      open: false,
      shell: 'browser',
      dataDir: '/home/ana/work/here',
      port: 81,
    })
  })

  it('carry how to record to the service and to the desktop, and nothing when nothing is said', () => {
    const given = ['--data', '/d', '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const asked = [...given, '--recording-minute', '1500', '--recording-reserve', '1073741824']
    const options = readLaunchOptions(asked, ports)
    expect(serviceChoices(options)).toEqual({
      dataDir: '/d/service',
      api: { host: '127.0.0.1', port: 0 },
      media: { host: '127.0.0.1', port: 0 },
      rtmp: { host: '127.0.0.1', port: 0 },
      recording: { minute: 1_500, reserve: 1_073_741_824 },
    })
    expect(desktopArguments(options)).toEqual(asked)
    expect(readLaunchOptions(desktopArguments(options), ports)).toEqual(options)
    expect(serviceChoices(readLaunchOptions(given, ports))).not.toHaveProperty('recording')
    expect(desktopArguments(readLaunchOptions(given, ports))).toEqual(given)
    expect(desktopArguments(readLaunchOptions([], ports))).toEqual([])
    expect(desktopArguments(readLaunchOptions(['--rtmp-port', '1940'], ports))).toEqual(['--rtmp-port', '1940'])
  })

  it('have no data folder whose name Windows cannot keep, there', () => {
    for (const dir of ['D:\\aux.data', 'D:\\live \\data'])
      expect(() => readLaunchOptions(['--data', dir], { ...ports, platform: 'win32' })).toThrow(
        /Windows cannot keep the name "(aux\.data|live )"/,
      )
    expect(readLaunchOptions(['--data', '/aux'], ports)).toMatchObject({ dataDir: '/aux' })
  })

  it('lead to one instance on Windows, however the case of the folder is written', () => {
    expect(controlPath('/Users/Ana/Sidestage', 'win32')).toBe(controlPath('/users/ana/SIDESTAGE', 'win32'))
    expect(controlPath('/Users/Ana/Sidestage', 'linux')).not.toBe(controlPath('/users/ana/SIDESTAGE', 'linux'))
  })

  it('are refused when they make no sense', () => {
    for (const argv of [
      ['--shell', 'tui'],
      ['--port', '65536'],
      ['--port', '-1'],
      ['--api-port', 'x'],
      ['--recording-minute', '1'],
      ['--recording-reserve', '-1'],
      ['file'],
    ])
      expect(() => readLaunchOptions(argv, ports), argv.join(' ')).toThrow()
  })
})
