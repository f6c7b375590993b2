// Long because all tests share one channel on air behind a proxy, whose players each of them waits for.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { pageHeader, type WatchState } from '../../contract/watch.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'
import { startProxiedChannel, type ProxiedChannel } from './testing/proxied-channel.ts'

let channel: ProxiedChannel
let service: TestService
let cid: string
let media: string
const sockets = new Set<Socket>()

beforeAll(async () => {
  channel = await startProxiedChannel()
  ;({ service, cid, media } = channel)
  await until('a playlist', async () => (await here()).status === 200)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await service.call(local.updateWatchLimits, { maxViewers: 0, maxKbps: 0, maxGigabytes: 0 })
  await service.call(local.updateAccess, { cid, mode: 'everybody', closed: false })
})
afterAll(() => channel.close())

const agent = 'Mozilla/5.0 (the same browser)'
let others = 0
/** The address of the pages of a test. */
let house = ''
beforeEach(() => {
  house = elsewhere()
})
/** The playlist as this computer gets it, which takes no place. */
const here = (): Promise<RawAnswer> => httpRequest(`${media}/live/${cid}/playlist.m3u8`, { method: 'GET' })
/** A request as a viewer behind the trusted proxy makes it, from one address unless told otherwise. */
const ask = (path: string, { from = house, cookie = '', page = '' } = {}): Promise<RawAnswer> =>
  httpRequest(media + path, {
    method: 'GET',
    headers: [
      ['x-forwarded-for', from],
      ['user-agent', agent],
      ...(cookie === '' ? [] : [['cookie', cookie] as const]),
      ...(page === '' ? [] : [[pageHeader, page] as const]),
    ],
  })
/** Somebody at an address of their own, who is not counted after 15 s. */
const elsewhere = (): string => `203.0.113.${++others}`
const stateOf = async (cookie = '', from?: string, page = ''): Promise<WatchState & { readonly set: string }> => {
  const { headers, text } = await ask(`/watch/${cid}/state`, {
    cookie,
    page: page.slice('?page='.length),
    ...(from !== undefined && { from }),
  })
  return { ...(JSON.parse(text) as WatchState), set: (headers['set-cookie']?.[0] ?? '').split(';')[0]! }
}
/** Waits until the players of other tests are counted no more, and their pages do not wait any more. */
const nobodyWatches = (): Promise<unknown> =>
  until(
    'nobody is counted',
    async () => {
      const { viewers, waiting } = (await service.call(local.watchLimits, {})).ret!
      return viewers === 0 && waiting === 0
    },
    20_000,
  )
/** Plays HTTP-FLV until the test ends; the status. */
async function play(cookie: string, query = ''): Promise<{ status: string; socket: Socket }> {
  const { hostname, port, host } = new URL(media)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  let status = ''
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => (status ||= bytes.toString('latin1').slice(9, 12)))
  socket.write(
    `GET /live/${cid}.flv${query} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${house}\r\nUser-Agent: ${agent}\r\nCookie: ${cookie}\r\n\r\n`,
  )
  await until('an answer', () => status !== '')
  return { status, socket }
}

