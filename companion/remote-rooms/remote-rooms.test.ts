import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readInvitation } from '../../contract/invitation.ts'
import type { JoinedSeat } from '../../contract/rpc/index.ts'
import { promised } from '../../service/testing/machine-pace.ts'
import { systemClock } from '../../platform/clock.ts'
import { seatCalls } from '../rpc/seat-gate.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { type RemoteRooms, openRemoteRooms } from './remote-rooms.ts'
import { type JoinedPage, openJoinedPage } from './testing/joined-page.ts'

const folder = scratch()
const profileId = 'local'
const own = path.join(folder.dir, 'moderator')
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
const log: string[] = []
let told: JoinedSeat[] = []
let streamer: Rig
let remoteRooms: RemoteRooms
let roomid = 0
let id = ''
let page: JoinedPage
let invitation: Awaited<ReturnType<Rig['page']['rpc']['seats']['invite']>>

const open = (): Promise<RemoteRooms> =>
  openRemoteRooms({
    dataDir: own,
    vault,
    entryName: (name) => `test ${name}`,
    clock: systemClock,
    random: randomBytes,
    platform: 'win32',
    openLink: () => Promise.resolve(),
    changed: (seats) => (told = seats),
    log: (line) => log.push(line),
  })
const session = (method = 'GET', body?: object) =>
  remoteRooms.fetch({
    method,
    path: `/joined/${id}/session`,
    signal: new AbortController().signal,
    ...(body ? { body } : {}),
  })
const seatOf = async (accid: string) =>
  (await streamer.page.rpc.seats.board()).seats.find((seat) => seat.accid === accid)
const failures = async (): Promise<number> => (await streamer.page.rpc.seats.board()).listener.failures

beforeAll(async () => {
  const pageDir = path.join(folder.dir, 'page')
  for (const dir of [pageDir, own]) mkdirSync(dir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  const dir = path.join(folder.dir, 'streamer')
  mkdirSync(dir)
  streamer = await startRig(dir, { pageDir })
  const { rpc } = streamer.page
  await until('the service', () => streamer.page.newest('service')?.service.phase === 'running')
  roomid = (await rpc.rooms.create({ profileId, accid: 'ana', name: 'Late night', announcement: '' })).roomid
  await rpc.rooms.enter({ profileId, roomid, renew: false })
  await rpc.seats.makeCertificate({ names: [] })
  await rpc.seats.listen({ on: true, open: true, port: 0 })
  invitation = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  remoteRooms = await open()
})
afterAll(async () => {
  page?.close()
  remoteRooms?.close()
  await streamer?.close()
  folder[Symbol.dispose]()
})

it('joins by the link of the invitation and shows the room over a line of its own', async () => {
  const link = readInvitation(invitation.appLink)
  if (!link) throw new Error(`no link: ${invitation.appLink}`)
  const { host, secured, fingerprint, code, accid } = link
  expect([secured, code, accid]).toEqual([true, invitation.code, 'mei'])
  const place = { host, secured, fingerprint }
  expect(await remoteRooms.join(place, { accid: 'mei', token: 'x'.repeat(32), code })).toEqual({
    seat: null,
    trouble: 'refused',
    wait: 0,
  })
  const { seat } = await remoteRooms.join(place, { accid: 'mei', token: invitation.token, code })
  expect(seat).toMatchObject({ host, accid: 'mei', name: 'Mei', roomid, room: 'Late night', token: 'session' })
  id = seat?.id ?? ''
  expect(told).toEqual([seat])
  expect(await seatOf('mei')).toMatchObject({ state: 'active', device: 'Sidestage, Windows', codeUntil: null })

  expect((await session()).status).toBe(204)
  page = openJoinedPage(remoteRooms, id)
  expect((await page.rpc.app.about()).seat).toMatchObject({ roomid, accid: 'mei' })
  await page.rpc.rooms.say({ profileId, roomid, text: 'good evening' })
  await until('the line', () =>
    page.events.some((event) => event.type === 'roomPush' && JSON.stringify(event.push).includes('good evening')),
  )
  const { action } = await page.rpc.rooms.act({ profileId, roomid, measure: { kind: 'muteRoom', on: true }, why: '' })
  expect(action).toMatchObject({ operator: 'mei', result: 'done' })
  expect(seatCalls).not.toContain('joined.list')
  // Its procedures are those of the streamer's gate: nothing of either computer beyond the room.
  for (const call of [
    page.rpc.joined.list(),
    page.rpc.seats.board(),
    page.rpc.profiles.test({ profileId }),
    page.rpc.app.restartService(),
  ])
    expect(await failureOf(call)).toMatchObject({ kind: 'forbidden' })
})

it('keeps token, code and session out of files, events, the log and the page', async () => {
  const cookie = /"sessions": \[\s*"([^"]+)"/.exec(readFileSync(path.join(streamer.dataDir, 'seats.json'), 'utf8'))?.[1]
  expect(cookie).toBeDefined()
  const files = readdirSync(own).map((name) => readFileSync(path.join(own, name), 'utf8'))
  const all = [...files, ...log, ...streamer.log, JSON.stringify(told), ...page.received].join('\n')
  for (const secret of [invitation.token, invitation.code, 'sidestage_', 'set-cookie'])
    expect(all.includes(secret), secret).toBe(false)
})

