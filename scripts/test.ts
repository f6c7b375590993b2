import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { postgresPrograms } from '../e2e/cluster/postgres.ts'
import { isWineThere } from '../e2e/windows/wine.ts'
import { ensureDebianPackages, postgresPackages, winePackages } from './debian-packages.ts'
import {
  lastLines,
  playwrightFailures,
  playwrightFiles,
  vitestFailures,
  vitestFiles,
  type PlaywrightReport,
  type VitestReport,
} from './failures.ts'
import { storeTests } from './store-tests.ts'
import { runStep, type Step, type StepResult } from './step.ts'

/** `npm test`: the checks, every test, and the comparison of the calls made with the contract. */
interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** What a step's own report says: how many tests, each that failed in a line, and their files. */
interface Report extends Counts {
  failures: readonly string[]
  files: readonly string[]
}

const readReport = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

function vitestReport(file: string): Report {
  const report = readReport(file) as VitestReport
  const { numPassedTests: passed, numFailedTests: failed } = report
  const skipped = report.numPendingTests + report.numTodoTests
  return { passed, failed, skipped, failures: vitestFailures(report), files: vitestFiles(report) }
}

function playwrightReport(): Report {
  const report = readReport('out/test/e2e.json') as PlaywrightReport
  const { expected, unexpected, flaky, skipped } = report.stats
  const [failures, files] = [playwrightFailures(report), playwrightFiles(report)]
  return { passed: expected, failed: unexpected + flaky, skipped, failures, files }
}

/** Every scenario that was run says so on a line. */
function windowsReport(): Report {
  const said = readFileSync('out/windows/said.txt', 'utf8')
  const failures = said.match(/^FAILED .*/gm) ?? []
  return { passed: said.match(/^ok /gm)?.length ?? 0, failed: failures.length, skipped: 0, failures, files: [] }
}

/** Whether what a step needs beyond npm is there, or could be installed; where not, one line says so. */
function canTry(how: string, packages: typeof winePackages, isThere: () => boolean): boolean {
  let reason = `${packages.map(([, name]) => name).join(', ')} is not installed`
  try {
    ensureDebianPackages(packages)
  } catch (error) {
    reason = `it could not be installed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
  const found = isThere()
  if (!found) process.stderr.write(`not tried ${how}: ${reason}\n`)
  return found
}

/** Whether the service and the companion can be tried as Windows programs. */
function canTryWindows(): boolean {
  if (process.platform === 'linux' && process.arch === 'x64') return canTry('as on Windows', winePackages, isWineThere)
  process.stderr.write('not tried as on Windows: Wine for 64 bits is of x64 only\n')
  return false
}
const canTryPostgres = (): boolean =>
  process.platform === 'linux' && canTry('on PostgreSQL', postgresPackages, () => postgresPrograms() !== undefined)

interface TestStep extends Step {
  readonly report?: () => Report
  /** What of all files it runs; all when absent. */
  readonly files?: readonly string[]
  /** What the command gets to run files alone, one after the other. */
  readonly alone?: readonly string[]
}

/** More failed files than these are not the load of the machine. */
const mostAgain = 5

const reporters = (file: string): string[] => ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
const unitReport = 'out/test/unit.json'
const unitTests: TestStep = {
  name: 'unit and integration tests',
  command: ['vitest', 'run', ...reporters(unitReport)],
  report: () => vitestReport(unitReport),
  alone: ['--maxWorkers=1'],
}
const postgresReport = 'out/test/postgres.json'
/** Those of the service that open a store; `npm run unit:postgres` runs all that need one. */
const postgresTests: TestStep = {
  name: 'unit and integration tests on PostgreSQL',
  command: [...'node scripts/on-postgres.ts vitest run --project processes'.split(' '), ...reporters(postgresReport)],
  files: storeTests(),
  report: () => vitestReport(postgresReport),
  alone: ['--maxWorkers=1'],
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
  alone: ['--workers=1'],
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
  ...(canTryPostgres() ? [[postgresTests]] : []),
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

/** The step's report; undefined without one, and where it ended before it wrote it. */
function reportOf(step: TestStep): Report | undefined {
  try {
    return step.report?.()
  } catch {
    return undefined
  }
}

/**
 * Runs the files with failed tests once more, with nothing beside them. What passes then failed by the load of the
 * machine: it is told at the end, so that somebody looks at it, and does not fail the run. Whether all passed.
 */
async function runAgain(step: TestStep, { files }: Report): Promise<boolean> {
  if (!step.alone || files.length === 0 || files.length > mostAgain) return false
  process.stderr.write(`\n== ${step.name}, again and alone: ${files.join(', ')}\n`)
  return (await runStep({ ...step, command: [...step.command, ...step.alone, ...files] }, true)).ok
}

async function conclude(step: TestStep, result: StepResult): Promise<void> {
  const report = reportOf(step)
  const isMended = !result.ok && report !== undefined && (await runAgain(step, report))
  const ok = result.ok || isMended
  let ended = `${step.name}: ${ok ? 'ok' : 'FAILED'} (${result.seconds.toFixed(0)} s)`
  if (report) {
    const { passed, failed, skipped, failures } = report
    const again = isMended ? failed : 0
    total.passed += passed + again
    total.failed += failed - again
    total.skipped += skipped
    ended += `, ${passed} passed, ${failed} failed, ${skipped} skipped`
    told.push(ended, ...failures.map((line) => `  ${isMended ? 'failed once, passed alone: ' : ''}${line}`))
    if (!ok && failures.length === 0) told.push(...lastLines(result.output).map((line) => `  ${line}`))
  } else {
    total[ok ? 'passed' : 'failed']++
    told.push(ended, ...(ok ? [] : lastLines(result.output).map((line) => `  ${line}`)))
  }
  process.stderr.write(`== ${ended}\n`)
  isFailed ||= !ok
}

/** Runs the steps of a stage; the first shows its output while it runs, each other one when the stage has ended. */
async function runStage(steps: readonly TestStep[]): Promise<void> {
  process.stderr.write(`\n== ${steps[0]?.name}\n`)
  const whole = (step: TestStep): TestStep => ({ ...step, command: [...step.command, ...(step.files ?? [])] })
  const results = await Promise.all(steps.map((step, index) => runStep(whole(step), index === 0)))
  for (const [index, result] of results.entries()) {
    const step = steps[index]!
    if (index > 0) process.stderr.write(`\n== ${step.name}\n${result.output}`)
    await conclude(step, result)
  }
}

for (const stage of stages) await runStage(stage)
process.stderr.write(`\n${told.join('\n')}\n`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = isFailed ? 1 : 0
