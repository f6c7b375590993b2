import { appendFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folder read by the coverage script. */
const folder = fileURLToPath(new URL('../../out/contract-calls', import.meta.url))

/** Records an answer for `scripts/coverage.ts`. */
export function recordCall(path: string, code: number): void {
  mkdirSync(folder, { recursive: true })
  appendFileSync(`${folder}/${process.pid}.jsonl`, `${JSON.stringify({ path, code })}\n`)
}
