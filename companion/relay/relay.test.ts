import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownPreviewHeader } from '../../contract/own-preview.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import type { MediaAnswer } from './media-answer.ts'
import { createRelay } from './relay.ts'
import type { Reach } from './target.ts'
import { createTickets, type Grant } from './tickets.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
const cid = 'c'.repeat(32)

async function serve(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
function relayFor(
  base: string,
  allowed: Reach[] = ['public', 'loopback'],
  {
    relayPorts = {},
    grant = {},
  }: { relayPorts?: Partial<Parameters<typeof createRelay>[0]>; grant?: Partial<Grant> } = {},
) {
  const clock = manualClock()
  const tickets = createTickets({ clock, random: randomBytes })
  closing.push(() => {
    tickets.close()
  })
  const relay = createRelay({ tickets, resolve: () => Promise.resolve(['127.0.0.1']), ...relayPorts })
  const owner = new AbortController()
  const ticket = tickets.issue(
    {
      profileId: 'p',
      cid,
      flv: new URL(`${base}/live/${cid}.flv`),
      hls: new URL(`${base}/live/${cid}/playlist.m3u8`),
      allowed: new Set(allowed),
      ...grant,
    },
    { closed: owner.signal },
  )
  const get = (
    path: string,
    more: { method?: string; range?: string; signal?: AbortSignal } = {},
  ): Promise<MediaAnswer> => relay.fetch({ method: 'GET', path, signal: new AbortController().signal, ...more })
  return {
    clock,
    tickets,
    relay,
    owner,
    ticket,
    get,
    flv: `/media/${ticket.id}/${cid}.flv`,
    hls: `/media/${ticket.id}/hls/playlist.m3u8`,
  }
}
const text = async (body: Readable | undefined): Promise<string> => {
  const parts: Buffer[] = []
  if (body) for await (const part of body as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('the relay', () => {
  it('gives the stream of a ticket with a media type and nothing else of the far side', async () => {
    const seen: http.IncomingHttpHeaders[] = []
    const base = await serve((request, response) => {
      seen.push(request.headers)
      response
        .writeHead(200, {
          'content-type': 'video/x-flv',
          'set-cookie': 'a=b',
          'access-control-allow-origin': '*',
          'x-powered-by': 'far',
        })
        .end('FLV')
    })
    const { get, flv } = relayFor(base)
    const answer = await get(flv)
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'video/x-flv', 'x-content-type-options': 'nosniff' },
    })
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['set-cookie']))
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(await text(answer.body)).toBe('FLV')
    expect(seen[0]).not.toHaveProperty('cookie')
    expect(seen[0]).not.toHaveProperty('origin')
  })

  it('turns anything that is not media into plain bytes', async () => {
    const { get, flv } = relayFor(
      await serve((_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
      ),
    )
    expect((await get(flv)).headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-security-policy': "default-src 'none'; sandbox",
    })
  })

  it('rewrites playlists, and relays what they name but nothing that they do not', async () => {
    const other = await serve((_request, response) => response.end('other'))
    const base = await serve((request, response) => {
      if (request.url?.endsWith('.m3u8'))
        response
          .writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' })
          .end(`#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\nseg-1.m4s\n${other}/steal.ts\nfile:///etc/passwd\n`)
      else
        response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '4' }).end(`${request.url?.slice(-4)}`)
    })
    const { get, hls, ticket } = relayFor(base)
    const lines = (await text((await get(hls)).body)).split('\n')
    expect(lines.slice(3)).toEqual(['/media/refused', '/media/refused', ''])
    const segment = lines[2] ?? ''
    expect(segment).toMatch(new RegExp(`^/media/${ticket.id}/[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]+/seg-1\\.m4s$`))
    expect(await text((await get(segment)).body)).toBe('.m4s')
    expect(lines[1]).toContain('/init.mp4"')
    const forged = segment.split('/')
    forged[4] = Buffer.from(`${other}/steal.ts`).toString('base64url')
    expect((await get(forged.join('/'))).status).toBe(404)
    forged[4] = Buffer.from(`${base}/app/other`).toString('base64url')
    expect((await get(forged.join('/'))).status).toBe(404)
  })

  it('answers only to a living ticket, its own paths, and GET or HEAD', async () => {
    const { get, flv, clock, owner, tickets, ticket } = relayFor(
      await serve((request, response) =>
        response.writeHead(200, { 'content-length': '3' }).end(request.method === 'HEAD' ? undefined : 'abc'),
      ),
    )
    for (const path of [
      '/media/',
      '/media/refused',
      `/media/${'A'.repeat(32)}/${cid}.flv`,
      `/media/${ticket.id}`,
      `/media/${ticket.id}/`,
      `/media/${ticket.id}/${'d'.repeat(32)}.flv`,
      `/media/${ticket.id}/../../etc/passwd`,
      `/media/${ticket.id}/hls/../x`,
      '/media/__proto__/x',
    ])
      expect((await get(path)).status, path).toBe(404)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])
      expect((await get(flv, { method })).status, method).toBe(405)
    const head = await get(flv, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '3' } })
    expect(head.body).toBeUndefined()
    expect((await get(flv, { range: 'lines=1-2' })).status).toBe(416)
    // A transfer keeps its ticket until the connection behind it has closed.
    await until('the end of what nobody uses', async () => {
      clock.advance(10 * 60_000 + 1)
      return (await get(flv, { method: 'HEAD' })).status === 404
    })
    const next = tickets.issue({ ...ticket }, { closed: owner.signal })
    owner.abort()
    expect((await get(`/media/${next.id}/${cid}.flv`)).status).toBe(404)
  })

  it('refuses redirects, and a target that the service may not name', async () => {
    let asked = 0
    const inner = await serve((_request, response) => {
      asked++
      response.end('secret')
    })
    const { get, flv, hls } = relayFor(
      await serve((_request, response) => response.writeHead(302, { location: inner }).end()),
    )
    expect((await get(flv)).status).toBe(502)
    expect((await get(hls)).status).toBe(502)
    expect((await relayFor(inner, ['public']).get(relayFor(inner).flv)).status).toBe(404)
    const outside = relayFor(inner, ['public'])
    expect((await outside.get(outside.flv)).status).toBe(502)
    expect(asked).toBe(0)
  })

  it('bounds heads and playlists', async () => {
    const large = relayFor(
      await serve((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/x-mpegurl' }).end(`#EXTM3U\n${'#'.repeat(1024 * 1024)}`),
      ),
    )
    expect((await large.get(large.hls)).status).toBe(502)
    const headed = relayFor(
      await serve((_request, response) => response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end()),
    )
    expect((await headed.get(headed.flv)).status).toBe(502)
  })

  it('stops reading when the page does, and ends the transfer with the page or its connection', async () => {
    let sent = 0
    let closed = 0
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/x-flv' })
      const chunk = Buffer.alloc(65_536)
      const push = (): void => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', push)
            return
          }
        }
      }
      response.on('close', () => {
        closed++
      })
      push()
    })
    const { get, flv, owner } = relayFor(base)
    const page = new AbortController()
    const answer = await get(flv, { signal: page.signal })
    answer.body?.on('error', () => undefined)
    let before = -1
    // Nobody reads the body: the far side must come to rest with the socket buffers full.
    await until('a rest', async () => {
      before = sent
      await new Promise((resolve) => {
        setTimeout(resolve, 200)
      })
      return sent === before
    })
    expect(sent).toBeLessThan(32 * 1024 * 1024)
    page.abort()
    await until('the end of the first transfer', () => closed === 1)
    const second = await get(flv)
    second.body?.on('error', () => undefined)
    owner.abort()
    await until('the end of the second transfer', () => closed === 2)
  })
})

