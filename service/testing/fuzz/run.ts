/**
 * `node service/testing/fuzz/run.ts [--inputs N] [--seed N] [--target NAME]`: fuzzes the readers; failing inputs are
 * kept in `crashers/`.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './target.ts'
import { targets } from './targets.ts'

/** Inputs between progress lines. */
const step = 250_000

/** Runs the command; the exit code is the number of crashers. */
function main(): number {
  const { values } = parseArgs({
    options: { inputs: { type: 'string', default: '10000000' }, seed: { type: 'string' }, target: { type: 'string' } },
  })
  const chosen = targets.filter((target) => values.target === undefined || target.name === values.target)
  const each = Math.ceil(Number(values.inputs) / chosen.length)
  const first = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed)
  let crashers = 0
  for (const target of chosen) {
    const begun = performance.now()
    let [done, taken, slowest, round] = [0, 0, 0, 0]
    while (done < each) {
      const outcome = fuzz(target, first + round++, Math.min(step, each - done))
      done += outcome.inputs
      taken += outcome.taken
      slowest = Math.max(slowest, outcome.slowest)
      if (!outcome.crasher) continue
      crashers += 1
      const folder = join(import.meta.dirname, 'crashers')
      mkdirSync(folder, { recursive: true })
      const name = `${target.name}-${createHash('sha256').update(outcome.crasher.input).digest('hex').slice(0, 12)}.bin`
      writeFileSync(join(folder, name), outcome.crasher.input)
      process.stdout.write(`${target.name}: ${name} ${String(outcome.crasher.error)}\n`)
      break
    }
    const seconds = (performance.now() - begun) / 1000
    process.stdout.write(
      `${JSON.stringify({ target: target.name, seed: first, inputs: done, taken, refused: done - taken, seconds: Math.round(seconds), perSecond: Math.round(done / seconds), slowestMs: Number(slowest.toFixed(1)) })}\n`,
    )
  }
  return crashers
}

if (import.meta.main) process.exitCode = main()
