import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JoinedSeat } from '../../contract/rpc/index.ts'
import { createDescriptorBudget, type DescriptorShare } from '../../platform/descriptors.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { makeCertificate } from '../moderators/certificate.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import type { Vault } from '../secrets/vault.ts'
import { scratch, until } from '../testing/rig.ts'
import { type RemoteRooms, openRemoteRooms } from './remote-rooms.ts'
import { type HostileHost, hostSession, startHostileHost } from './testing/hostile-host.ts'
import { handLine } from './testing/joined-page.ts'

const credentials = { accid: 'mei', token: 'canary-token', code: 'canary-code' }
/** Waits are a twentieth, so that patience can be run out of. */
const fast: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, call) => systemClock.after(ms / 20, call),
}
let folder: ReturnType<typeof scratch>
let host: HostileHost
let remoteRooms: RemoteRooms
let told: JoinedSeat[][]
let log: string[]
const opened: string[] = []
const ended: (() => unknown)[] = []

beforeEach(async () => {
  folder = scratch()
  told = []
  log = []
  host = await startHostileHost()
  remoteRooms = await open()
})
afterEach(async () => {
  remoteRooms.close()
  await host.close()
  for (const end of ended.splice(0)) await end()
  folder[Symbol.dispose]()
})

const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
const open = (
  clock: Clock = systemClock,
  descriptors?: DescriptorShare,
  tokens: Vault = vault,
  openLink = (url: string) => {
    opened.push(url)
    return Promise.resolve()
  },
): Promise<RemoteRooms> =>
  openRemoteRooms({
    dataDir: folder.dir,
    vault: tokens,
    entryName: (name) => `test ${name}`,
    clock,
    random: randomBytes,
    platform: 'linux',
    ...(descriptors ? { descriptors } : {}),
    openLink,
    changed: (seats) => told.push(seats),
    log: (line) => log.push(line),
  })
const get = (id: string, at: string, more: object = {}) =>
  remoteRooms.fetch({ method: 'GET', path: `/joined/${id}${at}`, signal: new AbortController().signal, ...more })
