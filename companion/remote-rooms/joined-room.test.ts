import type http from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Line } from '../lines/connection.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Host } from './host.ts'
import type { KeptJoined } from './joined-document.ts'
import { createJoinedRoom } from './joined-room.ts'
import { JoinError } from './join-error.ts'
import { until } from '../testing/rig.ts'

/** Lines of pages to a host that never answers. */
function stage() {
  const room = createJoinedRoom({
    seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
    host: { line: () => new Promise(() => undefined) } as unknown as Host,
    clock: manualClock(),
    token: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(),
    shown: () => undefined,
    log: () => undefined,
  })
  const open = () => {
    const closed: (() => void)[] = []
    let isOpen = true
    const line: Line = {
      send: () => undefined,
      onMessage: () => undefined,
      onClose: (listener) => closed.push(listener),
      backlog: () => 0,
      close: () => {
        if (!isOpen) return
        isOpen = false
        for (const listener of closed) listener()
      },
    }
    room.attach(line)
    return { isOpen: () => isOpen, close: () => line.close() }
  }
  return { room, open }
}

it('a joined room takes eight pages at once, and one that closed gives its place to the next, however often', () => {
  const { room, open } = stage()
  room.enteredWith('session=1')
  const pages = Array.from({ length: 8 }, open)
  expect(pages.every((page) => page.isOpen())).toBe(true)
  expect(open().isOpen()).toBe(false)
  for (let again = 0; again < 20; again++) {
    pages.shift()!.close()
    pages.push(open())
    expect(pages.at(-1)!.isOpen()).toBe(true)
  }
})

it('a joined room takes no page before it is signed in, and closes its pages when it is left', () => {
  const { room, open } = stage()
  expect(open().isOpen()).toBe(false)
  room.enteredWith('session=1')
  const page = open()
  room.close()
  expect(page.isOpen()).toBe(false)
})

/** What a host was asked, and what it answers; an error is that it cannot be reached. */
function hostOf(answers: (method: string, headers: Readonly<Record<string, string>>) => object | JoinError) {
  const asked: { method: string; path: string; headers: Readonly<Record<string, string>>; body: string | undefined }[] =
    []
  const host: Pick<Host, 'ask'> = {
    ask: ({ method, path, headers = {}, body }) => {
      asked.push({ method, path, headers, body })
      const answer = answers(method, headers)
      if (answer instanceof Error) return Promise.reject(answer)
      const sent = new PassThrough()
      sent.end()
      return Promise.resolve(Object.assign(sent, { headers: {}, ...answer }) as unknown as http.IncomingMessage)
    },
  }
  return { host: host as Host, asked, posts: () => asked.filter(({ method }) => method === 'POST') }
}
const session = (count: number) => `sidestage_1=${String(count).repeat(20)}`
/** A room at a host that takes the token `good` and ends sessions when it is told to. */
function signedRoom(kept: string | undefined = 'good') {
  const clock = manualClock()
  const [keptTokens, on] = [[] as string[], { isAway: false, wait: 8, alive: new Set<string>(), made: 0 }]
  const { host, asked, posts } = hostOf((method, { cookie = '' }) => {
    if (on.isAway) return new JoinError('offline')
    if (method === 'DELETE') return on.alive.delete(cookie) ? { statusCode: 204 } : { statusCode: 401 }
    if (method === 'GET')
      return { statusCode: on.alive.has(cookie) ? 204 : 401, headers: { 'sidestage-door': 'account' } }
    const { token } = JSON.parse(asked.at(-1)!.body!) as { token: string }
    if (token !== 'good') return { statusCode: 401, headers: { 'retry-after': String(on.wait) } }
    on.alive.add(session(++on.made))
    return { statusCode: 204, headers: { 'set-cookie': [`${session(on.made)}; Path=/`] } }
  })
  const room = createJoinedRoom({
    seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
    host,
    clock,
    token: () => Promise.resolve(kept),
    keep: (token) => {
      keptTokens.push(token)
      return Promise.resolve()
    },
    shown: () => undefined,
    log: () => undefined,
  })
  const ask = async (method = 'GET', body?: object) => {
    const { status, headers } = await room.session(method, body)
    return [status, headers['sidestage-trouble'] ?? null, Number(headers['retry-after'] ?? 0)]
  }
  return { room, clock, on, asked, posts, keptTokens, ask }
}

