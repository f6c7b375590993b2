import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { Answer } from '../../contract/operation.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { createLog } from '../log.ts'
import { FlvReader } from '../media/flv-reader.ts'
import { until } from '../testing/condition.ts'
import { startPublisher, type Publisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { refusalText, startFaultyServer, type FaultyServer } from './testing/faulty-server.ts'
import { startNodeMediaServerTarget } from './testing/node-media-server.ts'
import { startNginxTarget, type NginxTarget } from './testing/nginx-target.ts'

type Listed = Answer<typeof local.targets>['ret']['list'][number]

const folder = temporaryFolder()
let file: string
let nginx: NginxTarget
let service: TestService
let logged = ''

beforeAll(async () => {
  file = await encodeFixture(folder.path, 'push', { duration: 6, gop: 30, bFrames: 2, bitrate: '800k' })
  nginx = await startNginxTarget()
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void (logged += line) } })
  service = await startService({ log, targetAuthority: nginx.ca })
})
afterAll(async () => {
  await service.close()
  await nginx.stop()
  folder.remove()
})

const create = async (name: string) => (await service.call(live.create, { name })).ret!
const add = async (cid: string, url: string, key: string | undefined, start: 'push' | 'hand' = 'push') =>
  (await service.call(local.addTarget, { cid, name: 'there', url, key, start })).ret!.targetId
const listed = async (cid: string): Promise<Listed> => (await service.call(local.targets, { cid })).ret!.list[0]!
const becomes = (cid: string, state: string): Promise<Listed> =>
  until(`the target is ${state}`, async () => {
    const target = await listed(cid)
    return target.state === state ? target : undefined
  })

/** Access units of an FLV in their order: track and hash of the body. */
const unitsOf = (bytes: Buffer): string[] => {
  const units: string[] = []
  const reader = new FlvReader((tag) => {
    if (tag.kind !== 'data') units.push(`${tag.kind} ${hash('sha256', tag.body, 'hex')}`)
  })
  reader.push(bytes)
  return units
}
/** What a player gets of a push until its end. */
async function pulled(url: string): Promise<Buffer> {
  const response = await fetch(url)
  const parts: Uint8Array[] = []
  try {
    for await (const part of response.body!) parts.push(part)
  } catch {
    // The end of a stream may be the end of its connection.
  }
  return Buffer.concat(parts)
}
const onAir = (cid: string) => until('on air', async () => (await service.call(live.state, { cid })).ret?.status === 1)

/** Bytes of a recording with some seconds of the file. */
const enough = 250_000

describe('a target', () => {
  it('gets the same access units in the same order, over RTMP and over RTMPS with a verified certificate', async () => {
    const { cid, pushUrl, httpPullUrl } = await create('units')
    await add(cid, nginx.rtmpUrl, 'plain-key-of-a-target')
    await add(cid, nginx.rtmpsUrl, 'secure-key-of-a-target')
    const publisher = startPublisher(pushUrl, file)
    await onAir(cid)
    const source = pulled(httpPullUrl)
    await until('both send', async () =>
      (await service.call(local.targets, { cid })).ret!.list.every(
        ({ state, kbps }) => state === 'sending' && kbps > 0,
      ),
    )
    await until('the need is known', async () => (await service.call(local.targets, { cid })).ret!.needs > 0)
    await until('enough is recorded', () =>
      ['plain-key', 'secure-key'].every((name) => (nginx.recorded(name)?.length ?? 0) > enough),
    )
    await publisher.stop()
    const sent = unitsOf(await source)
    await becomes(cid, 'off')
    for (const name of ['plain-key', 'secure-key']) {
      const got = unitsOf(
        await until('the recording', () => {
          const bytes = nginx.recorded(name)
          return bytes && bytes.length > enough ? bytes : undefined
        }),
      )
      // The recording may begin a GOP later than the player, and leaves out what the server repeats of configurations.
      const frames = got.filter((unit) => sent.includes(unit))
      expect(frames.length).toBeGreaterThan(100)
      const from = sent.indexOf(frames[2]!)
      const rest = frames.slice(2, -2)
      expect(sent.slice(from, from + rest.length)).toEqual(rest)
      expect(frames.length).toBeGreaterThanOrEqual(got.length - 1)
    }
  })

  it('at node-media-server is played there with the same access units in the same order', async () => {
    const there = await startNodeMediaServerTarget()
    const { cid, pushUrl, httpPullUrl } = await create('elsewhere')
    await add(cid, there.rtmpUrl, 'other-key-of-a-target')
    const publisher = startPublisher(pushUrl, file)
    await onAir(cid)
    const source = pulled(httpPullUrl)
    await becomes(cid, 'sending')
    const player = await fetch(there.flvUrl('other-key-of-a-target'))
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of player.body!) {
      parts.push(part)
      if ((size += part.length) > 200_000) break
    }
    await publisher.stop()
    const sent = unitsOf(await source)
    const frames = unitsOf(Buffer.concat(parts)).slice(2)
    const from = sent.indexOf(frames[0]!)
    expect(frames.length).toBeGreaterThan(50)
    expect(from).toBeGreaterThanOrEqual(0)
    expect(sent.slice(from, from + frames.length)).toEqual(frames)
    await there.stop()
  })

  it('that stands still is told to take nothing; one beside it that never acknowledges is not', async () => {
    const there = await startNodeMediaServerTarget()
    const { cid, pushUrl } = await create('still')
    await add(cid, nginx.rtmpUrl, 'still-key-of-a-target')
    await add(cid, there.rtmpUrl, 'other-key-of-a-target')
    const publisher = startPublisher(pushUrl, file)
    const [still, silent] = [() => listed(cid), async () => (await service.call(local.targets, { cid })).ret!.list[1]!]
    await until('both send', async () => (await still()).state === 'sending' && (await silent()).state === 'sending')
    await until('enough is recorded', () => (nginx.recorded('still-key')?.length ?? 0) > enough)
    const paused = Date.now()
    nginx.pause()
    const stalled = await becomes(cid, 'stalled')
    expect(Date.now() - paused).toBeLessThan(10_000)
    expect(stalled).toMatchObject({ kbps: 0, dropped: 0 })
    expect(stalled.since).toBeGreaterThan(paused - 3_000)
    expect(await silent()).toMatchObject({ state: 'sending' })
    expect((await silent()).kbps).toBeGreaterThan(0)
    nginx.resume()
    expect(await becomes(cid, 'sending')).toMatchObject({ reconnects: 0, dropped: 0 })
    expect(await silent()).toMatchObject({ state: 'sending' })
    await publisher.stop()
    await there.stop()
  })

  it('whose certificate nobody vouches for gets nothing', async () => {
    const { cid, pushUrl } = await create('certificate')
    await add(cid, nginx.rtmpsUrl.replace('localhost', '127.0.0.1'), 'some-key-of-a-target')
    const publisher = startPublisher(pushUrl, file)
    const target = await becomes(cid, 'retrying')
    expect(target).toMatchObject({ reason: 'certificate', kbps: 0 })
    expect(target.nextTry).toBeGreaterThan(target.since)
    await publisher.stop()
  })
})

