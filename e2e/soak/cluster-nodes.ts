import { parseArgs } from 'node:util'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { killNodes } from '../cluster/node-kills.ts'
import { clusterFolder, startCluster } from '../cluster/running-cluster.ts'

/**
 * `npm run soak:nodes -- [--kills 50] [--listeners 60] [--rate 20]`: lines at three nodes, `rate` a second, while one
 * node after the other is killed and started again. One line of JSON (`KillFigures`). Ends with 1 when an acknowledged
 * line is missing at a listener or stored twice, a count is wrong for longer than 5 s, or a kick over nodes takes 1 s.
 */
const text = (fallback: string) => ({ type: 'string', default: fallback }) as const
const { values } = parseArgs({ options: { kills: text('50'), listeners: text('60'), rate: text('20') } })
const [kills, listeners, rate] = [Number(values.kills), Number(values.listeners), Number(values.rate)]
if (![kills, listeners / 3, rate].every((number) => Number.isInteger(number) && number > 0))
  throw new Error('--kills, --listeners and --rate must be whole numbers, --listeners a multiple of three')
if (missingPackages().length > 0) throw new Error(`not installed: ${missingPackages().join(', ')}`)

const folder = clusterFolder()
const cluster = await startCluster(folder.path, 3)
try {
  const figures = await killNodes(cluster, { kills, listeners, rate })
  const { missing, twice, countAfterKill, countAfterReturn, kick } = figures
  const isGood = missing === 0 && twice === 0 && Math.max(countAfterKill, countAfterReturn) <= 5000 && kick < 1000
  console.log(JSON.stringify({ ...figures, listeners, rate, isGood }))
  process.exitCode = isGood ? 0 : 1
} finally {
  await cluster.command.stop()
  folder.remove()
}