const joined = async (): Promise<string> => {
  const { seat } = await remoteRooms.join(host.place, credentials)
  if (!seat) throw new Error('it was not joined')
  return seat.id
}
/** A listener that keeps what it is sent. */
async function listen(
  answer: (socket: net.Socket) => void,
  server = net.createServer(),
): Promise<{ at: string; heard: Buffer[] }> {
  const heard: Buffer[] = []
  const sockets = new Set<net.Socket>()
  server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('data', (data: Buffer) => heard.push(data))
    answer(socket)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  ended.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

it('takes names as text that can be shown, and keeps neither token nor session in a file or an event', async () => {
  const { seat } = await remoteRooms.join(host.place, credentials)
  expect(seat).toMatchObject({ accid: 'mei', name: 'Mei', roomid: 7, token: 'session', host: host.place.host })
  expect(seat?.room).toMatch(/^Late night x{10,128}$/)
  expect(host.asked.map(({ method, path: at }) => `${method} ${at}`)).toEqual(['GET /session', 'POST /session'])
  expect(JSON.parse(host.asked[1]?.body ?? '')).toEqual(credentials)
  const text = [
    readFileSync(path.join(folder.dir, 'joined.json'), 'utf8'),
    JSON.stringify(told),
    ...log,
    ...host.asked.map(({ path: at }) => at),
  ].join('\n')
  for (const secret of [credentials.token, credentials.code, hostSession]) expect(text).not.toContain(secret)
  expect(told.at(-1)).toEqual([seat])
  // Joined once more it is the same room.
  expect((await remoteRooms.join(host.place, credentials)).seat?.id).toBe(seat?.id)
  expect(remoteRooms.list()).toHaveLength(1)
})

it('sends nothing to who has another certificate, and says so', async () => {
  const other = await makeCertificate([], Date.now())
  const { at, heard } = await listen(() => undefined, tls.createServer(other))
  expect(await remoteRooms.join({ ...host.place, host: at }, credentials)).toEqual({
    seat: null,
    trouble: 'changed',
    wait: 0,
  })
  expect(await remoteRooms.join({ ...host.place, fingerprint: '0'.repeat(64) }, credentials)).toMatchObject({
    trouble: 'changed',
  })
  expect([heard, host.asked]).toEqual([[], []])
  const id = await joined()
  // It had the certificate, and now has another one at the same address.
  const port = Number(host.place.host.split(':')[1])
  await host.close()
  const after: Buffer[] = []
  const taken = tls.createServer(other, (socket) =>
    socket.on('error', () => undefined).on('data', (data: Buffer) => after.push(data)),
  )
  await new Promise<void>((resolve) => {
    taken.listen(port, '127.0.0.1', resolve)
  })
  ended.push(() => taken.close())
  expect(await get(id, '/session')).toMatchObject({ status: 401, headers: { 'sidestage-trouble': 'changed' } })
  expect(await get(id, '/media/t/x.flv')).toMatchObject({ status: 502 })
  const line = handLine()
  remoteRooms.attach(line, id)
  await until('the end of the line', () => line.isClosed)
  expect(after).toEqual([])
})

it('joins without TLS on this computer only, and with TLS only with a fingerprint', async () => {
  for (const place of [
    { host: '192.0.2.1:80', secured: false, fingerprint: null },
    { host: 'stage.example:80', secured: false, fingerprint: null },
    { ...host.place, fingerprint: null },
  ])
    expect(await remoteRooms.join(place, credentials)).toMatchObject({ trouble: 'plain' })
  const { at, heard } = await listen((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n')),
  )
  expect(await remoteRooms.join({ host: at, secured: false, fingerprint: null }, credentials)).toMatchObject({
    trouble: 'elsewhere',
  })
  expect(Buffer.concat(heard).toString()).not.toContain('canary')
})

it('hands no account and no token to who does not take them, follows no redirect, and says what is wrong', async () => {
  const tries: [string, (request: http.IncomingMessage, response: http.ServerResponse) => void, string][] = [
    [
      'a redirect',
      (_request, response) =>
        response.writeHead(302, { location: 'https://127.0.0.1:1/session', 'sidestage-door': 'account' }).end(),
      'notOurs',
    ],
    ['another door', (_request, response) => response.writeHead(401, { 'sidestage-door': 'link' }).end(), 'notOurs'],
    ['a page', (_request, response) => response.writeHead(200).end('<html>'), 'notOurs'],
    ['a fault', (_request, response) => response.writeHead(503).end(), 'offline'],
    ['another name', (_request, response) => response.writeHead(421).end(), 'elsewhere'],
  ]
  for (const [what, answer, trouble] of tries) {
    host.answer = (request, response) => {
      answer(request, response)
      return true
    }
    expect(await remoteRooms.join(host.place, credentials), what).toMatchObject({ seat: null, trouble })
  }
  expect(host.asked.every(({ method, body }) => method === 'GET' && body === '')).toBe(true)
  const garbage = await listen((socket) => socket.write('220 mail ready\r\n'))
  expect(await remoteRooms.join({ ...host.place, host: garbage.at }, credentials)).toMatchObject({ trouble: 'notOurs' })
  expect(await remoteRooms.join({ host: garbage.at, secured: false, fingerprint: null }, credentials)).toMatchObject({
    trouble: 'notOurs',
  })
  expect(remoteRooms.list()).toEqual([])
})

it('tells a refusal with its wait, and takes no session that is none', async () => {
  const posts: [number, Record<string, string>, object][] = [
    [507, {}, { trouble: 'full', wait: 0 }],
    [401, { 'retry-after': '8' }, { trouble: 'refused', wait: 8 }],
    [401, { 'retry-after': '99999999' }, { trouble: 'refused', wait: 600 }],
    [401, { 'retry-after': 'soon' }, { trouble: 'refused', wait: 0 }],
    [302, { location: '/', 'set-cookie': hostSession }, { trouble: 'notOurs', wait: 0 }],
    [204, {}, { trouble: 'notOurs', wait: 0 }],
    [204, { 'set-cookie': `sidestage_1=${'a'.repeat(20)}\tx; Path=/` }, { trouble: 'notOurs', wait: 0 }],
    [204, { 'set-cookie': `other=${'a'.repeat(43)}` }, { trouble: 'notOurs', wait: 0 }],
  ]
  for (const [status, headers, outcome] of posts) {
    host.answer = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(status, headers).end()
      return true
    }
    expect(await remoteRooms.join(host.place, credentials), JSON.stringify(headers)).toMatchObject(outcome)
  }
})

it('believes no facts of a seat that are none, or of somebody else', async () => {
  const answers = [
    '{',
    'null',
    JSON.stringify({ i: '1', p: { b: { json: { seat: null } } } }),
    JSON.stringify({
      i: '1',
      p: { b: { json: { seat: { profileId: 'local', roomid: '7', accid: 'mei', name: 'x' } } } },
    }),
    JSON.stringify({
      i: '1',
      p: { b: { json: { seat: { profileId: 'local', roomid: 7, accid: 'zoe', name: 'x' } } } },
    }),
    Buffer.from('binary'),
    'x'.repeat(9 * 1024 * 1024),
  ]
  for (const answer of answers) {
    host.line = (socket) => socket.on('message', () => socket.send(answer))
    expect((await remoteRooms.join(host.place, credentials)).seat).toBeNull()
  }
  expect(remoteRooms.list()).toEqual([])
})

it('takes a few small frames of who is asked what a seat is about, and ends a flood at once', async () => {
  const answer = JSON.stringify({
    i: '1',
    p: { b: { json: { seat: { profileId: 'local', roomid: 7, accid: 'mei', name: 'x' } } } },
  })
  host.line = (socket) => socket.on('message', () => socket.send(answer.replace('}', `}${' '.repeat(300_000)}`)))
  expect(await remoteRooms.join(host.place, credentials)).toMatchObject({ trouble: 'notOurs' })
  host.line = (socket) => {
    const flood = (): void => {
      if (socket.readyState !== socket.OPEN) return
      for (let n = 0; n < 1_000; n++) socket.send('{}')
      setImmediate(flood)
    }
    flood()
  }
  expect(await remoteRooms.join(host.place, credentials)).toMatchObject({ trouble: 'notOurs' })
})

it('writes no more than once a minute that a room is shown, however often its host ends the line', async () => {
  const later = { passed: 0 }
  remoteRooms.close()
  remoteRooms = await open({ ...systemClock, now: () => Date.now() + later.passed })
  const id = await joined()
  host.line = (socket) => socket.terminate()
  const shown = async (): Promise<void> => {
    const line = handLine()
    remoteRooms.attach(line, id)
    await until('the end of the line', () => line.isClosed)
  }
  const before = told.length
  for (let n = 0; n < 3; n++) await shown()
  expect(told).toHaveLength(before)
  later.passed = 60_000
  for (let n = 0; n < 3; n++) await shown()
  await until('the time that it was shown', () => told.length > before)
  expect(told).toHaveLength(before + 1)
})

it('tries once a minute to write that a room is shown where that cannot be written', async () => {
  const later = { passed: 0 }
  remoteRooms.close()
  remoteRooms = await open({ ...systemClock, now: () => Date.now() + later.passed })
  const id = await joined()
  rmSync(folder.dir, { recursive: true })
  const failures = (): number =>
    log.filter((line) => line.startsWith('when a joined room was shown was not kept')).length
  for (const [minute, pages] of [3, 1].entries()) {
    later.passed = 60_000 * (minute + 1)
    for (let n = 0; n < pages; n++) remoteRooms.attach(handLine(), id)
    // Comes behind the writes before it.
    await expect(remoteRooms.forget(id)).rejects.toThrow()
    expect(failures()).toBe(minute + 1)
  }
})

it('gives up on who never answers', async () => {
  remoteRooms.close()
  remoteRooms = await open(fast)
  const { at } = await listen(() => undefined)
  expect(await remoteRooms.join({ ...host.place, host: at }, credentials)).toMatchObject({ trouble: 'offline' })
  host.line = () => undefined
  expect(await remoteRooms.join(host.place, credentials)).toMatchObject({ trouble: 'offline' })
  host.answer = () => true
  expect(await remoteRooms.join(host.place, credentials)).toMatchObject({ trouble: 'offline' })
})

it('hands frames on unread in both directions, and ends a line that is too large, no text, or dead', async () => {
  const id = await joined()
  const openLine = () => {
    const line = handLine()
    remoteRooms.attach(line, id)
    return line
  }
  host.line = (socket) => socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`))
  const line = openLine()
  // Said before the other side was reached.
  line.say('{"anything":1}')
  await until('the echo', () => line.heard.includes('echo {"anything":1}'))
  line.say('x'.repeat(262_145))
  expect(line.isClosed).toBe(true)
  const binary = openLine()
  binary.say(undefined)
  expect(binary.isClosed).toBe(true)
  const many = openLine()
  for (let n = 0; n < 80; n++) many.say('{}')
  expect(many.isClosed).toBe(true)
  for (const frame of [Buffer.from('binary'), 'x'.repeat(9 * 1024 * 1024)]) {
    host.line = (socket) => socket.send(frame)
    const ends = openLine()
    await until('the end of the line', () => ends.isClosed)
    expect(ends.heard).toEqual([])
  }
  // A host that takes no frames out of its socket gives no sign of life.
  remoteRooms.close()
  remoteRooms = await open(fast)
  expect((await get(id, '/session')).status).toBe(204)
  host.line = (socket) => {
    socket.pause()
  }
  const dead = handLine()
  remoteRooms.attach(dead, id)
  await until('the end of the dead line', () => dead.isClosed)
})

it('reads no faster than its page takes, and than its bounds', async () => {
  const id = await joined()
  let far: { bufferedAmount: number } = { bufferedAmount: 0 }
  const flood = (frames: number, size: number) => {
    host.line = (socket) => {
      far = socket
      const frame = 'x'.repeat(size)
      for (let n = 0; n < frames; n++) socket.send(frame)
    }
    const line = handLine()
    remoteRooms.attach(line, id)
    return line
  }
  const slow = flood(60, 1024 * 1024)
  slow.waiting = 2 * 1024 * 1024
  await until('the first frame', () => slow.heard.length > 0)
  await until('what waits at the other side', () => far.bufferedAmount > 20 * 1024 * 1024)
  // One frame, and what had come with it in the same piece.
  expect(slow.heard.length).toBeLessThan(10)
  slow.waiting = 0
  await until('more', () => slow.heard.length >= 10)
  expect(slow.isClosed).toBe(false)
  slow.close()
  const quick = flood(40_000, 10)
  await until('the first frames', () => quick.heard.length >= 2_000)
  expect(quick.heard.length).toBeLessThan(10_000)
  quick.close()
})

it('relays media as bytes that run nothing, rewrites playlists to itself, and asks for nothing but media', async () => {
  const id = await joined()
  const bodies: Record<string, [Record<string, string>, string]> = {
    '/media/t/hls/playlist.m3u8': [
      { 'content-type': 'application/vnd.apple.mpegurl' },
      `#EXTM3U\n/media/t/m/e/one.m4s\nhttps://127.0.0.1:1/media/x\n/rpc\n../../../session\n`,
    ],
    '/media/t/page.html': [{ 'content-type': 'text/html', 'set-cookie': 'a=b', location: '/x' }, '<script>'],
    '/media/t/large.m3u8': [{ 'content-type': 'video/mp4' }, `#EXTM3U\n${'x'.repeat(2 * 1024 * 1024)}`],
  }
  host.answer = (request, response) => {
    const found = bodies[request.url ?? '']
    if (!found) return false
    response.writeHead(200, found[0]).end(found[1])
    return true
  }
  const playlist = await get(id, '/media/t/hls/playlist.m3u8')
  expect(await readText(playlist.body!)).toBe(
    `#EXTM3U\n/joined/${id}/media/t/m/e/one.m4s\n/media/refused\n/media/refused\n/media/refused\n`,
  )
  const page = await get(id, '/media/t/page.html')
  expect(await readText(page.body!)).toBe('<script>')
  expect(page.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  expect(Object.keys(page.headers)).not.toContain('set-cookie')
  expect((await get(id, '/media/t/large.m3u8')).status).toBe(502)
  const before = host.asked.length
  for (const at of ['/media/../session', '/media/a/../../rpc', '/media/a?x', '/media/%2e%2e/x', '/rpc', '/', ''])
    expect((await get(id, at)).status, at).toBe(404)
  expect((await get('f'.repeat(16), '/session')).status).toBe(404)
  expect((await get(id, '/media/t/x', { range: 'bytes=0-1,2-3' })).status).toBe(416)
  expect((await get(id, '/media/t/x', { method: 'POST' })).status).toBe(405)
  expect(host.asked).toHaveLength(before)
  expect(
    host.asked
      .filter(({ path: at }) => at.startsWith('/media/'))
      .every(({ headers }) => headers.cookie === hostSession),
  ).toBe(true)
})