describe('the relay of a service of several nodes', () => {
  const isLed = { grant: { isLed: true } }

  it('goes where a node leads, with its mark, and relays what a playlist there names', async () => {
    const marks: unknown[] = []
    const owner = await serve((request, response) => {
      marks.push(request.headers[ownPreviewHeader])
      if (request.url?.includes('.m3u8'))
        response.writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' }).end('#EXTM3U\nseg-1.m4s\n')
      else response.writeHead(200, { 'content-type': 'video/x-flv' }).end(request.url)
    })
    const asked = await serve((request, response) =>
      response.writeHead(302, { location: `${owner}/node-2${request.url}?grant=x` }).end(),
    )
    const { get, flv, hls } = relayFor(asked, ['loopback'], { grant: { isLed: true, mark: () => 'mark' } })
    const played = await get(flv)
    expect([played.status, await text(played.body)]).toEqual([200, `/node-2/live/${cid}.flv?grant=x`])
    const [, segment] = (await text((await get(hls)).body)).split('\n')
    expect(await text((await get(segment!)).body)).toBe(`/node-2/live/${cid}/seg-1.m4s`)
    expect(marks).toEqual(['mark', 'mark', 'mark'])
    // Only where the service is an own one.
    const foreign = relayFor(asked, ['loopback'])
    expect((await foreign.get(foreign.flv)).status).toBe(502)
  })

  it('follows a push that moves meanwhile, and no circle', async () => {
    let asked = 0
    const base = await serve((request, response) => {
      asked++
      const [, node = '0'] = /^\/node-(\d+)/.exec(request.url ?? '') ?? []
      response.writeHead(307, { location: `/node-${Number(node) + 1}/live/${cid}.flv` }).end()
    })
    const { get, flv } = relayFor(base, ['loopback'], isLed)
    expect((await get(flv)).status).toBe(502)
    expect(asked).toBe(3)
  })

  it('is led to no file of another name, no nearer than the service is, and to nobody by a name', async () => {
    let reached = 0
    const inner = await serve((_request, response) => {
      reached++
      response.end('secret')
    })
    const { port } = new URL(inner)
    const own = `/live/${cid}.flv`
    for (const location of [
      `${inner}/latest/meta-data`,
      `${inner}/app/channel/list?x=${own}`,
      `http://user:pass@127.0.0.1:${port}${own}`,
      `file://${own}`,
      'http://[',
    ]) {
      const { get, flv } = relayFor(await serve(plain({ location }, 302)), ['loopback'], isLed)
      expect([location, (await get(flv)).status]).toEqual([location, 502])
    }
    const near = await serve(plain({ location: `http://10.0.0.1:${port}${own}` }, 302))
    const { get, flv } = relayFor(near, ['loopback'], isLed)
    expect((await get(flv)).status).toBe(502)
    expect(reached).toBe(0)
  })
})

