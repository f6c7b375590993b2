import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyHeaders } from '../../contract/callbacks/copy.ts'
import { chatrooms, local } from '../../contract/operations/index.ts'
import type { Measure, RoomPush } from '../../contract/rpc/index.ts'
import type { LinkUser } from '../../service/link/testing/link-user.ts'
import { startRooms, type RoomRig } from '../../service/rooms/testing/rig.ts'
import { testCredentials } from '../../service/testing/start-service.ts'
import { type StockProxy, startStockProxy } from '../../service/testing/stock-proxy.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const secret = 'canary-7b21e9-hosted-secret'
const folder = scratch()
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
let hosted: RoomRig
let stock: StockProxy
let rig: Rig
let profileId = ''
let roomid = 0
let url = ''
let adam: LinkUser
beforeAll(async () => {
  // A second service stands in as the hosted one, without its extension operations.
  hosted = await startRooms({ credentials: { appKey: testCredentials.appKey, appSecret: secret } })
  roomid = await hosted.room({ name: 'Night 深夜' })
  rig = await startRig(folder.dir, { vault })
  await rig.companion.serviceReady(40_000)
  const { baseUrl, imBaseUrl } = hosted.service.ready
  stock = await startStockProxy(baseUrl)
  profileId = (
    await rig.page.rpc.profiles.add({
      name: 'Twin',
      liveUrl: stock.url,
      messagingUrl: imBaseUrl.replace(new URL(imBaseUrl).origin, stock.url),
      appKey: testCredentials.appKey,
      appSecret: secret,
    })
  ).id
})
afterAll(async () => {
  await rig?.close()
  await stock?.close()
  await hosted?.close()
  folder[Symbol.dispose]()
})

type Said = RoomPush & { t: 'roomMessage' }
const rooms = () => rig.page.rpc.rooms
const said = (): Said[] =>
  rig.page.events.flatMap((event) =>
    event.type === 'roomPush' && event.profileId === profileId && event.push.t === 'roomMessage'
      ? [event.push as Said]
      : [],
  )
const panel = () =>
  rig.page.newest('room', (event) => event.panel.profileId === profileId && event.panel.roomid === roomid)?.panel
