import { request } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { pageHeader, type WatchState } from '../../contract/watch.ts'
import { nodesOf, push, type Encoder, type Nodes } from '../onair/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'

let nodes: Nodes
/** Has the push. */
let a: TestService
let b: TestService
let encoder: Encoder
let cid: string
const leaves: (() => void)[] = []
beforeEach(async () => {
  nodes = await nodesOf()
  a = await nodes.start('a', { trustedProxies: ['127.0.0.1'] })
  b = await nodes.start('b', { trustedProxies: ['127.0.0.1'] })
  const channel = await nodes.channel('a')
  cid = channel.cid
  encoder = (await push(a.service.listening.rtmp, channel.pushUrl)).encoder
  await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
})
afterEach(async () => {
  for (const leave of leaves.splice(0)) leave()
  encoder.close()
  await nodes.close()
})

/** A watch page at an address of its own. */
function pageOf(number: number, cookie?: string) {
  const id = `page-of-person-${number}`
  const headers = { 'x-forwarded-for': `198.51.100.${number}`, [pageHeader]: id, ...(cookie && { cookie }) }
  return {
    async state(service: TestService): Promise<Pick<WatchState, 'gate' | 'ahead' | 'isLinkFull'>> {
      const url = `${service.service.own.mediaUrl}/watch/${cid}/state`
      const { status, text } = await httpRequest(url, { method: 'GET', headers: Object.entries(headers) })
      expect(status).toBe(200)
      const { gate, ahead, isLinkFull } = JSON.parse(text) as WatchState
      return { ...(gate && { gate }), ...(ahead !== undefined && { ahead }), ...(isLinkFull && { isLinkFull }) }
    },
    /** Plays over HTTP-FLV, from where the node leads to; the returned function ends it. */
    async play(service: TestService): Promise<() => void> {
      const { status, headers: led } = await httpRequest(`${service.service.own.mediaUrl}/live/${cid}.flv?page=${id}`, {
        method: 'GET',
        headers: Object.entries(headers),
      })
      expect(status).toBe(302)
      return new Promise((resolve, reject) => {
        const outgoing = request(led.location!, { headers, agent: false }, (answer) => {
          answer.once('error', () => undefined)
          const leave = (): void => void outgoing.destroy()
          leaves.push(leave)
          if (answer.statusCode === 200) answer.once('data', () => resolve(leave))
          else reject(new Error(`status ${answer.statusCode}`))
          answer.resume()
        })
        outgoing.once('error', reject)
        outgoing.end()
      })
    },
  }
}

describeOnRedis('pages of a channel whose push another node has', () => {
  it('wait in one line, whichever node they ask, and who plays is not told to wait', async () => {
    await b.call(local.updateWatchLimits, { maxViewers: 1 })
    await eventually(async () => expect((await a.call(local.watchLimits, {})).ret!.maxViewers).toBe(1))
    const [first, second, third] = [pageOf(1), pageOf(2), pageOf(3)]
    const leave = await first.play(b)
    for (const node of [a, b]) expect(await first.state(node)).toEqual({})
    expect(await second.state(b)).toEqual({ gate: 'full', ahead: 0 })
    expect(await third.state(a)).toEqual({ gate: 'full', ahead: 1 })
    expect(await third.state(b)).toEqual({ gate: 'full', ahead: 1 })
    expect(await second.state(a)).toEqual({ gate: 'full', ahead: 0 })
    for (const node of [a, b])
      await eventually(async () => {
        const { ret } = await node.call(local.watchLimits, {})
        expect([ret!.viewers, ret!.waiting]).toEqual([1, 2])
      })
    leave()
    // Its place is kept for it for a while.
    await eventually(async () => expect(await second.state(b)).toEqual({}))
    expect(await third.state(b)).toEqual({ gate: 'full', ahead: 1 })
    await second.play(b)
    await eventually(async () => expect(await third.state(b)).toEqual({ gate: 'full', ahead: 0 }))
  })

  it('by a link have its places over all nodes', async () => {
    await b.call(local.updateAccess, { cid, mode: 'links' })
    const { url } = (await b.call(local.addNamedLink, { cid, name: 'Ann', maxViewers: 1 })).ret!
    const { headers } = await eventually(async () => {
      const answer = await httpRequest(url, { method: 'GET' })
      expect(answer.headers['set-cookie']).toBeDefined()
      return answer
    })
    const cookie = headers['set-cookie']![0]!.split(';')[0]!
    await eventually(async () => expect(await pageOf(9, cookie).state(a)).toEqual({}))
    const first = pageOf(1, cookie)
    const leave = await first.play(b)
    for (const node of [a, b]) {
      expect(await first.state(node)).toEqual({})
      expect(await pageOf(2, cookie).state(node)).toEqual({ gate: 'full', isLinkFull: true })
      await eventually(async () => {
        const { ret } = await node.call(local.access, { cid })
        expect([ret!.viewers, ret!.links[0]!.viewers]).toEqual([1, 1])
      })
    }
    leave()
    for (const node of [a, b]) await eventually(async () => expect(await pageOf(2, cookie).state(node)).toEqual({}))
  })

  it('are told of once to each who hears the events: changes of who may watch, and of limits', async () => {
    const events = await Promise.all([a.events(), b.events()])
    await b.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'open sesame' })
    await a.call(local.updateWatchLimits, { maxViewers: 7 })
    for (const heard of events) {
      await heard.next('access', (event) => event.mode === 'passphrase')
      await heard.next('limits', (event) => event.maxViewers === 7)
    }
    await a.call(local.updateAccess, { cid, closed: true })
    await a.call(local.updateWatchLimits, { maxViewers: 8 })
    for (const heard of events) {
      await heard.next('access', (event) => event.closed)
      await heard.next('limits', (event) => event.maxViewers === 8)
      const told = heard.events.flatMap((event) => {
        if (event.type === 'access') return [`closed ${event.closed}`]
        return event.type === 'limits' ? [`most ${event.maxViewers}`] : []
      })
      expect(told.toSorted()).toEqual(['closed false', 'closed true', 'most 7', 'most 8'])
      heard.close()
    }
  })
})
