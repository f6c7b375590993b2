import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A running command that says it is ready with one JSON line on stdout. */
export interface ReadyCommand<T> {
  readonly process: ChildProcess
  readonly ready: T
  /** What it wrote to stderr so far. */
  readonly log: () => string
  /** Ends it in order and waits for it. */
  readonly stop: () => Promise<void>
}

/** Starts a command of this project under the same Node and waits for its ready line; throws with its log when it ends before. */
export async function startCommand<T>(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ReadyCommand<T>> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-200_000)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const ready = await new Promise<T>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as T & { event?: string }
      if (message.event === 'ready') resolve(message)
    })
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it was ready\n${log}`)))
  })
  return {
    process: child,
    ready,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