describe('a place', () => {
  it('is of one page: another of the same browser behind the same address waits its turn', async () => {
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    const first = await stateOf()
    expect(first.gate).toBeUndefined()
    expect(first.set).toMatch(/^sidestage-turn=/)
    const { status, socket } = await play(first.set)
    expect(status).toBe('200')
    expect((await stateOf(first.set)).gate).toBeUndefined()
    const second = await stateOf()
    expect(second).toMatchObject({ gate: 'full', ahead: 0 })
    expect(second.set).not.toBe(first.set)
    expect((await play(second.set)).status).toBe('503')
    socket.destroy()
    // Who reloads does not wait again.
    await until('its player has left', async () => (await service.call(local.watchLimits, {})).ret!.viewers === 0)
    expect((await stateOf(first.set)).gate).toBeUndefined()
    expect((await stateOf(second.set)).gate).toBe('full')
    await until('the second has its turn', async () => (await stateOf(second.set)).gate === undefined)
    expect((await play(second.set)).status).toBe('200')
  })

  it('by a link that has none is waited for too, and somebody else does not wait', async () => {
    const { linkId, url } = (await service.call(local.addNamedLink, { cid, name: 'Mum', maxViewers: 1 })).ret!
    const token = url.split('/').at(-1)!
    await service.call(local.updateAccess, { cid, mode: 'links' })
    const { headers } = await ask(`/watch/${cid}/${token}`)
    const entry = headers['set-cookie']![0]!.split(';')[0]!
    const first = await stateOf(entry)
    const { status, socket } = await play(`${entry}; ${first.set}`)
    expect(status).toBe('200')
    const second = await stateOf(entry)
    expect(second).toMatchObject({ gate: 'full', isLinkFull: true })
    expect(second.ahead).toBeUndefined()
    const other = (await service.call(local.addNamedLink, { cid, name: 'Dad' })).ret!
    const came = await ask(`/watch/${cid}/${other.url.split('/').at(-1)!}`)
    expect((await stateOf(came.headers['set-cookie']![0]!.split(';')[0]!)).gate).toBeUndefined()
    socket.destroy()
    await until('the second has the place', async () => (await stateOf(`${entry}; ${second.set}`)).gate === undefined)
    await service.call(local.revokeNamedLink, { cid, linkId })
  })

  it('by a link is not taken for that of somebody at the same address who watches by another', async () => {
    const { linkId, url } = (await service.call(local.addNamedLink, { cid, name: 'Mum', maxViewers: 1 })).ret!
    const { headers } = await ask(`/watch/${cid}/${url.split('/').at(-1)!}`)
    const entry = headers['set-cookie']![0]!.split(';')[0]!
    const other = (await service.call(local.addNamedLink, { cid, name: 'Dad' })).ret!
    await service.call(local.updateAccess, { cid, mode: 'links' })
    expect((await play('', `?link=${other.url.split('/').at(-1)!}`)).status).toBe('200')
    const first = await stateOf(entry)
    expect((await play(`${entry}; ${first.set}`)).status).toBe('200')
    const second = await stateOf(entry)
    expect(second).toMatchObject({ gate: 'full', isLinkFull: true })
    expect(second.set).not.toBe('')
    expect((await stateOf(`${entry}; ${first.set}`)).gate).toBeUndefined()
    await service.call(local.revokeNamedLink, { cid, linkId })
  })

  it('by a full link is looked for without it too, and by one that is over nobody loses what they had', async () => {
    const link = async (name: string, maxViewers?: number) => {
      const { linkId, url } = (await service.call(local.addNamedLink, { cid, name, maxViewers })).ret!
      const token = url.split('/').at(-1)!
      const open = async (cookie = ''): Promise<string> =>
        ((await ask(`/watch/${cid}/${token}`, { cookie })).headers['set-cookie']?.[0] ?? '').split(';')[0]!
      const players = async () =>
        (await service.call(local.access, { cid })).ret!.links.find((one) => one.linkId === linkId)!.viewers
      return { open, players, token, revoke: () => service.call(local.revokeNamedLink, { cid, linkId }) }
    }
    const list = (cookie: string, query = '') => ask(`/live/${cid}/playlist.m3u8${query}`, { cookie })
    const one = await link('One', 1)
    const entry = await one.open()
    const [first, second] = ['first', 'second'].map((turn) => `${entry}; sidestage-turn=${turn.padEnd(16, 'x')}`)
    for (let again = 0; again < 3; again++) expect((await list(first!)).status).toBe(200)
    expect(await one.players()).toBe(1)
    // Everybody may watch: who has the link that is full may too.
    expect((await stateOf(second)).gate).toBeUndefined()
    for (let again = 0; again < 3; again++) expect((await list(second!)).status).toBe(200)
    expect((await list('', `?link=${one.token}`)).status).toBe(200)
    expect((await play(second!)).status).toBe('200')
    expect(await one.players()).toBe(1)
    expect(await one.open()).toBe('')

    const good = await (await link('Good')).open()
    const over = await link('Over')
    await over.revoke()
    await service.call(local.updateAccess, { cid, mode: 'links' })
    expect([await over.open(good), await one.open(good)]).toEqual(['', ''])
    expect((await stateOf(good)).gate).toBeUndefined()
    // Who has nothing is told of the link that they have.
    expect((await stateOf(await over.open())).gate).toBe('link')
    expect(await stateOf(await one.open())).toMatchObject({ gate: 'full', isLinkFull: true })
    // The players of this test end.
    await service.call(local.updateAccess, { cid, closed: true })
  })

  it('is needed for the segments of HLS too, and gives no more of them than a player takes', async () => {
    const name = (text: string): string => /^[^#\s?]+/m.exec(text)![0]
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    const first = await stateOf()
    expect((await play(first.set)).status).toBe('200')
    expect((await ask(`/live/${cid}/${name((await here()).text)}`, { from: elsewhere() })).status).toBe(503)

    await service.call(local.updateWatchLimits, { maxViewers: 2 })
    const greedy = elsewhere()
    const { text } = await ask(`/live/${cid}/playlist.m3u8`, { from: greedy })
    const statuses: number[] = []
    for (let turn = 0; turn < 70; turn++)
      statuses.push((await ask(`/live/${cid}/${name(text)}`, { from: greedy })).status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60)
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(statuses.at(-1)).toBe(503)

    // A class behind one address, with the same program: what a person sees of it is several viewers.
    await service.call(local.updateWatchLimits, { maxViewers: 500 })
    const before = (await service.call(local.watchLimits, {})).ret!.viewers
    const school = elsewhere()
    // The first segment may be gone from the playlist meanwhile.
    const segment = name((await here()).text)
    const all = Array.from({ length: 90 }, () => ask(`/live/${cid}/${segment}`, { from: school }))
    expect((await Promise.all(all)).filter(({ status }) => status !== 200)).toEqual([])
    expect((await service.call(local.watchLimits, {})).ret!.viewers - before).toBeGreaterThan(1)
  })

  it('is of one household: a cookie that others invent too gives it to none of them', async () => {
    await nobodyWatches()
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    const cookie = `sidestage-turn=${'K'.repeat(16)}`
    const poll = async (): Promise<number> =>
      (await ask(`/live/${cid}/playlist.m3u8`, { from: elsewhere(), cookie })).status
    expect([await poll(), await poll(), await poll()]).toEqual([200, 503, 503])
  })

  it('stays with a player of HLS when another of the same program and address asks for HTTP-FLV', async () => {
    await nobodyWatches()
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    const poll = async (): Promise<number> => (await ask(`/live/${cid}/playlist.m3u8`)).status
    expect([await poll(), (await play('')).status, await poll()]).toEqual([200, '503', 200])
  })
})

it('one address has its share of the places over all doors, and others get in', async () => {
  await nobodyWatches()
  await service.call(local.updateWatchLimits, { maxViewers: 12 })
  const poll = async (name: string, from?: string): Promise<number> => {
    const headers = [['x-forwarded-for', from ?? house] as const, ['user-agent', name] as const]
    return (await httpRequest(`${media}/live/${cid}/playlist.m3u8`, { method: 'GET', headers })).status
  }
  const rtmp = async (from: string): Promise<string> => {
    const client = await RtmpTestClient.open(Number(new URL(service.service.ready.rtmpUrl).port), true)
    sockets.add(client.socket)
    client.socket.write(`PROXY TCP4 ${from} 127.0.0.1 4000 1935\r\n`)
    await client.handshake()
    await client.connect()
    return client.ask('play', cid)
  }
  expect(await rtmp(house)).toBe('NetStream.Play.Start')
  expect((await play((await stateOf()).set)).status).toBe('200')
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) statuses.push(await poll(`invented ${count}`))
  expect(statuses).toEqual([...Array.from({ length: 4 }, () => 200), ...Array.from({ length: 8 }, () => 503)])
  expect([await rtmp(house), (await stateOf()).gate]).toEqual(['NetStream.Play.Failed', 'full'])
  const other = elsewhere()
  expect([await rtmp(other), await poll(agent, other)]).toEqual(['NetStream.Play.Start', 200])
  expect((await stateOf('', elsewhere())).gate).toBeUndefined()
})

