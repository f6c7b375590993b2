import { afterAll, beforeAll, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchGuest, WatchState } from '../../contract/watch.ts'
import { linkUser } from '../link/testing/link-user.ts'
import { createLog } from '../log.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { testCredentials } from '../testing/start-service.ts'

let rig: RoomRig
let logged = ''
const log = createLog({ level: 'trace', destination: { write: (line: string) => void (logged += line) } })
const answered: RawAnswer[] = []
const tokens: string[] = []

beforeAll(async () => {
  rig = await startRooms({ trustedProxies: ['127.0.0.1'], log })
})
afterAll(() => rig.close())

let viewer = 0
const nextViewer = (): string => `198.51.100.${++viewer}`
/** A request as a viewer elsewhere makes it, by a proxy here. */
async function ask(
  path: string,
  {
    from = nextViewer(),
    method = 'GET',
    headers = {},
    body,
  }: { from?: string; method?: string; headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<RawAnswer> {
  const answer = await httpRequest(rig.service.ready.mediaUrl + path, {
    method,
    headers: [['x-forwarded-for', from], ...Object.entries(headers)],
    ...(body !== undefined && { body }),
  })
  answered.push(answer)
  return answer
}
const enter = (cid: string, passphrase: string, from?: string, query = '', more: Record<string, string> = {}) =>
  ask(`/watch/${cid}/enter${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify({ passphrase }),
    ...(from !== undefined && { from }),
  })
const cookieOf = ({ headers }: RawAnswer): string => (headers['set-cookie']?.[0] ?? '').split(';')[0]!
const gateOf = async (cid: string, cookie: string): Promise<WatchState['gate']> =>
  (JSON.parse((await ask(`/watch/${cid}/state`, { headers: { cookie } })).text) as WatchState).gate
const channel = async (name: string): Promise<string> => (await rig.call(live.create, { name })).ret!.cid
const update = (cid: string, values: Omit<Parameters<typeof rig.call<typeof local.updateAccess>>[1], 'cid'>) =>
  rig.call(local.updateAccess, { cid, ...values })
/** A guest of the room of a channel, online in it. */
async function guestIn(cid: string, roomid: number, cookie: string) {
  const made = await ask(`/watch/${cid}/guest`, { method: 'POST', headers: { cookie } })
  expect(made.status).toBe(201)
  const { accid, token } = JSON.parse(made.text) as WatchGuest
  const user = linkUser(() => rig.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token })
  await user.online()
  await user.request('roomEnter', { roomid, nick: accid.slice(-6) })
  return {
    user,
    back: () => linkUser(() => rig.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token }),
  }
}

it('nobody gets the cookie of a passphrase by sending any while nothing asks for it', async () => {
  const cid = await channel('open')
  await update(cid, { passphrase: 'lamp and harbour' })
  const early = await enter(cid, 'anything')
  expect([early.status, early.headers['set-cookie']]).toEqual([204, undefined])
  await update(cid, { mode: 'passphrase' })
  expect(await gateOf(cid, cookieOf(early))).toBe('passphrase')
})

it('an address that guessed is not told the right one either, though others have just given it', async () => {
  const cid = await channel('guessed')
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  expect((await enter(cid, 'lamp and harbour')).status).toBe(204)
  const from = nextViewer()
  for (let guess = 0; guess < 10; guess++) expect((await enter(cid, `guess ${guess}`, from)).status).toBe(403)
  const statuses = await Promise.all(
    ['wrong', 'lamp and harbour'].map(async (guess) => (await enter(cid, guess, from)).status),
  )
  expect(statuses).toEqual([429, 429])
  // The same over another door, where the passphrase comes with each request.
  const basic = { authorization: `Basic ${Buffer.from('x:lamp and harbour').toString('base64')}` }
  expect((await enter(cid, 'lamp and harbour')).status).toBe(204)
  expect((await ask(`/live/${cid}/playlist.m3u8`, { from, headers: basic })).status).toBe(429)
  expect((await ask(`/live/${cid}/playlist.m3u8`, { headers: basic })).status).toBe(404)
})

it('an entry is over when the mode changes, also when it changes back', async () => {
  const cid = await channel('changed')
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  const cookie = cookieOf(await enter(cid, 'lamp and harbour'))
  expect(await gateOf(cid, cookie)).toBeUndefined()
  await update(cid, { closed: true })
  expect(await gateOf(cid, cookie)).toBe('closed')
  await update(cid, { closed: false })
  expect(await gateOf(cid, cookie)).toBeUndefined()
  await update(cid, { mode: 'links' })
  expect(await gateOf(cid, cookie)).toBe('link')
  await update(cid, { mode: 'passphrase' })
  expect(await gateOf(cid, cookie)).toBe('passphrase')
})

it('who gave the passphrase stays let in by it after a link that is revoked, before or later', async () => {
  const cid = await channel('both')
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  const entry = cookieOf(await enter(cid, 'lamp and harbour'))
  const { linkId, url } = (await rig.call(local.addNamedLink, { cid, name: 'Both' })).ret!
  const token = url.split('/').at(-1)!
  tokens.push(token)
  const open = async (cookie: string): Promise<string> =>
    cookieOf(await ask(`/watch/${cid}/${token}`, { headers: { cookie } }))
  const link = await open(entry)
  // As a browser keeps them: by their names.
  const jar = (...cookies: string[]): string =>
    [...new Map(cookies.filter(Boolean).map((each) => [each.split('=')[0], each])).values()].join('; ')
  expect(link).toContain(token)
  expect(await gateOf(cid, jar(entry, link))).toBeUndefined()
  await rig.call(local.revokeNamedLink, { cid, linkId })
  expect(await gateOf(cid, jar(entry, link))).toBeUndefined()
  expect(await open(entry)).toBe('')
  expect(await gateOf(cid, jar(entry, await open(entry)))).toBeUndefined()
})

it('cookies in frames of other sites are of that site alone, under TLS', async () => {
  const cid = await channel('framed')
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  const framed = await enter(cid, 'lamp and harbour', undefined, '?framed=1', { 'x-forwarded-proto': 'https' })
  expect(framed.headers['set-cookie']![0]).toMatch(/; SameSite=None; Partitioned; Secure$/)
  const plain = await enter(cid, 'lamp and harbour', undefined, '?framed=1')
  expect(plain.headers['set-cookie']![0]).toMatch(/; HttpOnly; SameSite=Lax$/)
})

it('origins that would be more than an origin in a header are refused', async () => {
  const cid = await channel('embedded')
  for (const origin of [
    'https://a;script-src',
    'https://a,b',
    'https://*',
    'https://*.example.org',
    'null',
    "https://'self'",
  ])
    expect((await update(cid, { embedOrigins: [origin] })).code, origin).toBe(631)
  expect((await update(cid, { embedOrigins: ['https://example.org:8443', 'http://[::1]:5173'] })).code).toBe(200)
})

it('guests are those who may watch, are put out with their ground, and do not come back by their token', async () => {
  const cid = await channel('talk')
  const roomid = await rig.room()
  await rig.call(local.linkRoom, { cid, roomid })
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  expect((await ask(`/watch/${cid}/guest`, { method: 'POST' })).status).toBe(403)
  const { ret } = await rig.call(local.addNamedLink, { cid, name: 'Mum' })
  tokens.push(ret!.url.split('/').at(-1)!)
  const opened = await ask(new URL(ret!.url).pathname)
  const byPassphrase = await guestIn(cid, roomid, cookieOf(await enter(cid, 'lamp and harbour')))
  const byLink = await guestIn(cid, roomid, cookieOf(opened))

  const began = performance.now()
  await update(cid, { passphrase: 'another one' })
  await until('the guest is out', () => byPassphrase.user.state.at === 'out', 1_000)
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(byPassphrase.user.state).toMatchObject({ at: 'out', reason: 'ended' })
  expect(byLink.user.state.at).toBe('online')
  const again = byPassphrase.back()
  await until('its token is refused', () => again.state.at === 'out', 10_000)
  expect(again.state).toMatchObject({ at: 'out', code: 4401, refusal: 403 })
  expect(again.states.map(({ at }) => at)).toEqual(['connecting', 'out'])

  await rig.call(local.revokeNamedLink, { cid, linkId: ret!.linkId })
  await until('the guest with the link is out', () => byLink.user.state.at === 'out', 1_000)
  for (const user of [again, byPassphrase.user, byLink.user]) user.close()
})

it('after a restart a guest is let in again with its cookies, and not by its token alone', async () => {
  const cid = await channel('restarted')
  const roomid = await rig.room()
  await rig.call(local.linkRoom, { cid, roomid })
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour' })
  const entry = cookieOf(await enter(cid, 'lamp and harbour'))
  const made = await ask(`/watch/${cid}/guest`, { method: 'POST', headers: { cookie: entry } })
  const { accid, token } = JSON.parse(made.text) as WatchGuest
  const asGuest = () => linkUser(() => rig.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token })
  const before = asGuest()
  await before.online()
  const { dataDir } = rig
  await rig.stop()
  rig = await startRooms({ trustedProxies: ['127.0.0.1'], log, dataDir })
  await until('the page knows that it must ask again', () => before.state.at === 'out', 30_000)
  const back = await ask(`/watch/${cid}/guest`, {
    method: 'POST',
    headers: { cookie: `${entry}; ${cookieOf(made)}` },
  })
  expect([back.status, (JSON.parse(back.text) as WatchGuest).accid]).toEqual([201, accid])
  const after = asGuest()
  await after.online()
  expect((await after.request('roomEnter', { roomid, nick: 'kestrel' })).online).toBe(1)
  before.close()
  after.close()
})

it('passphrases and tokens are in no log, no redirect and no answer to viewers', () => {
  const secrets = ['lamp and harbour', 'another one', 'guess 3', ...tokens]
  expect(tokens.length).toBeGreaterThan(0)
  expect(logged.length).toBeGreaterThan(0)
  for (const secret of secrets)
    for (const spelled of [secret, encodeURIComponent(secret), Buffer.from(`x:${secret}`).toString('base64')]) {
      expect(logged).not.toContain(spelled)
      for (const { text, headers } of answered) expect(text + String(headers.location)).not.toContain(spelled)
    }
})

it('a link with something behind it, or cut off, leads to the page', async () => {
  const cid = await channel('mangled_links')
  await update(cid, { mode: 'links' })
  const { ret } = await rig.call(local.addNamedLink, { cid, name: 'Robin' })
  const { pathname } = new URL(ret!.url)
  for (const behind of ['', '.', ')', ',', '%20', '?x=1']) {
    const { status, headers } = await ask(pathname + behind)
    expect([behind, status, new URL(headers.location!, `http://h${pathname}${behind}`).pathname]).toEqual([
      behind,
      303,
      `/watch/${cid}`,
    ])
    expect(await gateOf(cid, cookieOf({ headers } as RawAnswer))).toBeUndefined()
  }
  for (const cut of [pathname.slice(0, -1), `/watch/${cid}/`]) {
    const { status, headers } = await ask(cut)
    expect([cut, status, new URL(headers.location!, `http://h${cut}`).pathname]).toEqual([cut, 303, `/watch/${cid}`])
    expect(headers['set-cookie']).toBeUndefined()
  }
})