/** A far side that answers with a header of its own for each request. */
const plain = (headers: http.OutgoingHttpHeaders, status = 200): http.RequestListener => {
  return (_request, response) => response.writeHead(status, headers).end('abc')
}

describe('a relayed file', () => {
  const file = (url: () => Promise<URL>): Partial<Grant> => ({
    flv: undefined,
    hls: undefined,
    file: { name: '4.mp4', url },
  })

  it('is the one of its ticket by its name, at the address that it has now', async () => {
    const asked: (string | undefined)[] = []
    const base = await serve((request, response) => {
      asked.push(request.url)
      plain({ 'content-type': 'video/mp4' })(request, response)
    })
    let renewed = 0
    const { get, ticket } = relayFor(base, ['loopback'], {
      grant: file(() => Promise.resolve(new URL(`${base}/r/4.mp4?key=${++renewed}`))),
    })
    expect(await text((await get(`/media/${ticket.id}/4.mp4`)).body)).toBe('abc')
    expect(await text((await get(`/media/${ticket.id}/4.mp4`)).body)).toBe('abc')
    for (const rest of ['5.mp4', '4.mp4/x', `${cid}.flv`, 'hls/playlist.m3u8'])
      expect((await get(`/media/${ticket.id}/${rest}`)).status, rest).toBe(404)
    expect(asked).toEqual(['/r/4.mp4?key=1', '/r/4.mp4?key=2'])
  })

  it('is 502 where its address is not to be had', async () => {
    const { get, ticket } = relayFor('http://127.0.0.1:9', ['loopback'], {
      grant: file(() => Promise.reject(new Error('the service is down'))),
    })
    expect((await get(`/media/${ticket.id}/4.mp4`)).status).toBe(502)
  })

  it('is asked for by ranges, which come with their place in the whole', async () => {
    const ranges: (string | undefined)[] = []
    const base = await serve((request, response) => {
      ranges.push(request.headers.range)
      plain(
        { 'content-type': 'video/mp4', 'content-range': 'bytes 0-2/9', 'accept-ranges': 'bytes', 'content-length': 3 },
        206,
      )(request, response)
    })
    const { get, flv } = relayFor(base)
    const part = await get(flv, { range: 'bytes=0-2' })
    expect(part).toMatchObject({
      status: 206,
      headers: { 'content-range': 'bytes 0-2/9', 'accept-ranges': 'bytes', 'content-length': '3' },
    })
    await text(part.body)
    await text((await get(flv)).body)
    expect(ranges).toEqual(['bytes=0-2', undefined])
  })
})