it('leaves to the rest of the app the descriptors that are kept for it, however many transfers and lines of its pages a host holds open', async () => {
  const budget = createDescriptorBudget(16)
  const [joinedShare, others] = [budget.share(0.25), budget.share(0.5)]
  remoteRooms.close()
  remoteRooms = await open(systemClock, joinedShare)
  const id = await joined()
  const places = budget.sockets / 2
  host.line = () => undefined
  host.answer = (request, response) => {
    if (!request.url?.startsWith('/media/')) return false
    response.writeHead(200, { 'content-type': 'video/mp4' }).write('picture')
    return true
  }
  const line = handLine()
  remoteRooms.attach(line, id)
  const transfers = await Promise.all(Array.from({ length: 12 }, () => get(id, '/media/t/1.mp4')))
  expect(transfers.filter(({ status }) => status === 200)).toHaveLength(places - 1)
  expect(transfers.filter(({ status }) => status === 502)).toHaveLength(12 - places + 1)
  for (let count = 0; count < places; count += 1) expect(others.take()).toBe(true)
  expect(others.take()).toBe(false)
  // What was closed, and what never stood, is given back.
  line.close()
  for (const { body } of transfers) body?.destroy()
  const nobody = http.createServer()
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const { port } = nobody.address() as AddressInfo
  await new Promise((resolve) => nobody.close(resolve))
  for (let count = 0; count < places; count += 1) others.give()
  for (let count = 0; count < 20; count += 1)
    await remoteRooms.join({ ...host.place, host: `127.0.0.1:${port}` }, credentials)
  for (let count = 0; count < places; count += 1) expect(others.take()).toBe(true)
  let taken = 0
  await until('all of them', () => {
    while (joinedShare.take()) taken += 1
    return taken === places
  })
})

