import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms, live, local } from '../contract/operations/index.ts'
import type { Profile } from '../contract/rpc/index.ts'
import { encodeFixture } from '../service/hub/testing/fixture.ts'
import { startPublisher, type Publisher } from '../service/testing/publisher.ts'
import { startService, testCredentials, type TestService } from '../service/testing/start-service.ts'
import { startStockProxy, type StockProxy } from '../service/testing/stock-proxy.ts'
import { sessionVault } from './secrets/session-vault.ts'
import { failureOf, openPage, type Rig, scratch, startRig, until } from './testing/rig.ts'

const folder = scratch()
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
const everything = { beginTime: 0, endTime: 9e12, deletedOnly: false, limit: 10, before: null }
let rig: Rig
let far: TestService
let stock: StockProxy
let publisher: Publisher | undefined
let profileId: string
let cid: string
let roomid: number

const profileOf = (id: string): Profile | undefined =>
  rig.page.newest('profiles')?.profiles.find((one) => one.id === id)
const isExtended = (id: string, wanted: boolean): Promise<unknown> =>
  until(`a profile that is ${wanted ? '' : 'not '}extended`, () => profileOf(id)?.extended === wanted)

beforeAll(async () => {
  for (const name of ['far', 'app']) mkdirSync(path.join(folder.dir, name))
  far = await startService({ dataDir: path.join(folder.dir, 'far') })
  stock = await startStockProxy(far.service.own.baseUrl)
  rig = await startRig(path.join(folder.dir, 'app'), { vault })
  await rig.companion.serviceReady(150_000)
  const { rpc } = rig.page
  const { baseUrl, imBaseUrl } = far.service.own
  ;({ id: profileId } = await rpc.profiles.add({
    name: 'Far',
    liveUrl: baseUrl,
    messagingUrl: imBaseUrl,
    ...testCredentials,
  }))
  await isExtended(profileId, true)
  ;({ cid } = (await far.call(live.create, { name: 'far', type: 0 })).ret!)
})
afterAll(async () => {
  await publisher?.stop()
  await rig.close()
  await stock.close()
  await far.close()
  folder[Symbol.dispose]()
})

