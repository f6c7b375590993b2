import { appScenarios } from './app-scenarios.ts'
import { fileScenarios } from './file-scenarios.ts'
import { runScenario, type Scenario, scenarioFolder } from './scenario.ts'
import { serviceScenarios } from './service-scenarios.ts'

/**
 * Runs inside of Windows: every scenario, a line for each. Those of the app go one after another, because its supervisor gives a start of the
 * service 20 s; the others go beside them.
 */
const [host = '', wanted = ''] = process.argv.slice(2)
const base = `C:\\${scenarioFolder}`
const lanes = [appScenarios, [...serviceScenarios, ...fileScenarios]].map((lane) =>
  lane.filter(({ name }) => new RegExp(wanted).test(name)),
)
const count = lanes.flat().length
let begun = 0
let failed = 0

async function runLane(lane: readonly Scenario[]): Promise<void> {
  for (const scenario of lane) {
    const began = performance.now()
    try {
      await runScenario(scenario, { base, host, index: begun++ })
      console.log(`ok ${scenario.name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failed++
      console.log(`FAILED ${scenario.name}\n${error instanceof Error ? error.stack : String(error)}`)
    }
  }
}

if (process.platform !== 'win32') throw new Error('this is no Windows')
await Promise.all(lanes.map(runLane))
console.log(`${count - failed} of ${count} hold on ${process.platform} with Node ${process.versions.node}`)
process.exit(failed === 0 && count > 0 ? 0 : 1)