it('opens only what a page shows as a link, for a page that posts it', async () => {
  const id = await joined()
  const post = (url: unknown) => get(id, '/link', { method: 'POST', body: { url } })
  expect((await post('https://links.example/x')).status).toBe(204)
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://a:b@links.example/',
    'https://links.example/ x',
    '',
    7,
    undefined,
  ])
    expect((await post(url)).status).toBe(400)
  expect((await get(id, '/link')).status).toBe(405)
  expect(opened).toEqual(['https://links.example/x'])
})

it('does not try a refused token again by itself, leaves when it is told to, and forgets with the token', async () => {
  const id = await joined()
  const posts = (): number => host.asked.filter(({ method }) => method === 'POST').length
  host.answer = (request, response) => {
    response
      .writeHead(401, { 'sidestage-door': 'account', ...(request.method === 'POST' ? { 'retry-after': '2' } : {}) })
      .end()
    return true
  }
  for (let n = 0; n < 3; n++)
    expect(await get(id, '/session')).toMatchObject({ status: 401, headers: { 'sidestage-trouble': 'refused' } })
  expect(posts()).toBe(2)
  expect(await get(id, '/session', { method: 'POST', body: {} })).toMatchObject({
    status: 401,
    headers: { 'retry-after': '2' },
  })
  expect(posts()).toBe(3)
  host.answer = undefined
  expect((await get(id, '/session', { method: 'POST', body: { token: 'another', code: null } })).status).toBe(204)
  expect(JSON.parse(host.asked.at(-1)?.body ?? '')).toEqual({ accid: 'mei', token: 'another' })
  expect(await vault.get(`test joined:${id}`)).toBe('another')
  expect((await get(id, '/session', { method: 'DELETE' })).status).toBe(204)
  await until('the end of the session there', () => host.asked.at(-1)?.method === 'DELETE')
  const line = handLine()
  remoteRooms.attach(line, id)
  expect(line.isClosed).toBe(true)
  await remoteRooms.forget(id)
  expect([remoteRooms.list(), await vault.get(`test joined:${id}`)]).toEqual([[], undefined])
  expect((await get(id, '/session')).status).toBe(404)
})