describe('a server that fails', () => {
  let server: FaultyServer
  let publisher: Publisher
  let cid: string
  const key = 'live_1234567890_abcdefghij'

  beforeAll(async () => {
    server = await startFaultyServer()
    const made = await create('faults')
    cid = made.cid
    publisher = startPublisher(made.pushUrl, file)
    await onAir(cid)
  })
  afterAll(async () => {
    await publisher.stop()
    await server.close()
  })

  it('by refusing the key three times is not tried again but by hand; its words are told without the key', async () => {
    server.fault = 'refusesKey'
    const targetId = await add(cid, server.url, key)
    const target = await becomes(cid, 'refused')
    expect((await service.call(local.targets, { cid })).ret).toMatchObject({ needs: 0 })
    expect(server.connections).toBe(3)
    expect(target).toMatchObject({ reason: 'refused', answer: refusalText('…'), hasKey: true, keyEnd: key.slice(-4) })
    server.fault = 'none'
    expect((await service.call(local.startTarget, { cid, targetId })).code).toBe(200)
    expect(await becomes(cid, 'sending')).toMatchObject({ tries: 0 })
    expect((await service.call(local.targets, { cid })).ret!.needs).toBeGreaterThan(0)
    expect(server.said).toContain('releaseStream')
  })

  it('by closing in the middle of a frame gets a new connection, which is counted', async () => {
    server.fault = 'closesMidFrame'
    const before = server.connections
    await until('a new connection', () => server.connections > before)
    server.fault = 'none'
    await until('it sends again', async () => {
      const { state, reconnects } = await listed(cid)
      return state === 'sending' && reconnects > 0
    })
  })

  it('stops by hand and at once, and goes on when it is started', async () => {
    const { targetId } = await listed(cid)
    expect((await service.call(local.stopTarget, { cid, targetId })).code).toBe(200)
    expect(await listed(cid)).toMatchObject({ state: 'stopped', kbps: 0 })
    await until('the end was told', () => server.said.includes('deleteStream'))
    await service.call(local.startTarget, { cid, targetId })
    await becomes(cid, 'sending')
  })

  it('by ending every push at once is never told to get it', async () => {
    const { cid: other, pushUrl } = await create('ends')
    const events = await service.events()
    server.fault = 'closesMidFrame'
    await add(other, server.url, key)
    const push = startPublisher(pushUrl, file)
    const states: string[] = []
    const third = await events.next('target', ({ cid: of, state, tries }) => {
      if (of === other) states.push(state)
      return of === other && tries === 3 && state === 'retrying'
    })
    expect(third).toMatchObject({ reason: 'closed', reconnects: 0 })
    expect(states).not.toContain('sending')
    server.fault = 'none'
    expect(await becomes(other, 'sending')).toMatchObject({ tries: 0, reconnects: 0 })
    events.close()
    await push.stop()
  })

  it('stopped by hand is so until the push ends, and starts with the next one if it is set so', async () => {
    const { cid: other, pushUrl } = await create('pushes')
    const targetId = await add(other, server.url, key)
    const byHand = await add(other, server.url, key, 'hand')
    const first = startPublisher(pushUrl, file)
    await becomes(other, 'sending')
    await service.call(local.startTarget, { cid: other, targetId: byHand })
    await service.call(local.stopTarget, { cid: other, targetId })
    expect(await listed(other)).toMatchObject({ state: 'stopped' })
    await first.stop()
    await becomes(other, 'off')
    const next = startPublisher(pushUrl, file)
    await becomes(other, 'sending')
    const { list } = (await service.call(local.targets, { cid: other })).ret!
    expect(list[1]).toMatchObject({ state: 'off', start: 'hand' })
    await next.stop()
  })

  it('by sending something else is told so, and tried again', async () => {
    server.fault = 'garbage'
    const { targetId } = await listed(cid)
    await service.call(local.updateTarget, { cid, targetId, key: `${key}2` })
    expect(await becomes(cid, 'retrying')).toMatchObject({ reason: 'handshake' })
    server.fault = 'none'
    await becomes(cid, 'sending')
  })

  it('another address without its key forgets the key', async () => {
    const { targetId } = await listed(cid)
    await service.call(local.updateTarget, { cid, targetId, url: server.url, name: 'here' })
    expect(await listed(cid)).toMatchObject({ name: 'here', hasKey: true })
    expect(await listed(cid)).not.toHaveProperty('keyForgotten')
    await service.call(local.updateTarget, { cid, targetId, url: server.url.replace('/app', '/other') })
    expect(await becomes(cid, 'noKey')).toMatchObject({ hasKey: false, keyForgotten: true })
    await service.call(local.updateTarget, { cid, targetId, url: server.url.replace('/app', '/third') })
    expect(await listed(cid)).toMatchObject({ keyForgotten: true })
    await service.call(local.updateTarget, { cid, targetId, key })
    expect(await listed(cid)).not.toHaveProperty('keyForgotten')
    await service.call(local.removeTarget, { cid, targetId })
    expect((await service.call(local.targets, { cid })).ret!.list).toEqual([])
  })

  it('is in the log: who gets the push, who refuses it, whose certificate is wrong, and when it ended', () => {
    const lines = logged.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { msg: string }]))
    const of = (msg: string) => lines.filter((line) => line.msg === msg)
    expect(of('a target gets the push')).toContainEqual(expect.objectContaining({ host: '127.0.0.1' }))
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: expect.stringMatching(/^a target does not get the push; it is tried again: its certificate/) as string,
        reason: 'certificate',
      }),
    )
    expect(of('a target refuses its key; it is tried again by hand only')).toContainEqual(
      expect.objectContaining({ answer: expect.any(String) as string }),
    )
    for (const msg of [
      'a target was stopped by hand',
      'a target gets nothing more: the push ended, or the target was changed',
    ])
      expect(of(msg).length).toBeGreaterThan(0)
  })

  it('where the key goes, no log tells it', () => {
    expect(logged.length).toBeGreaterThan(0)
    expect(logged).not.toContain(key)
    expect(logged).not.toContain('plain-key-of-a-target')
  })
})

