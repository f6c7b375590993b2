import { rmSync } from 'node:fs'
import { appScenarios } from './app-scenarios.ts'
import { fileScenarios } from './file-scenarios.ts'
import { runScenario } from './scenario.ts'
import { serviceScenarios } from './service-scenarios.ts'

/** Runs inside of Windows: every scenario, two at a time, a line for each. */
const [host = '', wanted = ''] = process.argv.slice(2)
const base = 'C:\\Sidestage 测试'
const scenarios = [...serviceScenarios, ...appScenarios, ...fileScenarios].filter(({ name }) => new RegExp(wanted).test(name))
let failed = 0

async function worker(waiting: IterableIterator<[number, (typeof scenarios)[number]]>): Promise<void> {
  for (const [index, scenario] of waiting) {
    const began = performance.now()
    try {
      await runScenario(scenario, { base, host, index })
      console.log(`ok ${scenario.name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failed++
      console.log(`FAILED ${scenario.name}\n${error instanceof Error ? error.stack : String(error)}`)
    }
  }
}

if (process.platform !== 'win32') throw new Error('this is no Windows')
rmSync(base, { recursive: true, force: true })
const waiting = scenarios.entries()
await Promise.all([worker(waiting), worker(waiting), worker(waiting)])
console.log(`${scenarios.length - failed} of ${scenarios.length} hold on ${process.platform} with Node ${process.versions.node}`)
process.exit(failed === 0 && scenarios.length > 0 ? 0 : 1)
