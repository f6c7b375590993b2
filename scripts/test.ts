import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { isWineThere } from '../e2e/windows/wine.ts'
import { ensureDebianPackages, winePackages } from './debian-packages.ts'
import { runStep, type Step } from './step.ts'

/** `npm test`: the checks, every test, and the comparison of the calls made with the contract. */
interface Counts {
  passed: number
  failed: number
  skipped: number
}

function vitestCounts(): Counts {
  const report = JSON.parse(readFileSync('out/test/unit.json', 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    numPendingTests: number
    numTodoTests: number
  }
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests }
}

function playwrightCounts(): Counts {
  const { stats } = JSON.parse(readFileSync('out/test/e2e.json', 'utf8')) as { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
}

/** Every scenario that was run says so on a line. */
function windowsCounts(): Counts {
  const said = readFileSync('out/windows/said.txt', 'utf8')
  return { passed: said.match(/^ok /gm)?.length ?? 0, failed: said.match(/^FAILED /gm)?.length ?? 0, skipped: 0 }
}

/** Whether the service and the companion can be tried as Windows programs; where not, one line says so. */
function canTryWindows(): boolean {
  let reason = 'Wine for 64 bits is of x64 only'
  if (process.platform === 'linux' && process.arch === 'x64') {
    try {
      ensureDebianPackages(winePackages)
      reason = 'Wine is not there'
    } catch (error) {
      reason = `Wine could not be installed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
    }
  }
  const found = isWineThere()
  if (!found) process.stderr.write(`not tried as on Windows: ${reason}\n`)
  return found
}

if (!ensureDebianPackages()) process.exit(1)
const steps: readonly (Step & { counts?: () => Counts })[] = [
  { name: 'check', command: ['node', 'scripts/check.ts'] },
  { name: 'build', command: ['electron-vite', 'build', '--logLevel', 'warn'] },
  {
    name: 'unit and integration tests',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', '--outputFile.json=out/test/unit.json'],
    counts: vitestCounts,
  },
  { name: 'contract coverage', command: ['node', 'scripts/coverage.ts'] },
  { name: 'plans of statements', command: ['node', 'scripts/statements.ts'] },
  ...(canTryWindows() ? [{ name: 'on Windows, under Wine', command: ['node', 'e2e/windows/run.ts'], counts: windowsCounts }] : []),
  { name: 'end-to-end tests', command: ['playwright', 'test', '-c', 'e2e/playwright.config.ts'], counts: playwrightCounts },
]

rmSync('out/contract-calls', { recursive: true, force: true })
rmSync('out/statements', { recursive: true, force: true })
rmSync('out/test', { recursive: true, force: true })
mkdirSync('out/test', { recursive: true })

const total: Counts = { passed: 0, failed: 0, skipped: 0 }
const failed: string[] = []
for (const step of steps) {
  process.stderr.write(`\n== ${step.name}\n`)
  const result = await runStep(step, true)
  process.stderr.write(`== ${step.name}: ${result.ok ? 'ok' : 'FAILED'} (${result.seconds.toFixed(0)} s)\n`)
  if (!result.ok) failed.push(step.name)
  if (!step.counts) {
    total[result.ok ? 'passed' : 'failed']++
    continue
  }
  try {
    const counts = step.counts()
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
  } catch {
    total.failed++
  }
}
if (failed.length) process.stderr.write(`\nfailed: ${failed.join(', ')}\n`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = failed.length ? 1 : 0
