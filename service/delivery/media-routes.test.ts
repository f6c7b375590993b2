import { connect, type Socket } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FlvReader, type FlvTag } from '../media/flv-reader.ts'
import { readMediaPlaylist, refreshFaults, type ReadPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { createClients } from '../http/clients.ts'
import { createHls, type Hls } from './hls-delivery.ts'
import { createHub, type Hub, type Publication } from '../hub/hub.ts'
import { mediaRoutes } from './media-routes.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'
import { machinePace, promised } from '../testing/machine-pace.ts'

const cid = 'c'.repeat(32)
const frameMs = 40
const gop = 25

interface Bench {
  readonly hub: Hub
  readonly hls: Hls
  readonly app: FastifyInstance
  readonly url: string
  readonly playable: Set<string>
  now: number
  /** Requests received. */
  asked: number
}

let bench: Bench

beforeEach(async () => {
  const time = manualClock()
  const playable = new Set([cid])
  const own = 'own preview'
  const hub = createHub({ clock: time, silenceLimit: 1e9 })
  const hls = createHls({ hub, clock: time })
  const app = fastify({ forceCloseConnections: true })
  const clients = createClients()
  app.decorateRequest('client')
  app.addHook('onRequest', (request, reply, done) => {
    request.client = clients.of(request.raw)
    bench.asked++
    reply.header('access-control-allow-origin', 'app://sidestage')
    done()
  })
  await app.register(
    mediaRoutes({
      hub,
      hls,
      clock: time,
      mayPlay: (one) => playable.has(one),
      isOwn: (one, headers) => one === cid && headers['user-agent'] === own,
    }),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  bench = {
    hub,
    hls,
    app,
    url,
    playable,
    asked: 0,
    get now() {
      return time.now()
    },
    set now(next) {
      time.advance(next - time.now())
    },
  }
})
afterEach(async () => {
  bench.hub.close()
  bench.hls.close()
  await bench.app.close()
})

/** A push of 25 frames a second on the test's clock. */
function push(): { readonly publication: Publication; readonly frames: (count: number) => void } {
  const publication = bench.hub.publish(cid, { remote: 'test' })
  if (publication === 'busy') throw new Error('busy')
  publication.packet({ ...videoConfiguration, arrived: bench.now })
  publication.packet({ ...audioConfiguration, arrived: bench.now })
  let frame = 0
  return {
    publication,
    frames(count) {
      for (let index = 0; index < count; index++, frame++) {
        publication.packet(videoFrame(frame * frameMs, frame % gop === 0, bench.now))
        bench.now += frameMs
      }
    },
  }
}

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${bench.url}/live/${path}`, init)
const playlistPath = `${cid}/playlist.m3u8`
const playlist = async (): Promise<ReadPlaylist> => readMediaPlaylist(await (await get(playlistPath)).text())

describe('pull addresses', () => {
  it.each([
    `${cid}.flv`,
    playlistPath,
    `${cid}/x.m4s`,
    `${'d'.repeat(32)}.flv`,
    `${'d'.repeat(32)}/playlist.m3u8`,
    'x.flv',
    `${cid}/`,
    `${cid}.mp4`,
  ])('are 404 at once when nothing is on air: %s', async (path) => {
    await promised(1400, async () => {
      for (const method of ['GET', 'HEAD']) expect((await get(path, { method })).status).toBe(404)
    })
  })

  it('serve nothing of a channel that is unknown or disabled', async () => {
    push().frames(120)
    expect((await get(playlistPath)).status).toBe(200)
    const name = (await playlist()).segments[0]!.uri
    bench.playable.clear()
    for (const path of [`${cid}.flv`, playlistPath, `${cid}/${name}`]) expect((await get(path)).status).toBe(404)
  })

  it('know no other method', async () => {
    push().frames(60)
    for (const path of [`${cid}.flv`, playlistPath]) expect((await get(path, { method: 'POST' })).status).toBe(404)
  })
})

describe('HLS', () => {
  it('lists segments with their headers, ranges and HEAD', async () => {
    push().frames(160)
    const answer = await get(playlistPath)
    expect(answer.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBe('app://sidestage')
    const { segments } = readMediaPlaylist(await answer.text())
    expect(segments.map(({ duration }) => duration)).toEqual([2000, 2000, 2000])
    const { uri, map } = segments[1]!
    const whole = await get(`${cid}/${uri}`)
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
      200,
      'video/iso.segment',
      'bytes',
    ])
    expect(whole.headers.get('cache-control')).toMatch(/max-age=\d+/)
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect((await get(`${cid}/${map}`)).headers.get('content-type')).toBe('video/mp4; codecs="avc1.64001f,mp4a.40.2"')

    const part = async (range: string): Promise<[number, string | null, Buffer]> => {
      const found = await get(`${cid}/${uri}`, { headers: { range } })
      return [found.status, found.headers.get('content-range'), Buffer.from(await found.arrayBuffer())]
    }
    const size = bytes.length
    expect(await part('bytes=0-9')).toEqual([206, `bytes 0-9/${size}`, bytes.subarray(0, 10)])
    expect(await part('bytes=10-')).toEqual([206, `bytes 10-${size - 1}/${size}`, bytes.subarray(10)])
    expect(await part('bytes=-7')).toEqual([206, `bytes ${size - 7}-${size - 1}/${size}`, bytes.subarray(-7)])
    expect(await part(`bytes=5-${size * 2}`)).toEqual([206, `bytes 5-${size - 1}/${size}`, bytes.subarray(5)])
    expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
    for (const odd of ['bytes=9-1', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=x-']) expect((await part(odd))[0]).toBe(200)
    const headed = await get(`${cid}/${uri}`, { method: 'HEAD' })
    expect([headed.status, headed.headers.get('content-length'), (await headed.arrayBuffer()).byteLength]).toEqual([
      200,
      String(size),
      0,
    ])
    const headedPart = await get(`${cid}/${uri}`, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
    expect([headedPart.status, headedPart.headers.get('content-length')]).toEqual([206, '10'])
  })

  it.each([
    '..%2fplaylist.m3u8',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..\\x',
    '__proto__',
    'constructor',
    'x-0.m4s',
    `${'a'.repeat(90)}.m4s`,
    '%00.m4s',
  ])('serves no name that it did not make: %s', async (name) => {
    push().frames(120)
    expect((await get(`${cid}/${name}`)).status).toBe(404)
  })

  it('waits with the first playlist of a push that has just begun, but not for ever', async () => {
    const { frames } = push()
    const waiting = get(playlistPath)
    await eventually(() => expect(bench.asked).toBe(1))
    expect(bench.hls.playlist(cid)).toEqual({ text: undefined })
    frames(60)
    expect((await waiting).status).toBe(200)
    bench.hub.cut(cid, 'deleted')
    bench.now += 60_000
    expect(bench.hls.playlist(cid)).toBeUndefined()
    push()
    const late = get(playlistPath)
    await eventually(() => expect(bench.asked).toBe(2))
    bench.now += 10_000
    expect((await late).status).toBe(404)
  })

  it('stays open for a publisher that returns, and ends for one that does not', async () => {
    const first = push()
    first.frames(160)
    const before = await playlist()
    first.publication.end('lost')
    const open = await playlist()
    expect(open.ended).toBe(false)
    expect(refreshFaults(before, open)).toEqual([])
    const second = push()
    second.frames(160)
    const resumed = await playlist()
    expect(refreshFaults(open, resumed)).toEqual([])
    expect(resumed.segments.filter(({ discontinuity }) => discontinuity)).toHaveLength(1)
    second.publication.end('closed')
    const last = await playlist()
    bench.now += 29_999
    expect((await playlist()).ended).toBe(false)
    bench.now += 1
    expect((await playlist()).ended).toBe(true)
    expect(refreshFaults(last, await playlist())).toEqual([])
    bench.now += 60_000
    expect((await get(playlistPath)).status).toBe(404)
    expect((await get(`${cid}/${last.segments.at(-1)!.uri}`)).status).toBe(404)
  })

  it('counts no request of the app itself as a viewer', async () => {
    push().frames(120)
    await get(playlistPath, { headers: { 'user-agent': 'own preview' } })
    expect(bench.hub.viewers(cid)).toBe(0)
    await get(playlistPath, { headers: { 'user-agent': 'a player' } })
    expect(bench.hub.viewers(cid)).toBe(1)
  })

  it('may be kept by caches where its name never changes, and nowhere else', async () => {
    push().frames(120)
    const { uri, map } = (await playlist()).segments[0]!
    for (const name of [uri, map])
      expect((await get(`${cid}/${name}`)).headers.get('cache-control')).toBe('public, max-age=3600, immutable')
    for (const path of [playlistPath, `${cid}/none.m4s`, 'x.flv'])
      expect((await get(path)).headers.get('cache-control'), path).toBe('no-store')
    const beyond = await get(`${cid}/${uri}`, { headers: { range: 'bytes=99999999-' } })
    expect([beyond.status, beyond.headers.get('cache-control')]).toEqual([416, 'no-store'])
  })

  it('answers HEAD of a playlist with its length and no text', async () => {
    push().frames(120)
    const text = await (await get(playlistPath)).text()
    const headed = await get(playlistPath, { method: 'HEAD' })
    expect([headed.status, headed.headers.get('content-length'), await headed.text()]).toEqual([
      200,
      String(Buffer.byteLength(text)),
      '',
    ])
  })

  it('lets who waits for the first segment go when the push ends without one', async () => {
    const { publication } = push()
    const waiting = get(playlistPath)
    await eventually(() => expect(bench.asked).toBe(1))
    publication.end('closed')
    expect((await waiting).status).toBe(404)
  })

  it('lets a thousand wait for a first segment, and no more', async () => {
    const { frames } = push()
    const waiting = Array.from({ length: 1000 }, () => bench.hls.firstPlaylist(cid))
    expect(await bench.hls.firstPlaylist(cid)).toBeUndefined()
    frames(60)
    expect((await Promise.all(waiting)).every((text) => text?.startsWith('#EXTM3U'))).toBe(true)
  })

  it('forgets everything, and lets all go that wait, when it closes', async () => {
    push()
    const waiting = bench.hls.firstPlaylist(cid)
    bench.hls.close()
    expect(await waiting).toBeUndefined()
    expect(bench.hls.playlist(cid)).toBeUndefined()
    bench.hls.seen(cid, '192.0.2.1', 'a')
    expect(bench.hub.viewers(cid)).toBe(0)
  })

  it('begins a new playlist for a push after the end', async () => {
    const first = push()
    first.frames(160)
    const before = await playlist()
    first.publication.end('lost')
    bench.now += 30_000
    expect((await playlist()).ended).toBe(true)
    push().frames(60)
    const after = await playlist()
    expect(after).toMatchObject({ mediaSequence: 0, discontinuitySequence: 0, ended: false })
    expect(after.segments.some(({ discontinuity }) => discontinuity)).toBe(false)
    const names = new Set(before.segments.map(({ uri }) => uri))
    expect(after.segments.some(({ uri }) => names.has(uri))).toBe(false)
  })

  it('ends at once when the channel is cut', async () => {
    push().frames(120)
    bench.hub.cut(cid, 'deleted')
    expect((await playlist()).ended).toBe(true)
  })

  it('counts viewers by who asks, for ten seconds, and never more than it remembers', async () => {
    const { frames } = push()
    frames(120)
    for (const agent of ['a', 'b', 'a']) await get(playlistPath, { headers: { 'user-agent': agent } })
    await get(playlistPath, { method: 'HEAD', headers: { 'user-agent': 'c' } })
    expect(bench.hub.viewers(cid)).toBe(2)
    bench.now += 9000
    await get(playlistPath, { headers: { 'user-agent': 'b' } })
    bench.now += 2000
    expect(bench.hub.viewers(cid)).toBe(1)
    for (let index = 0; index < 20_000; index++) bench.hls.seen(cid, `192.0.${index >> 8}.${index & 255}`, 'viewer')
    expect(bench.hub.viewers(cid)).toBe(10_000)
    bench.now += 20_000
    expect(bench.hub.viewers(cid)).toBe(0)
  })

  it('counts 50 of one address at most, IPv6 by /64, and those again when they have gone', async () => {
    push().frames(120)
    for (let name = 0; name < 3000; name += 1) await get(playlistPath, { headers: { 'user-agent': `player ${name}` } })
    expect(bench.hub.viewers(cid)).toBe(50)
    for (let name = 0; name < 100; name += 1) bench.hls.seen(cid, `2001:db8::${name.toString(16)}`, `player ${name}`)
    bench.hls.seen(cid, '2001:db8:0:1::1', 'player')
    expect(bench.hub.viewers(cid)).toBe(101)
    bench.now += 20_000
    expect(bench.hub.viewers(cid)).toBe(0)
    bench.hls.seen(cid, '2001:db8::1', 'another')
    expect(bench.hub.viewers(cid)).toBe(1)
  })
})

describe('players that are told apart', () => {
  it('differ within the first 200 letters of their names, and one without a name is one as well', async () => {
    push().frames(120)
    const ask = async (agent: string): Promise<number> => {
      await get(playlistPath, { headers: { 'user-agent': agent } })
      return bench.hub.viewers(cid)
    }
    expect(await ask(`${'a'.repeat(199)}b`)).toBe(1)
    expect(await ask(`${'a'.repeat(199)}c`)).toBe(2)
    expect(await ask(`${'a'.repeat(199)}cd`)).toBe(2)
    expect(await ask('')).toBe(3)
  })

  it('do not count for segments, nor for playlists that are not there', async () => {
    await get(playlistPath)
    push().frames(120)
    const { segments } = readMediaPlaylist(bench.hls.playlist(cid)!.text!)
    await get(`${cid}/${segments[0]!.uri}`)
    expect(bench.hub.viewers(cid)).toBe(0)
  })

  it('stay counted when they ask for the head of a stream, or the app itself plays it with their name', async () => {
    push().frames(120)
    await get(playlistPath, { headers: { 'user-agent': 'a' } })
    bench.hls.seen(cid, '127.0.0.1', 'own preview')
    await get(`${cid}.flv`, { method: 'HEAD', headers: { 'user-agent': 'a' } })
    expect(bench.hub.viewers(cid)).toBe(2)
    const answer = await get(`${cid}.flv`, { headers: { 'user-agent': 'own preview' } })
    expect(bench.hub.viewers(cid)).toBe(2)
    await answer.body!.cancel()
  })

  it('have a playlist and its segments at the addresses of the exact channel only', async () => {
    push().frames(120)
    expect((await get(playlistPath)).status).toBe(200)
    for (const path of [
      `${cid.toUpperCase()}/playlist.m3u8`,
      `${cid}0/playlist.m3u8`,
      `${cid.slice(1)}/playlist.m3u8`,
      `${cid}/playlist.M3U8`,
      `${cid}/index.m3u8`,
      `${cid.toUpperCase()}.flv`,
      `${cid}.flv.flv`,
      `x${cid}.flv`,
    ])
      expect((await get(path, { method: 'HEAD' })).status, path).toBe(404)
  })

  it('get the head of a stream and of what is missing without a place in a cache', async () => {
    push().frames(10)
    const headed = await get(`${cid}.flv`, { method: 'HEAD' })
    expect([headed.headers.get('cache-control'), await headed.text()]).toEqual(['no-store', ''])
    expect((await get(`${'d'.repeat(32)}.flv`)).headers.get('cache-control')).toBe('no-store')
  })
})

describe('HTTP-FLV', () => {
  interface Player {
    readonly socket: Socket
    readonly head: () => string
    readonly tags: FlvTag[]
    readonly flags: () => number | undefined
    readonly closed: () => boolean
  }

  /** A player on a plain socket, to see the exact bytes. */
  function play(path = `${cid}.flv`): Player {
    const tags: FlvTag[] = []
    const reader = new FlvReader((tag) => tags.push(tag))
    let text = ''
    let flags: number | undefined
    let body = false
    let over = false
    const socket = connect(Number(new URL(bench.url).port), '127.0.0.1')
    socket.write(`GET /live/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    socket.on('error', () => undefined)
    socket.on('close', () => (over = true))
    let early = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      if (body) return reader.push(bytes)
      early = Buffer.concat([early, bytes])
      const end = early.indexOf('\r\n\r\n')
      if (end < 0 || early.length < end + 17) return
      text = early.toString('latin1', 0, end)
      body = true
      flags = early[end + 8]
      reader.push(early.subarray(end + 4))
    })
    return { socket, tags, head: () => text, flags: () => flags, closed: () => over }
  }

  it('gives configurations and the GOP cache first, then what comes, and closes with the stream', async () => {
    const { publication, frames } = push()
    frames(gop + 5)
    const player = play()
    await eventually(() => expect(player.tags).toHaveLength(7))
    expect(player.head()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(player.head()).toMatch(/content-type: video\/x-flv/i)
    expect(player.head()).toMatch(/connection: close/i)
    expect(player.head()).toMatch(/access-control-allow-origin: app:\/\/sidestage/i)
    expect(player.head()).not.toMatch(/transfer-encoding|content-length/i)
    expect(player.flags()).toBe(5)
    expect(player.tags.slice(0, 3).map(({ kind, timestamp, body }) => [kind, timestamp, body[0]])).toEqual([
      ['video', 0, 0x17],
      ['audio', 0, 0xaf],
      ['video', gop * frameMs, 0x17],
    ])
    frames(10)
    await eventually(() => expect(player.tags).toHaveLength(17))
    expect(bench.hub.viewers(cid)).toBe(1)
    publication.end('closed')
    await eventually(() => expect(player.closed()).toBe(true))
  })

  it('promises only the tracks that are there', async () => {
    const publication = bench.hub.publish(cid, { remote: 'test' })
    if (publication === 'busy') throw new Error('busy')
    publication.packet({ ...videoConfiguration, arrived: bench.now })
    publication.packet(videoFrame(0, true, bench.now))
    const player = play()
    // The request is held until the tracks are known.
    await eventually(() => expect(bench.asked).toBe(1))
    expect(player.head()).toBe('')
    bench.now += 2500
    await eventually(() => expect(player.tags).toHaveLength(2))
    expect(player.flags()).toBe(1)
  })

  it('is no viewer where the app itself plays', async () => {
    const { frames } = push()
    frames(10)
    const answer = await get(`${cid}.flv`, { headers: { 'user-agent': 'own preview' } })
    const reader = answer.body!.getReader()
    await reader.read()
    expect(bench.hub.viewers(cid)).toBe(0)
    await reader.cancel()
  })

  it('answers HEAD with the type and no stream', async () => {
    push().frames(10)
    const headed = await get(`${cid}.flv`, { method: 'HEAD' })
    expect([headed.status, headed.headers.get('content-type')]).toEqual([200, 'video/x-flv'])
    expect(bench.hub.viewers(cid)).toBe(0)
  })

  it('forgets a player that went, and ends all when the channel is cut', async () => {
    const { frames } = push()
    frames(10)
    const players = [play(), play()]
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(2))
    players[0]!.socket.destroy()
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(1))
    bench.hub.cut(cid, 'deleted')
    await eventually(() => expect(players[1]!.closed()).toBe(true))
  })

  it('counts a player once that changes to HLS and back', async () => {
    push().frames(120)
    const first = play()
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(1))
    first.socket.destroy()
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(0))
    // Neither player sends a User-Agent.
    await get(playlistPath, { headers: { 'user-agent': '' } })
    await get(playlistPath, { headers: { 'user-agent': 'another' } })
    expect(bench.hub.viewers(cid)).toBe(2)
    const back = play()
    await eventually(() => expect(back.tags.length).toBeGreaterThan(0))
    expect(bench.hub.viewers(cid)).toBe(2)
    // Players with the same address and User-Agent are counted again at the next request.
    await get(playlistPath, { headers: { 'user-agent': '' } })
    expect(bench.hub.viewers(cid)).toBe(3)
  })

  it('lets no stalled player hold up another, and lets it go', async () => {
    const { frames, publication } = push()
    frames(1)
    const stalled = play()
    const good = play()
    await eventually(() => expect([stalled.tags.length, good.tags.length]).toEqual([3, 3]))
    stalled.socket.pause()
    const large = Buffer.alloc(400_000, 7)
    let sent = 0
    const worst: number[] = []
    await eventually(async () => {
      const begun = performance.now()
      for (let index = 0; index < 5; index++) {
        bench.now += frameMs
        const key = sent++ % 10 === 0
        const frame = videoFrame(sent * frameMs, key, bench.now)
        publication.packet({ ...frame, body: Buffer.concat([frame.body, large]) })
      }
      worst.push(performance.now() - begun)
      // This process also reads for the fast player: on a busy machine it must not become slow.
      await eventually(() => expect(good.tags.length).toBe(sent + 3))
      expect(bench.hub.viewers(cid)).toBe(1)
    })
    expect(Math.max(...worst)).toBeLessThan(1000 * machinePace())
    expect(bench.hub.figures(cid)?.droppedForReaders).toBeGreaterThan(0)
  })

  it(
    'gives 200 players every packet while 50 of them read nothing, and never holds up ingest',
    { timeout: 60_000 },
    async () => {
      const { frames, publication } = push()
      frames(1)
      const players = Array.from({ length: 200 }, () => play())
      await eventually(() => expect(players.filter(({ tags }) => tags.length === 3).length).toBe(200))
      const [stalled, reading] = [players.slice(0, 50), players.slice(50)]
      for (const { socket } of stalled) socket.pause()
      const picture = Buffer.alloc(20_000, 7)
      const sent = 100
      const bursts: number[] = []
      for (let frame = 1; frame <= sent; frame++) {
        bench.now += frameMs
        const begun = performance.now()
        const { body, ...rest } = videoFrame(frame * frameMs, frame % gop === 0, bench.now)
        publication.packet({ ...rest, body: Buffer.concat([body, picture]) })
        bursts.push(performance.now() - begun)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await eventually(() => expect(reading.filter(({ tags }) => tags.length === sent + 3).length).toBe(150))
      expect(
        reading.every(({ tags }) =>
          tags.every((tag, index) => index === 0 || tag.timestamp >= tags[index - 1]!.timestamp),
        ),
      ).toBe(true)
      // Taking a packet only touches memory; a second would mean that it waited for a socket.
      expect(Math.max(...bursts)).toBeLessThan(1000 * machinePace())
      for (const { socket } of players) socket.destroy()
    },
  )

  it('holds no server open', async () => {
    push().frames(10)
    const player = play()
    await eventually(() => expect(player.tags.length).toBeGreaterThan(0))
    await promised(2000, () => bench.app.close())
    await eventually(() => expect(player.closed()).toBe(true))
  })

  it('is one player a connection: a second request on it ends it, and one behind an unanswered request too', async () => {
    push().frames(60)
    const asked = `GET /live/${cid}.flv HTTP/1.1\r\nHost: x\r\n\r\n`
    for (const first of ['', `GET /live/${cid}/none.m4s HTTP/1.1\r\nHost: x\r\n\r\n`]) {
      const socket = connect(Number(new URL(bench.url).port), '127.0.0.1')
      const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))
      socket.resume().write(first + asked.repeat(100))
      await closed
      await eventually(() => expect(bench.hub.viewers(cid)).toBe(0))
    }
    const fine = play()
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(1))
    fine.socket.write(asked)
    await eventually(() => expect(fine.closed()).toBe(true))
    await eventually(() => expect(bench.hub.viewers(cid)).toBe(0))
  })
})
