import { expect, test } from 'playwright/test'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { expectWithin } from '../pace.ts'
import { killNodes } from './node-kills.ts'
import { clusterFolder, startCluster } from './running-cluster.ts'

/** Each node is killed once under load; `npm run soak:nodes` does it fifty times. */
test.skip(missingPackages().length > 0, `not installed: ${missingPackages().join(', ')}`)

test('nodes that are killed under load take no acknowledged line with them, and are counted without', async () => {
  test.setTimeout(180_000)
  const folder = clusterFolder()
  try {
    const cluster = await startCluster(folder.path, 3)
    try {
      const figures = await killNodes(cluster, { kills: 3, listeners: 12, rate: 20 })
      expect(figures).toMatchObject({ kills: 3, missing: 0, twice: 0 })
      expect(figures.lines).toBeGreaterThan(20)
      expectWithin(figures.countAfterKill, 5000)
      expectWithin(figures.countAfterReturn, 5000)
      expectWithin(figures.kick, 1000)
    } finally {
      await cluster.command.stop()
    }
  } finally {
    folder.remove()
  }
})
