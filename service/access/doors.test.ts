import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { createLog } from '../log.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'
import { startProxiedChannel, type ProxiedChannel } from './testing/proxied-channel.ts'

const passphrase = 'lamp and harbour'
let channel: ProxiedChannel
let service: TestService
let cid: string
let media: string
let logged = ''

/** Addresses of viewers, as the trusted proxy on loopback tells them; each test has its own. */
let viewer = 0
const nextViewer = (): string => `198.51.100.${++viewer}`

beforeAll(async () => {
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void (logged += line) } })
  channel = await startProxiedChannel({ log })
  ;({ service, cid, media } = channel)
  await until('a playlist', async () => (await ask(`/live/${cid}/playlist.m3u8`)).status === 200)
})
afterAll(() => channel.close())

/** A request as a viewer elsewhere makes it. */
const ask = (
  path: string,
  {
    from = nextViewer(),
    method = 'GET',
    headers = {},
    body,
  }: {
    from?: string
    method?: string
    headers?: Readonly<Record<string, string>>
    body?: string
  } = {},
): Promise<RawAnswer> =>
  httpRequest(media + path, {
    method,
    headers: [['x-forwarded-for', from], ...Object.entries(headers)],
    ...(body !== undefined && { body }),
  })
const stateOf = async (headers: Readonly<Record<string, string>> = {}, from?: string): Promise<WatchState> =>
  JSON.parse((await ask(`/watch/${cid}/state`, { headers, ...(from !== undefined && { from }) })).text) as WatchState