/** A line that tells of a seat in this room. */
const seatIn =
  (roomid: number): HostileHost['line'] =>
  (socket) =>
    socket.on('message', (data: Buffer) => {
      const { i, p } = JSON.parse(data.toString()) as { i: string; p: { u: string } }
      const seat = { profileId: 'local', roomid, cid: null, accid: 'mei', name: 'Mei' }
      const json = p.u === '/app/about' ? { seat } : { rooms: [] }
      socket.send(JSON.stringify({ i, p: { b: { json } } }))
    })

it('lists the room that was joined last first, keeps when it was joined first', async () => {
  const times = { passed: 0 }
  remoteRooms.close()
  remoteRooms = await open({ ...systemClock, now: () => 1_000 + times.passed })
  const first = await joined()
  host.line = seatIn(8)
  const { seat } = await remoteRooms.join(host.place, credentials)
  expect(seat).toMatchObject({ roomid: 8, room: '8', joined: 1_000 })
  expect(remoteRooms.list().map(({ roomid }) => roomid)).toEqual([8, 7])
  times.passed = 500
  host.line = undefined
  await remoteRooms.join(host.place, credentials)
  expect(remoteRooms.list().map(({ id, joined: at, lastAt }) => [id, at, lastAt])).toEqual([
    [first, 1_000, 1_500],
    [seat?.id, 1_000, 1_000],
  ])
  // The list is the same after a start of the app.
  remoteRooms.close()
  remoteRooms = await open()
  await until('what is known of the tokens', () => told.at(-1)?.every(({ token }) => token === 'session'))
  expect(remoteRooms.list().map(({ roomid }) => roomid)).toEqual([7, 8])
})

