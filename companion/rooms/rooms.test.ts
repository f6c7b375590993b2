import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms } from '../../contract/operations/index.ts'
import type { Measure, RoomPush } from '../../contract/rpc/index.ts'
import { linkUser } from '../../service/link/testing/link-user.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const profileId = 'local'
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
let rig: Rig
let roomid = 0
const begin = async (): Promise<void> => {
  rig = await startRig(folder.dir, { vault })
  await rig.companion.serviceReady(40_000)
}
beforeAll(begin)
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

const rooms = () => rig.page.rpc.rooms
const operations = () => rig.page.rpc.operations
const pushes = (): RoomPush[] =>
  rig.page.events.flatMap((event) => (event.type === 'roomPush' && event.roomid === roomid ? [event.push] : []))
const said = (): (RoomPush & { t: 'roomMessage' })[] =>
  pushes().flatMap((push) => (push.t === 'roomMessage' ? [push as RoomPush & { t: 'roomMessage' }] : []))
const panel = () => rig.page.newest('room', (event) => event.panel.roomid === roomid)?.panel
const act = (measure: Measure, why = '') => rooms().act({ profileId, roomid, measure, why })
const muted = async () => (await operations().local.muted({ profileId, call: { roomid } })).ret.list
/** Says a line as somebody else, through the API. */
const saidBy = (fromAccid: string, msgId: string, attach: string) =>
  rig.page.rpc.console.call({
    profileId,
    path: chatrooms.sendMsg.path,
    parameters: { roomid, msgId, fromAccid, msgType: 0, attach },
  })