const enter = (given: string, from?: string): Promise<RawAnswer> =>
  ask(`/watch/${cid}/enter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: given }),
    ...(from !== undefined && { from }),
  })
const cookieOf = ({ headers }: RawAnswer): string => (headers['set-cookie']?.[0] ?? '').split(';')[0]!

interface Player {
  readonly socket: Socket
  status: string
  bytes: number
  ended: boolean
}
const players: Player[] = []
/** An HTTP-FLV player elsewhere, which goes on reading. */
async function playFlv(query = '', headers: readonly string[] = []): Promise<Player> {
  const { hostname, port, host } = new URL(media)
  const socket = connect(Number(port), hostname)
  const player: Player = { socket, status: '', bytes: 0, ended: false }
  players.push(player)
  socket.on('error', () => undefined)
  socket.on('close', () => (player.ended = true))
  socket.on('data', (bytes: Buffer) => {
    if (player.status === '') player.status = bytes.toString('latin1').slice(9, 12)
    player.bytes += bytes.length
  })
  const lines = [
    `GET /live/${cid}.flv${query} HTTP/1.1`,
    `Host: ${host}`,
    `X-Forwarded-For: ${nextViewer()}`,
    ...headers,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await until('an answer', () => player.status !== '')
  if (player.status !== '200') socket.destroy()
  return player
}
/** An RTMP player elsewhere, known by the PROXY header of the proxy; the code of its status. */
async function playRtmp(query = ''): Promise<{ client: RtmpTestClient; code: string }> {
  const client = await RtmpTestClient.open(Number(new URL(service.service.ready.rtmpUrl).port), true)
  client.socket.write(`PROXY TCP4 ${nextViewer()} 127.0.0.1 4000 1935\r\n`)
  await client.handshake()
  await client.connect()
  return { client, code: await client.ask('play', cid + query) }
}

const change = (values: Omit<Parameters<typeof service.call<typeof local.updateAccess>>[1], 'cid'>) =>
  service.call(local.updateAccess, { cid, ...values })
const named = async (more: { maxViewers?: number; expires?: number } = {}) => {
  const made = (await service.call(local.addNamedLink, { cid, name: 'Mum', ...more })).ret!
  return { ...made, token: made.url.split('/').at(-1)! }
}
/** What each door answers to somebody with this query and these headers. */
async function answers(query = '', headers: Readonly<Record<string, string>> = {}) {
  const flv = await playFlv(
    query,
    Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  )
  flv.socket.destroy()
  const playlist = await ask(`/live/${cid}/playlist.m3u8${query}`, { headers })
  const segment = /^[^#\s?]+/m.exec(playlist.status === 200 ? playlist.text : (await local127()).text)![0]
  const { status: segmentStatus } = await ask(`/live/${cid}/${segment}${query}`, { headers })
  const { client, code } = await playRtmp(query)
  client.close()
  return { flv: flv.status, hls: playlist.status, segment: segmentStatus, rtmp: code }
}
/** The playlist as a player on this computer gets it. */
const local127 = (): Promise<RawAnswer> => httpRequest(`${media}/live/${cid}/playlist.m3u8`, { method: 'GET' })
const played = 'NetStream.Play.Start'
const refused = 'NetStream.Play.Failed'

describe('who may watch', () => {
  it('is everybody at first, over every door', async () => {
    expect((await service.call(local.access, { cid })).ret).toMatchObject({
      mode: 'everybody',
      closed: false,
      links: [],
    })
    expect(await answers()).toEqual({ flv: '200', hls: 200, segment: 200, rtmp: played })
    expect((await stateOf()).gate).toBeUndefined()
  })

  it('is nobody else while it is turned off, but this computer; who watched is out within 1 s', async () => {
    const flv = await playFlv()
    const { client } = await playRtmp()
    const began = performance.now()
    const { ret } = await change({ closed: true })
    expect(ret!.ended).toBeGreaterThanOrEqual(2)
    await until('both players have ended', () => flv.ended && client.ended, 1_000)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(await answers()).toEqual({ flv: '403', hls: 403, segment: 403, rtmp: refused })
    const { gate, live: isLive, flv: address } = await stateOf()
    expect({ gate, isLive, address }).toEqual({ gate: 'closed', isLive: false, address: undefined })
    expect((await local127()).status).toBe(200)
    expect((await change({ closed: false })).ret).toMatchObject({ closed: false, ended: 0 })
    expect((await playFlv()).status).toBe('200')
  })

  it('is who gives the passphrase, over every door; a new one puts out who gave the old one', async () => {
    expect((await change({ mode: 'passphrase' })).code).toBe(631)
    expect((await change({ passphrase: 'abc' })).code).toBe(631)
    expect((await change({ mode: 'passphrase', passphrase })).ret).toMatchObject({
      mode: 'passphrase',
      passphrase: true,
    })
    expect(await answers()).toEqual({ flv: '401', hls: 401, segment: 401, rtmp: refused })
    expect((await stateOf()).gate).toBe('passphrase')
    const basic = { authorization: `Basic ${Buffer.from(`viewer:${passphrase}`).toString('base64')}` }
    expect(await answers(`?passphrase=${encodeURIComponent(passphrase)}`, basic)).toEqual({
      flv: '200',
      hls: 200,

      segment: 200,
      rtmp: played,
    })

    expect((await enter('something else')).status).toBe(403)
    const entered = await enter(passphrase)
    expect(entered.status).toBe(204)
    expect(entered.headers['set-cookie']![0]).toMatch(/HttpOnly; SameSite=Lax$/)
    const cookie = cookieOf(entered)
    expect((await stateOf({ cookie })).flv).toBe(`/live/${cid}.flv`)
    const player = await playFlv('', [`Cookie: ${cookie}`])
    expect(player.status).toBe('200')

    const other = (await service.call(live.create, { name: 'elsewhere' })).ret!.cid
    await service.call(local.updateAccess, { cid: other, mode: 'passphrase', passphrase })
    const elsewhere = await ask(`/watch/${other}/state`, { headers: { cookie: cookie.replaceAll(cid, other) } })
    expect((JSON.parse(elsewhere.text) as WatchState).gate).toBe('passphrase')

    expect((await change({ passphrase: 'another one' })).ret!.ended).toBeGreaterThanOrEqual(1)
    await until('the player has ended', () => player.ended, 1_000)
    expect((await stateOf({ cookie })).gate).toBe('passphrase')
    const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await stateOf({ cookie: forged })).gate).toBe('passphrase')
    await change({ mode: 'everybody' })
  })

  it('an address that guesses is slowed, whatever door it takes, and others are not', async () => {
    await change({ mode: 'passphrase', passphrase })
    const from = nextViewer()
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess++) statuses.push((await enter(`guess ${guess}`, from)).status)
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 403))
    expect(statuses.slice(10)).toEqual([429, 429])
    const basic = { authorization: `Basic ${Buffer.from('x:guess 13').toString('base64')}` }
    const slowed = await ask(`/live/${cid}/playlist.m3u8`, { from, headers: basic })
    expect(slowed.status).toBe(429)
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0)
    expect((await enter(passphrase)).status).toBe(204)
    expect(
      (
        await ask(`/watch/${cid}/enter`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ passphrase: 'x'.repeat(2000) }),
        })
      ).status,
    ).toBe(413)
    const foreign = await ask(`/watch/${cid}/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: JSON.stringify({ passphrase }),
    })
    expect(foreign.status).toBe(403)
    await change({ mode: 'everybody' })
  })

  it('is who has a named link until it is revoked: players end within 1 s, and undo lets them in', async () => {
    await change({ mode: 'links' })
    expect(await answers()).toEqual({ flv: '403', hls: 403, segment: 403, rtmp: refused })
    expect((await stateOf()).gate).toBe('link')
    const link = await named()
    const query = `?link=${link.token}`
    expect(await answers(query)).toMatchObject({ flv: '200', hls: 200, segment: 200, rtmp: played })
    expect(await answers(`?link=${link.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`)).toMatchObject({
      flv: '403',
      hls: 403,
      rtmp: refused,
    })
    const { text } = await ask(`/live/${cid}/playlist.m3u8${query}`)
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line.endsWith(query)).toBe(true)

    const opened = await ask(`/watch/${cid}/${link.token}`, {
      headers: { 'user-agent': 'Mozilla/5.0 (iPad; CPU OS 18_0) AppleWebKit/605 Version/18.0 Safari/604' },
    })
    expect(opened.status).toBe(303)
    expect(opened.headers.location).toBe(`../${cid}`)
    const cookie = cookieOf(opened)
    expect((await stateOf({ cookie })).live).toBe(true)

    const flv = await playFlv(query, ['User-Agent: Mozilla/5.0 (iPad) Version/18.0 Safari/604'])
    const { client } = await playRtmp(query)
    const byCookie = await playFlv('', [`Cookie: ${cookie}`])
    const listed = (await service.call(local.access, { cid })).ret!.links[0]!
    expect(listed).toMatchObject({ linkId: link.linkId, name: 'Mum', ending: link.token.slice(-4) })
    expect(listed.viewers).toBeGreaterThanOrEqual(3)
    expect(listed.lastUsed).toBeGreaterThan(0)
    const began = performance.now()
    const { ret } = await service.call(local.revokeNamedLink, { cid, linkId: link.linkId })
    await until('all its players have ended', () => flv.ended && client.ended && byCookie.ended, 1_000)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(ret!.ended).toBeGreaterThanOrEqual(3)
    expect(await answers(query)).toMatchObject({ flv: '403', hls: 403, segment: 403, rtmp: refused })
    expect((await stateOf({ cookie })).gate).toBe('link')

    expect((await service.call(local.restoreNamedLink, { cid, linkId: link.linkId })).code).toBe(200)
    expect((await playFlv(query)).status).toBe('200')
    expect((await service.call(local.removeNamedLink, { cid, linkId: link.linkId })).code).toBe(631)
    await service.call(local.revokeNamedLink, { cid, linkId: link.linkId })
    expect((await service.call(local.removeNamedLink, { cid, linkId: link.linkId })).code).toBe(200)
    expect((await service.call(local.restoreNamedLink, { cid, linkId: link.linkId })).code).toBe(618)
    await change({ mode: 'everybody' })
  })

  it('a link is good for as many players as it says', async () => {
    await change({ mode: 'links' })
    const link = await named({ maxViewers: 1 })
    const first = await playFlv(`?link=${link.token}`)
    expect(first.status).toBe('200')
    expect((await playFlv(`?link=${link.token}`)).status).toBe('503')
    first.socket.destroy()
    await until('there is room again', async () => (await playFlv(`?link=${link.token}`)).status === '200')
    await change({ mode: 'everybody' })
  })

  it('pull addresses that the API answers go on when not everybody may watch', async () => {
    await change({ mode: 'links' })
    const { ret } = await service.call(live.address, { cid })
    const flv = new URL(ret!.httpPullUrl)
    expect((await playFlv(flv.search)).status).toBe('200')
    expect((await ask(new URL(ret!.hlsPullUrl).pathname + flv.search)).status).toBe(200)
    const { client, code } = await playRtmp(new URL(ret!.rtmpPullUrl).search)
    client.close()
    expect(code).toBe(played)
    await change({ mode: 'passphrase', passphrase })
    await change({ passphrase: 'another one' })
    expect((await playFlv(flv.search)).status).toBe('401')
    const anew = (await service.call(live.address, { cid })).ret!
    expect((await playFlv(new URL(anew.httpPullUrl).search)).status).toBe('200')
    await change({ mode: 'everybody' })
    expect((await service.call(live.address, { cid })).ret!.httpPullUrl).not.toContain('?')
  })

  it('guests of a room are only those who may watch, and are out with their ground', async () => {
    const guestOf = (headers: Readonly<Record<string, string>>): Promise<RawAnswer> =>
      ask(`/watch/${cid}/guest`, { method: 'POST', headers })
    await change({ mode: 'links' })
    // The channel has no room: 404 would come first if the ground were not asked for after it.
    expect((await guestOf({})).status).toBe(404)
    await change({ mode: 'everybody' })
  })

  it('frames are for the origins that the channel lists', async () => {
    expect(await change({ embedOrigins: ['http://example.org'] })).toMatchObject({
      code: 631,
      msg: 'embedOrigins takes origins such as https://example.org; http:// for hosts of this computer alone',
    })
    expect((await change({ embedOrigins: ['https://example.org/path'] })).code).toBe(631)
    const none = await ask(`/embed/${cid}`)
    if (none.status === 200) expect(none.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(
      (await change({ embedOrigins: ['https://example.org', 'http://localhost:5173'] })).ret!.embedOrigins,
    ).toEqual(['https://example.org', 'http://localhost:5173'])
    await change({ embedOrigins: [] })
  })
})

