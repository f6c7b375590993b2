import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { defineScript } from '../redis/redis-scripts.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createAuthentication, isFault } from './authentication.ts'
import { createSharedCheckSums } from './shared-check-sums.ts'

describeOnRedis('used CheckSums of the nodes of a cluster', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>
  beforeEach(async () => void (nodes = await openNodes()))
  afterEach(() => nodes.close())
  const now = (): number => Math.floor(Date.now() / 1000)
  const sumsOf = (limit?: number) =>
    [nodes.one, nodes.other].map((redis) =>
      createSharedCheckSums({ redis, clock: systemClock, ...(limit !== undefined && { limit }) }),
    ) as [ReturnType<typeof createSharedCheckSums>, ReturnType<typeof createSharedCheckSums>]

  it('are refused at each, however many ask at once, and those of other applications are others', async () => {
    const [one, other] = sumsOf()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).take(1, 'sum', now() + 2)),
    )
    expect(answers.filter((taken) => taken === 'fresh')).toHaveLength(1)
    expect(answers.filter((taken) => taken === 'used')).toHaveLength(39)
    expect(await one.take(2, 'sum', now() + 2)).toBe('fresh')
    expect(nodes.logged).toEqual([])
  })

  it('may be so many, over all nodes', async () => {
    const [one, other] = sumsOf(3)
    const answers = []
    for (const [n, sums] of [one, other, one, other, one].entries())
      answers.push(await sums.take(1, `s${n}`, now() + 2))
    expect(answers).toEqual(['fresh', 'fresh', 'fresh', 'full', 'full'])
  })

  it('that may have been used unremembered are refused: before the first, and while the setting was off', async () => {
    const [one, other] = sumsOf()
    expect(await one.take(1, 'before', now() - 5)).toBe('early')
    expect(await one.take(1, 'first', now() + 2)).toBe('fresh')
    const signed = now()
    await eventually(() => expect(now()).toBeGreaterThan(signed + 1))
    expect(await one.take(1, 'of then', signed + 1)).toBe('fresh')
    // A call of node `other` was not remembered.
    other.passed(1)
    await eventually(async () => expect(await one.take(1, `old ${Math.random()}`, signed + 1)).toBe('early'))
    expect(await one.take(1, 'new', now() + 2)).toBe('fresh')
  })

  it('are unknown while Redis is away, and earlier ones are refused when it has lost them', async () => {
    const [one, other] = sumsOf()
    const signed = now() + 2
    expect(await one.take(1, 'sum', signed)).toBe('fresh')
    await nodes.kill()
    for (const sums of [one, other]) expect(await sums.take(1, 'another', now())).toBe('away')
    // A call while the setting is off cannot be told.
    one.passed(2)
    await nodes.start()
    await eventually(() => expect(now()).toBeGreaterThan(signed))
    expect(await other.take(1, 'sum', signed)).toBe('early')
    expect(await other.take(1, 'new', now() + 2)).toBe('fresh')
    expect(await one.take(1, 'new', now() + 2)).toBe('used')
    // It is told with the next one that is remembered.
    const before = now()
    expect(await other.take(2, 'that', before + 2)).toBe('fresh')
    await eventually(() => expect(now()).toBeGreaterThan(before))
    expect(await one.take(2, 'this', before)).toBe('early')
    expect(await one.take(2, 'that one', now() + 2)).toBe('fresh')
  })

  it('that a server may have lost, which came back from an older copy, are refused', async () => {
    const [one, other] = sumsOf()
    await one.take(1, 'first', now())
    const signed = now() + 1
    await eventually(() => expect(now()).toBeGreaterThan(signed))
    expect(await one.take(1, 'sum', signed)).toBe('fresh')
    const since = await nodes.one.run(defineScript(`return redis.call('GET', KEYS[1])`), ['checksums:since:1'], [])
    await nodes.kill()
    await nodes.start()
    await nodes.one.run(defineScript(`redis.call('SET', KEYS[1], ARGV[1])`), ['checksums:since:1'], [String(since)])
    expect(await other.take(1, 'sum', signed)).toBe('early')
    expect(await other.take(1, 'new', now() + 2)).toBe('fresh')
  })

  it('make a request fail with what a client may send again, signed anew', async () => {
    const settings = { oneTimeCheckSum: true }
    const application = { uid: 1, appKey: 'k', appSecret: 's', settings }
    const [one, other] = [nodes.one, nodes.other].map((redis) =>
      createAuthentication({
        byKey: (appKey) => (appKey === 'k' ? application : undefined),
        clock: systemClock,
        random: (bytes) => Buffer.alloc(bytes),
        redis,
      }),
    )
    const signedAt = (curTime: number, nonce: string) => {
      const checksum = createHash('sha1').update(`s${nonce}${curTime}`).digest('hex')
      return { headers: { appkey: 'k', nonce, curtime: String(curTime), checksum }, rawHeaders: [] }
    }
    const call = async (node: typeof one, request: ReturnType<typeof signedAt>) => {
      const outcome = node!.check(request)
      return isFault(outcome) ? outcome.kind : (await node!.once!(outcome, request))?.kind
    }
    const request = signedAt(now() + 2, 'n')
    expect([await call(one, request), await call(other, request)]).toEqual([undefined, 'repeated'])
    await nodes.kill()
    expect(await call(one, signedAt(now() + 2, 'm'))).toBe('unknown')
    // Wrong ones are refused as ever, and those of an application without the setting are let through.
    expect(await call(one, { ...request, headers: { ...request.headers, checksum: 'f'.repeat(40) } })).toBe('failed')
    settings.oneTimeCheckSum = false
    expect(await call(one, request)).toBeUndefined()
  })
})
