import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { ServiceReady } from '../../contract/service-process.ts'

/** The stand-alone service as a process. */
export interface ServiceProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** Its ready line; rejects with the log when it exits before. */
  readonly ready: Promise<ServiceReady>
  /** Exit code or signal. */
  readonly exited: Promise<number | string | null>
  readonly stdout: () => string
  /** Its log, one object per line. */
  readonly log: () => string
}

const entry = fileURLToPath(new URL('../main.ts', import.meta.url))

/**
 * Starts `service/main.ts`, or what Node is given instead, with these arguments; the environment is only what is given,
 * and a path.
 */
export function startServiceProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
  program: readonly string[] = [entry],
  executable = process.execPath,
): ServiceProcess {
  const child = spawn(executable, [...program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  let stdout = ''
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  )
  const ready = new Promise<ServiceReady>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.startsWith('{') && stdout.includes('\n'))
        resolve(JSON.parse(stdout.split('\n', 1)[0]!) as ServiceReady)
    })
    exited.then((how) => reject(new Error(`the service ended (${how}) before it was ready: ${log}`))).catch(reject)
  })
  ready.catch(() => undefined)
  return { child, ready, exited, stdout: () => stdout, log: () => log }
}
