import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { isWineThere } from '../e2e/windows/wine.ts'
import { ensureDebianPackages, winePackages } from './debian-packages.ts'
import { lastLines, playwrightFailures, vitestFailures, type PlaywrightReport, type VitestReport } from './failures.ts'
import { runStep, type Step, type StepResult } from './step.ts'

/** `npm test`: the checks, every test, and the comparison of the calls made with the contract. */
interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** What a step's own report says: how many tests, and each that failed in a line. */
interface Report extends Counts {
  failures: readonly string[]
}

const readReport = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

function vitestReport(): Report {
  const report = readReport('out/test/unit.json') as VitestReport
  const { numPassedTests: passed, numFailedTests: failed } = report
  return { passed, failed, skipped: report.numPendingTests + report.numTodoTests, failures: vitestFailures(report) }
}

function playwrightReport(): Report {
  const report = readReport('out/test/e2e.json') as PlaywrightReport
  const { expected, unexpected, flaky, skipped } = report.stats
  return { passed: expected, failed: unexpected + flaky, skipped, failures: playwrightFailures(report) }
}

/** Every scenario that was run says so on a line. */
function windowsReport(): Report {
  const said = readFileSync('out/windows/said.txt', 'utf8')
  const failures = said.match(/^FAILED .*/gm) ?? []
  return { passed: said.match(/^ok /gm)?.length ?? 0, failed: failures.length, skipped: 0, failures }
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

interface TestStep extends Step {
  readonly report?: () => Report
}

const unitTests: TestStep = {
  name: 'unit and integration tests',
  command: ['vitest', 'run', '--reporter=default', '--reporter=json', '--outputFile.json=out/test/unit.json'],
  report: vitestReport,
}
const windowsTests: TestStep = {
  name: 'on Windows, under Wine',
  command: ['node', 'e2e/windows/run.ts'],
  report: windowsReport,
}
const endToEndTests: TestStep = {
  name: 'end-to-end tests',
  command: ['playwright', 'test', '-c', 'e2e/playwright.config.ts'],
  report: playwrightReport,
}

if (!ensureDebianPackages()) process.exit(1)
/** What runs one after the other; the steps of one entry run at once, as each leaves the processor idle for much of its time. */
const stages: readonly (readonly TestStep[])[] = [
  [{ name: 'check', command: ['node', 'scripts/check.ts'] }],
  [
    { name: 'pictures can be opened', command: ['node', 'scripts/pictures.ts'] },
    { name: 'pictures of the screens', command: ['node', 'scripts/screens.ts'] },
  ],
  [{ name: 'build', command: ['electron-vite', 'build', '--logLevel', 'warn'] }],
  canTryWindows() ? [unitTests, windowsTests] : [unitTests],
  [{ name: 'contract coverage', command: ['node', 'scripts/coverage.ts'] }],
  [{ name: 'plans of statements', command: ['node', 'scripts/statements.ts'] }],
  [endToEndTests],
]

rmSync('out/contract-calls', { recursive: true, force: true })
rmSync('out/statements', { recursive: true, force: true })
rmSync('out/test', { recursive: true, force: true })
mkdirSync('out/test', { recursive: true })

let isFailed = false
const total: Counts = { passed: 0, failed: 0, skipped: 0 }
/** What is told at the end: whoever reads only the end of a long log finds there what failed and why. */
const told: string[] = []

function conclude(step: TestStep, result: StepResult): void {
  const ended = `${step.name}: ${result.ok ? 'ok' : 'FAILED'} (${result.seconds.toFixed(0)} s)`
  process.stderr.write(`== ${ended}\n`)
  told.push(ended)
  let failures: readonly string[] = []
  if (step.report)
    try {
      const report = step.report()
      total.passed += report.passed
      total.failed += report.failed
      total.skipped += report.skipped
      failures = report.failures
    } catch {
      total.failed++
    }
  else total[result.ok ? 'passed' : 'failed']++
  if (!result.ok) told.push(...(failures.length ? failures : lastLines(result.output)).map((line) => `  ${line}`))
  isFailed ||= !result.ok
}

/** Runs the steps of a stage; the first shows its output while it runs, each other one when the stage has ended. */
async function runStage([first, ...others]: readonly TestStep[]): Promise<void> {
  if (!first) return
  process.stderr.write(`\n== ${first.name}\n`)
  const besides = others.map((step) => runStep(step))
  conclude(first, await runStep(first, true))
  for (const [index, step] of others.entries()) {
    const result = await besides[index]!
    process.stderr.write(`\n== ${step.name}\n${result.output}`)
    conclude(step, result)
  }
}

for (const stage of stages) await runStage(stage)
process.stderr.write(`\n${told.join('\n')}\n`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = isFailed ? 1 : 0
