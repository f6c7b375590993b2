import { createClient } from '@redis/client'
import { afterEach, expect, it } from 'vitest'
import { startRedis } from '../../e2e/cluster/redis.ts'
import { defineScript } from '../redis/redis-scripts.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { PresenceKind } from './presence.ts'
import { presenceNodes, type PresenceNode } from './testing/nodes.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Viewer extends PresenceNode {
  readonly kind: PresenceKind<{ n: number }>
  /** What it knows of others. */
  readonly seen: Map<string, number>
  readonly events: string[]
}
function cluster(url = redisUrl!) {
  const nodes = presenceNodes(url)
  ends.push(() => nodes.close())
  const view = async (name: string, begins = true): Promise<Viewer> => {
    const node = await nodes.make(name)
    const seen = new Map<string, number>()
    const events: string[] = []
    const kind = node.presence.kind<{ n: number }>('thing', {
      came({ node: from, key }, { n }) {
        events.push(`came ${from} ${key}`)
        seen.set(`${from} ${key}`, n)
      },
      gone({ node: from, key }, { n }, isOurs) {
        events.push(`gone ${from} ${key}${isOurs ? ' ours' : ''}`)
        expect(seen.get(`${from} ${key}`)).toBe(n)
        seen.delete(`${from} ${key}`)
      },
    })
    if (begins) await node.presence.start()
    return { ...node, kind, seen, events }
  }
  return { prefix: nodes.prefix, view, all: (...names: string[]) => Promise.all(names.map((name) => view(name))) }
}
const filled = (from: string, count: number): Map<string, number> =>
  new Map(Array.from({ length: count }, (_, n) => [`${from} k${n}`, n]))
const fill = (node: Viewer, count: number): void => {
  for (let n = 0; n < count; n++) node.kind.put(`k${n}`, { n })
}
const sorted = (map: ReadonlyMap<string, number>): unknown => [...map].toSorted()
const passed = (ms: number): Promise<unknown> => {
  const since = performance.now()
  return eventually(() => expect(performance.now() - since).toBeGreaterThan(ms))
}

describeOnRedis('what services tell of who is connected', () => {
  it('is known to all others, also to one that starts later, until it is taken out', async () => {
    const { all, view } = cluster()
    const [a, b] = await all('a', 'b')
    fill(a!, 1000)
    b!.kind.put('one', { n: 7 })
    await eventually(() => expect(sorted(b!.seen)).toEqual(sorted(filled('a', 1000))))
    const c = await view('c')
    expect(sorted(c.seen)).toEqual(sorted(new Map([...filled('a', 1000), ['b one', 7]])))
    a!.kind.put('k3', { n: 33 })
    for (let n = 4; n < 1000; n++) a!.kind.remove(`k${n}`)
    const left = new Map([...filled('a', 4), ['a k3', 33]])
    await eventually(() => expect([sorted(b!.seen), c.seen.size]).toEqual([sorted(left), 5]))
    expect([a!.logged, b!.logged, c.logged]).toEqual([[], [], []])
  })

  it('is told before its presence begins, and is taken out at once when it ends', async () => {
    const { view } = cluster()
    const a = await view('a')
    const b = await view('b', false)
    fill(b, 1200)
    await b.presence.start()
    await eventually(() => expect(sorted(a.seen)).toEqual(sorted(filled('b', 1200))))
    const began = performance.now()
    await b.close()
    await eventually(() => expect(a.seen.size).toBe(0))
    expect(performance.now() - began).toBeLessThan(1000)
    expect(a.events.filter((event) => event.endsWith('ours'))).toEqual([])
  })

  it('is seen in one order, so that of those who come or go at the same moment one is first and one last', async () => {
    const { all } = cluster()
    const nodes = await all('a', 'b', 'c')
    // Who is still reading the entries of another has no order with it.
    for (const node of nodes) node.kind.put('begun', { n: 0 })
    await eventually(() => expect(nodes.map(({ seen }) => seen.size)).toEqual([2, 2, 2]))
    const isThere = ({ seen }: Viewer, key: string): boolean =>
      [...seen.keys()].some((each) => each.endsWith(` ${key}`))
    const [first, last] = [Array.from({ length: 100 }, () => 0), Array.from({ length: 100 }, () => 0)]
    for (let key = 0; key < 100; key++) {
      const count = (answers: readonly boolean[]): number => answers.filter((others) => !others).length
      const asked = (): Promise<boolean[]> =>
        Promise.all(nodes.map((node) => node.presence.inOrder(() => isThere(node, `k${key}`))))
      for (const node of nodes) node.kind.put(`k${key}`, { n: key })
      first[key] = count(await asked())
      for (const node of nodes) node.kind.remove(`k${key}`)
      last[key] = count(await asked())
    }
    expect(first).toEqual(Array.from({ length: 100 }, () => 1))
    expect(last).toEqual(Array.from({ length: 100 }, () => 1))
  })

  it('is taken out within 5 s of the end of a killed process, which one of the others alone is to say', async () => {
    const { all } = cluster()
    const [a, b, c] = (await all('a', 'b', 'c')) as [Viewer, Viewer, Viewer]
    for (const node of [a, b, c]) fill(node, 1000)
    await eventually(() => expect([a.seen.size, b.seen.size, c.seen.size]).toEqual([2000, 2000, 2000]))
    // A Redis that has just begun takes nobody out, and this prefix has.
    await passed(4500)
    const killed = performance.now()
    await c.kill()
    await eventually(() => expect([a.seen.size, b.seen.size]).toEqual([1000, 1000]))
    const took = performance.now() - killed
    console.log(`taken out after ${Math.round(took)} ms`)
    expect(took).toBeLessThan(5000)
    const ours = [a, b].map(({ events }) => events.filter((event) => event.endsWith(' ours')).length)
    expect(ours.toSorted((one, other) => one - other)).toEqual([0, 1000])
    expect([sorted(a.seen), sorted(b.seen)]).toEqual([sorted(filled('b', 1000)), sorted(filled('a', 1000))])
  })

  it('is nothing of an announcement that failed', async () => {
    const { view } = cluster()
    const a = await view('a')
    await a.redis.run(leftOver, ['presence:next:b'], [])
    const b = await view('b')
    b.kind.put('own', { n: 2 })
    await eventually(() => expect(sorted(a.seen)).toEqual([['b own', 2]]))
    expect(a.events).toEqual(['came b own'])
  })

  it('is that of the new process when one starts again under its name', async () => {
    const { all, view } = cluster()
    const [a, b] = (await all('a', 'b')) as [Viewer, Viewer]
    fill(b, 10)
    await eventually(() => expect(a.seen.size).toBe(10))
    await b.kill()
    const again = await view('b')
    again.kind.put('new', { n: 1 })
    await eventually(() => expect(sorted(a.seen)).toEqual([['b new', 1]]))
    expect(again.logged.join()).toContain('another run of this service is known')
  })

  it('comes to one that has missed messages', async () => {
    const { all } = cluster()
    const [a, b] = (await all('a', 'b')) as [Viewer, Viewer]
    fill(a, 10)
    await eventually(() => expect(b.seen.size).toBe(10))
    const client = createClient({ url: redisUrl! })
    await client.connect()
    ends.push(() => client.destroy())
    for (let time = 0; time < 5; time++) {
      await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub'])
      for (let n = 0; n < 50; n++) a.kind.put(`more${time} ${n}`, { n })
      a.kind.remove(`k${time}`)
      await eventually(() => expect(b.seen.size).toBe(10 + (time + 1) * 49))
    }
  })
})

