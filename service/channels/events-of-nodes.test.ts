import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { nodesOf, push, type Nodes } from '../onair/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { TestService } from '../testing/start-service.ts'

let nodes: Nodes
let a: TestService
let b: TestService
beforeEach(async () => {
  nodes = await nodesOf()
  a = await nodes.start('a')
  b = await nodes.start('b')
})
afterEach(() => nodes.close())

describeOnRedis('events of a gap', () => {
  it('are told by a node that had none of the pushes, and in the same places', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    /** What a node tells of the pushes after a place. */
    const toldBy = async (service: TestService, after: number) => {
      const heard = await service.events({ after })
      await heard.next('heartbeat')
      heard.close()
      return heard.events.flatMap((event) => (event.type === 'push' ? [{ kind: event.kind, place: event.place! }] : []))
    }
    const { encoder } = await push(a.service.listening.rtmp, pushUrl)
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
    encoder.close()
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(0))
    const all = await toldBy(a, 0)
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['started', 'ended']))
    expect(await toldBy(b, 0)).toEqual(all)
    expect(await toldBy(b, all[0]!.place)).toEqual(all.slice(1))
    // What this one tells comes behind it.
    const later = await push(b.service.listening.rtmp, pushUrl)
    await eventually(async () => expect(await nodes.status(a, cid)).toBe(1))
    later.encoder.close()
    await eventually(async () => expect(await nodes.status(a, cid)).toBe(0))
    const more = await toldBy(b, all.at(-1)!.place)
    expect(more[0]).toMatchObject({ kind: 'started' })
    expect(await toldBy(a, all.at(-1)!.place)).toEqual(more)
  })
})

describeOnRedis('who subscribes at a node', () => {
  it('is told of the holds of pushes at the others, and not of those of nobody', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const { encoder } = await push(a.service.listening.rtmp, pushUrl)
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
    await eventually(async () => expect((await b.call(local.holdNow, { cid })).code).toBe(200))
    for (const service of [a, b]) {
      const heard = await service.events()
      expect(await heard.next('hold')).toMatchObject({ cid, holding: true, byHand: true })
      heard.close()
    }
    encoder.close()
  })

  it('is told of the targets of a push by its node alone', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const { encoder } = await push(a.service.listening.rtmp, pushUrl)
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
    // Nothing listens there.
    const target = { name: 'far', url: 'rtmp://127.0.0.1:1/app', key: 'key-of-the-target-1234', start: 'push' } as const
    const { targetId } = (await b.call(local.addTarget, { cid, ...target })).ret!
    const state = async (): Promise<string | undefined> => (await b.call(local.targets, { cid })).ret!.list[0]?.state
    await eventually(async () => expect(await state()).toBe('retrying'))
    const heard = await b.events()
    // Each node follows the change.
    expect((await b.call(local.updateTarget, { cid, targetId, name: 'farther' })).code).toBe(200)
    const now = Date.now()
    await heard.next('heartbeat', (event) => event.at > now)
    heard.close()
    const states = heard.events.flatMap((event) => (event.type === 'target' ? [event.state] : []))
    expect(states).toContain('retrying')
    expect(states).not.toContain('off')
    encoder.close()
  })
})