describe('what the relay asks the far side', () => {
  it('carries the mark of own previews, new each time, and none without one', async () => {
    const marks: unknown[] = []
    const base = await serve((request, response) => {
      marks.push(request.headers[ownPreviewHeader])
      plain({})(request, response)
    })
    let count = 0
    const own = relayFor(base, ['loopback'], { grant: { mark: () => `mark ${++count}` } })
    for (let times = 0; times < 2; times++) await text((await own.get(own.flv)).body)
    const other = relayFor(base)
    await text((await other.get(other.flv)).body)
    expect(marks).toEqual(['mark 1', 'mark 2', undefined])
  })

  it('goes to the address that was checked, whatever its name means for the system', async () => {
    const hosts: unknown[] = []
    const base = await serve((request, response) => {
      hosts.push(request.headers.host)
      plain({})(request, response)
    })
    const { port } = new URL(base)
    const looked: string[] = []
    const named = relayFor(`http://media.invalid:${port}`, ['loopback'], {
      relayPorts: {
        resolve: (host) => {
          looked.push(host)
          return Promise.resolve(['127.0.0.1'])
        },
      },
    })
    expect(await text((await named.get(named.flv)).body)).toBe('abc')
    expect([hosts, looked]).toEqual([[`media.invalid:${port}`], ['media.invalid']])
  })

  it('keeps the status of a refusal, and makes anything else that is no success a 502', async () => {
    for (const [given, status] of [
      [404, 404],
      [403, 403],
      [503, 503],
      [304, 502],
      [201, 502],
    ] as const) {
      const { get, flv } = relayFor(await serve(plain({}, given)))
      const answer = await get(flv)
      expect([answer.status, answer.body, answer.headers['content-type']], String(given)).toEqual([
        status,
        undefined,
        undefined,
      ])
    }
    const { get, flv } = relayFor('http://127.0.0.1:1')
    expect((await get(flv)).status).toBe(502)
  })

  it('takes a descriptor for each stream while there is one, and gives it back once', async () => {
    let free = 1
    const descriptors = { take: () => free > 0 && free-- > 0, give: () => void free++ }
    const { get, flv } = relayFor(await serve(plain({ 'content-type': 'video/x-flv' })), ['loopback'], {
      relayPorts: { descriptors: descriptors as never },
    })
    const first = await get(flv)
    expect(first.status).toBe(200)
    expect((await get(flv)).status).toBe(502)
    await text(first.body)
    await until('the descriptor', () => free === 1)
    await text((await get(flv)).body)
    await until('the descriptor again', () => free === 1)
  })

  it('is refused above the streams of a page, also those that had no descriptor', async () => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/x-flv' }).write('x')
    })
    let hasFree = false
    const descriptors = { take: () => hasFree, give: () => undefined }
    const { get, tickets, ticket, flv, owner } = relayFor(base, ['loopback'], {
      relayPorts: { descriptors: descriptors as never },
    })
    expect((await get(flv)).status).toBe(502)
    hasFree = true
    // The place of the refused one is free again: all 256 can be had.
    for (let count = 0; count < 255; count++) expect(tickets.transfer(ticket)).toBeDefined()
    const last = await get(flv)
    expect(last.status).toBe(200)
    expect((await get(flv)).status).toBe(502)
    last.body?.on('error', () => undefined)
    owner.abort()
  })
})