it('the next broadcast is told only to those who may watch', async () => {
  const { cid: quiet } = (await service.call(live.create, { name: 'quiet' })).ret!
  await service.call(local.setSchedule, { cid: quiet, next: Date.now() + 86_400_000, title: 'Covers' })
  expect((await ask(`/watch/${quiet}/next.ics`)).status).toBe(200)
  await service.call(local.updateAccess, { cid: quiet, closed: true })
  expect((await ask(`/watch/${quiet}/next.ics`)).status).toBe(404)
  await service.call(local.updateAccess, { cid: quiet, closed: false, mode: 'links' })
  expect((await ask(`/watch/${quiet}/next.ics`)).status).toBe(404)
})

it('the stream of a visit ends with any change of who may watch', async () => {
  const { url } = (await service.call(local.startVisit, { cid })).ret!
  const cookie = `sidestage_check=${'A'.repeat(22)}`
  await service.call(local.updateAccess, { cid, mode: 'links' })
  expect((await play(cookie)).status).toBe('403')
  const begun = await httpRequest(`${media}${new URL(url).pathname}/begin`, {
    method: 'POST',
    headers: [
      ['x-forwarded-for', house],
      ['cookie', cookie],
    ],
  })
  expect(begun.status).toBe(200)
  const { status, socket } = await play(cookie)
  expect(status).toBe('200')
  let ended = false
  socket.on('close', () => (ended = true))
  await service.call(local.updateAccess, { cid, closed: true })
  await until('the stream has ended', () => ended, 1_000)
})