it('is there again after a start of the app with the kept token, without the code', async () => {
  page.close()
  remoteRooms.close()
  remoteRooms = await open()
  await until('what is known of its token', () => told[0]?.token === 'session')
  expect((await session()).status).toBe(204)
  page = openJoinedPage(remoteRooms, id)
  expect((await page.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
})

it('says when the streamer does not listen, and comes back with the same session when they do', async () => {
  const { rpc } = streamer.page
  const { port } = (await rpc.seats.board()).listener
  await rpc.seats.listen({ on: false, open: true, port })
  await page.closed
  expect(await session()).toMatchObject({ status: 503, headers: { 'sidestage-trouble': 'offline' } })
  const before = (await seatOf('mei'))?.sessions
  await rpc.seats.listen({ on: true, open: true, port })
  expect((await session()).status).toBe(204)
  page = openJoinedPage(remoteRooms, id)
  expect((await page.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
  expect((await seatOf('mei'))?.sessions).toBe(before)
})

it('ends within a second when the seat is taken back, and tries nothing by itself from then on', async () => {
  await promised(1_000, async () => {
    await Promise.all([streamer.page.rpc.seats.revoke({ id: invitation.seat.id }), page.closed])
    expect(await session()).toMatchObject({ status: 401, headers: { 'sidestage-trouble': 'refused' } })
  })
  const before = await failures()
  for (let n = 0; n < 5; n++) expect((await session()).status).toBe(401)
  expect(await failures()).toBe(before)
  // Invited anew, with another token and code, the same room is entered from where it stands.
  const again = await streamer.page.rpc.seats.inviteAgain({ id: invitation.seat.id })
  expect((await session('POST', { token: again.token, code: again.code })).status).toBe(204)
  expect(await vault.get(`test joined:${id}`)).toBe(again.token)
})

it('sends nothing once the streamer has another certificate, until it is joined with the new one', async () => {
  await streamer.page.rpc.seats.makeCertificate({ names: [] })
  expect(await session()).toMatchObject({ status: 401, headers: { 'sidestage-trouble': 'changed' } })
  const again = await streamer.page.rpc.seats.inviteAgain({ id: invitation.seat.id })
  const { host, secured, fingerprint } = readInvitation(again.appLink) ?? { host: '', secured: true, fingerprint: null }
  const { seat } = await remoteRooms.join(
    { host, secured, fingerprint },
    { accid: 'mei', token: again.token, code: again.code },
  )
  expect(seat?.id).toBe(id)
  expect((await session()).status).toBe(204)
})
