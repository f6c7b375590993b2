import { appendFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the coverage script looks for what the tests called. */
const folder = fileURLToPath(new URL('../../out/contract-calls', import.meta.url))

/** Notes one answer for `scripts/coverage.ts`. */
export function recordCall(path: string, code: number): void {
  mkdirSync(folder, { recursive: true })
  appendFileSync(`${folder}/${process.pid}.jsonl`, `${JSON.stringify({ path, code })}\n`)
}
