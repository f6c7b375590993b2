import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright/test'

/** A program of Chromium's kind that is driven from outside, with no inspector in its main process. */
export interface DrivenProgram {
  readonly process: ChildProcess
  /** Its first window. */
  readonly page: Page
  /** What it wrote so far. */
  readonly log: () => string
  /** Asks it to end, and ends it when it does not in time. */
  readonly close: () => Promise<void>
}

/** How long a program may take to end by itself, in ms. */
const endPatience = 15_000
const announced = /^DevTools listening on (ws:\/\/\S+)$/

/**
 * Starts a program with Chromium's own remote debugging on a free port of loopback and connects to its first window: the way into a
 * packaged build, whose fuses switch off what Playwright starts Electron with. Throws with its log when it ends before.
 */
export async function startOverCdp(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<DrivenProgram> {
  const { NODE_OPTIONS: _, ELECTRON_RUN_AS_NODE: __, ...environment } = env
  const child = spawn(program, ['--remote-debugging-port=0', ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve()
    })
    child.once('error', () => {
      resolve()
    })
  })
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        log = `${log}${line}\n`.slice(-200_000)
        const found = announced.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    child.once('error', reject)
    child.once('exit', (code) => {
      reject(new Error(`${program} ended with ${code} before it could be driven\n${log}`))
    })
  })
  const end = async (): Promise<void> => {
    const late = setTimeout(() => child.kill('SIGKILL'), endPatience)
    await exited
    clearTimeout(late)
  }
  try {
    const browser = await chromium.connectOverCDP(address, { isLocal: true })
    const [context] = browser.contexts()
    if (!context) throw new Error('there is nothing to drive')
    const page = context.pages()[0] ?? (await context.waitForEvent('page'))
    return {
      process: child,
      page,
      log: () => log,
      close: async () => {
        // Windows knows no request to end: there the window closes itself.
        if (process.platform === 'win32') await page.evaluate('sidestage.close()').catch(() => undefined)
        else child.kill('SIGTERM')
        await end()
        await browser.close()
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    await exited
    throw error
  }
}
