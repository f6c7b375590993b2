import { spawn } from 'node:child_process'

/** An ffmpeg that pushes a file as live. */
export interface Publisher {
  /** Resolves with its exit code, also when refused or cut. */
  readonly exited: Promise<number | null>
  /** Asks it to end and waits for the exit. */
  stop(): Promise<void>
  /** Kills it, as a crash does. */
  kill(signal: 'SIGKILL'): void
  log(): string
}

/** Pushes an encoded file in a loop, in real time, without encoding. */
export function startPublisher(pushUrl: string, file: string): Publisher {
  const child = spawn(
    'ffmpeg',
    [
      '-hide_banner',
      '-loglevel',
      'warning',
      '-re',
      '-stream_loop',
      '-1',
      '-i',
      file,
      '-c',
      'copy',
      '-f',
      'flv',
      pushUrl,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let log = ''
  child.stderr.on('data', (text: Buffer) => {
    log = (log + text.toString()).slice(-20_000)
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve(null))
  })
  return {
    exited,
    log: () => log,
    kill: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM')
      const hard = setTimeout(() => child.kill('SIGKILL'), 3000)
      await exited
      clearTimeout(hard)
    },
  }
}