it('joins no more than 100 rooms, and asks the host of another one nothing', async () => {
  const { seat } = await remoteRooms.join(host.place, credentials)
  remoteRooms.close()
  const { token: _token, ...keptSeat } = seat!
  const seats = Array.from({ length: 100 }, (_, n) => ({
    ...keptSeat,
    id: n.toString(16).padStart(16, '0'),
    roomid: n + 100,
  }))
  writeFileSync(path.join(folder.dir, 'joined.json'), JSON.stringify({ version: 1, seats }))
  remoteRooms = await open()
  const before = host.asked.length
  await expect(remoteRooms.join(host.place, credentials)).rejects.toThrow('100 joined rooms')
  expect([remoteRooms.list().length, host.asked.length]).toEqual([100, before])
})

it('shows a room whose token the keychain does not take, says that it is missing', async () => {
  const refusing = { ...vault, set: () => Promise.reject(new Error('locked')), get: () => Promise.resolve(undefined) }
  remoteRooms.close()
  remoteRooms = await open(systemClock, undefined, refusing)
  const { seat } = await remoteRooms.join(host.place, credentials)
  expect(seat).toMatchObject({ token: 'missing' })
  expect(told.at(-1)).toMatchObject([{ token: 'missing' }])
  expect(log.join()).toContain('the token of a joined room was not kept: locked')
  expect((await get(seat!.id, '/session')).status).toBe(204)
  remoteRooms.close()
  remoteRooms = await open(systemClock, undefined, refusing)
  expect(await get(seat!.id, '/session')).toMatchObject({ status: 401, headers: { 'sidestage-trouble': 'token' } })
})

