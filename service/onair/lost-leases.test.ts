import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { startRedis, type Redis } from '../../e2e/cluster/redis.ts'
import { until } from '../testing/condition.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { TestService } from '../testing/start-service.ts'
import { nodesOf, push, type Encoder, type Nodes } from './testing/nodes.ts'

let redis: Redis
let nodes: Nodes
let a: TestService
const encoders: Encoder[] = []
beforeEach(async () => {
  redis = await startRedis()
  nodes = await nodesOf(redis.url)
  a = await nodes.start('a')
})
afterEach(async () => {
  for (const encoder of encoders.splice(0)) encoder.close()
  await nodes.close()
  await redis.close()
})
const publish = async (port: number, pushUrl: string) => {
  const pushed = await push(port, pushUrl)
  encoders.push(pushed.encoder)
  return pushed
}
const isStatus = (service: TestService, cid: string, status: number) =>
  eventually(async () => expect(await nodes.status(service, cid)).toBe(status))
const portOf = (url: string): number => Number(new URL(url).port)

describeOnRedis('a push whose node', () => {
  it('is killed begins anew at the other one, as its lease ends', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const killed = nodes.process('b')
    const { rtmpUrl } = await killed.ready
    const third = await nodes.start('c')
    const heard = await a.events()
    expect((await publish(portOf(rtmpUrl), pushUrl)).code).toBe('NetStream.Publish.Start')
    await isStatus(a, cid, 1)
    killed.child.kill('SIGKILL')
    const at = performance.now()
    await killed.exited
    await eventually(async () =>
      expect((await publish(a.service.listening.rtmp, pushUrl)).code).toBe('NetStream.Publish.Start'),
    )
    expect(performance.now() - at).toBeLessThan(10_000)
    expect(await nodes.status(a, cid)).toBe(1)
    // Its end is told by one of the others, before the next begin, and is kept by each.
    const turns = (events: typeof heard.events) =>
      events.flatMap((event) =>
        event.type === 'push' && (event.kind === 'started' || event.kind === 'ended') ? [event] : [],
      )
    await eventually(async () => expect(turns(heard.events).length).toBeGreaterThanOrEqual(3))
    heard.close()
    const told = turns(heard.events).slice(0, 3)
    expect(told.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['started', undefined],
      ['ended', 'node'],
      ['started', undefined],
    ])
    const late = await third.events({ after: 0 })
    await late.next('heartbeat')
    late.close()
    expect(turns(late.events).slice(0, 3)).toEqual(told)
  })

  it('stood still ends there, where another node has it meanwhile', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const still = nodes.process('b')
    const { rtmpUrl } = await still.ready
    const { code, encoder } = await publish(portOf(rtmpUrl), pushUrl)
    expect(code).toBe('NetStream.Publish.Start')
    await isStatus(a, cid, 1)
    still.child.kill('SIGSTOP')
    // What is asked of it meanwhile is refused after a bounded time.
    expect(await a.call(local.holdNow, { cid })).toMatchObject({
      code: 501,
      msg: expect.stringContaining('(b)') as string,
    })
    await eventually(async () =>
      expect((await publish(a.service.listening.rtmp, pushUrl)).code).toBe('NetStream.Publish.Start'),
    )
    const since = (await a.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.since
    still.child.kill('SIGCONT')
    await encoder.client.until(() => encoder.client.ended)
    await until('it says why', () => still.log().includes('another node has this channel on air'))
    expect((await a.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]).toMatchObject({ status: 1, since })
  })
})

describeOnRedis('while Redis is away', () => {
  it('a push goes on and new ones begin; of two pushes of a channel the older one is left as it is back', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const { cid: other, pushUrl: otherUrl } = await nodes.channel('b')
    const b = await nodes.start('b')
    const { encoder } = await publish(a.service.listening.rtmp, pushUrl)
    await isStatus(b, cid, 1)
    await redis.kill()
    const before = a.service.mediaPackets()
    // What is known of the other node holds for a while; then nobody is kept out.
    let late: Encoder | undefined
    await eventually(async () => {
      const pushed = await publish(b.service.listening.rtmp, pushUrl)
      expect(pushed.code).toBe('NetStream.Publish.Start')
      late = pushed.encoder
    })
    const alone = await publish(b.service.listening.rtmp, otherUrl)
    expect(alone.code).toBe('NetStream.Publish.Start')
    expect([await nodes.status(a, cid), await nodes.status(b, cid), await nodes.status(b, other)]).toEqual([1, 1, 1])
    expect([encoder.client.ended, late!.client.ended]).toEqual([false, false])
    expect(a.service.mediaPackets()).toBeGreaterThan(before)
    await redis.start()
    await late!.client.until(() => late!.client.ended)
    await isStatus(a, other, 1)
    const since = (await a.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.since
    await eventually(async () =>
      expect((await b.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]).toMatchObject({ status: 1, since }),
    )
    expect([encoder.client.ended, alone.encoder.client.ended]).toEqual([false, false])
  })
})