describe('a hosted service that has the extension operations', () => {
  it('is extended, tells its media side, and is still after a restart without asking', async () => {
    const { mediaUrl } = far.service.own
    await until('the address of its media side', () => profileOf(profileId)?.media === mediaUrl)
    expect(profileOf(profileId)).toMatchObject({ kind: 'hosted', extended: true })
    expect(profileOf('local')).toMatchObject({ kind: 'local', extended: true, media: null })
  })

  it('tells tallies, figures and pushes by its event stream, and how they were', async () => {
    const { rpc } = rig.page
    await rpc.recordings.configure({ profileId, cid, needRecord: true, format: 'flv', duration: 120, filename: 'f' })
    const { pushUrl } = (await far.call(live.address, { cid })).ret!
    publisher = startPublisher(pushUrl, await encodeFixture(folder.dir, 'picture', { duration: 4, gop: 30 }))
    await until('the tally', () =>
      rig.page.newest(
        'tallies',
        (event) =>
          event.profileId === profileId &&
          event.source === 'event' &&
          event.tallies.some((one) => one.cid === cid && (one.status === 1 || one.status === 3)),
      ),
    )
    const about = (event: { readonly profileId: string; readonly cid: string }): boolean =>
      event.profileId === profileId && event.cid === cid
    await until('figures', () => rig.page.newest('figures', (event) => about(event) && event.figures !== null))
    await until('the push', () => rig.page.newest('push', (event) => about(event) && event.kind === 'started'))
    const { samples, turns } = await rpc.health.recent({ profileId, cid })
    expect(samples.length).toBeGreaterThan(0)
    expect(turns.map(({ kind }) => kind)).toContain('started')
    await until('its recording', () =>
      rig.page.newest('recording', (event) => about(event) && event.recording.state === 'recording'),
    )
    expect(await rpc.recordings.state({ profileId, cid })).toMatchObject({ state: 'recording' })
  })

  it('is held on request', async () => {
    const { rpc } = rig.page
    await rpc.operations.hold.updateHold({ profileId, call: { cid, holdSeconds: 60 } })
    expect((await rpc.operations.hold.hold({ profileId, call: { cid } })).ret).toMatchObject({ holdSeconds: 60 })
  })

  it('marks moments, lists what was recorded with its length, plays it, and tells of its callbacks', async () => {
    const { rpc } = rig.page
    const marked = await rpc.recordings.mark({ profileId, cid, label: 'goal' })
    await until('so much that it is kept', () =>
      rig.page.newest(
        'recording',
        ({ profileId: of, at, recording }) => of === profileId && at - (recording.since ?? at) > 2_500,
      ),
    )
    await publisher?.stop()
    publisher = undefined
    const file = await until('the file', () => rig.page.newest('recorded', (event) => event.profileId === profileId))
    const { files } = await rpc.recordings.all({ profileId, ...everything })
    expect(files.map(({ vid }) => vid)).toEqual([file.vid])
    expect(files[0]?.duration).toBeGreaterThan(500)
    const markers = await rpc.recordings.markers({ profileId, cids: [cid], beginTime: 0, endTime: Date.now() + 60_000 })
    expect(markers).toEqual([marked])
    await rpc.recordings.renameMarker({ profileId, markerId: marked.markerId, label: 'second goal' })
    const ticket = await rpc.recordings.ticket({ profileId, vid: file.vid })
    const answer = await rig.companion.relay.fetch({
      method: 'GET',
      path: ticket.path,
      range: undefined,
      signal: new AbortController().signal,
    })
    const parts: Buffer[] = []
    for await (const part of (answer.body ?? []) as AsyncIterable<Buffer>) parts.push(part)
    expect([answer.status, Buffer.concat(parts).subarray(0, 3).toString()]).toEqual([200, 'FLV'])
    expect((await rpc.recordings.callbacks({ profileId, limit: 10 })).list).toEqual([])
    expect((await rpc.recordings.retention({ profileId })).days).toBeTypeOf('number')
    expect((await rpc.recordings.merges({ profileId })).tasks).toEqual([])
    // The file is on the disk of another computer.
    expect(await failureOf(rpc.recordings.show({ profileId, vid: file.vid }))).toMatchObject({ kind: 'absent' })
    expect((await rpc.recordings.remove({ profileId, vids: [file.vid] })).removed).toEqual([file.vid])
  })

  it('moderates its rooms over the link: lines, mutes that end, held lines, slow mode, and the log', async () => {
    const { rpc } = rig.page
    ;({ roomid } = await rpc.rooms.create({ profileId, accid: 'host', name: 'Far room', announcement: '' }))
    await rpc.rooms.link({ profileId, cid, roomid })
    expect(await rpc.rooms.linked({ profileId, cid })).toEqual({ roomid })
    expect(await rpc.rooms.list({ profileId })).toMatchObject({ complete: true, rooms: [{ roomid, cid }] })
    await rpc.rooms.enter({ profileId, roomid, renew: false })
    await until('being inside', () =>
      rig.page.newest('room', ({ panel }) => panel.profileId === profileId && panel.phase === 'inside'),
    )
    await far.call(accounts.create, { accid: 'ana', name: 'Ana' })
    const said = async (text: string) =>
      far.call(chatrooms.sendMsg, { roomid, msgId: text, fromAccid: 'ana', msgType: 0, attach: text })
    await said('hello')
    await until('the line', () =>
      rig.page.newest(
        'roomPush',
        ({ profileId: of, push }) => of === profileId && push.t === 'roomMessage' && push.attach === 'hello',
      ),
    )
    await rpc.operations.local.setWords({ profileId, call: { words: ['badword'], hold: true } })
    await said('badword here')
    const held = await until('a held line', async () => {
      const { ret } = await rpc.operations.local.held({ profileId, call: { roomid } })
      return ret.list[0]
    })
    const act = (measure: Parameters<typeof rpc.rooms.act>[0]['measure']) =>
      rpc.rooms.act({ profileId, roomid, measure, why: '' })
    const { action } = await act({ kind: 'decideHeld', msgid: held.msgid, target: 'ana', allow: true })
    expect(action).toMatchObject({ result: 'done', line: 'badword here', targetName: 'Ana' })
    await act({ kind: 'temporaryMute', target: 'ana', seconds: 600 })
    const { ret } = await rpc.operations.local.muted({ profileId, call: { roomid } })
    expect(ret.list).toMatchObject([{ accid: 'ana', permanent: false }])
    // It outlasts a shorter one, which only a service that tells of everybody knows.
    expect(await failureOf(act({ kind: 'temporaryMute', target: 'ana', seconds: 5 }))).toMatchObject({
      kind: 'outlasted',
    })
    await act({ kind: 'slowMode', seconds: 7 })
    expect((await rpc.rooms.history({ profileId, call: { roomid } })).ret.list.map(({ attach }) => attach)).toContain(
      'hello',
    )
  })

  it('lists its accounts, signs them in, and ends their sessions', async () => {
    const { rpc } = rig.page
    const { complete, accounts: list } = await rpc.messaging.accounts({ profileId, search: '', after: '' })
    expect([complete, list.map(({ accid }) => accid)]).toEqual([true, ['ana', 'host']])
    await rpc.messaging.createAccount({ profileId, call: { accid: 'mei' }, keep: true })
    await rpc.messaging.signIn({ profileId, accid: 'mei', keep: true })
    const phase = async () => (await rpc.messaging.sessions({ profileId }))[0]?.phase
    await until('mei online', async () => (await phase()) === 'online')
    await rpc.operations.local.endSessions({ profileId, call: { accid: 'mei' } })
    await until('mei away', async () => (await phase()) !== 'online')
  })

  it('has its targets, access, callbacks, copies and console', async () => {
    const { rpc } = rig.page
    const target = { name: 'Campus', preset: 'custom', url: 'rtmp://203.0.113.5/app', start: 'hand' } as const
    const { targetId } = await rpc.targets.add({ profileId, cid, ...target, key: 'far-target-key' })
    expect((await rpc.targets.list({ profileId, cid })).targets).toMatchObject([{ targetId, hasKey: true }])
    await rpc.targets.remove({ profileId, cid, targetId })
    expect(await rpc.access.update({ profileId, cid, mode: 'links' })).toEqual({ ended: 0 })
    const { url } = await rpc.access.addLink({ profileId, cid, name: 'Press' })
    expect(url.startsWith(far.service.own.mediaUrl)).toBe(true)
    expect(await rpc.receivers.state({ profileId })).toMatchObject({ keyKnown: true })
    expect(await rpc.copies.state({ profileId })).toMatchObject({ verification: 'checked' })
    expect(await rpc.copies.target({ profileId })).toMatchObject({ url: null })
    expect(await rpc.console.call({ profileId, path: local.info.path, parameters: {} })).toMatchObject({ code: 200 })
    expect(await rpc.push.replaceKey({ profileId, cid })).toHaveProperty('keyStart')
  })

  it('keeps its keys and tokens over a change of paths, and hands none of them to another origin', async () => {
    const { rpc } = rig.page
    const { baseUrl, imBaseUrl } = far.service.own
    const entry = { name: 'Moving', liveUrl: baseUrl, messagingUrl: imBaseUrl, ...testCredentials }
    const { id } = await rpc.profiles.add(entry)
    await isExtended(id, true)
    const target = { name: 'Campus', preset: 'custom', url: 'rtmp://203.0.113.6/app', start: 'hand' } as const
    await rpc.targets.add({ profileId: id, cid, ...target, key: 'moving-target-key' })
    await rpc.messaging.createAccount({ profileId: id, call: { accid: 'zoe' }, keep: true })
    await rpc.messaging.signIn({ profileId: id, accid: 'zoe', keep: true })
    await rpc.rooms.enter({ profileId: id, roomid, renew: true })
    const session = () => rig.page.newest('linkSession', (event) => event.session.profileId === id)?.session.phase
    const room = () => rig.page.newest('room', (event) => event.panel.profileId === id)?.panel.phase
    await until('zoe online and the room', () => session() === 'online' && room() === 'inside')
    const kept = async () =>
      (await vault.names()).flatMap((name) => (name.includes(id) ? [name.slice(name.indexOf(':') + 1)] : [])).sort()
    const all = [id, expect.stringContaining(`target:${id}:${cid}:`), `token:${id}:host`, `token:${id}:zoe`]
    expect(await kept()).toEqual(all)
    await rpc.profiles.update({ profileId: id, name: 'Named anew', messagingUrl: `${imBaseUrl}/`, ...testCredentials })
    expect(await kept()).toEqual(all)
    await rpc.profiles.update({ profileId: id, liveUrl: stock.url, ...testCredentials })
    expect(await kept()).toEqual([id])
    expect([session(), room()]).toEqual(['off', 'off'])
    expect(await rpc.messaging.sessions({ profileId: id })).toEqual([])
    expect(await failureOf(rpc.messaging.signIn({ profileId: id, accid: 'zoe', keep: true }))).toBeDefined()
    await rpc.profiles.remove({ profileId: id })
  })
})

