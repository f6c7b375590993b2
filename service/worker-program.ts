import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Program of a thread started by the module `from`: beside it in the source, or at or above it as built. */
export function workerProgram(from: string, source: string, built: string): URL {
  const names = from.endsWith('.ts') ? [`./${source}`] : [`./${built}`, `../${built}`]
  const urls = names.map((name) => new URL(name, from))
  return urls.find((url) => existsSync(fileURLToPath(url))) ?? urls[0]!
}
