import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../../testing/condition.ts'
import { temporaryFolder } from '../../hub/testing/fixture.ts'

/** A server of another make, run from its file of `resources/`. */
export interface StartedServer {
  /** What it wrote to its output, and to `error.log` in its folder. */
  log(): string
  stop(): Promise<void>
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Starts a program with a file of `resources/ingest-servers/`, in which texts are replaced by others. */
export async function startServer(
  program: string,
  file: string,
  args: (file: string, folder: string) => readonly string[],
  changes: readonly (readonly [string, string])[],
  port: number,
): Promise<StartedServer> {
  const folder = temporaryFolder()
  let text = readFileSync(new URL(`../../../resources/ingest-servers/${file}`, import.meta.url), 'utf8')
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    text = text.replaceAll(from, to.replaceAll('FOLDER', folder.path))
  }
  const path = join(folder.path, file)
  writeFileSync(path, text)
  const child = spawn(program, args(path, folder.path), { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (log = (log + bytes.toString()).slice(-50_000)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await until(`${program} listens`, async () => child.exitCode !== null || (await answers(port)))
  if (child.exitCode !== null) throw new Error(`${program} did not start: ${log}`)
  return {
    log() {
      const file = join(folder.path, 'error.log')
      return log + (existsSync(file) ? readFileSync(file, 'utf8') : '')
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      folder.remove()
    },
  }
}