describe('limits', () => {
  it('hold over all channels: nobody is put out, a page waits its turn, and first come is first served', async () => {
    for (const { socket } of players) socket.destroy()
    await until('nobody watches', async () => (await service.call(local.watchLimits, {})).ret!.viewers === 0, 20_000)
    const one = await playFlv()
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    expect((await playFlv()).status).toBe('503')
    expect((await ask(`/live/${cid}/playlist.m3u8`)).status).toBe(503)
    const first = await ask(`/watch/${cid}/state`)
    expect(JSON.parse(first.text)).toMatchObject({ gate: 'full', ahead: 0, live: false })
    const second = await ask(`/watch/${cid}/state`)
    expect(JSON.parse(second.text)).toMatchObject({ gate: 'full', ahead: 1 })
    expect(one.ended).toBe(false)
    expect((await service.call(local.watchLimits, {})).ret).toMatchObject({ maxViewers: 1, viewers: 1, waiting: 2 })
    one.socket.destroy()
    await until('the first has its turn', async () => (await stateOf({ cookie: cookieOf(first) })).gate === undefined)
    expect(await stateOf({ cookie: cookieOf(second) })).toMatchObject({ gate: 'full', ahead: 1 })
    expect((await playFlv()).status).toBe('503')
    expect((await playFlv('', [`Cookie: ${cookieOf(first)}`])).status).toBe('200')
    expect((await local127()).status).toBe(200)
    await service.call(local.updateWatchLimits, { maxViewers: 0 })
    expect((await stateOf({ cookie: cookieOf(second) })).gate).toBeUndefined()
  })

  it('what was sent in the month is counted', async () => {
    const before = (await service.call(local.watchLimits, {})).ret!.monthBytes
    const player = await playFlv()
    await until('the player has some', () => player.bytes > 100_000)
    expect((await service.call(local.watchLimits, {})).ret!.monthBytes).toBeGreaterThanOrEqual(before + 100_000)
    await service.call(local.updateWatchLimits, { maxGigabytes: 1 })
    expect((await playFlv()).status).toBe('200')
    await service.call(local.updateWatchLimits, { maxGigabytes: 0 })
  })

  it('of a segment only what was asked for is counted', async () => {
    const sent = async (): Promise<number> => (await service.call(local.watchLimits, {})).ret!.monthBytes
    const from = nextViewer()
    const { text } = await ask(`/live/${cid}/playlist.m3u8`, { from })
    const name = text.split('\n').find((line) => line.endsWith('.m4s'))!
    const whole = Buffer.byteLength((await ask(`/live/${cid}/${name}`, { from })).text, 'latin1')
    expect(whole).toBeGreaterThan(20_000)
    await until('the players of other tests are counted', async () => (await sent()) >= whole)
    const before = await sent()
    for (let time = 0; time < 20; time++)
      expect((await ask(`/live/${cid}/${name}`, { from, headers: { range: 'bytes=0-0' } })).status).toBe(206)
    // Players of other tests may go on.
    expect((await sent()) - before).toBeLessThan(10 * whole)
  })
})