it('a visit sees no more than viewers do of a channel that is turned off, and is told so', async () => {
  await service.call(local.updateAccess, { cid, closed: true })
  const { url } = (await service.call(local.startVisit, { cid })).ret!
  const cookie = `sidestage_check=${'B'.repeat(22)}`
  const begun = await httpRequest(`${media}${new URL(url).pathname}/begin`, {
    method: 'POST',
    headers: [
      ['x-forwarded-for', house],
      ['cookie', cookie],
    ],
  })
  expect(JSON.parse(begun.text)).toMatchObject({ live: true, closed: true })
  expect((await play(cookie)).status).toBe('403')
  expect((await ask(`/live/${cid}/playlist.m3u8`, { cookie })).status).toBe(403)
  expect((await stateOf(cookie)).gate).toBe('closed')
})

it('a time that is past, or in seconds, is refused as the end of a link and as the next broadcast', async () => {
  for (const time of [Date.now() - 1_000, Math.round(Date.now() / 1_000) + 3_600, 5]) {
    const link = await service.call(local.addNamedLink, { cid, name: 'Late', expires: time })
    expect([link.code, link.msg]).toEqual([631, expect.stringContaining('expires must be a time to come')])
    expect((await service.call(local.setSchedule, { cid, next: time })).code).toBe(631)
  }
})

