import { type ChildProcess, spawn } from 'node:child_process'
import { eachLine } from '../companion/supervisor/launcher.ts'
import { desktopArguments, type LaunchOptions } from '../companion/instance/launch-options.ts'

/** How long the window may take to load and to connect, in ms. */
const windowPatience = 10_000
const stopPatience = 6_000

const eventOf = (line: string): unknown => {
  try {
    return (JSON.parse(line) as { event?: unknown }).event
  } catch {
    return undefined
  }
}

/** Starts the desktop window. Its input is a tether: it ends when this process is gone. Never without its sandbox. */
export function launchDesktop(
  binary: string,
  root: string,
  options: LaunchOptions,
  say: (line: string) => void,
  patience: number = windowPatience,
) {
  const args = [root, '--tethered', ...desktopArguments(options)]
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...environment } = process.env
  const child: ChildProcess = spawn(binary, args, { cwd: root, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      say(`the desktop window could not be started: ${error.message}`)
      resolve(1)
    })
    child.once('exit', (code) => resolve(code ?? 1))
  })
  child.stdin?.on('error', () => undefined)
  let isUp = false
  const ready = new Promise<string>((resolve, reject) => {
    // The window says `window` when it has loaded and is connected; the ready line may still wait for the service.
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, patience)
    if (child.stdout) {
      eachLine(child.stdout, (line) => {
        const event = eventOf(line)
        if (event !== 'window' && event !== 'ready') return
        clearTimeout(timer)
        isUp = true
        if (event === 'ready') resolve(line)
      })
    }
    if (child.stderr) eachLine(child.stderr, say)
    const early = ended.then((code) => {
      clearTimeout(timer)
      reject(
        new Error(
          isLate
            ? `the desktop window gave no sign of life in ${patience / 1000} s`
            : `the desktop window ended at once (code ${code})`,
        ),
      )
    })
    early.catch(reject)
  })
  return {
    /** Its ready line as it printed it; rejects when it ended, or did not print one in time, and is gone by then. */
    ready,
    /** Exit code, once it has ended. */
    ended,
    stop: () => {
      child.stdin?.end()
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), isUp ? stopPatience : 0).unref()
    },
  }
}
