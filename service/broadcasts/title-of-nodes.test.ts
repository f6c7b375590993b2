import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
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

const details = async (service: TestService, cid: string) =>
  (await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!
const watched = async ({ service }: TestService, cid: string): Promise<WatchState> =>
  (await fetch(`${service.own.mediaUrl}/watch/${cid}/state`)).json() as Promise<WatchState>

describeOnRedis('the title of a broadcast', () => {
  it('is the next one that any node was told, and the same for the viewers of each', async () => {
    const { cid, pushUrl } = await nodes.channel('a')
    const heard = await b.events()
    expect((await a.call(local.setNextTitle, { cid, title: 'Requests' })).code).toBe(200)
    await heard.next('tally', ({ nextTitle }) => nextTitle === 'Requests')
    const { encoder } = await push(b.service.listening.rtmp, pushUrl)
    for (const service of [a, b])
      await eventually(async () => {
        expect(await watched(service, cid)).toMatchObject({ live: true, broadcastTitle: 'Requests' })
        expect(await details(service, cid)).toMatchObject({ broadcastTitle: 'Requests' })
        expect(await details(service, cid)).not.toHaveProperty('nextTitle')
      })
    const { broadcastId = '' } = await details(a, cid)
    expect((await a.call(local.setBroadcastTitle, { broadcastId, title: 'Covers' })).code).toBe(200)
    for (const service of [a, b])
      await eventually(async () => expect(await watched(service, cid)).toMatchObject({ broadcastTitle: 'Covers' }))
    heard.close()
    encoder.close()
  })
})
