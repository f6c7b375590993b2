import path from 'node:path'
import { parseArgs } from 'node:util'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { nodePrograms } from '../cluster/node-programs.ts'
import { clusterFolder, startCluster } from '../cluster/running-cluster.ts'
import { isGood, upgrade } from '../cluster/upgrade-run.ts'
import { buildOf, ownBuild } from './build-of.ts'

/**
 * `npm run soak:upgrade -- [--before COMMIT] [--people 200]`: a cluster of three nodes of an earlier commit is replaced
 * by this checkout, node after node, with people in a room, 20 lines a second, a push and its players. A line of JSON
 * for each node and one for all; ends with 1 when a line was lost, repeated or out of order, or a call failed without
 * an answer that has a client call again. Without `--before` nodes of this checkout are replaced by themselves.
 */
const { values } = parseArgs({ options: { before: { type: 'string' }, people: { type: 'string', default: '200' } } })
const people = Number(values.people)
const say = (line: string): void => console.log(line)

if (missingPackages().length > 0) throw new Error(`not installed: ${missingPackages().join(', ')}`)
const folder = clusterFolder()
try {
  say(values.before === undefined ? 'before: this checkout' : `before: ${values.before}`)
  const before = values.before === undefined ? ownBuild : await buildOf(values.before, folder.path)
  const names = ['node-1', 'node-2', 'node-3']
  const programs = nodePrograms(path.join(folder.path, 'programs'), names, before)
  const cluster = await startCluster(folder.path, names.length, ['--programs', programs.folder])
  try {
    const result = await upgrade(cluster, { people, linesPerSecond: 20, programs, after: ownBuild, say })
    say(JSON.stringify({ ...result, switches: result.switches.length, isGood: isGood(result) }))
    process.exitCode = isGood(result) ? 0 : 1
  } finally {
    await cluster.command.stop()
  }
} finally {
  folder.remove()
}
