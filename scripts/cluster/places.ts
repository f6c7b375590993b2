import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { once } from 'node:events'
import { writeAtomicallyNow } from '../../platform/atomic-file.ts'
import { freePort } from '../../e2e/cluster/redis.ts'

/** What a cluster keeps over its starts beside its data: passwords of its engines, and ports by what is there. */
interface Kept {
  readonly passwords: Record<string, string>
  readonly ports: Record<string, number>
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const bound = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (bound) {
    server.close()
    await once(server, 'close')
  }
  return bound
}

function read(file: string): Kept {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { passwords: {}, ports: {} }
    throw error
  }
}

/** Passwords and ports of the cluster in a folder. */
export function openPlaces(folder: string) {
  const file = path.join(folder, 'cluster.json')
  const kept = read(file)
  const given = new Set<number>()
  return {
    /** The password of an engine, made at its first start. */
    password: (of: string): string => (kept.passwords[of] ??= randomBytes(24).toString('hex')),
    /** The port that it had before, or another one when somebody else has that now. */
    async port(of: string): Promise<number> {
      let port = kept.ports[of]
      while (port === undefined || given.has(port) || !(await isFree(port))) port = await freePort()
      given.add(port)
      return (kept.ports[of] = port)
    },
    /** Writes what was made. */
    keep(): void {
      writeAtomicallyNow(file, `${JSON.stringify(kept, null, 2)}\n`)
    },
  }
}
