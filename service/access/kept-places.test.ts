import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { leftPath, pageHeader, type WatchState } from '../../contract/watch.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'
import { startProxiedChannel, type ProxiedChannel } from './testing/proxied-channel.ts'

let channel: ProxiedChannel
let service: TestService
let cid: string
let media: string
const sockets = new Set<Socket>()
let addresses = 0
const elsewhere = (): string => `203.0.113.${++addresses}`

const viewers = async (): Promise<number> => (await service.call(local.watchLimits, {})).ret!.viewers
/** Limits that hold from now on: pages that watch have no cookie of their turn. */
const limit = (maxViewers: number) => service.call(local.updateWatchLimits, { maxViewers })

beforeAll(async () => {
  channel = await startProxiedChannel()
  ;({ service, cid, media } = channel)
  await until(
    'a playlist',
    async () => (await httpRequest(`${media}/live/${cid}/playlist.m3u8`, { method: 'GET' })).status === 200,
  )
})
beforeEach(() => until('nobody is counted', async () => (await viewers()) === 0, 20_000))
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await limit(0)
  await service.call(local.updateAccess, { cid, mode: 'everybody', closed: true })
  await service.call(local.updateAccess, { cid, closed: false })
  // Who finds room does not wait any more.
  for (const page of opened.splice(0)) await page.gate()
})
afterAll(() => channel.close())

const browser = 'Mozilla/5.0 (the same browser)'
const opened: { gate(): Promise<unknown> }[] = []
/** A watch page, whose id stays when it is loaded again. */
function openPage(from = elsewhere()) {
  const id = `page${++addresses}`.padEnd(28, '0')
  let cookie = ''
  const ask = async (path: string, method = 'GET', agent = browser): Promise<RawAnswer> => {
    const answer = await httpRequest(media + path, {
      method,
      headers: [
        ['x-forwarded-for', from],
        ['user-agent', agent],
        [pageHeader, id],
        ...(cookie === '' ? [] : [['cookie', cookie] as const]),
      ],
    })
    const set = answer.headers['set-cookie']?.[0]?.split(';')[0]
    if (set !== undefined) cookie = cookie === '' ? set : `${cookie}; ${set}`
    return answer
  }
  const page = {
    ask,
    state: async () => JSON.parse((await ask(`/watch/${cid}/state`)).text) as WatchState,
    gate: async () => (JSON.parse((await ask(`/watch/${cid}/state`)).text) as WatchState).gate,
    poll: async (agent?: string) => (await ask(`/live/${cid}/playlist.m3u8?page=${id}`, 'GET', agent)).status,
    goodbye: (page = id) => ask(`/watch/${cid}${leftPath}?page=${page}`, 'POST'),
    /** Plays HTTP-FLV. */
    async play(): Promise<{ readonly status: string; readonly socket: Socket }> {
      const { hostname, port, host } = new URL(media)
      const socket = connect(Number(port), hostname)
      sockets.add(socket)
      let status = ''
      socket.on('error', () => undefined)
      socket.on('data', (bytes: Buffer) => (status ||= bytes.toString('latin1').slice(9, 12)))
      socket.write(
        `GET /live/${cid}.flv?page=${id} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${from}\r\n` +
          `User-Agent: ${browser}\r\nCookie: ${cookie}\r\n\r\n`,
      )
      await until('an answer', () => status !== '')
      return { status, socket }
    },
  }
  opened.push(page)
  return page
}
/** A page that waits while all places are taken. */
async function openWaiting() {
  const page = openPage()
  expect(await page.state()).toMatchObject({ gate: 'full', ahead: 0 })
  expect(await page.state()).not.toHaveProperty('isShareFull')
  return page
}

it('a page that is loaded again keeps its place while others wait, whenever its connection closes', async () => {
  const page = openPage()
  const first = await page.play()
  await limit(1)
  const waiting = await openWaiting()
  // The connection of before is still there.
  expect(await page.gate()).toBeUndefined()
  const second = await page.play()
  expect(second.status).toBe('200')
  await until('the former connection is over', () => first.socket.destroyed)
  // It is closed before the page asks again.
  second.socket.destroy()
  await until('it has left', async () => (await viewers()) === 0)
  expect([await waiting.gate(), await page.gate()]).toEqual(['full', undefined])
  const third = await page.play()
  expect([third.status, await waiting.gate(), (await waiting.play()).status]).toEqual(['200', 'full', '503'])
  // Closed for good: the place is free some seconds later.
  third.socket.destroy()
  await until('the other has its turn', async () => (await waiting.gate()) === undefined, 12_000)
  expect((await waiting.play()).status).toBe('200')
})

