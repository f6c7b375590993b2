import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { askInstance, claimInstance, type Instance } from '../companion/instance/instance.ts'
import { reasonOf } from '../companion/failure.ts'
import { openEntrance } from '../companion/opener.ts'
import { nodeLauncher } from '../companion/supervisor/launcher.ts'
import { hearEveryFault } from '../platform/last-handler.ts'
import { createLogWriter, standardError } from '../platform/log-writer.ts'
import { chooseShell, findElectron } from './electron-binary.ts'
import { ensureBuilt } from './launch-build.ts'
import { type LaunchOptions, readLaunchOptions, serviceChoices } from '../companion/instance/launch-options.ts'

/** `npm start`: chooses the shell, runs it, and prints one JSON line when a person can begin. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const writer = createLogWriter(standardError(), (lines) => `sidestage: ${lines} lines were not written\n`)
process.on('exit', () => writer.finish())
const say = (line: string): void => writer.write(`sidestage: ${line}\n`)
const print = (line: object | string): void => {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
}

/** How long a second instance waits for the first to be ready to answer, in ms. */
const firstPatience = 20_000

const open = (options: LaunchOptions, url: string): void => {
  if (options.open) openEntrance(url).catch(() => say('no browser could be opened; open the printed address yourself'))
}

async function joinFirst(options: LaunchOptions): Promise<void> {
  const until = performance.now() + firstPatience
  for (;;) {
    const first = await askInstance(options.dataDir, 2_000)
    if (first) {
      say(
        `already running on this data folder (process ${first.pid}, ${first.shell === 'electron' ? 'its window was brought to the front' : 'at the printed address'})`,
      )
      print({ event: 'ready', shell: first.shell, url: first.url, service: first.service, alreadyRunning: true })
      if (first.shell === 'browser') open(options, first.url)
      return
    }
    if (performance.now() > until) throw new Error(`another instance holds ${options.dataDir} and does not answer`)
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
  }
}

async function runBrowser(
  options: LaunchOptions,
  instance: Instance,
  reason: string | null,
  fetching: boolean,
): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const [{ startBrowserMain }, download] = await Promise.all([
    import('../browser/main.ts'),
    fetching ? import('./electron-binary-download.ts').then((module) => module.downloadElectron()) : undefined,
    ensureBuilt(root, ['renderer', 'watch', 'main'], say),
  ])
  hearEveryFault(process, (what, fault) => say(`${what}: ${reasonOf(fault)}`))
  const main = await startBrowserMain({
    dataDir: options.dataDir,
    port: options.port,
    version,
    log: say,
    shellReason: () => reason,
    // The browser starts meanwhile; the page says that the service is starting.
    onPage: (url) => open(options, url),
    choices: { ...serviceChoices(options), watchDir: path.join(root, 'out', 'watch') },
    named: options.named,
    launch: nodeLauncher(path.join(root, 'out', 'main', 'service.js'), { execArgv: ['--max-semi-space-size=2'] }),
    pageDir: path.join(root, 'out', 'renderer'),
    ...(download ? { download } : {}),
  })
  let closing = false
  const close = (): void => {
    if (closing) return
    closing = true
    main
      .close()
      .catch(() => undefined)
      .finally(() => {
        instance.release()
        process.exit(0)
      })
    setTimeout(() => process.exit(1), 8_000).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close)
  const service = main.service ?? null
  await instance.serve(() => ({ shell: 'browser', url: main.address(), pid: process.pid, service }))
  print({ event: 'ready', shell: 'browser', url: main.address(), service })
}

/** Runs the window; answers why it could not be used, or undefined when it ended as a window does. */
async function runDesktop(options: LaunchOptions, binary: string): Promise<string | undefined> {
  const { launchDesktop } = await import('./launch-electron.ts')
  await ensureBuilt(root, ['renderer', 'watch', 'main'], say)
  const desktop = launchDesktop(binary, root, options, say)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => desktop.stop())
  try {
    print(await desktop.ready)
  } catch (error) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal)
    return error instanceof Error ? error.message : String(error)
  }
  process.exit(await desktop.ended)
}

async function main(): Promise<void> {
  // The sources are read in faster when what was made of them is kept; without the folder they are read as they are.
  const cache = enableCompileCache(path.join(root, 'out', 'compile-cache'))
  // The service's process as well.
  if (cache.directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cache.directory
  const options = readLaunchOptions(process.argv.slice(2))
  const first = claimInstance(options.dataDir)
  if (!first) return joinFirst(options)
  const binary = findElectron(root, process.env, process.platform)
  const choice = chooseShell({
    wanted: options.shell,
    binary,
    platform: process.platform,
    environment: process.env,
    uid: process.getuid?.(),
  })
  let { reason } = choice
  let instance: Instance | undefined = first
  if (choice.shell === 'electron' && binary !== undefined) {
    // The window's own process takes the lock; should it fail, it is taken back for the browser shell.
    first.release()
    const why = await runDesktop(options, binary)
    reason = why ?? null
    instance = claimInstance(options.dataDir)
    if (!instance) return joinFirst(options)
  }
  if (reason !== null) say(`the browser shell is used: ${reason}`)
  await runBrowser(options, instance, reason, choice.fetch)
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