describeOnRedis('a Redis that is lost', () => {
  it('is told all again when it comes back empty, and nobody is taken out meanwhile', async () => {
    const redis = await startRedis()
    ends.push(() => redis.close())
    const { all } = cluster(redis.url)
    const [a, b, c] = (await all('a', 'b', 'c')) as [Viewer, Viewer, Viewer]
    for (const node of [a, b, c]) fill(node, 700)
    await eventually(() => expect([a.seen.size, b.seen.size, c.seen.size]).toEqual([1400, 1400, 1400]))
    await redis.kill()
    await eventually(() => expect(a.presence.isCurrent()).toBe(false))
    a.kind.put('while away', { n: 1 })
    a.kind.remove('k0')
    // Nobody waits for a Redis that is not there.
    expect(await a.presence.inOrder(() => 'at once')).toBe('at once')
    expect(b.events.filter((event) => event.startsWith('gone'))).toEqual([])
    await redis.start()
    const now = new Map([...filled('a', 700), ['a while away', 1]])
    now.delete('a k0')
    await eventually(() => expect(sorted(b.seen)).toEqual(sorted(new Map([...now, ...filled('c', 700)]))))
    await eventually(() => expect([a, b, c].map(({ presence }) => presence.isCurrent())).toEqual([true, true, true]))
    // Longer than it takes to take somebody out.
    await passed(6000)
    expect(b.events.filter((event) => event.startsWith('gone'))).toEqual(['gone a k0'])
    expect(await keys(a)).toEqual(['a', 'b', 'c'])
  })

  it('by emptying alone is told all again', async () => {
    const { all } = cluster()
    const [a, b] = (await all('a', 'b')) as [Viewer, Viewer]
    fill(a, 10)
    await eventually(() => expect(b.seen.size).toBe(10))
    await a.redis.run(emptied, ['*'], [])
    a.kind.put('next', { n: 1 })
    await eventually(async () => expect(await keys(a)).toEqual(['a', 'b']))
    await eventually(() => expect(b.seen.size).toBe(11))
    expect(b.events.filter((event) => event.startsWith('gone'))).toEqual([])
  })
})
const emptied = defineScript(`for _, key in ipairs(redis.call('KEYS', KEYS[1])) do redis.call('DEL', key) end`)
const leftOver = defineScript(`redis.call('HSET', KEYS[1], 'thing left', '{"n":1}')`)
const listed = defineScript(`return redis.call('SMEMBERS', KEYS[1])`)
const keys = async ({ redis }: PresenceNode): Promise<string[]> =>
  ((await redis.run(listed, ['presence:nodes'], [])) as string[]).toSorted()
