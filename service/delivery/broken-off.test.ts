import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createPagePlayers } from '../access/page-players.ts'
import { createClients } from '../http/clients.ts'
import { createHub } from '../hub/hub.ts'
import { videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { selfSigned } from '../reach/testing/certificates.ts'
import { eventually } from '../testing/eventually.ts'
import { createHls } from './hls-delivery.ts'
import { mediaRoutes, type MediaDoors } from './media-routes.ts'

const cid = 'b'.repeat(32)
const mib = 1024 * 1024
/** A GOP, and a segment of 2 s, has more than the system takes at once for one connection, in all directions. */
const frameBytes = 480 * 1024
const gop = 50

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A stream of large pictures, and what is counted for its viewers. */
async function made(tls?: { readonly cert: string; readonly key: string }) {
  const clock = manualClock()
  const hub = createHub({ clock, silenceLimit: 1e9 })
  const hls = createHls({ hub, clock })
  const counted = { bytes: 0, left: 0, broken: 0, media: 0, open: new Set<() => number>() }
  const doors: MediaDoors = {
    ask: () => Promise.resolve({ ok: true, ground: { kind: 'everybody' } }),
    enterPlayer:
      (_cid, _ground, _from, { sent }) =>
      () => {
        counted.left += 1
        counted.bytes += sent?.() ?? 0
      },
    poll: () => true,
    pollFile: (_cid, _ground, _request, _key, media) => {
      counted.media += media
      return true
    },
    stopPolling: () => undefined,
    pagePolls: () => undefined,
    sent: (_player, bytes) => (counted.bytes += bytes),
    brokeOff: () => (counted.broken += 1),
    fullFor: () => ({ ok: false, status: 503, sentence: 'full' }),
    turn: () => Promise.resolve(true),
    turnEnded: () => undefined,
    keyOf: () => 'key',
    connected: (_player, sent) => {
      counted.open.add(sent)
      return () => counted.open.delete(sent)
    },
    pages: createPagePlayers(clock),
  }
  const app = (tls ? fastify({ https: tls }) : fastify()) as unknown as FastifyInstance
  const clients = createClients()
  app.decorateRequest('client')
  app.addHook('onRequest', (request, _reply, done) => {
    request.client = clients.of(request.raw)
    done()
  })
  await app.register(mediaRoutes({ hub, hls, clock, mayPlay: () => true, doors }))
  const sockets = new Set<Socket>()
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => sockets.add(socket))
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  cleanups.push(async () => {
    hub.close()
    hls.close()
    app.server.closeAllConnections()
    await app.close()
  })
  const publication = hub.publish(cid, { remote: 'test' })
  if (publication === 'busy') throw new Error('busy')
  publication.packet({ ...videoConfiguration, arrived: clock.now() })
  const large = Buffer.alloc(9 + frameBytes)
  for (let frame = 0; frame < 3 * gop - 1; frame++) {
    const { body, ...packet } = videoFrame(frame * 40, frame % gop === 0, clock.now())
    const picture = Buffer.from(large)
    body.copy(picture)
    picture.writeUInt32BE(frameBytes, 5)
    publication.packet({ ...packet, body: picture })
    clock.advance(40)
  }
  // A stream without sound is waited for.
  clock.advance(10_000)
  /** Asks for a path and, once the answer began, reads no more of it. */
  const silent = (path: string, header = ''): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const port = Number(url.port)
      const socket = tls ? connectTls({ host: '127.0.0.1', port, ca: tls.cert }) : connect({ host: '127.0.0.1', port })
      cleanups.push(() => socket.destroy())
      socket.on('error', reject)
      socket.write(`GET /live/${path} HTTP/1.1\r\nHost: 127.0.0.1:${url.port}\r\n${header}\r\n`)
      socket.once('readable', () => resolve(socket))
    })
  const playlist = hls.playlist(cid)?.text ?? ''
  const segment = `${cid}/${readMediaPlaylist(playlist).segments[0]!.uri}`
  return { url: url.origin, silent, counted, sockets, segment, publication }
}

