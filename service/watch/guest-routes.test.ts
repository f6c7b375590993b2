import fastify, { type InjectOptions } from 'fastify'
import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { WatchState } from '../../contract/watch.ts'
import type { Client } from '../http/clients.ts'
import { createGuestCookies, guestCookie } from './guest-cookie.ts'
import { openEntry } from '../access/testing/open-entry.ts'
import { watchRoutes, type WatchedRoom, type WatchOptions } from './watch-routes.ts'

const cid = 'a'.repeat(32)

/** The routes of the page over a channel and a room in memory, asked as a client that a test may change. */
async function made(options: Partial<WatchOptions> = {}) {
  const clock = manualClock()
  const channel = { uid: 1, name: 'show', disabled: false, since: undefined as number | undefined }
  const room = { roomid: 7, name: 'room', announcement: '', open: true, muted: false }
  const state = {
    guests: 'guest' as 'guest' | 'refused' | 'full',
    allowed: true,
    room: room as WatchedRoom | undefined,
  }
  const client: { -readonly [K in keyof Client]: Client[K] } = {
    address: '192.0.2.1',
    subnet: '192.0.2.1',
    scheme: 'http',
    readable: false,
    passedOn: false,
  }
  const madeFor: string[] = []
  const known = new Set<string>()
  const server = fastify()
  server.decorateRequest('client')
  server.addHook('onRequest', (request, _reply, done) => {
    request.client = client
    done()
  })
  await server.register(
    watchRoutes({
      page: {
        index: { type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') },
        assets: new Map([['main-1.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from('export {}') }]]),
      },
      channel: (asked) => (asked === cid ? channel : undefined),
      room: () => state.room,
      viewers: () => 3,
      isSilent: () => false,
      guests: {
        make: (_uid, roomid, identity) => {
          if (state.guests !== 'guest') return state.guests
          madeFor.push(`${roomid} ${identity}`)
          known.add(identity)
          return { accid: 'guest-1', token: 't', life: 1_000 }
        },
        has: (_uid, _roomid, identity) => known.has(identity),
        allowed: () => state.allowed,
      },
      cookies: createGuestCookies({ secret: 's', clock, random: randomBytes }),
      appKey: () => 'key',
      origins: ['http://app.example'],
      entry: openEntry,
      clock,
      ...options,
    }),
  )
  onTestFinished(() => server.close())
  const ask = (more: InjectOptions = {}) => server.inject({ method: 'POST', url: `/watch/${cid}/guest`, ...more })
  const read = (path: string, method: 'GET' | 'HEAD' = 'GET') => server.inject({ method, url: `/watch/${path}` })
  const stateOf = async () => (await read(`${cid}/state`)).json<WatchState>()
  return { ask, read, stateOf, channel, state, client, clock, madeFor }
}
const cookieOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }): string =>
  String(answer.headers['set-cookie']).split(';')[0]!

it('a guest is made with account, token, their end, and a cookie, which is secure where the page is', async () => {
  const { ask, client, clock } = await made()
  const answer = await ask()
  expect([answer.statusCode, answer.json()]).toEqual([
    201,
    { accid: 'guest-1', token: 't', expires: clock.now() + 1_000 },
  ])
  expect(cookieOf(answer)).toContain(guestCookie)
  expect(answer.headers['set-cookie']).not.toContain('Secure')
  client.scheme = 'https'
  expect((await ask()).headers['set-cookie']).toContain('; Secure')
})

it('the cookie of a browser is its identity, which is written again at each visit', async () => {
  const { ask, madeFor, clock } = await made()
  const first = cookieOf(await ask())
  clock.advance(60_000)
  const again = await ask({ headers: { cookie: `a=b; ${first}` } })
  expect(cookieOf(again)).not.toBe(first)
  await ask()
  expect([madeFor[1] === madeFor[0], madeFor[2] === madeFor[0]]).toEqual([true, false])
})

it.each([
  ['the channel has no room', 404, 'this channel has no room', { room: undefined }],
  ['the room is closed', 409, 'the room is closed', 'closed'],
  ['the room takes no guests', 403, 'the room takes no guests', { allowed: false }],
  ['the room has stopped taking guests', 403, 'the room takes no guests', { guests: 'refused' }],
  ['too many are here', 503, 'too many guests are here', { guests: 'full' }],
] as const)('where %s no guest is made: %i', async (_what, status, msg, change) => {
  const { ask, state, madeFor } = await made()
  if (change === 'closed') state.room = { ...state.room!, open: false }
  else Object.assign(state, change)
  const answer = await ask()
  expect([answer.statusCode, answer.json()]).toEqual([status, { code: status, msg }])
  expect(answer.headers['retry-after']).toBe(status === 503 ? '60' : undefined)
  expect([madeFor, answer.headers['set-cookie']]).toEqual([[], undefined])
})

it('a channel that is disabled has no guests', async () => {
  const { ask, channel } = await made()
  channel.disabled = true
  expect((await ask()).statusCode).toBe(404)
})

it('guests are made for pages of the own origin and of named ones, and for clients that name none', async () => {
  const { ask, client } = await made()
  const codeOf = async (origin: string | undefined, host = 'live.example') =>
    (await ask({ headers: { host, ...(origin !== undefined && { origin }) } })).statusCode
  expect(await codeOf(undefined)).toBe(201)
  expect(await codeOf('http://live.example')).toBe(201)
  expect(await codeOf('http://app.example')).toBe(201)
  for (const origin of ['https://live.example', 'http://other.example', 'null'])
    expect([origin, await codeOf(origin)]).toEqual([origin, 403])
  client.scheme = 'https'
  expect([await codeOf('https://live.example'), await codeOf('http://live.example')]).toEqual([201, 403])
})

it('an address has 20 new guests a minute and 120 an hour, then 429 with the time to wait', async () => {
  const { ask, client, clock } = await made()
  const take = async (count: number) => {
    const codes = new Set<number>()
    for (let index = 0; index < count; index++) codes.add((await ask()).statusCode)
    return [...codes]
  }
  for (let minute = 0; minute < 6; minute++) {
    expect(await take(20)).toEqual([201])
    if (minute === 0) {
      const refused = await ask()
      expect([refused.statusCode, refused.json<{ msg: string }>().msg]).toEqual([
        429,
        'too many guests of this address',
      ])
      const seconds = Number(refused.headers['retry-after'])
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
    }
    clock.advance(60_000)
  }
  expect(await take(1)).toEqual([429])
  client.subnet = '192.0.2.2'
  expect(await take(1)).toEqual([201])
})

it('pages that play have 100 new guests a minute and 600 an hour of their own', async () => {
  const state = { plays: true }
  const { ask, clock } = await made({ entry: { ...openEntry, isPlayerWithoutGuest: () => state.plays } })
  const take = async (count: number) => {
    const codes: number[] = []
    for (let index = 0; index < count; index++) codes.push((await ask()).statusCode)
    return codes.filter((code) => code === 201).length
  }
  expect(await take(110)).toBe(100)
  state.plays = false
  expect(await take(30)).toBe(20)
  state.plays = true
  for (let minute = 1; minute < 6; minute++) {
    clock.advance(60_000)
    expect(await take(100)).toBe(100)
  }
  clock.advance(60_000)
  expect(await take(1)).toBe(0)
})

it('a guest that comes back takes none of those, and may do so 240 times a minute', async () => {
  const { ask } = await made()
  const headers = { cookie: cookieOf(await ask()) }
  for (let visit = 0; visit < 240; visit++) expect((await ask({ headers })).statusCode).toBe(201)
  expect((await ask({ headers })).statusCode).toBe(429)
  // Visits took no place of new guests.
  for (let guest = 1; guest < 20; guest++) expect((await ask()).statusCode).toBe(201)
  expect((await ask()).statusCode).toBe(429)
})

it('the state of a channel on air says since when, and where the stream is; of a disabled one neither', async () => {
  const { stateOf, channel, clock } = await made()
  channel.since = 500
  expect(await stateOf()).toEqual({
    title: 'show',
    live: true,
    disabled: false,
    since: 500,
    flv: `/live/${cid}.flv`,
    hls: `/live/${cid}/playlist.m3u8`,
    time: clock.now(),
    viewers: 3,
    room: { roomid: 7, name: 'room', announcement: '', open: true, muted: false, guests: true },
    link: '/link',
    appKey: 'key',
  })
  channel.disabled = true
  const disabled = await stateOf()
  expect(disabled).toMatchObject({ live: false, disabled: true })
  for (const member of ['since', 'flv', 'hls', 'silent']) expect(disabled).not.toHaveProperty(member)
})

it('the state names no room, link or key where the application is gone', async () => {
  const { stateOf } = await made({ appKey: () => undefined })
  const state = await stateOf()
  for (const member of ['room', 'link', 'appKey']) expect(state).not.toHaveProperty(member)
})

it('the state says whether the room takes guests', async () => {
  const { stateOf, state } = await made()
  state.allowed = false
  expect((await stateOf()).room).toMatchObject({ guests: false })
})

it('page, files and state are answered to HEAD without a body', async () => {
  const { read } = await made()
  for (const [path, length] of [
    [cid, '15'],
    ['assets/main-1.js', '9'],
  ] as const) {
    const [head, whole] = [await read(path, 'HEAD'), await read(path)]
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', length])
    expect(head.headers['content-type']).toBe(whole.headers['content-type'])
    expect(whole.body).toHaveLength(Number(length))
  }
  const state = await read(`${cid}/state`, 'HEAD')
  expect([state.statusCode, state.body]).toEqual([200, ''])
})

it('page and files have the headers that keep others out, and files are kept for a year', async () => {
  const { read } = await made()
  for (const path of [cid, 'assets/main-1.js']) {
    const { headers } = await read(path)
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    })
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "media-src 'self' blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
    expect(headers['cache-control']).toBe(path === cid ? undefined : 'public, max-age=31536000, immutable')
  }
})

it('a cid of another form is no channel, whatever is asked', async () => {
  const { read, ask } = await made({ channel: () => ({ uid: 1, name: '', disabled: false, since: undefined }) })
  for (const wrong of ['A'.repeat(32), 'a'.repeat(31), 'g'.repeat(32)]) {
    const asked = [await read(wrong), await read(`${wrong}/state`), await ask({ url: `/watch/${wrong}/guest` })]
    expect([wrong, ...asked.map(({ statusCode }) => statusCode)]).toEqual([wrong, 404, 404, 404])
  }
})

it('a body of more than 64 bytes is refused unread, where a guest is asked for', async () => {
  const { ask, madeFor } = await made()
  const codeOf = async (length: number): Promise<number> =>
    (await ask({ headers: { 'content-type': 'text/plain' }, payload: 'x'.repeat(length) })).statusCode
  expect([await codeOf(64), madeFor.length]).toEqual([201, 1])
  expect([await codeOf(65), madeFor.length]).toEqual([413, 1])
})
