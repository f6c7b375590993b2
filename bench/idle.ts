import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import type { AppReady } from '../e2e/app.ts'
import { startCommand } from '../e2e/command.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { pause, processFamily, processFigures, temporaryFolder } from './measurement.ts'

/**
 * What the app costs while nothing is on air: CPU of companion and service together in percent of one core, and their memory in MB, once
 * without a page and once with the first screen open in Chromium (whose own processes are not counted). Memory is PSS, that is own pages
 * and a share of those that both map, and RSS beside it. `node bench/idle.ts [--seconds 30] [--settle 10]`; ends with 1 above 1 % or 180 MB.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, settle: { type: 'string', default: '10' } },
})
const limit = { cpu: 1, memory: 180 }
const root = new URL('..', import.meta.url).pathname
await ensureBuilt(root, ['renderer', 'watch', 'main'], (line) => process.stderr.write(`${line}\n`))

/** Proportional memory of a process in MB. */
const proportional = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1000
const round = (value: number): number => Math.round(value * 100) / 100

interface Idle {
  readonly cpu: number
  readonly pss: number
  readonly rss: number
  readonly processes: readonly {
    readonly role: string
    readonly cpu: number
    readonly pss: number
    readonly rss: number
  }[]
}

async function measure(pid: number): Promise<Idle> {
  await pause(Number(values.settle) * 1000)
  const pids = processFamily(pid)
  const before = pids.map((each) => processFigures(each).cpu)
  const began = performance.now()
  await pause(Number(values.seconds) * 1000)
  const elapsed = (performance.now() - began) / 1000
  const processes = pids.map((each, index) => {
    const { cpu, memory } = processFigures(each)
    const role =
      each === pid
        ? 'companion'
        : readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('service')
          ? 'service'
          : 'other'
    return {
      role,
      cpu: round(((cpu - (before[index] ?? 0)) / elapsed) * 100),
      pss: round(proportional(each)),
      rss: round(memory),
    }
  })
  const sum = (of: 'cpu' | 'pss' | 'rss'): number => round(processes.reduce((total, each) => total + each[of], 0))
  return { cpu: sum('cpu'), pss: sum('pss'), rss: sum('rss'), processes }
}

const folder = temporaryFolder()
try {
  const app = await startCommand<AppReady>([
    'scripts/start.ts',
    '--no-open',
    '--shell',
    'browser',
    '--data',
    folder.path,
    '--port',
    '0',
    '--api-port',
    '0',
    '--media-port',
    '0',
    '--rtmp-port',
    '0',
  ])
  try {
    const alone = await measure(app.process.pid ?? 0)
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
    try {
      const page = await browser.newPage({ locale: 'en-GB' })
      await page.goto(app.ready.url)
      await page.getByText('Service running', { exact: true }).waitFor()
      const watched = await measure(app.process.pid ?? 0)
      const met = [alone, watched].every(({ cpu, pss }) => cpu < limit.cpu && pss < limit.memory)
      process.stdout.write(
        `${JSON.stringify({ event: 'idle', unit: { cpu: '% of a core', pss: 'MB', rss: 'MB' }, seconds: Number(values.seconds), limit, alone, watched, met })}\n`,
      )
      process.exitCode = met ? 0 : 1
    } finally {
      await browser.close()
    }
  } finally {
    await app.stop()
  }
} finally {
  folder.remove()
}