it('a blank before or behind a passphrase is not of it', async () => {
  const cid = await channel('blanks')
  await update(cid, { mode: 'passphrase', passphrase: 'lamp and harbour ' })
  for (const given of ['lamp and harbour', ' lamp and harbour', 'lamp and harbour  '])
    expect((await enter(cid, given)).status).toBe(204)
  expect((await enter(cid, 'lamp andharbour')).status).toBe(403)
})

it('a guest of a visit is out with any change of who may watch, and does not come back by its token', async () => {
  const cid = await channel('visited')
  const roomid = await rig.room()
  await rig.call(local.linkRoom, { cid, roomid })
  await update(cid, { mode: 'links' })
  const { url } = (await rig.call(local.startVisit, { cid })).ret!
  const cookie = `sidestage_check=${'B'.repeat(22)}`
  expect((await ask(`${new URL(url).pathname}/begin`, { method: 'POST', headers: { cookie } })).status).toBe(200)
  const guest = await guestIn(cid, roomid, cookie)
  await update(cid, { closed: true })
  await until('the guest is out', () => guest.user.state.at === 'out', 1_000)
  await update(cid, { closed: false })
  const again = guest.back()
  await until('its token is refused', () => again.state.at === 'out', 10_000)
  for (const user of [again, guest.user]) user.close()
})
