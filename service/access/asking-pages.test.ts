import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { pageHeader, type WatchState } from '../../contract/watch.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startProxiedChannel, type ProxiedChannel } from './testing/proxied-channel.ts'

let channel: ProxiedChannel
let cid: string
const sockets = new Set<Socket>()
const site = 'https://school.example'

beforeAll(async () => {
  channel = await startProxiedChannel()
  ;({ cid } = channel)
  await until(
    'a playlist',
    async () => (await httpRequest(`${channel.media}/live/${cid}/playlist.m3u8`, { method: 'GET' })).status === 200,
  )
})
beforeEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await channel.service.call(local.updateWatchLimits, { maxViewers: 0 })
  await channel.service.call(local.updateAccess, { cid, embedOrigins: [] })
})
afterAll(() => channel.close())

let pages = 0
/** A watch page of a browser elsewhere. */
function openPage(from = `203.0.113.${++pages}`) {
  const id = `page${++pages}`.padEnd(28, '0')
  const headers = [
    ['x-forwarded-for', from],
    ['user-agent', 'Mozilla/5.0'],
    [pageHeader, id],
  ] as const
  const ask = (path: string, method = 'GET') => httpRequest(channel.media + path, { method, headers: [...headers] })
  return {
    state: async (query = '') => JSON.parse((await ask(`/watch/${cid}/state${query}`)).text) as WatchState,
    guest: async () => (await ask(`/watch/${cid}/guest`, 'POST')).status,
    /** Plays HTTP-FLV. */
    async play(): Promise<void> {
      const { hostname, port, host } = new URL(channel.media)
      const socket = connect(Number(port), hostname)
      sockets.add(socket)
      let status = ''
      socket.on('error', () => undefined)
      socket.on('data', (bytes: Buffer) => (status ||= bytes.toString('latin1').slice(9, 12)))
      socket.write(
        `GET /live/${cid}.flv?page=${id} HTTP/1.1\r\nHost: ${host}\r\n` +
          `X-Forwarded-For: ${from}\r\nUser-Agent: Mozilla/5.0\r\n\r\n`,
      )
      await until('an answer', () => status !== '')
      expect(status).toBe('200')
    },
  }
}
const waiting = async (): Promise<number> => (await channel.service.call(local.watchLimits, {})).ret!.waiting

it('a page with the chat alone takes no place and waits for none', async () => {
  await openPage().play()
  await channel.service.call(local.updateWatchLimits, { maxViewers: 1 })
  const chat = openPage()
  expect(await chat.state('?show=chat')).not.toHaveProperty('gate')
  expect(await waiting()).toBe(0)
  expect(await openPage().state()).toMatchObject({ gate: 'full', ahead: 0 })
  expect([(await chat.state('?show=chat')).gate, await waiting()]).toEqual([undefined, 1])
  // Who may watch holds for it all the same.
  await channel.service.call(local.updateAccess, { cid, closed: true })
  expect(await chat.state('?show=chat')).toMatchObject({ gate: 'closed' })
  await channel.service.call(local.updateAccess, { cid, closed: false })
})

it('a frame is told as soon as a page around it may not show it any more', async () => {
  const frame = openPage()
  const framed = async (around?: string) =>
    (await frame.state(`?framed=1${around === undefined ? '' : `&around=${encodeURIComponent(around)}`}`)).gate
  const other = 'https://other.example'
  await channel.service.call(local.updateAccess, { cid, embedOrigins: [site, other] })
  expect([await framed(site), await framed(`${site} ${other}`), await framed()]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  await channel.service.call(local.updateAccess, { cid, embedOrigins: [other] })
  expect([await framed(site), await framed(`${site} ${other}`), await framed(other)]).toEqual([
    'embed',
    'embed',
    undefined,
  ])
  // Of a browser that does not tell what is around it nothing is known while any page may.
  expect(await framed()).toBeUndefined()
  await channel.service.call(local.updateAccess, { cid, embedOrigins: [] })
  expect([await framed(), await framed(other)]).toEqual(['embed', 'embed'])
  expect(await frame.state()).not.toHaveProperty('gate')
})

it('each page that plays has a guest, however many of a school come at once', async () => {
  const { service } = channel
  expect((await service.call(accounts.create, { accid: 'cara' })).code).toBe(200)
  const { roomid } = (await service.call(chatrooms.create, { creator: 'cara', name: 'school' })).chatroom!
  await service.call(local.linkRoom, { cid, roomid })
  const school = '198.51.100.7'
  const early = openPage(school)
  for (let other = 0; other < 20; other++) expect(await openPage(school).guest()).toBe(201)
  expect(await early.guest()).toBe(429)
  await early.play()
  expect(await early.guest()).toBe(201)
  // One for each page.
  expect(await early.guest()).toBe(429)
})
