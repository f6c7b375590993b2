import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rpc as contract } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { promised } from '../../service/testing/machine-pace.ts'
import { seatCalls } from '../rpc/seat-gate.ts'
import { failureOf, scratch, startRig, until, type Rig } from '../testing/rig.ts'
import { openSeatPage, signIn, signOut, type SeatPage } from './testing/seat-page.ts'

const folder = scratch()
const pageDir = path.join(folder.dir, 'page')
const profileId = 'local'
let rig: Rig
let roomid = 0
let other = 0
let cid = ''
let hidden = ''
let url = ''
let seat: SeatPage
let invitation: Awaited<ReturnType<Rig['page']['rpc']['seats']['invite']>>

/** What must never reach a moderator. */
const secrets = async (): Promise<string[]> => {
  const { key } = await rig.page.rpc.push.reveal({ profileId, cid })
  return [rig.handed[0]!.appSecret, key, hidden, ...(/wsSecret=([0-9a-f]+)/.exec(key)?.slice(1) ?? [])]
}
const say = (as: SeatPage, text: string) => as.rpc.rooms.say({ profileId, roomid, text })

beforeAll(async () => {
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  rig = await startRig(path.join(folder.dir), { pageDir })
  const { rpc } = rig.page
  await until('the service', () => rig.page.newest('service')?.service.phase === 'running')
  cid = (await rpc.channels.create({ profileId, name: 'Night' })).cid
  hidden = (await rpc.channels.create({ profileId, name: 'Hidden' })).cid
  roomid = (await rpc.rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
  other = (await rpc.rooms.create({ profileId, accid: 'zoe', name: 'another room', announcement: '' })).roomid
  await rpc.rooms.link({ profileId, cid, roomid })
  await rpc.rooms.enter({ profileId, roomid, renew: false })
  await rpc.rooms.enter({ profileId, roomid: other, renew: false })
  invitation = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const listener = await rpc.seats.listen({ on: true, open: false, port: 0 })
  url = listener.urls[0]!
  const { status, cookie } = await signIn(url, { accid: 'Mei', token: invitation.token, code: invitation.code })
  expect(status).toBe(204)
  seat = await openSeatPage(url, cookie)
})
afterAll(async () => {
  seat?.close()
  await rig?.close()
  folder[Symbol.dispose]()
})

it('lets nobody in by account and token before the code of the invitation was used, and the code once', async () => {
  const lena = await rig.page.rpc.seats.invite({ profileId, roomid, accid: 'lena', name: 'Lena' })
  expect(lena).toMatchObject({
    link: `${url}/#code=${lena.code}`,
    appLink: `sidestage://join?host=${new URL(url).host}&accid=lena&code=${lena.code}`,
    seat: { state: 'invited', accid: 'lena', cid },
  })
  const tries = [
    { accid: 'lena', token: lena.token },
    { accid: 'lena', token: lena.token, code: invitation.code },
    { accid: 'lena', token: 'x'.repeat(32), code: lena.code },
  ]
  for (const body of tries) expect((await signIn(url, body)).status).toBe(401)
  // Three that failed slow the next one down, so a right one waits too.
  expect((await signIn(url, { accid: 'lena', token: lena.token, code: lena.code })).status).toBe(401)
  await until(
    'the end of the delay',
    async () => (await signIn(url, { accid: 'lena', token: lena.token, code: lena.code })).status === 204,
  )
  expect((await signIn(url, { accid: 'lena', token: lena.token, code: lena.code })).status).toBe(204)
  const board = await rig.page.rpc.seats.board()
  expect(board.listener.failures).toBeGreaterThanOrEqual(3)
  expect(board.seats.find(({ accid }) => accid === 'lena')).toMatchObject({
    state: 'active',
    codeUntil: null,
    device: 'Firefox, Linux',
    address: '127.0.0.1',
  })
  expect(rig.log.some((line) => line.includes("a moderator's sign-in from 127.0.0.1 was refused"))).toBe(true)
  expect(rig.log.join('\n')).not.toContain(lena.token)
  expect(rig.log.join('\n')).not.toContain(lena.code)
})

it('shows the room and its channel, and acts under its own name as far as its role goes', async () => {
  expect(await seat.rpc.app.about()).toMatchObject({
    seat: { profileId, roomid, cid, accid: 'mei', name: 'Mei' },
    capabilities: [],
  })
  const panel = await seat.rpc.rooms.enter({ profileId, roomid, renew: false })
  expect(panel).toMatchObject({ roomid, accid: 'mei' })
  expect((await seat.rpc.channels.list({ profileId })).channels.map((channel) => channel.cid)).toEqual([cid])
  expect((await seat.rpc.rooms.list({ profileId })).rooms.map((room) => room.roomid)).toEqual([roomid])
  await say(seat, 'good evening')
  await until('the line at both pages', () =>
    [seat.events, rig.page.events].every((events) =>
      events.some(
        (event) =>
          event.type === 'roomPush' &&
          event.push.t === 'roomMessage' &&
          'from' in event.push &&
          event.push.from === 'mei',
      ),
    ),
  )
  await rig.page.rpc.messaging.createAccount({ profileId, call: { accid: 'rvb' }, keep: false })
  const { action } = await seat.rpc.rooms.act({
    profileId,
    roomid,
    measure: { kind: 'temporaryMute', target: 'rvb', seconds: 60 },
    why: 'loud',
  })
  expect(action).toMatchObject({ operator: 'mei', result: 'done' })
  const muted = await seat.rpc.operations.local.muted({ profileId, call: { roomid } })
  expect(muted.ret.list.map(({ accid }) => accid)).toEqual(['rvb'])
  // The service judges: an admin neither makes admins nor touches the host.
  for (const measure of [
    { kind: 'admin', target: 'rvb', on: true },
    { kind: 'temporaryMute', target: 'ana', seconds: 60 },
    { kind: 'openRoom', on: false },
  ] as const)
    expect(await failureOf(seat.rpc.rooms.act({ profileId, roomid, measure, why: '' }))).toMatchObject({
      kind: 'code',
      code: 403,
    })
  expect(
    await failureOf(
      seat.rpc.rooms.act({ profileId, roomid, measure: { kind: 'robots', accids: ['bot'], on: true }, why: '' }),
    ),
  ).toMatchObject({
    kind: 'forbidden',
  })
  const log = await rig.page.rpc.rooms.actions({ profileId, roomid })
  expect(log.filter(({ operator }) => operator === 'mei').map(({ result }) => result)).toEqual([
    'failed',
    'failed',
    'failed',
    'done',
  ])
  // What was refused is nothing that she did.
  expect((await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'mei')).toMatchObject({
    lastAction: 'temporaryMute',
    pages: 1,
  })
})

/** Every procedure of the contract by its path. */
const proceduresOf = (group: object, at: string): string[] =>
  Object.entries(group).flatMap(([name, each]) =>
    '~orpc' in (each as object) ? [`${at}${name}`] : proceduresOf(each as object, `${at}${name}.`),
  )
const procedures = proceduresOf(contract, '')
type Callable = { readonly [name: string]: Callable } & ((input: unknown) => Promise<unknown>)
const call = (page: SeatPage, name: string, input: unknown): Promise<unknown> =>
  name.split('.').reduce((at, part) => at[part]!, page.rpc as unknown as Callable)(input)
it("refuses every procedure that is not a moderator's, whatever it is asked with", async () => {
  expect(seatCalls.filter((name) => !procedures.includes(name))).toEqual([])
  const inputs = [
    undefined,
    {},
    { profileId, roomid, cid },
    { profileId, cid: hidden, cids: [hidden] },
    { profileId, call: { roomid } },
    [],
    'x',
    7,
  ]
  const refused = procedures.filter((name) => !seatCalls.includes(name))
  expect(refused.length).toBeGreaterThan(60)
  for (const name of refused)
    for (const input of inputs)
      expect(await failureOf(call(seat, name, input)), name).toMatchObject({ kind: 'forbidden' })
})

it('refuses another room, another channel and another profile in the procedures that it has', async () => {
  const foreign = [
    { profileId, roomid: other, call: { roomid: other, type: 0, limit: 10 }, cid: hidden, renew: false },
    { profileId, roomid: String(roomid), call: { roomid: String(roomid) }, cid: `${cid} `, renew: false },
    { profileId: 'another', roomid, call: { roomid, type: 0, limit: 10 }, cid, renew: false },
    { profileId, call: [roomid], roomid: [roomid], cid: [cid], renew: true },
    { profileId, call: { __proto__: { roomid } }, renew: false },
  ]
  const wide = new Set(['app.about', 'app.events', 'channels.list', 'rooms.list', 'rooms.panels'])
  for (const name of seatCalls.filter((each) => !wide.has(each)))
    for (const input of foreign)
      expect(await failureOf(call(seat, name, input)), `${name} ${JSON.stringify(input)}`).toMatchObject({
        kind: 'forbidden',
      })
  expect(await failureOf(seat.rpc.rooms.enter({ profileId, roomid, renew: true }))).toMatchObject({ kind: 'forbidden' })
  expect((await seat.rpc.rooms.panels({ profileId })).map((panel) => panel.roomid)).toEqual([roomid])
  // It may not put the app's own seat out of the room.
  await seat.rpc.rooms.leave({ profileId, roomid })
  expect((await rig.page.rpc.rooms.panels({ profileId })).map((panel) => panel.roomid)).toContain(roomid)
})

it('tells a moderator nothing of other rooms and channels, of addresses or of secrets', async () => {
  await rig.page.rpc.rooms.say({ profileId, roomid: other, text: 'said elsewhere' })
  await rig.page.rpc.channels.rename({ profileId, cid: hidden, name: 'Hidden_too' })
  await say(seat, 'a last word here')
  await until('the last word', () => seat.received.some((text) => text.includes('a last word here')))
  const all = seat.received.join('\n')
  for (const secret of await secrets()) expect(all).not.toContain(secret)
  for (const word of ['said elsewhere', 'another room', 'Hidden', 'wsSecret', '"appKey":"s', rig.dataDir])
    expect(all).not.toContain(word)
  const kinds = new Set(seat.events.map(({ type }) => type))
  expect(
    [...kinds].filter(
      (kind) =>
        !['service', 'profiles', 'settings', 'channels', 'tallies', 'figures', 'room', 'roomPush'].includes(kind),
    ),
  ).toEqual([])
})

it('follows the room to another channel without a page that is loaded anew, and tells nothing of the channel before', async () => {
  const { rpc } = rig.page
  const second = (await rpc.channels.create({ profileId, name: 'Second' })).cid
  await until('the tally of the new channel', () =>
    rig.page.newest('tallies')?.tallies.some((tally) => tally.cid === second),
  )
  const told = () => seat.events.filter((event) => event.type === 'channels').length
  const before = told()
  await rpc.rooms.link({ profileId, cid, roomid: null })
  await until('the word that there is no picture', () => told() > before)
  expect((await seat.rpc.rooms.list({ profileId })).rooms[0]?.cid).toBeNull()
  expect(await failureOf(seat.rpc.preview.open({ profileId, cid }))).toMatchObject({ kind: 'forbidden' })
  await rpc.rooms.link({ profileId, cid: second, roomid })
  await until('the word that it is another one', () => told() > before + 1)
  expect((await seat.rpc.channels.list({ profileId })).channels.map((channel) => channel.cid)).toEqual([second])
  expect((await seat.rpc.app.about()).seat).toMatchObject({ cid: second })
  await until('the tally of that channel', () =>
    seat.events.findLast((event) => event.type === 'tallies')?.tallies.some((tally) => tally.cid === second),
  )
  expect(await failureOf(seat.rpc.preview.open({ profileId, cid }))).toMatchObject({ kind: 'forbidden' })
  expect((await rpc.seats.board()).seats.find(({ accid }) => accid === 'mei')).toMatchObject({ cid: second })
  await rpc.rooms.link({ profileId, cid: second, roomid: null })
  await rpc.rooms.link({ profileId, cid, roomid })
  await until('the way back', () => told() > before + 3)
})

it('tells a page no more of the settings than it needs', async () => {
  await rig.page.rpc.app.changeSettings({
    mutePresets: [60],
    globalKeys: { panic: 'F7' },
    notices: ['diskLow'],
    closeToTray: true,
    theme: 'light',
  })
  const newest = () => seat.events.findLast((event) => event.type === 'settings')?.settings
  await until('the settings', () => newest()?.mutePresets?.length === 1)
  expect(newest()).toEqual({
    theme: 'system',
    language: 'system',
    mutePresets: [60],
    roomKeys: {},
    globalKeys: {},
    notices: [],
    recording: firstRecordingDefaults,
    startAtLogin: false,
    closeToTray: false,
  })
})

it('takes nothing from the other pages, whatever it opens and asks for', async () => {
  const channels = await rig.page.rpc.channels.list({ profileId })
  expect(channels.channels.map((channel) => channel.cid)).toContain(cid)
  const { flv } = await rig.page.rpc.preview.open({ profileId, cid })
  // A range that is none is told from a path that leads nowhere, also while the channel is not on air.
  const isThere = async (): Promise<boolean> =>
    (
      await rig.companion.relay.fetch({
        method: 'GET',
        path: flv!,
        range: 'lines=1',
        signal: new AbortController().signal,
      })
    ).status === 416
  expect(await isThere()).toBe(true)
  for (let n = 0; n < 80; n++) await seat.rpc.preview.open({ profileId, cid })
  expect(await isThere()).toBe(true)

  // Of its pages only so many are opened, and there are places for whoever else comes.
  const { cookie } = await signIn(url, { accid: 'mei', token: invitation.token })
  const own: SeatPage[] = []
  const open = async (as: string): Promise<SeatPage | undefined> =>
    openSeatPage(url, as).catch((error: unknown) => {
      expect(String(error)).toMatch(/503/)
      return undefined
    })
  for (let n = 0; n < 20; n++) own.push(...[await open(cookie)].filter((page) => page !== undefined))
  expect((await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'mei')).toMatchObject({ pages: 8 })
  const lena = await rig.page.rpc.seats.inviteAgain({
    id: (await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'lena')!.id,
  })
  const other = await signIn(url, { accid: 'lena', token: lena.token, code: lena.code })
  const page = await open(other.cookie)
  expect((await page!.rpc.app.about()).seat).toMatchObject({ accid: 'lena' })

  // Calls of all its pages are counted together.
  const asked = [seat, ...own].flatMap((each) =>
    Array.from({ length: 40 }, () =>
      each.rpc.operations.chatrooms.membersByPage({ profileId, call: { roomid, type: 0, limit: 100 } }).then(
        () => undefined,
        (error: { data?: unknown }) => error.data,
      ),
    ),
  )
  expect((await page!.rpc.rooms.list({ profileId })).rooms).toHaveLength(1)
  const failures = (await Promise.all(asked)).filter((failure) => failure !== undefined)
  expect(failures.length).toBeGreaterThan(200)
  for (const failure of failures) expect(failure).toMatchObject({ kind: 'code', code: 416 })
  for (const each of [page!, ...own]) each.close()
  await until(
    'the end of its other pages',
    async () => (await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'mei')?.pages === 1,
  )
  expect(await signOut(url, cookie)).toBe(204)
})

it('keeps digests of codes and sessions, and no token, on disk', async () => {
  const files = readdirSync(rig.dataDir).filter((name) => name.endsWith('.json'))
  const text = files.map((name) => readFileSync(path.join(rig.dataDir, name), 'utf8')).join('\n')
  expect(text).toMatch(/"accid":\s*"mei"/)
  for (const secret of [invitation.token, invitation.code]) expect(text).not.toContain(secret)
})

it('forgets the browser that signs out, and no other one', async () => {
  const body = { accid: 'mei', token: invitation.token }
  const [one, two] = [await signIn(url, body), await signIn(url, body)]
  const [pageOne, pageTwo] = [await openSeatPage(url, one.cookie), await openSeatPage(url, two.cookie)]
  expect(await signOut(url, one.cookie, 'http://elsewhere.example')).toBe(403)
  expect((await pageOne.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
  expect(await signOut(url, one.cookie)).toBe(204)
  await pageOne.closed
  await expect(openSeatPage(url, one.cookie)).rejects.toThrow(/401/)
  expect((await pageTwo.rpc.app.about()).seat).toMatchObject({ accid: 'mei' })
  expect((await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'mei')).toMatchObject({
    sessions: 2,
    lastAction: 'signOut',
  })
  pageTwo.close()
  expect(await signOut(url, 'sidestage_1=nothing')).toBe(204)
})

it('tells the page how people come in, and how long who failed must wait', async () => {
  const session = await fetch(new URL('/session', url), { headers: { 'sec-fetch-site': 'same-origin' } })
  expect([session.status, session.headers.get('sidestage-door')]).toEqual([401, 'account'])
  const answers = []
  for (let n = 0; n < 4; n++) answers.push(await signIn(url, { accid: 'nobody.here', token: 'x' }))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
  expect(answers.map(({ wait }) => wait).slice(0, 2)).toEqual([0, 0])
  expect(answers[3]?.wait).toBeGreaterThan(0)
  await until(
    'the end of the delay',
    async () => (await signIn(url, { accid: 'mei', token: invitation.token })).status === 204,
  )
})

it('ends sessions, role, token and link sessions within a second when a seat is revoked', async () => {
  const { seat: shown, steps } = await promised(1_000, async () => {
    const done = await rig.page.rpc.seats.revoke({ id: invitation.seat.id })
    await seat.closed
    return done
  })
  expect(shown).toMatchObject({ state: 'revoked', sessions: 0, pages: 0 })
  expect(steps.map(({ what, ok }) => [what, ok])).toEqual([
    ['sessions', true],
    ['kept', true],
    ['role', true],
    ['token', true],
    ['link', true],
  ])
  expect((await signIn(url, { accid: 'mei', token: invitation.token, code: invitation.code })).status).toBe(401)
  const { desc } = await rig.page.rpc.operations.chatrooms.membersByPage({
    profileId,
    call: { roomid, type: 0, limit: 100 },
  })
  expect(desc.data.filter(({ type }) => type === 2).map(({ accid }) => accid)).toEqual(['lena'])
  // Once more says the same.
  expect((await rig.page.rpc.seats.revoke({ id: invitation.seat.id })).steps.every(({ ok }) => ok)).toBe(true)
  await rig.page.rpc.seats.forget({ id: invitation.seat.id })
  expect((await rig.page.rpc.seats.board()).seats.map(({ accid }) => accid)).not.toContain('mei')
})

it('listens beyond this computer only with a certificate, whose fingerprint is shown', async () => {
  const { rpc } = rig.page
  expect(await failureOf(rpc.seats.listen({ on: true, open: true, port: 0 }))).toMatchObject({
    kind: 'certificate',
    reason: { code: 'noCertificate' },
  })
  expect((await rpc.seats.board()).listener).toMatchObject({ phase: 'listening', open: false })
  expect(await failureOf(rpc.seats.useCertificate({ cert: 'no certificate', key: 'no key' }))).toMatchObject({
    kind: 'certificate',
    reason: { code: 'badCertificate' },
  })
  const made = await rpc.seats.makeCertificate({ names: ['stage.example'] })
  expect(made).toMatchObject({ certificate: 'made', phase: 'listening', open: false })
  expect(made.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  const open = await rpc.seats.listen({ on: true, open: true, port: 0 })
  expect(open).toMatchObject({ phase: 'listening', open: true })
  const { cert } = (
    JSON.parse(readFileSync(path.join(rig.dataDir, 'seats.json'), 'utf8')) as { certificate: { cert: string } }
  ).certificate
  expect(readFileSync(path.join(rig.dataDir, 'seats.json'), 'utf8')).not.toContain('PRIVATE KEY')
  const at = `https://localhost:${open.port}`
  const kai = await rpc.seats.invite({ profileId, roomid, accid: 'kai', name: 'Kai' })
  expect(kai.link).toMatch(/^https:\/\//)
  const { status, cookie } = await signIn(at, { accid: 'kai', token: kai.token, code: kai.code }, { ca: cert })
  expect(status).toBe(204)
  const page = await openSeatPage(at, cookie, cert)
  expect((await page.rpc.app.about()).seat).toMatchObject({ accid: 'kai' })
  await expect(signIn(at, {})).rejects.toThrow(/self-signed|unable to verify/)
  expect(await rpc.seats.listen({ on: false, open: false, port: 0 })).toMatchObject({ phase: 'off', urls: [] })
  await page.closed
  await expect(signIn(at, {}, { ca: cert })).rejects.toThrow()
})

it('says by a code why it does not listen', async () => {
  const other = net.createServer().listen(0, '127.0.0.1')
  await until('the other program', () => other.listening)
  const { port } = other.address() as net.AddressInfo
  expect(await rig.page.rpc.seats.listen({ on: true, open: false, port })).toMatchObject({
    phase: 'failed',
    reason: { code: 'taken', params: { port: String(port) } },
  })
  await new Promise((resolve) => other.close(resolve))
  expect(await rig.page.rpc.seats.listen({ on: true, open: false, port })).toMatchObject({
    phase: 'listening',
    reason: null,
  })
})