it('serves nothing of a room that is not there, and says when a link could not be opened', async () => {
  const line = handLine()
  remoteRooms.attach(line, 'f'.repeat(16))
  expect(line.isClosed).toBe(true)
  const id = await joined()
  const isOpening = opened.length
  remoteRooms.close()
  remoteRooms = await open(systemClock, undefined, vault, () => Promise.reject(new Error('no browser')))
  expect((await get(id, '/link', { method: 'POST', body: { url: 'https://links.example/y' } })).status).toBe(502)
  expect(opened).toHaveLength(isOpening)
})

it('names itself to the host with its system, the account only where it is asked for, and its own origin', async () => {
  await joined()
  for (const { headers } of host.asked)
    expect(headers).toMatchObject({
      host: host.place.host,
      origin: `https://${host.place.host}`,
      'user-agent': 'Sidestage (Linux)',
    })
  expect(host.asked[0]?.body).toBe('')
  expect(host.asked[1]?.headers['content-type']).toBe('application/json')
})

it('writes that a room is shown a whole minute after the last time, also of a clock that was set back', async () => {
  const start = Date.now()
  let passed = 0
  remoteRooms.close()
  remoteRooms = await open({ ...systemClock, now: () => start + passed })
  const id = await joined()
  const shownAt = async (ms: number, expected: number): Promise<void> => {
    passed = ms
    remoteRooms.attach(handLine(), id)
    await until('the time', () => remoteRooms.list()[0]?.lastAt === start + expected)
  }
  passed = 59_999
  remoteRooms.attach(handLine(), id)
  await shownAt(60_000, 60_000)
  passed = 1
  remoteRooms.attach(handLine(), id)
  await shownAt(0, 0)
  expect(told.map((seats) => seats[0]?.lastAt).filter((at) => at === start + 59_999 || at === start + 1)).toEqual([])
})

it.each([
  ['win32', 'Windows'],
  ['darwin', 'Mac OS X'],
  ['linux', 'Linux'],
  ['freebsd', 'Linux'],
])('names %s to the host as Sidestage (%s)', async (platform, system) => {
  remoteRooms.close()
  remoteRooms = await openRemoteRooms({
    dataDir: folder.dir,
    vault,
    entryName: (name) => `test ${name}`,
    clock: systemClock,
    random: randomBytes,
    platform,
    openLink: () => Promise.resolve(),
    changed: () => undefined,
    log: () => undefined,
  })
  await joined()
  expect(host.asked.map(({ headers }) => headers['user-agent'])).toEqual(Array(2).fill(`Sidestage (${system})`))
})