it('keeps no place for a request that could not be made', async () => {
  const descriptors = { taken: 0, take: () => ++descriptors.taken > 0, give: () => void descriptors.taken-- }
  const grants: Partial<Grant>[] = [
    { file: { name: 'a.mp4', url: () => Promise.resolve(new URL('ftp://127.0.0.1:9/recordings/a/a.mp4')) } },
    {
      mark: () => {
        throw new Error('no mark')
      },
    },
  ]
  for (const grant of grants) {
    const relayPorts = { descriptors: descriptors as never }
    const { get, flv, ticket, tickets } = relayFor('http://127.0.0.1:9', ['loopback'], { relayPorts, grant })
    const path = grant.file ? `/media/${ticket.id}/a.mp4` : flv
    for (let times = 0; times < 3; times++) expect((await get(path)).status).toBe(502)
    expect(descriptors.taken).toBe(0)
    for (let count = 0; count < 256; count++) expect(tickets.transfer(ticket)).toBeDefined()
  }
})

describe('what comes of the far side', () => {
  it.each([
    ['video/mp2t', 'video/mp2t'],
    ['Audio/aac; charset=x', 'Audio/aac'],
    ['image/png', 'image/png'],
    ['image/svg+xml', 'application/octet-stream'],
    ['text/html', 'application/octet-stream'],
    ['video/', 'application/octet-stream'],
  ])('has its type where that is media: %s', async (given, shown) => {
    const { get, flv } = relayFor(await serve(plain({ 'content-type': given })))
    const answer = await get(flv)
    expect(answer.headers['content-type']).toBe(shown)
    expect(answer.headers['cache-control']).toBe('no-store')
    await text(answer.body)
  })

  it('is a playlist by its type or its name, with the length that it has when rewritten', async () => {
    const list = '#EXTM3U\nseg.ts\n'
    const base = await serve((request, response) => {
      const type = request.url?.endsWith('.m3u8') ? 'text/plain' : 'application/vnd.apple.mpegurl'
      response.writeHead(200, { 'content-type': type, 'content-length': list.length }).end(list)
    })
    const { get, hls, flv, ticket } = relayFor(base)
    for (const path of [hls, flv]) {
      const answer = await get(path)
      const shown = await text(answer.body)
      expect(shown).toContain(`/media/${ticket.id}/`)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/vnd.apple.mpegurl',
        'content-length': String(shown.length),
      })
    }
    // Its length before is not told.
    expect((await get(flv, { method: 'HEAD' })).headers).not.toHaveProperty('content-length')
  })

  it('that names itself a playlist and is none is a 502', async () => {
    const { get, hls } = relayFor(await serve(plain({ 'content-type': 'application/x-mpegurl' })))
    expect((await get(hls)).status).toBe(502)
  })
})

describe('the patience of the relay', () => {
  /** Waits without a timer, of which there are none. */
  const turnedTo = async (look: () => boolean): Promise<void> => {
    while (!look()) await new Promise((resolve) => setImmediate(resolve))
  }
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is 10 s for the headers of an answer, and the place of the transfer is free again then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let asked = 0
    let gone = 0
    const { get, flv, tickets, ticket } = relayFor(
      await serve((request) => {
        asked++
        request.on('close', () => gone++)
      }),
    )
    let answer: MediaAnswer | undefined
    const waiting = get(flv).then((found) => (answer = found))
    await turnedTo(() => asked === 1)
    vi.advanceTimersByTime(9_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(answer).toBeUndefined()
    vi.advanceTimersByTime(1)
    await waiting
    expect(answer?.status).toBe(502)
    await turnedTo(() => gone === 1)
    for (let count = 0; count < 256; count++) expect(tickets.transfer(ticket)).toBeDefined()
  })

  it('is no longer that of the headers once they came, whatever the body takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { get, flv } = relayFor(
      await serve((_request, response) => response.writeHead(200, { 'content-type': 'video/mp4' }).write('part')),
    )
    const { body } = await get(flv)
    vi.advanceTimersByTime(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(body?.destroyed).toBe(false)
    body?.on('error', () => undefined).destroy()
  })

  it('is 30 s between two parts of a body', async () => {
    const { get, flv } = relayFor(
      await serve((_request, response) => response.writeHead(200, { 'content-type': 'video/mp4' }).write('part')),
    )
    const body = (await get(flv)).body as http.IncomingMessage
    expect(body.socket.timeout).toBe(30_000)
    const failed = once(body, 'error')
    body.socket.emit('timeout')
    await failed
    expect(body.destroyed).toBe(true)
  })
})
