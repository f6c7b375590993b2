import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { createNodeCommands } from '../bus/node-commands.ts'
import { silentLog } from '../log.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { startCluster } from '../testing/start-cluster.ts'
import type { AskedQuarantine } from './own-quarantine.ts'
import { quarantineOfNodes } from './quarantine-of-nodes.ts'

/** Nodes with one entry each, named as the node, and what was asked of each. */
function made(...names: string[]) {
  const bus = createMemoryBus({ log: silentLog })
  const topics = new Map<string, unknown>()
  // One bus for all: each of them makes its topics.
  const shared = {
    topic: (name: string) => topics.get(name) ?? topics.set(name, bus.topic(name)).get(name),
  } as unknown as Parameters<typeof createNodeCommands>[0]
  const clock = manualClock()
  const there = new Set(names)
  const asked: string[] = []
  const broken = new Set<string>()
  const nodes = names.map((name, at) => {
    const own: AskedQuarantine = {
      list: () => ({
        list: [
          {
            id: name,
            at,
            reason: 'unknown',
            detail: '',
            paths: ['files/a'],
            count: 1,
            bytes: 5,
            seen: false,
            until: 9,
          },
        ],
        count: 1,
        bytes: 5,
      }),
      async restore(uid, id) {
        if (broken.has(name)) throw new Error('no room')
        if (id !== name) return undefined
        asked.push(`${name} restores for ${uid}`)
        return { restored: 1, taken: [] }
      },
      async remove(_uid, id) {
        if (id === name) asked.push(`${name} removes`)
        return id === name
      },
      async see(_uid, ids) {
        asked.push(`${name} sees ${ids.join()}`)
      },
    }
    const commands = createNodeCommands(shared, name)
    const otherNodes = (): string[] => [...there].filter((other) => other !== name)
    return quarantineOfNodes({ otherNodes, commands, clock, log: silentLog }, own)
  })
  return { nodes, asked, there, broken, clock }
}

it('are listed together, newest first, each entry with its node', async () => {
  const { nodes } = made('a', 'b', 'c')
  const { list, ...sums } = await nodes[1]!.list(7)
  expect(list.map(({ id, node }) => [id, node])).toEqual([
    ['c', 'c'],
    ['b', 'b'],
    ['a', 'a'],
  ])
  expect(sums).toEqual({ count: 3, bytes: 15 })
})

it('put back, delete and note at the node that has the entry', async () => {
  const { nodes, asked } = made('a', 'b', 'c')
  expect(await nodes[0]!.restore(7, 'c')).toEqual({ restored: 1, taken: [] })
  expect(await nodes[0]!.remove(7, 'b')).toBe(true)
  expect(await nodes[0]!.restore(7, 'a')).toEqual({ restored: 1, taken: [] })
  expect([await nodes[0]!.restore(7, 'none'), await nodes[0]!.remove(7, 'none')]).toEqual([undefined, false])
  expect(asked).toEqual(['c restores for 7', 'b removes', 'a restores for 7'])
  await nodes[0]!.see(7, ['c'])
  expect(asked.slice(3).sort()).toEqual(['a sees c', 'b sees c', 'c sees c'])
})

it('name a node that does not answer, or failed, and answer without it', async () => {
  const { nodes, there, broken, clock } = made('a', 'b')
  there.add('silent')
  const listing = nodes[0]!.list(7)
  await eventually(() => expect(clock.waiting()).toBe(1))
  clock.advance(3000)
  expect(await listing).toMatchObject({ count: 2, silent: ['silent'] })
  const restoring = nodes[0]!.restore(7, 'none').catch((error: unknown) => error)
  await eventually(() => expect(clock.waiting()).toBe(1))
  clock.advance(20_000)
  expect(await restoring).toMatchObject({ code: 501, message: expect.stringContaining('silent;') as unknown })
  there.delete('silent')
  broken.add('b')
  await expect(nodes[0]!.restore(7, 'b')).rejects.toMatchObject({ code: 501 })
})

describeOnRedis('what the folder of a node has that the database does not know', () => {
  it('is listed and put back by a call at another node', async () => {
    const cluster = await startCluster(2)
    try {
      const [a, b] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]]
      const { cid } = (await a.call(live.create, { name: 'left' })).ret!
      mkdirSync(join(b.dataDir, 'recordings', cid), { recursive: true })
      writeFileSync(join(b.dataDir, 'recordings', cid, '90.mp4'), 'the film')
      await cluster.restart(1)
      const entry = await eventually(async () => {
        const { list } = (await a.call(local.quarantine, {})).ret!
        expect(list).toMatchObject([{ paths: [`recordings/${cid}/90.mp4`], node: 'b' }])
        return list[0]!
      })
      expect((await a.call(local.restoreQuarantined, { id: entry.id })).ret).toEqual({ restored: 1, taken: [] })
      const files = await a.call(local.recordedFiles, { cid, beginTime: 0, endTime: Number.MAX_SAFE_INTEGER })
      expect(files.ret!.list.map(({ vid }) => vid)).toEqual([90])
      expect((await a.call(local.quarantine, {})).ret!.list).toEqual([])
    } finally {
      await cluster.close()
    }
  })
})