describe('a page after a break of its network', () => {
  const page = (number: number): string => `?page=${String(number).padStart(28, '0')}`
  const viewers = async (): Promise<number> => (await stateOf()).viewers
  const isOver = (socket: Socket): boolean => socket.destroyed || socket.readyState !== 'open'

  it('counts once: its next connection takes the place of the dead one, over each way of playing', async () => {
    await until('nobody is counted', async () => (await viewers()) === 0, 20_000)
    const other = await play('', page(2))
    const dead = await play('', page(1))
    await until('two are counted', async () => (await viewers()) === 2)
    const next = await play('', page(1))
    await until('the dead connection is over', () => isOver(dead.socket))
    expect([await viewers(), isOver(other.socket), isOver(next.socket)]).toEqual([2, false, false])
    // It falls back to HLS, and tries the connection again meanwhile.
    const poll = () => ask(`/live/${cid}/playlist.m3u8${page(1)}`)
    expect((await poll()).status).toBe(200)
    await until('the connection is over', () => isOver(next.socket))
    expect([await viewers(), isOver(other.socket)]).toEqual([2, false])
    const tried = await play('', page(1))
    await poll()
    await poll()
    expect(isOver(tried.socket)).toBe(false)
  })

  it('is not taken for another page of such a browser at its address that watched before a limit', async () => {
    await until('there is room', async () => (await service.call(local.watchLimits, {})).ret!.viewers === 0, 20_000)
    const first = await play('', page(5))
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    expect((await stateOf('', undefined, page(5))).gate).toBeUndefined()
    const second = await stateOf('', undefined, page(6))
    expect([second.gate, second.set]).toEqual(['full', expect.stringMatching(/^sidestage-turn=/)])
    first.socket.destroy()
    await until(
      'the second has its turn',
      async () => (await stateOf(second.set, undefined, page(6))).gate === undefined,
    )
    expect((await play(second.set, page(6))).status).toBe('200')
  })

  it('has its place at once where as many watch as may', async () => {
    await service.call(local.updateWatchLimits, { maxViewers: 1 })
    // Whoever polled before is not counted after 15 s.
    await until('there is room', async () => (await service.call(local.watchLimits, {})).ret!.viewers === 0, 20_000)
    const { set } = await stateOf()
    const first = await play(set, page(3))
    expect(first.status).toBe('200')
    const second = await stateOf()
    expect(second.gate).toBe('full')
    const next = await play(set, page(3))
    expect(next.status).toBe('200')
    await until('the dead connection is over', () => isOver(first.socket))
    expect((await ask(`/live/${cid}/playlist.m3u8${page(3)}`, { cookie: set })).status).toBe(200)
    expect((await service.call(local.watchLimits, {})).ret!.viewers).toBe(1)
    expect((await play(second.set, page(4))).status).toBe('503')
  })
})

it('an address that breaks off without end keeps its own new players out no more than others', async () => {
  await service.call(local.updateWatchLimits, { maxGigabytes: 1 })
  const abused = house
  const breakOff = async (): Promise<Socket> => (await play('')).socket.destroy()
  for (let time = 0; time < 31; time++) await breakOff()
  const came: string[] = []
  const plays = async (): Promise<string> => {
    const { status } = await play('')
    came.push(`${house === abused ? 'abused' : 'other'} ${status}`)
    return status
  }
  const those = Array.from({ length: 12 }, plays)
  // Meanwhile it goes on, through the same proxy.
  const abuse = Promise.all(Array.from({ length: 12 }, breakOff))
  house = elsewhere()
  for (let player = 0; player < 5; player++) expect(await plays()).toBe('200')
  expect(came.filter((one) => one === 'abused 200').length).toBeLessThan(12)
  house = abused
  expect(await Promise.all(those)).toEqual(those.map(() => '200'))
  const { text } = await ask(`/live/${cid}/playlist.m3u8`)
  const name = text.split('\n').find((line) => line.endsWith('.m4s'))!
  expect((await ask(`/live/${cid}/${name}`)).status).toBe(200)
  expect((await ask(`/live/${cid}/${name}`, { from: elsewhere() })).status).toBe(200)
  await abuse
})