it('so does a page that plays HLS, with and without a goodbye, and whichever way it plays then', async () => {
  const page = openPage()
  expect(await page.poll()).toBe(200)
  await limit(1)
  const waiting = await openWaiting()
  expect([await page.gate(), await page.poll(), await waiting.gate()]).toEqual([undefined, 200, 'full'])
  await page.goodbye()
  expect([await viewers(), await waiting.gate(), await waiting.poll()]).toEqual([0, 'full', 503])
  expect([await page.gate(), await page.poll(), await viewers()]).toEqual([undefined, 200, 1])
  const over = await page.play()
  expect([over.status, await viewers(), await waiting.gate()]).toEqual(['200', 1, 'full'])
  expect([await page.poll(), await viewers(), await waiting.gate()]).toEqual([200, 1, 'full'])
})

it('so does one whose media are asked for by another program than the page', async () => {
  const page = openPage()
  const program = 'AppleCoreMedia/1.0'
  expect(await page.poll(program)).toBe(200)
  await limit(1)
  const waiting = await openWaiting()
  await page.goodbye()
  expect([await page.gate(), await waiting.gate(), await page.poll(program)]).toEqual([undefined, 'full', 200])
})

it('a goodbye ends the player of its own page alone, and closed for good it is not counted at once', async () => {
  const page = openPage()
  expect(await page.poll()).toBe(200)
  for (const stranger of ['q'.repeat(28), '', 'short']) expect((await openPage().goodbye(stranger)).status).toBe(204)
  expect(await viewers()).toBe(1)
  await page.goodbye()
  expect(await viewers()).toBe(0)
  expect(await page.poll()).toBe(200)
})

it('a page that was refused is not told that it plays', async () => {
  const page = openPage()
  expect((await page.play()).status).toBe('200')
  await limit(1)
  const other = openPage()
  expect([await other.poll(), await other.gate()]).toEqual([503, 'full'])
})

it('a page that waited and was closed is before nobody for long', async () => {
  const page = openPage()
  await page.play()
  await limit(1)
  const [gone, next] = [await openWaiting(), openPage()]
  expect(await next.state()).toMatchObject({ ahead: 1 })
  const since = performance.now()
  await gone.goodbye()
  await until('it does not wait any more', async () => (await next.state()).ahead === 0, 12_000)
  expect(performance.now() - since).toBeLessThan(12_000)
})

it('pages of a household at its share keep their places, and a further one is told that it is the share', async () => {
  const house = elsewhere()
  const pages = Array.from({ length: 4 }, () => openPage(house))
  const playing = await Promise.all(pages.map((page) => page.play()))
  const others = Array.from({ length: 2 }, () => openPage())
  for (const page of others) await page.play()
  await limit(8)
  const fifth = openPage(house)
  expect(await fifth.state()).toMatchObject({ gate: 'full', ahead: 0, isShareFull: true })
  for (const [index, page] of pages.entries()) {
    // In turn: still open, and closed before the page asks.
    if (index % 2 === 1) {
      playing[index]!.socket.destroy()
      await until('it has left', async () => (await viewers()) === 5)
      expect(await fifth.gate()).toBe('full')
    }
    expect(await page.gate()).toBeUndefined()
    expect((await page.play()).status).toBe('200')
    expect([await viewers(), await fifth.gate()]).toEqual([6, 'full'])
  }
  // By a named link the household has more.
  const { linkId, url } = (await service.call(local.addNamedLink, { cid, name: 'Home' })).ret!
  await fifth.ask(`/watch/${cid}/${url.split('/').at(-1)!}`)
  expect(await fifth.gate()).toBeUndefined()
  await service.call(local.revokeNamedLink, { cid, linkId })
})

it('a full link tells whether the passphrase lets in without it', async () => {
  const { linkId, url } = (await service.call(local.addNamedLink, { cid, name: 'Mum', maxViewers: 1 })).ret!
  const token = url.split('/').at(-1)!
  const [first, second] = [openPage(), openPage()]
  await service.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'canary-tape' })
  for (const page of [first, second]) await page.ask(`/watch/${cid}/${token}`)
  expect([await first.gate(), (await first.play()).status]).toEqual([undefined, '200'])
  expect(await second.state()).toMatchObject({ gate: 'full', isLinkFull: true, takesPassphrase: true })
  await service.call(local.updateAccess, { cid, mode: 'links' })
  const inLinks = await second.state()
  expect(inLinks).toMatchObject({ gate: 'full', isLinkFull: true })
  expect(inLinks).not.toHaveProperty('takesPassphrase')
  await service.call(local.revokeNamedLink, { cid, linkId })
})