const act = (measure: Measure, why = '') => rooms().act({ profileId, roomid, measure, why })
const history = async (call: object = {}) => (await rooms().history({ profileId, call: { roomid, ...call } })).ret.list
const copy = (clientId: string, at: number, attach = clientId): Record<string, string> => ({
  eventType: '4',
  roomId: String(roomid),
  fromAccount: 'mona',
  fromNick: 'MONA',
  msgTimestamp: String(at),
  msgType: 'TEXT',
  attach,
  msgidClient: clientId,
})
/** Posts to the receiver as a provider whose rule of the CheckSum is not known. */
const post = async (fields: object, md5?: string): Promise<number> => {
  const body = JSON.stringify(fields)
  const headers = {
    [copyHeaders.md5]: md5 ?? createHash('md5').update(body).digest('hex'),
    [copyHeaders.curTime]: '1',
    [copyHeaders.checkSum]: 'f00',
  }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

describe('a room of a hosted profile', () => {
  it('is sat in once it was added, and says that nothing receives its lines yet', async () => {
    expect(await failureOf(rooms().enter({ profileId, roomid, renew: false }))).toMatchObject({ kind: 'absent' })
    expect(await rooms().add({ profileId, roomid })).toMatchObject({ name: 'Night 深夜', creator: 'cara', valid: true })
    await rooms().enter({ profileId, roomid, renew: false })
    await until('the room to be read', () => panel()?.phase === 'inside')
    expect(panel()).toMatchObject({
      accid: 'cara',
      name: 'Night 深夜',
      muted: false,
      copies: { receiver: 'off', url: null, lastAt: null, verified: null },
    })
    expect((await rooms().panels({ profileId })).map((each) => each.roomid)).toEqual([roomid])
  })

  it('shows what people say there over the link of the service, by copies that are verified, and counts who is there', async () => {
    url =
      (await rig.page.rpc.copies.start({ profileId, host: '127.0.0.1', port: 0 })).url ??
      expect.fail('it does not listen')
    await until('the receiver to be told', () => panel()?.copies?.url === url)
    expect((await hosted.call(local.setCopyTarget, { url, kinds: [4] })).code).toBe(200)
    adam = await hosted.user('adam')
    await adam.request('roomEnter', { roomid })
    await adam.request('roomSend', { roomid, type: 0, attach: '<b>你好 🎬</b>', clientId: 'one' })
    const line = await until('the line', () => said().find(({ attach }) => attach === '<b>你好 🎬</b>'))
    expect(line).toMatchObject({
      roomid,
      from: 'adam',
      fromNick: 'ADAM',
      type: 0,
      fromClientType: 'WEB',
      clientId: 'one',
    })
    await until('the desk to tell', () => panel()?.copies?.verified === true && panel()?.online === 1)
    expect(await history()).toMatchObject([
      { msgid: line.msgid, from: 'adam', nick: 'ADAM', attach: '<b>你好 🎬</b>', removed: false },
    ])
  })

  it('takes lines once and in any order, ignores rooms that were not added, and turns away what was changed', async () => {
    const at = (await history())[0]?.at ?? 0
    const before = said().length
    for (const [id, time] of [
      ['third', at + 30],
      ['first', at + 10],
      ['second', at + 20],
      ['first', at + 10],
    ] as const)
      expect(await post(copy(id, time))).toBe(200)
    await until('three lines', () => said().length === before + 3)
    expect((await history()).map(({ attach }) => attach).slice(0, 3)).toEqual(['third', 'second', 'first'])
    expect(
      (await history({ accid: 'MONA', beginTime: at + 15, endTime: at + 25 })).map(({ attach }) => attach),
    ).toEqual(['second'])
    await until('the last to be unverified', () => panel()?.copies?.verified === false)
    expect(await post({ ...copy('elsewhere', at + 40), roomId: '999999' })).toBe(200)
    expect(await post({ ...copy('x', at + 41), attach: 'x'.repeat(9000) })).toBe(200)
    expect(await post(copy('forged', at + 42), '0'.repeat(32))).toBe(403)
    await until('both to be counted', () => panel()?.copies?.elsewhere === 1 && panel()?.copies?.dropped === 1)
    expect(said().length).toBe(before + 3)
    expect((await history()).length).toBe(4)
  })

  it('says a line through the API, at once and once', async () => {
    const own = await rooms().say({ profileId, roomid, text: 'from here' })
    expect(await until('my line', () => said().find(({ msgid }) => msgid === own.msgid))).toMatchObject({
      from: 'cara',
      attach: 'from here',
    })
    await until('its copy', () =>
      rig.page.events.some((event) => event.type === 'copy' && event.copy.fields['attach'] === 'from here'),
    )
    await adam.request('roomSend', { roomid, type: 0, attach: 'after it', clientId: 'two' })
    await until('what comes after it', () => said().some(({ attach }) => attach === 'after it'))
    expect(said().filter(({ attach }) => attach === 'from here')).toHaveLength(1)
  })

  it('is moderated through the API, and hears what others did by notifications', async () => {
    await act({ kind: 'temporaryMute', target: 'adam', seconds: 60 }, 'spoilers')
    const notice = await until('the notification', () =>
      said().find(({ type, attach }) => type === 5 && attach.includes('spoilers')),
    )
    expect((await history({ notices: true }))[0]).toMatchObject({ msgid: notice.msgid, type: 5, attach: notice.attach })
    expect((await history())[0]).toMatchObject({ type: 0 })
    expect(JSON.parse(notice.attach)).toMatchObject({
      id: 314,
      data: { operator: 'cara', target: ['adam'], muteDuration: 60 },
    })
    expect((await hosted.call(local.muted, { roomid })).ret?.list).toMatchObject([{ accid: 'adam' }])
    await act({ kind: 'temporaryMute', target: 'adam', seconds: 0 })
    for (const measure of [
      { kind: 'mute', target: 'mona', on: true },
      { kind: 'mute', target: 'mona', on: false },
      { kind: 'blacklist', target: 'mike', on: true },
      { kind: 'blacklist', target: 'mike', on: false },
      { kind: 'admin', target: 'abby', on: true },
      { kind: 'queueAdd', key: 'mona', value: 'call-in' },
      { kind: 'queueClear' },
      { kind: 'robots', accids: ['stan'], on: true },
      { kind: 'robots', accids: ['stan'], on: false },
      { kind: 'announce', text: 'New words' },
    ] as const)
      await act(measure.kind === 'robots' ? { ...measure, accids: [...measure.accids] } : measure)
    await until('the announcement', () => panel()?.announcement === 'New words')
    expect(await failureOf(act({ kind: 'announce', text: 'mine', was: 'Old words' }))).toMatchObject({
      kind: 'changed',
    })
    await act({ kind: 'announce', text: 'New words', was: 'New words' })
    await act({ kind: 'queueAdd', key: 'mona', value: 'call-in', fresh: true })
    expect(await failureOf(act({ kind: 'queueAdd', key: 'mona', value: 'other', fresh: true }))).toMatchObject({
      kind: 'changed',
    })
    await act({ kind: 'queueTake', key: 'mona' })
    await act({ kind: 'muteRoom', on: true })
    await until('the room to be muted', () => panel()?.muted === true && panel()?.mutedBy === 'cara')
    expect((await hosted.call(chatrooms.muteRoom, { roomid, operator: 'abby', mute: false })).code).toBe(200)
    await until('that to be lifted by somebody else', () => panel()?.muted === false && panel()?.mutedBy === null)
    for (const measure of [
      { kind: 'removeLine', target: 'adam', msgid: notice.msgid },
      { kind: 'slowMode', seconds: 5 },
      { kind: 'decideHeld', target: 'adam', msgid: '1', allow: true },
    ] as const)
      expect(await failureOf(act(measure))).toMatchObject({ kind: 'absent' })
    await act({ kind: 'openRoom', on: false })
    await until('the room to be closed', () => panel()?.phase === 'refused' && panel()?.reason?.code === 'closed')
    await act({ kind: 'openRoom', on: true })
    await until('the room to be open', () => panel()?.phase === 'inside')
  })

  it('does not let a timed mute end a longer one of somebody who is inside, unless on purpose', async () => {
    const mute = (seconds: number, shortens = false) =>
      rooms().act({ profileId, roomid, measure: { kind: 'temporaryMute', target: 'adam', seconds }, why: '', shortens })
    const left = async () => (await hosted.call(local.muted, { roomid })).ret!.list[0]?.seconds ?? 0
    await adam.request('roomEnter', { roomid })
    expect((await mute(600)).replaced).toBe(0)
    expect(await failureOf(mute(60))).toMatchObject({
      kind: 'outlasted',
      leftSeconds: expect.closeTo(600, -2) as number,
    })
    expect(await left()).toBeGreaterThan(500)
    expect((await rooms().actions({ profileId, roomid }))[0]).toMatchObject({
      what: { seconds: 60 },
      result: 'failed',
      failure: 'outlasted',
    })
    expect((await mute(60, true)).replaced).toBeGreaterThan(500)
    expect(await left()).toBeLessThanOrEqual(60)
    await mute(0)
  })

  it('has its lines after a restart, takes new ones, tells no secret, and forgets them with the profile', async () => {
    const before = await history()
    await rig.close()
    rig = await startRig(folder.dir, { vault })
    expect(await history()).toEqual(before)
    await adam.request('roomEnter', { roomid })
    await adam.request('roomSend', { roomid, type: 0, attach: 'while nobody looked', clientId: 'three' })
    await until('the line', async () => (await history())[0]?.attach === 'while nobody looked')
    await rooms().enter({ profileId, roomid, renew: false })
    await until(
      'to be inside',
      () =>
        panel()?.phase === 'inside' && panel()?.copies?.receiver === 'listening' && panel()?.copies?.lastAt !== null,
    )
    expect(JSON.stringify(rig.page.events)).not.toContain(secret)
    expect(rig.log.join('\n')).not.toContain(secret)
    const files = readdirSync(folder.dir).filter((name) => /^room|^copies|^profiles/.test(name))
    expect(files).toContain('room-copies.db')
    for (const file of files) expect(readFileSync(path.join(folder.dir, file)).includes(secret), file).toBe(false)
    await rig.page.rpc.profiles.remove({ profileId })
    await until('the desk to end', () => panel()?.phase === 'off')
    expect(await history()).toEqual([])
  })
})