describe('an answer that is broken off', () => {
  it.each([
    ['segment', 'segment'],
    ['HTTP-FLV stream', 'flv'],
  ])('counts what was taken of it: a %s', async (_name, kind) => {
    const { silent, counted, segment } = await made()
    const times = 4
    for (let time = 0; time < times; time++) {
      const socket = await silent(kind === 'flv' ? `${cid}.flv` : segment)
      await new Promise((resolve) => setImmediate(resolve))
      socket.resetAndDestroy()
      await eventually(() => expect(kind === 'flv' ? counted.left : counted.broken).toBe(time + 1))
    }
    // The buffers of both ends of a loopback connection; a segment and the GOP have 23 MiB.
    expect(counted.bytes).toBeLessThan(times * 12 * mib)
  })

  it('counts as such where the system took it whole, but its player reset the connection', async () => {
    const { url, silent, counted, segment } = await made()
    const part = 'Range: bytes=0-16383\r\n'
    for (let time = 0; time < 4; time++) {
      const socket = await silent(segment, part)
      await eventually(() => expect(counted.bytes).toBe((time + 1) * 16_384))
      expect(counted.broken).toBe(time)
      expect(counted.open.size).toBe(0)
      socket.resetAndDestroy()
      await eventually(() => expect(counted.broken).toBe(time + 1))
    }
    // One that was read before it ends is none.
    await (
      await fetch(`${url}/live/${segment}`, { headers: { range: 'bytes=0-16383', connection: 'close' } })
    ).arrayBuffer()
    await eventually(() => expect(counted.bytes).toBe(5 * 16_384))
    expect(counted.broken).toBe(4)
  })

  it('is under way until then, with what it was sent', async () => {
    const { silent, counted, segment } = await made()
    const socket = await silent(segment)
    await eventually(() => expect([...counted.open].map((sent) => sent() > 0)).toEqual([true]))
    socket.resetAndDestroy()
    await eventually(() => expect(counted.open.size).toBe(0))
  })

  it('of a segment that was read the whole is counted, of a range the part', async () => {
    const { url, counted, segment } = await made()
    const whole = (await (await fetch(`${url}/live/${segment}`)).arrayBuffer()).byteLength
    expect(whole).toBeGreaterThan(20 * mib)
    await eventually(() => expect(counted.bytes).toBe(whole))
    const part = await fetch(`${url}/live/${segment}`, { headers: { range: 'bytes=10-300009' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 300_000])
    await eventually(() => expect(counted.bytes).toBe(whole + 300_000))
    expect(counted.media).toBeCloseTo(2000 * (1 + 300_000 / whole))
    expect(counted.broken).toBe(0)
  })

  it('of a stream that was read to its end all is counted', async () => {
    const { url, counted, publication } = await made()
    const answer = await fetch(`${url}/live/${cid}.flv`)
    const reading = answer.arrayBuffer()
    publication.end('closed')
    const { byteLength } = await reading
    expect(byteLength).toBeGreaterThan(20 * mib)
    await eventually(() => expect(counted.left).toBe(1))
    // Its header is not counted.
    expect(byteLength - counted.bytes).toBeLessThan(100)
    expect(byteLength).toBeGreaterThan(counted.bytes)
  })
})

describe('over TLS', () => {
  it.each([
    ['segments', 'segment'],
    ['HTTP-FLV streams', 'flv'],
  ])('%s that nobody reads take little memory', async (_name, kind) => {
    const all = await made(await selfSigned(['127.0.0.1']))
    const count = 40
    await Promise.all(Array.from({ length: count }, () => all.silent(kind === 'flv' ? `${cid}.flv` : all.segment)))
    const unread = (): number[] => [...all.sockets].map(({ writableLength }) => writableLength)
    await eventually(() => expect(unread().filter((bytes) => bytes > 0)).toHaveLength(count))
    expect(unread().reduce((sum, bytes) => sum + bytes)).toBeLessThan(count * 256 * 1024)
  })
})