it('says in each push of a target that it has no key', async () => {
  const { cid, pushUrl } = await create('keyless')
  await add(cid, nginx.rtmpUrl, undefined)
  const events = await service.events()
  for (const before of [0, 1]) {
    const publisher = startPublisher(pushUrl, file)
    const told = (): string[] =>
      events.events.flatMap((event) =>
        event.type === 'target' && event.cid === cid
          ? [event.state]
          : event.type === 'push' && event.cid === cid && event.kind === 'started'
            ? ['started']
            : [],
      )
    await until('it is told', () => told().filter((each) => each === 'noKey').length > before)
    expect(told().slice(-2)).toEqual(['started', 'noKey'])
    await publisher.stop()
    await becomes(cid, 'off')
  }
  events.close()
})

it('takes addresses of RTMP servers only, and answers unknown targets', async () => {
  const { cid } = await create('addresses')
  for (const url of [
    'http://a.example/app',
    'rtmp://a.example',
    'rtmp://',
    'rtmp://u:p@a.example/app',
    'rtmp://a b/app',
  ])
    expect((await service.call(local.addTarget, { cid, name: 'x', url })).code).toBe(631)
  const { rtmp } = service.service.listening
  for (const host of ['127.0.0.1', 'localhost', '[::1]'])
    expect((await service.call(local.addTarget, { cid, name: 'x', url: `rtmp://${host}:${rtmp}/app` })).msg).toContain(
      'an address of this service',
    )
  expect((await service.call(local.addTarget, { cid, name: 'x', url: 'rtmp://a.example/app', key: 'a b' })).code).toBe(
    631,
  )
  expect((await service.call(local.startTarget, { cid, targetId: 999 })).code).toBe(618)
  expect((await service.call(local.stopTarget, { cid, targetId: 999 })).code).toBe(618)
  expect((await service.call(local.removeTarget, { cid, targetId: 999 })).code).toBe(618)
  expect((await service.call(local.updateTarget, { cid, targetId: 999, name: 'y' })).code).toBe(618)
  expect((await service.other.call(local.targets, { cid })).code).toBe(617)
})
