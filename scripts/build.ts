import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './launch-build.ts'

/** Builds what the service alone runs from, when a source is newer than it. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
await ensureBuilt(root, ['watch', 'main'], (line) => process.stderr.write(`sidestage: ${line}\n`))
