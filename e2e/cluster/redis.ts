import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Program of Debian's package. */
export const redisProgram = '/usr/bin/redis-server'

/** Whether Debian's package is installed. */
export const isRedisThere = (): boolean => existsSync(redisProgram)

/** A port of this computer that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A Redis of its own, which keeps nothing. */
export interface Redis {
  readonly url: string
  readonly port: number
  /** Of its newest process. */
  pid(): number
  /** Kills it; `start` brings another one back on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** SIGSTOP lets it stand still, SIGCONT go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  close(): Promise<void>
}

/** Starts it on a free port. */
export async function startRedis(
  options: { readonly password?: string; readonly settings?: readonly string[] } = {},
): Promise<Redis> {
  if (!isRedisThere()) throw new Error('Redis is missing: sudo apt-get install redis-server')
  const { password, settings = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-redis-'))
  const port = await freePort()
  const given = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  given.push(...settings)
  if (password !== undefined) given.push('--requirepass', password)
  let running: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const child = (running = spawn(redisProgram, given, { stdio: ['ignore', 'pipe', 'inherit'] }))
    const said: string[] = []
    for await (const line of createInterface(child.stdout!)) {
      said.push(line)
      if (line.includes('Ready to accept connections')) {
        child.stdout!.resume()
        return
      }
    }
    throw new Error(`Redis ended:\n${said.join('\n')}`)
  }
  const kill = async (): Promise<void> => {
    const child = running
    running = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    pid: () => running!.pid!,
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    kill,
    start,
    signal: (name) => void running?.kill(name),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