describe('the next broadcast', () => {
  it('is told off air, with a calendar file', async () => {
    const { cid: quiet } = (await service.call(live.create, { name: 'quiet' })).ret!
    expect((await ask(`/watch/${quiet}/next.ics`)).status).toBe(404)
    const next = Date.now() + 86_400_000
    await service.call(local.setSchedule, { cid: quiet, next, title: 'Covers, requests; and more' })
    expect((await service.call(local.schedule, { cid: quiet })).ret).toEqual({
      next,
      title: 'Covers, requests; and more',
    })
    expect(JSON.parse((await ask(`/watch/${quiet}/state`)).text)).toMatchObject({
      next,
      nextTitle: 'Covers, requests; and more',
    })
    const { headers, text } = await ask(`/watch/${quiet}/next.ics`)
    expect(headers['content-type']).toContain('text/calendar')
    expect(text).toContain(`UID:${quiet}@sidestage\r\n`)
    expect(text).toContain('SUMMARY:Covers\\, requests\\; and more\r\n')
    await service.call(local.setSchedule, { cid: quiet })
    expect((await service.call(local.schedule, { cid: quiet })).ret).toEqual({})
  })
})

it('the log tells that who may watch was changed, by the names of what was given', async () => {
  logged = ''
  await service.call(local.updateAccess, { cid, mode: 'passphrase', passphrase })
  await service.call(local.access, { cid })
  // Nothing is given, so nothing is changed.
  for (const answer of [service.call(local.updateAccess, { cid }), service.call(local.updateWatchLimits, {})])
    expect((await answer).code).toBe(200)
  const lines = logged.split('\n').filter((line) => line.includes('a signed call made a change'))
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      path: '/local/access/update',
      remote: '127.0.0.1',
      cid,
      given: ['mode', 'passphrase'],
    }),
  ])
})

it('neither passphrases nor tokens are logged, nor answered to anybody but the streamer', async () => {
  const link = await named()
  const { ret } = await service.call(local.namedLinkAddress, { cid, linkId: link.linkId })
  for (const address of Object.values(ret!)) expect(address).toContain(link.token)
  expect(ret!.url).toBe(link.url)
  await playFlv(`?link=${link.token}`)
  const all = JSON.stringify((await service.call(local.access, { cid })).ret)
  expect(all).not.toContain(link.token)
  expect(all).not.toContain(passphrase)
  expect(logged.length).toBeGreaterThan(0)
  expect(logged).not.toContain(link.token)
  expect(logged).not.toContain(passphrase)
  expect(logged).not.toContain(encodeURIComponent(passphrase))
})
