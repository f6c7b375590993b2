import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './launch-build.ts'

/** Builds what the service alone runs from, when a source is newer than it. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const say = (line: string): void => void process.stderr.write(`sidestage: ${line}\n`)
try {
  await ensureBuilt(root, ['watch', 'main'], say)
} catch (error) {
  // A sentence, or the builder's last words; the stack says nothing more.
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