describe('a room of this computer', () => {
  it('is made with a creator who is made on demand, listed, and linked to a channel', async () => {
    const made = await rooms().create({
      profileId,
      accid: 'host',
      name: 'Late night 深夜',
      announcement: 'Call-in at nine',
    })
    roomid = made.roomid
    expect(await rooms().list({ profileId })).toEqual({
      complete: true,
      next: null,
      rooms: [{ roomid, name: 'Late night 深夜', creator: 'host', valid: true, online: 0, cid: null }],
    })
    const { cid } = await rig.page.rpc.channels.create({ profileId, name: 'Night' })
    expect(await rooms().linked({ profileId, cid })).toEqual({ roomid: null })
    await rooms().link({ profileId, cid, roomid })
    expect(await rooms().linked({ profileId, cid })).toEqual({ roomid })
    expect((await rooms().list({ profileId })).rooms[0]?.cid).toBe(cid)
    // A second room of the same creator needs no second account.
    await rooms().create({ profileId, accid: 'host', name: 'Other', announcement: '' })
  })

  it('is sat in over the link, and its lines come to the page', async () => {
    await rooms().enter({ profileId, roomid, renew: false })
    await until('to be inside', () => panel()?.phase === 'inside')
    expect(panel()).toMatchObject({
      accid: 'host',
      name: 'Late night 深夜',
      announcement: 'Call-in at nine',
      muted: false,
      slow: 0,
    })
    await rig.page.rpc.messaging.createAccount({ profileId, call: { accid: 'ana', name: 'Ana' }, keep: false })
    await saidBy('ana', 'l1', '<img src=x onerror=alert(1)>')
    const line = await until('the line', () => said().find(({ clientId }) => clientId === 'l1'))
    expect(line).toMatchObject({ from: 'ana', fromNick: 'Ana', attach: '<img src=x onerror=alert(1)>' })
    const own = await rooms().say({ profileId, roomid, text: '你好' })
    expect(await until('my own line', () => said().find(({ msgid }) => msgid === own.msgid))).toMatchObject({
      from: 'host',
      attach: '你好',
    })
    await until('the count', () => panel()?.online === 1)
  })

  it('mutes for a while and for good, and lifting one leaves the other', async () => {
    await act({ kind: 'temporaryMute', target: 'ana', seconds: 600 }, 'spoilers')
    await act({ kind: 'mute', target: 'ana', on: true })
    expect(await muted()).toEqual([{ accid: 'ana', permanent: true, seconds: expect.any(Number) as number }])
    await act({ kind: 'temporaryMute', target: 'ana', seconds: 0 })
    expect(await muted()).toEqual([{ accid: 'ana', permanent: true, seconds: 0 }])
    await act({ kind: 'mute', target: 'ana', on: false })
    expect(await muted()).toEqual([])
    const notice = said().find(({ type, attach }) => type === 5 && attach.includes('spoilers'))
    expect(notice?.attach).toContain('"muteDuration":600')
  })

  it('deletes a line, blacklists, mutes itself, and keeps announcement, slow mode, queue, robots and roles', async () => {
    const { msgid } = said().find(({ clientId }) => clientId === 'l1')!
    await act({ kind: 'removeLine', target: 'ana', msgid }, 'advertising')
    await until('the recall', () => pushes().some((push) => push.t === 'roomRecall' && push.msgid === msgid))
    expect((await rooms().history({ profileId, call: { roomid, accid: 'ana' } })).ret.list).toMatchObject([
      { msgid, removed: true },
    ])
    await act({ kind: 'blacklist', target: 'ana', on: true })
    expect(
      (await operations().local.blacklisted({ profileId, call: { roomid } })).ret.list.map(({ accid }) => accid),
    ).toEqual(['ana'])
    await act({ kind: 'blacklist', target: 'ana', on: false })
    await act({ kind: 'muteRoom', on: true })
    await until('the room to be muted', () => panel()?.muted === true && panel()?.mutedBy === 'host')
    await act({ kind: 'muteRoom', on: false })
    await until('that to be lifted', () => panel()?.muted === false)
    await act({ kind: 'announce', text: 'New words' })
    await act({ kind: 'slowMode', seconds: 5 })
    await until('both to be told', () => panel()?.announcement === 'New words' && panel()?.slow === 5)
    await act({ kind: 'queueAdd', key: 'ana', value: 'call-in' })
    expect((await act({ kind: 'queueTake' })).taken).toEqual({ key: 'ana', value: 'call-in' })
    await act({ kind: 'queueAdd', key: 'ana', value: 'again' })
    await act({ kind: 'queueClear' })
    expect((await operations().queue.list({ profileId, call: { roomid } })).desc.list).toEqual([])
    await act({ kind: 'robots', accids: ['ana'], on: true })
    expect(
      (await operations().chatrooms.membersByPage({ profileId, call: { roomid, type: 1, limit: 10 } })).desc.data,
    ).toMatchObject([{ accid: 'ana', isRobot: true }])
    expect(
      (
        await operations().chatrooms.queryMembers({ profileId, call: { roomid, accids: ['ana', 'nobody'] } })
      ).desc.data.map(({ accid }) => accid),
    ).toEqual(['ana'])
    await act({ kind: 'robots', accids: ['ana'], on: false })
    await act({ kind: 'admin', target: 'ana', on: true })
    expect(
      (await operations().chatrooms.membersByPage({ profileId, call: { roomid, type: 0, limit: 10 } })).desc.data.map(
        ({ accid, type }) => [accid, type],
      ),
    ).toContainEqual(['ana', 2])
    await act({ kind: 'admin', target: 'ana', on: false })
  })

  it('adds robots all or none: one unknown account is named, and nobody has entered', async () => {
    // The count of the robot before comes with the next pulse.
    await until(
      'the counts without robots',
      () => panel()?.counts?.robots === 0 && panel()?.online === panel()?.counts?.people,
    )
    const before = panel()?.online
    const failure = await failureOf(act({ kind: 'robots', accids: ['ana', 'no-such-one'], on: true }))
    expect(failure).toMatchObject({ kind: 'missing', code: 414, detail: 'not registered: no-such-one' })
    const { desc } = await operations().chatrooms.membersByPage({ profileId, call: { roomid, type: 1, limit: 100 } })
    expect(desc.data.filter(({ accid }) => accid === 'ana')).toEqual([])
    await act({ kind: 'robots', accids: ['ana', 'ana'], on: true })
    await until('the robot to be counted', () => panel()?.online === (before ?? 0) + 1 && panel()?.counts?.robots === 1)
    expect(panel()!.online).toBe(panel()!.counts!.people + panel()!.counts!.robots)
    await act({ kind: 'robots', accids: ['ana'], on: false })
    await until('the robot to be gone', () => panel()?.counts?.robots === 0)
  })

  it('takes robots that were added out again when another of them could not be, and leaves who was in before', async () => {
    await rig.page.rpc.messaging.createAccount({ profileId, call: { accid: 'ben' }, keep: false })
    const robotsInside = async () =>
      (
        await operations().chatrooms.membersByPage({ profileId, call: { roomid, type: 1, limit: 100 } })
      ).desc.data.flatMap(({ accid, isRobot }) => (isRobot ? [accid] : []))
    await act({ kind: 'robots', accids: ['ana'], on: true })
    const failure = await failureOf(act({ kind: 'robots', accids: ['ben', 'ana'], on: true }))
    expect(failure).toMatchObject({ kind: 'code', code: 417, detail: expect.stringContaining('["ana"]') as string })
    expect(await robotsInside()).toEqual(['ana'])
    expect((await rooms().actions({ profileId, roomid }))[0]).toMatchObject({
      what: { kind: 'robots', accids: ['ben', 'ana'] },
      result: 'failed',
    })
    // Of robots to be removed, those that are none are named.
    expect(await failureOf(act({ kind: 'robots', accids: ['ana', 'ben'], on: false }))).toMatchObject({
      kind: 'absent',
      detail: 'no robots: ["ben"]',
    })
    expect(await robotsInside()).toEqual([])
  })

  it('changes nothing that somebody else has changed since it was read, and says so', async () => {
    await act({ kind: 'announce', text: 'of somebody else' })
    expect(await failureOf(act({ kind: 'announce', text: 'mine', was: 'as I read it' }))).toMatchObject({
      kind: 'changed',
      code: 417,
    })
    await act({ kind: 'announce', text: 'mine', was: 'of somebody else' })
    await act({ kind: 'queueAdd', key: 'ana', value: 'first', fresh: true })
    expect(await failureOf(act({ kind: 'queueAdd', key: 'ana', value: 'second', fresh: true }))).toMatchObject({
      kind: 'changed',
      code: 417,
    })
    expect((await act({ kind: 'queueTake', key: 'ana' })).taken).toEqual({ key: 'ana', value: 'first' })
  })

  it('has one count, which follows what others do by other ways', async () => {
    const muted = async (muteDuration: number) =>
      rig.page.rpc.console.call({
        profileId,
        path: chatrooms.temporaryMute.path,
        parameters: { roomid, operator: 'host', target: 'ana', muteDuration },
      })
    const before = panel()!.counts!.muted
    await muted(600)
    await until('the mute to be counted', () => panel()?.counts?.muted === before + 1)
    await muted(0)
    await until('the mute to be counted', () => panel()?.counts?.muted === before)
  })

  it('takes back a mute only while it is as it was left, and only by what undoes it', async () => {
    const undo = (measure: Measure, undoes: number) => rooms().act({ profileId, roomid, measure, why: '', undoes })
    const lift: Measure = { kind: 'temporaryMute', target: 'ana', seconds: 0 }
    const { id } = (await act({ kind: 'temporaryMute', target: 'ana', seconds: 300 })).action
    for (const other of [
      { ...lift, target: 'ben' },
      { kind: 'mute', target: 'ana', on: false },
    ] as const)
      expect(await failureOf(undo(other, id))).toMatchObject({ kind: 'absent' })
    await act({ kind: 'temporaryMute', target: 'ana', seconds: 600 })
    expect(await failureOf(undo(lift, id))).toMatchObject({ kind: 'changed', code: 417 })
    expect(await muted()).toMatchObject([{ accid: 'ana', seconds: expect.closeTo(600, -2) as number }])
    const { action } = await act({ kind: 'temporaryMute', target: 'ana', seconds: 900 })
    await undo(lift, action.id)
    expect(await muted()).toEqual([])
  })

  it('hears of held lines and of what became of them', async () => {
    await rig.page.rpc.operations.local.setWords({ profileId, call: { words: ['maybe'], hold: true } })
    await act({ kind: 'slowMode', seconds: 0 })
    await saidBy('ana', 'h1', 'maybe yes')
    const held = await until('the held line', () => pushes().find((push) => push.t === 'roomHeld'))
    const [waiting] = (await operations().local.held({ profileId, call: { roomid } })).ret.list
    expect([held.msgid, waiting?.attach]).toEqual([waiting?.msgid, 'maybe yes'])
    await act({ kind: 'decideHeld', target: 'ana', msgid: held.msgid, allow: true })
    expect(await failureOf(act({ kind: 'decideHeld', target: 'ana', msgid: held.msgid, allow: false }))).toMatchObject({
      kind: 'decided',
      code: 417,
    })
    await until('the decision', () => pushes().some((push) => push.t === 'roomDecided' && push.msgid === held.msgid))
    await until('the line', () => said().some(({ clientId }) => clientId === 'h1'))
    await rig.page.rpc.operations.local.setWords({ profileId, call: { words: [], hold: false } })
  })

  it('logs what was refused too, and tells the code', async () => {
    expect(await failureOf(act({ kind: 'mute', target: 'host', on: true }, '=cmd()'))).toMatchObject({ kind: 'code' })
    const [newest] = await rooms().actions({ profileId, roomid })
    expect(newest).toMatchObject({
      operator: 'host',
      what: { kind: 'mute', target: 'host', on: true },
      why: '=cmd()',
      result: 'failed',
    })
    expect(
      (await rooms().actions({ profileId, target: 'ana' })).every(
        ({ what }) => 'target' in what && what.target === 'ana',
      ),
    ).toBe(true)
    const { text } = await rooms().exportActions({ profileId, roomid, format: 'csv' })
    expect(text).toContain(`"'=cmd()"`)
    const { text: json } = await rooms().exportActions({ profileId, roomid, format: 'json' })
    expect((JSON.parse(json) as unknown[]).length).toBe(text.trim().split('\r\n').length - 1)
  })

  it('names in the log who is called something in the room only, also when they are gone', async () => {
    const { linkUrl, appKey, mediaUrl } = (await rig.companion.serviceReady(40_000))!
    const { cid } = (await rooms().list({ profileId })).rooms.find((room) => room.roomid === roomid)!
    const { accid, token } = (await (await fetch(`${mediaUrl}/watch/${cid}/guest`, { method: 'POST' })).json()) as {
      accid: string
      token: string
    }
    const guest = linkUser(linkUrl, { appKey, accid, token })
    await guest.online()
    await guest.request('roomEnter', { roomid, nick: 'Kestrel' })
    await guest.request('roomSend', { roomid, type: 0, attach: 'hello', clientId: 'k1' })
    guest.close()
    await until(
      'to be gone',
      async () =>
        (await operations().chatrooms.queryMembers({ profileId, call: { roomid, accids: [accid] } })).desc.data
          .length === 0,
    )
    await act({ kind: 'blacklist', target: accid, on: true })
    expect((await rooms().actions({ profileId, roomid }))[0]).toMatchObject({
      what: { kind: 'blacklist', target: accid },
      targetName: 'Kestrel',
    })
    expect(
      (await operations().chatrooms.membersByPage({ profileId, call: { roomid, type: 0, limit: 100 } })).desc.data,
    ).toContainEqual(expect.objectContaining({ accid, nick: 'Kestrel' }))
    await act({ kind: 'blacklist', target: accid, on: false })
  })

  it('says that a measure holds whose outcome could not be written, and of a refused one why it was refused', async () => {
    using outside = new DatabaseSync(path.join(folder.dir, 'actions.db'))
    outside.exec(`create trigger no_room before insert on outcome begin select raise(abort, 'no room'); end`)
    expect(await failureOf(act({ kind: 'temporaryMute', target: 'ana', seconds: 600 }))).toMatchObject({
      kind: 'unlogged',
    })
    expect((await muted()).map(({ accid }) => accid)).toEqual(['ana'])
    expect((await rooms().actions({ profileId, roomid }))[0]).toMatchObject({
      what: { kind: 'temporaryMute', target: 'ana' },
      result: 'unknown',
    })
    expect(await failureOf(act({ kind: 'mute', target: 'host', on: true }))).toMatchObject({ kind: 'code' })
    outside.exec('drop trigger no_room')
    await act({ kind: 'temporaryMute', target: 'ana', seconds: 0 })
    expect(await muted()).toEqual([])
  })

  it('closes and opens; who sat inside is put out and may come back', async () => {
    await act({ kind: 'openRoom', on: false })
    await until('to be put out', () => panel()?.phase === 'refused' && panel()?.reason?.code === 'closed')
    // Nobody is in a closed room, and what it counted before is not so any more.
    expect(panel()).toMatchObject({ online: 0, counts: null })
    await act({ kind: 'openRoom', on: true })
    await rooms().enter({ profileId, roomid, renew: false })
    await until('to be inside again', () => panel()?.phase === 'inside')
    expect(panel()?.online).toBeGreaterThan(0)
  })

  it('keeps log and private notes over a restart, and enters again when it is asked to; no token is in any file', async () => {
    await rooms().setNote({ profileId, accid: 'ana', text: 'friendly, 常客' })
    const { installation } = JSON.parse(readFileSync(path.join(folder.dir, 'profiles.json'), 'utf8')) as {
      installation: string
    }
    const token = await vault.get(`${installation}:token:local:host`)
    const before = await rooms().actions({ profileId, roomid })
    await rig.close()
    await begin()
    expect(await rooms().actions({ profileId, roomid })).toEqual(before)
    expect(await rooms().note({ profileId, accid: 'ana' })).toEqual({ text: 'friendly, 常客' })
    await rooms().enter({ profileId, roomid, renew: false })
    await until('to be inside', () => panel()?.phase === 'inside')
    expect(token?.length).toBeGreaterThan(8)
    const files = readdirSync(folder.dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    for (const file of files
      .map((one) => path.join(one.parentPath, one.name))
      .filter((one) => statSync(one).size < 50_000_000))
      expect(readFileSync(file).includes(token!), file).toBe(false)
  })

  it('goes in again after a restart without a keychain, with a token of its own that nobody else had', async () => {
    await rig.page.rpc.messaging.createAccount({ profileId, call: { accid: 'made_by_hand' }, keep: true })
    const { roomid: theirs } = await rooms().create({
      profileId,
      accid: 'made_by_hand',
      name: 'By hand',
      announcement: '',
    })
    await rig.close()
    rig = await startRig(folder.dir, { vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }) })
    await rig.companion.serviceReady(40_000)
    // Studio and a window of the room at once: of two new tokens only the last one would open the link.
    await Promise.all([
      rooms().enter({ profileId, roomid, renew: false }),
      rooms().enter({ profileId, roomid, renew: false }),
    ])
    await until('to be inside', () => panel()?.phase === 'inside')
    await saidBy('ana', 'r1', 'are you there')
    await until('a line of a viewer', () => said().some(({ clientId }) => clientId === 'r1'))
    const own = await rooms().say({ profileId, roomid, text: 'I am' })
    await until('my own line', () => said().some(({ msgid }) => msgid === own.msgid))
    // The person who made this account may use its token elsewhere.
    expect(await failureOf(rooms().enter({ profileId, roomid: theirs, renew: false }))).toMatchObject({
      kind: 'secret',
    })
  })

  it('takes its seat with a new token when the one in use was replaced by somebody else and the link drops', async () => {
    await rig.page.rpc.console.call({ profileId, path: accounts.refreshToken.path, parameters: { accid: 'host' } })
    await rooms().leave({ profileId, roomid })
    await rooms().enter({ profileId, roomid, renew: false })
    await until('the refusal', () => panel()?.phase === 'refused')
    await rooms().enter({ profileId, roomid, renew: false })
    await until('to be inside again', () => panel()?.phase === 'inside')
  })

  it('comes back by itself when the service was killed', async () => {
    const died = rig.processes.at(-1)!
    const seen = rig.page.events.length
    process.kill(died.pid!, 'SIGKILL')
    await until('to be waiting', () =>
      rig.page.events.slice(seen).some((event) => event.type === 'room' && event.panel.phase !== 'inside'),
    )
    await until('to be inside again', () => panel()?.phase === 'inside', 60_000)
  })

  it('says that a token is missing, and makes a new one when told to', async () => {
    await rig.page.rpc.console.call({ profileId, path: accounts.create.path, parameters: { accid: 'outside' } })
    const { roomid: other } = await rooms().create({ profileId, accid: 'outside', name: 'Theirs', announcement: '' })
    expect(await failureOf(rooms().enter({ profileId, roomid: other, renew: false }))).toMatchObject({ kind: 'secret' })
    await rooms().enter({ profileId, roomid: other, renew: true })
    await until(
      'to be inside',
      () => rig.page.newest('room', (event) => event.panel.roomid === other)?.panel.phase === 'inside',
    )
    await rooms().leave({ profileId, roomid: other })
    expect((await rooms().panels({ profileId })).map(({ roomid: one }) => one)).not.toContain(other)
  })
})

describe('a hosted profile', () => {
  it('has no link, and lists what was added here', async () => {
    expect(await failureOf(rooms().enter({ profileId: 'hosted', roomid: 1, renew: false }))).toMatchObject({
      kind: 'absent',
    })
    expect(await rooms().list({ profileId: 'hosted' })).toEqual({ complete: false, next: null, rooms: [] })
  })
})