describe('the session of a joined room', () => {
  it('is opened with the kept token when a page asks, once for pages that ask together', async () => {
    const { ask, posts } = signedRoom()
    expect(await Promise.all([ask(), ask('HEAD'), ask()])).toEqual([
      [204, null, 0],
      [204, null, 0],
      [204, null, 0],
    ])
    expect(posts().map(({ body }) => JSON.parse(body!) as object)).toEqual([{ accid: 'mei', token: 'good' }])
  })

  it('is looked at when a page asks, and opened anew when the host has ended it', async () => {
    const { ask, posts, on, asked } = signedRoom()
    await ask()
    expect(await ask()).toEqual([204, null, 0])
    expect([posts().length, asked.at(-1)?.headers['cookie']]).toEqual([1, session(1)])
    on.alive.clear()
    expect(await ask()).toEqual([204, null, 0])
    expect(posts()).toHaveLength(2)
  })

  it('is not opened without a token, which is said', async () => {
    const { room, posts } = signedRoom()
    const without = createJoinedRoom({
      seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
      host: hostOf(() => ({ statusCode: 401 })).host,
      clock: manualClock(),
      token: () => Promise.resolve(undefined),
      keep: () => Promise.resolve(),
      shown: () => undefined,
      log: () => undefined,
    })
    expect(await without.session('GET', undefined)).toMatchObject({
      status: 401,
      headers: { 'sidestage-trouble': 'token', 'cache-control': 'no-store' },
    })
    expect([posts().length, (await room.session('PUT', undefined)).status]).toEqual([0, 405])
  })

  it('is asked for again by itself after the host was away, and is the same then', async () => {
    const { ask, posts, on } = signedRoom()
    await ask()
    on.isAway = true
    expect(await ask()).toEqual([503, 'offline', 0])
    on.isAway = false
    expect(await ask()).toEqual([204, null, 0])
    expect(posts()).toHaveLength(1)
  })

  it('is not asked for again by itself after a refusal, with what is left of the wait, but by hand', async () => {
    const { ask, posts, clock, on } = signedRoom('wrong')
    expect(await ask()).toEqual([401, 'refused', 8])
    clock.advance(3_000)
    expect(await ask()).toEqual([401, 'refused', 5])
    clock.advance(60_000)
    expect(await ask()).toEqual([401, 'refused', 0])
    expect(posts()).toHaveLength(1)
    on.wait = 2
    expect(await ask('POST', {})).toEqual([401, 'refused', 2])
    expect(posts()).toHaveLength(2)
  })

  it('is opened with a token that is given, which is kept once it was taken, with its code', async () => {
    const { ask, posts, keptTokens } = signedRoom('wrong')
    await ask()
    expect(await ask('POST', { token: 'bad' })).toEqual([401, 'refused', 8])
    expect(keptTokens).toEqual([])
    expect(await ask('POST', { token: 'good', code: 'the code' })).toEqual([204, null, 0])
    expect(keptTokens).toEqual(['good'])
    expect(JSON.parse(posts().at(-1)!.body!)).toEqual({ accid: 'mei', token: 'good', code: 'the code' })
    // The refusal before is over.
    expect(await ask()).toEqual([204, null, 0])
  })

  it('ends at the host when it is left, with the pages of the room', async () => {
    const { room, ask, asked, on } = signedRoom()
    await ask()
    expect(await ask('DELETE')).toEqual([204, null, 0])
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', path: '/session', headers: { cookie: session(1) } })
    expect(on.alive.size).toBe(0)
    const before = asked.length
    room.leave()
    expect(asked).toHaveLength(before)
  })
})

describe('the media of a joined room', () => {
  const get = (room: ReturnType<typeof signedRoom>['room'], more: object = {}) =>
    room.media({
      method: 'GET',
      path: '/media/t/1.mp4',
      range: undefined,
      signal: new AbortController().signal,
      ...more,
    })

  it('is asked for with the session and the range of the page, and not without a session', async () => {
    const { room, ask, asked } = signedRoom()
    expect((await get(room)).status).toBe(401)
    expect(asked).toEqual([])
    await ask()
    await get(room, { method: 'HEAD', range: 'bytes=5-9' })
    expect(asked.at(-1)).toMatchObject({
      method: 'HEAD',
      path: '/media/t/1.mp4',
      headers: { cookie: session(1), range: 'bytes=5-9' },
    })
    await get(room)
    expect(asked.at(-1)?.headers).not.toHaveProperty('range')
  })

  it('is one of 24 transfers at most, and one that ended or failed gives its place back', async () => {
    const bodies: PassThrough[] = []
    let isAway = false
    const room = createJoinedRoom({
      seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
      host: {
        ask: () => {
          if (isAway) return Promise.reject(new JoinError('offline'))
          const body = new PassThrough()
          bodies.push(body)
          const answer = Object.assign(body, { statusCode: 200, headers: { 'content-type': 'video/mp4' } })
          return Promise.resolve(answer as unknown as http.IncomingMessage)
        },
      } as unknown as Host,
      clock: manualClock(),
      token: () => Promise.resolve(undefined),
      keep: () => Promise.resolve(),
      shown: () => undefined,
      log: () => undefined,
    })
    room.enteredWith(session(1))
    isAway = true
    for (let times = 0; times < 30; times++) expect((await get(room)).status).toBe(502)
    isAway = false
    const statuses: number[] = []
    for (let times = 0; times < 25; times++) statuses.push((await get(room)).status)
    expect(statuses).toEqual([...Array(24).fill(200), 503])
    bodies[0]!.destroy()
    await until('its end', async () => {
      const { status, body } = await get(room)
      if (status === 200) body?.destroy()
      return status === 200
    })
  })
})

it('a page of a joined room is told of as shown, not one that is turned away', () => {
  let shown = 0
  const room = createJoinedRoom({
    seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
    host: { line: () => new Promise(() => undefined) } as unknown as Host,
    clock: manualClock(),
    token: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(),
    shown: () => void shown++,
    log: () => undefined,
  })
  const attach = () =>
    room.attach({
      send: () => undefined,
      onMessage: () => undefined,
      onClose: () => undefined,
      backlog: () => 0,
      close: () => undefined,
    })
  attach()
  expect(shown).toBe(0)
  room.enteredWith(session(1))
  attach()
  expect(shown).toBe(1)
})
