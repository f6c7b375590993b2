import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { local, recordings } from '../../contract/operations/index.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { startFaultyServer, type FaultyServer } from '../targets/testing/faulty-server.ts'
import type { TestService } from '../testing/start-service.ts'
import { nodesOf, push, type Encoder, type Nodes } from './testing/nodes.ts'

let nodes: Nodes
let a: TestService
let b: TestService
let encoder: Encoder | undefined
let server: FaultyServer | undefined
/** A channel whose push is at A. */
let cid: string
let pushUrl: string
beforeEach(async () => {
  nodes = await nodesOf()
  a = await nodes.start('a')
  b = await nodes.start('b')
  const channel = await nodes.channel('show')
  ;({ cid, pushUrl } = channel)
  const events = await a.events()
  const pushed = await push(a.service.listening.rtmp, pushUrl)
  encoder = pushed.encoder
  await events.next('push', (event) => event.kind === 'firstKeyFrame')
  events.close()
  await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
})
afterEach(async () => {
  encoder?.close()
  await server?.close()
  server = undefined
  await nodes.close()
})
const holdAt = async (service: TestService) => (await service.call(local.hold, { cid })).ret!
const targetAt = async (service: TestService) => (await service.call(local.targets, { cid })).ret!.list[0]!

describeOnRedis('called at another node than the push is at', () => {
  it('hold and back to live act on the push, and both nodes tell its state', async () => {
    expect(await holdAt(b)).toMatchObject({ holding: false, delayed: 0 })
    const held = await b.call(local.holdNow, { cid })
    expect(held.ret).toMatchObject({ holding: true, byHand: true })
    expect(await holdAt(a)).toEqual(held.ret)
    expect(await holdAt(b)).toEqual(held.ret)
    expect((await b.call(local.holdBack, { cid })).code).toBe(200)
    await eventually(async () => expect(await holdAt(a)).toMatchObject({ holding: false, lastHeld: held.ret!.since }))
    expect(await holdAt(b)).toMatchObject({ holding: false, lastHeld: held.ret!.since })
  })

  it('a delay is set, and what waits is dumped', async () => {
    expect((await b.call(local.updateHold, { cid, delaySeconds: 30 })).ret).toMatchObject({ delayed: 30_000 })
    expect(await holdAt(a)).toMatchObject({ delaySeconds: 30, delayed: 30_000, delayChanging: true })
    await eventually(async () =>
      expect((await b.call(local.dumpDelay, { cid })).ret).toMatchObject({ discarded: expect.any(Number) as number }),
    )
    expect(await holdAt(a)).toMatchObject({ delayed: 0 })
  })

  it('a target that is added there sends, stops, starts, takes another key and is removed', async () => {
    server = await startFaultyServer()
    const key = randomBytes(12).toString('hex')
    const { targetId } = (await b.call(local.addTarget, { cid, name: 'far', url: server.url, key, start: 'hand' })).ret!
    await eventually(async () => expect(await targetAt(a)).toMatchObject({ targetId, hasKey: true, state: 'off' }))
    expect(server.connections).toBe(0)
    expect((await b.call(local.startTarget, { cid, targetId })).code).toBe(200)
    await eventually(async () => expect(await targetAt(b)).toMatchObject({ state: 'sending', hasKey: true }))
    expect(server.keys).toEqual([key])
    expect(await targetAt(a)).toMatchObject({ state: 'sending' })

    const other = randomBytes(12).toString('hex')
    expect((await b.call(local.updateTarget, { cid, targetId, key: other })).code).toBe(200)
    await eventually(() => expect(server!.keys).toEqual([key, other]))
    expect((await b.call(local.stopTarget, { cid, targetId })).code).toBe(200)
    expect(await targetAt(b)).toMatchObject({ state: 'stopped', kbps: 0 })
    expect((await b.call(local.removeTarget, { cid, targetId })).code).toBe(200)
    await eventually(async () => expect((await a.call(local.targets, { cid })).ret!.list).toEqual([]))
  })

  it('the recording that runs is told', async () => {
    await b.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 1, duration: 120 })
    await eventually(async () =>
      expect((await b.call(local.recordingState, { cid })).ret).toMatchObject({ recording: true, state: 'recording' }),
    )
    const { since } = (await a.call(local.recordingState, { cid })).ret!
    expect((await b.call(local.recordingState, { cid })).ret).toMatchObject({ since })
  })

  it('a clip of what is on air is made, played and cut', async () => {
    const clip = await eventually(async () => {
      const taken = await b.call(local.takeClip, { cid, seconds: 10, name: 'far' })
      expect(taken.code).toBe(200)
      return taken.ret!
    })
    const listed = async (service: TestService) => (await service.call(local.allRecordedFiles, {})).ret!.list
    expect(await listed(b)).toEqual(await listed(a))
    const { url } = (await b.call(local.playbackTicket, { vid: clip.vid })).ret!
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(clip.bytes)

    const to = Math.min(clip.duration, 900)
    const { taskId, vid } = (await b.call(local.trim, { vidList: [clip.vid], from: 200, to, name: 'cut' })).ret!
    await eventually(async () =>
      expect((await a.call(local.mergeTasks, {})).ret!.list.find((task) => task.taskId === taskId)).toMatchObject({
        state: 'done',
      }),
    )
    expect((await listed(b)).find((file) => file.vid === vid)).toMatchObject({ name: 'cut', merged: true })
  })

  it('what the other node refuses has its code and words', async () => {
    const refused = await b.call(local.stopTarget, { cid, targetId: 4711 })
    expect(refused).toMatchObject({ code: 618, msg: 'this channel has no such target' })
  })

  it('a key is known to a node that starts later', async () => {
    server = await startFaultyServer()
    const key = randomBytes(12).toString('hex')
    await b.call(local.addTarget, { cid, name: 'far', url: server.url, key, start: 'hand' })
    const late = await nodes.start('c')
    encoder!.close()
    await eventually(async () => expect(await nodes.status(late, cid)).toBe(0))
    await eventually(async () => expect(await targetAt(late)).toMatchObject({ hasKey: true }))
  })

  it('a key that was changed at the same address while a node was away is what that sends with', async () => {
    server = await startFaultyServer()
    encoder!.close()
    const away = await nodes.start('c', { targetKeysInFile: true })
    await eventually(async () => expect(await nodes.status(away, cid)).toBe(0))
    const { targetId } = (await b.call(local.addTarget, { cid, name: 'far', url: server.url, key: 'first' })).ret!
    await eventually(async () => expect(await targetAt(away)).toMatchObject({ hasKey: true }))
    await away.stop()
    expect((await b.call(local.updateTarget, { cid, targetId, key: 'second' })).code).toBe(200)
    const back = await nodes.start('c', { targetKeysInFile: true, dataDir: away.dataDir })
    ;({ encoder } = await push(back.service.listening.rtmp, pushUrl))
    await eventually(() => expect(server!.keys).toEqual(['second']))
  })
})