describe('a hosted service without them', () => {
  it('is not extended, is polled, and refuses what it does not have', async () => {
    const { rpc } = rig.page
    const { imBaseUrl } = far.service.own
    const entry = { name: 'Stock', liveUrl: stock.url, messagingUrl: imBaseUrl, ...testCredentials }
    const { id } = await rpc.profiles.add(entry)
    await until('a poll', () =>
      rig.page.newest('tallies', (event) => event.profileId === id && event.source === 'poll' && event.fault === null),
    )
    await rpc.profiles.test({ profileId: id })
    expect(profileOf(id)).toMatchObject({ extended: false, media: null })
    const refused = [
      rpc.recordings.all({ profileId: id, ...everything }),
      rpc.recordings.mark({ profileId: id, cid, label: '' }),
      rpc.push.replaceKey({ profileId: id, cid }),
      rpc.targets.list({ profileId: id, cid }),
      rpc.access.update({ profileId: id, cid, mode: 'everybody' }),
      rpc.messaging.signIn({ profileId: id, accid: 'mei', keep: false }),
      rpc.console.call({ profileId: id, path: local.info.path, parameters: {} }),
      rpc.rooms.act({ profileId: id, roomid, measure: { kind: 'slowMode', seconds: 1 }, why: '' }),
    ]
    for (const work of refused) expect(await failureOf(work)).toMatchObject({ kind: 'absent' })
    expect(await rpc.rooms.list({ profileId: id })).toMatchObject({ complete: false })
    expect(await rpc.messaging.sessions({ profileId: id })).toEqual([])

    // It is replaced by one that has them, and that by the first again.
    stock.extend(true)
    await rpc.profiles.test({ profileId: id })
    await isExtended(id, true)
    await until('its events', () =>
      rig.page.newest('tallies', (event) => event.profileId === id && event.source === 'event' && event.fault === null),
    )
    stock.extend(false)
    await until('polls again', () => {
      const newest = rig.page.newest('tallies', (event) => event.profileId === id)
      return newest?.source === 'poll' && newest.fault === null
    })
    await isExtended(id, false)
    await rpc.profiles.remove({ profileId: id })
  })
})

it('stays extended over a restart of the app while its service is away', async () => {
  const { dataDir } = rig
  await rig.close()
  await stock.close()
  await far.stop()
  rig = await startRig(dataDir, { vault })
  const again = openPage(rig.companion)
  await until('the profiles', () => again.newest('profiles'))
  expect(again.newest('profiles')?.profiles.find(({ id }) => id === profileId)).toMatchObject({ extended: true })
  await until('a failed poll', () =>
    again.newest('tallies', (event) => event.profileId === profileId && event.fault === 'poll'),
  )
  expect(again.newest('profiles')?.profiles.find(({ id }) => id === profileId)).toMatchObject({ extended: true })
  again.close()
})
