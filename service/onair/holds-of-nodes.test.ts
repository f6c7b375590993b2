import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'
import { nodesOf, push, type Encoder, type Nodes } from './testing/nodes.ts'

let nodes: Nodes
let a: TestService
let b: TestService
let channel: { readonly cid: string; readonly pushUrl: string }
const encoders: Encoder[] = []
const players: RtmpTestClient[] = []
beforeEach(async () => {
  nodes = await nodesOf()
  a = await nodes.start('a')
  b = await nodes.start('b')
  channel = await nodes.channel('show')
})
afterEach(async () => {
  for (const one of [...encoders.splice(0), ...players.splice(0)]) one.close()
  await nodes.close()
})
const begin = (at: TestService): Promise<Encoder> =>
  eventually(async () => {
    const { code, encoder } = await push(at.service.listening.rtmp, channel.pushUrl)
    encoders.push(encoder)
    expect(code).toBe('NetStream.Publish.Start')
    return encoder
  })
const holdAt = async (at: TestService) => (await at.call(local.hold, { cid: channel.cid })).ret!
/** What a watch page says that is served at a node. */
const pageAt = async (at: TestService) =>
  JSON.parse(
    (await httpRequest(`${at.service.own.mediaUrl}/watch/${channel.cid}/state`, { method: 'GET' })).text,
  ) as Record<string, unknown>
const isOnAir = (at: TestService, status = 1) =>
  eventually(async () => expect(await nodes.status(at, channel.cid)).toBe(status))
const play = async (at: TestService): Promise<RtmpTestClient> => {
  const player = await RtmpTestClient.open(at.service.listening.rtmp)
  players.push(player)
  await player.connect()
  expect(await player.ask('play', channel.cid)).toBe('NetStream.Play.Start')
  return player
}
const pictures = ({ heard }: RtmpTestClient) =>
  heard.filter(({ type, body }) => type === rtmpType.video && body[1] === 1)

describeOnRedis('a push that is held', () => {
  it('by hand is so at the other node to which its encoder returns, until it is ended at either', async () => {
    const { cid } = channel
    const first = await begin(a)
    await isOnAir(b)
    await eventually(async () => expect((await b.call(local.holdNow, { cid })).code).toBe(200))
    const { since } = await holdAt(a)
    await eventually(async () => expect(await pageAt(b)).toMatchObject({ held: since }))
    // It is lost, as only an encoder that ends in order ends the hold.
    first.client.socket.destroy()
    await isOnAir(b, 0)
    await eventually(async () => expect((await holdAt(b)).nextHeldUntil).toBeGreaterThan(since!))
    await begin(b)
    await isOnAir(a)
    const held = { holding: true, byHand: true, noPicture: true, since }
    for (const node of [a, b]) expect(await holdAt(node)).toMatchObject(held)
    for (const node of [a, b])
      await eventually(async () => expect(await pageAt(node)).toMatchObject({ held: since, noPicture: true }))
    const watching = [await play(a), await play(b)]
    const before = b.service.mediaPackets()
    await eventually(() => expect(b.service.mediaPackets()).toBeGreaterThan(before + 80))
    expect(watching.map((player) => pictures(player).length)).toEqual([0, 0])

    expect((await a.call(local.holdBack, { cid })).code).toBe(200)
    for (const player of watching) await player.until(() => pictures(player).length > 0)
    for (const node of [a, b]) await eventually(async () => expect((await holdAt(node)).holding).toBe(false))
    await eventually(async () => expect(await pageAt(a)).not.toHaveProperty('held'))
  })

  it('until its encoder returns goes on at the other node, which tells of the hold and shows the picture', async () => {
    const { cid } = channel
    await b.call(local.updateHold, { cid, holdSeconds: 600 })
    await eventually(async () => expect((await holdAt(a)).holdSeconds).toBe(600))
    const first = await begin(a)
    const player = await play(a)
    await player.until(() => pictures(player).length > 0)
    await isOnAir(b)
    first.close()
    await eventually(async () => expect(await holdAt(b)).toMatchObject({ holding: true }))
    const { since } = await holdAt(b)
    await eventually(async () => expect(await pageAt(b)).toMatchObject({ held: since }))
    const events = await a.events()
    await begin(b)
    await events.next('hold', ({ holding, lastHeld }) => !holding && lastHeld === since)
    events.close()
    for (const node of [a, b])
      await eventually(async () => expect(await holdAt(node)).toMatchObject({ holding: false, lastHeld: since }))
    const again = await play(a)
    await again.until(() => pictures(again).length > 0)
    await eventually(async () => expect(await pageAt(a)).not.toHaveProperty('held'))
  })
})
