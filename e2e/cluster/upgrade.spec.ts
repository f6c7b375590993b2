import path from 'node:path'
import { expect, test } from 'playwright/test'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { ownBuild } from '../soak/build-of.ts'
import { nodePrograms } from './node-programs.ts'
import { clusterFolder, startCluster } from './running-cluster.ts'
import { upgrade } from './upgrade-run.ts'

/** `npm run soak:upgrade` in short: nodes of this build are replaced by themselves. */
test.skip(missingPackages().length > 0, `not installed: ${missingPackages().join(', ')}`)

test('nodes are replaced one after the other without a lost line, with a push on air', async () => {
  const folder = clusterFolder()
  const names = ['node-1', 'node-2', 'node-3']
  const programs = nodePrograms(path.join(folder.path, 'programs'), names, ownBuild)
  const cluster = await startCluster(folder.path, names.length, ['--programs', programs.folder])
  try {
    const result = await upgrade(cluster, { people: 20, linesPerSecond: 20, programs, after: ownBuild })
    expect(result).toMatchObject({
      people: 20,
      switches: names.map((node) => ({ node, pairs: 6 })),
      missing: 0,
      twice: 0,
      storedTwice: 0,
      unordered: 0,
      faults: { untold: {} },
    })
    expect(result.acknowledged).toBeGreaterThan(100)
    // Each node that ended said so: clients come again at once, and are not asked for their log-in anew by a timeout.
    expect(Object.keys(result.closes)).toEqual(['1001'])
  } finally {
    await cluster.command.stop()
    folder.remove()
  }
})
