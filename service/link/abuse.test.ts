import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLinkClient, type LinkState } from '../../contract/link/client.ts'
import { eventually } from '../testing/eventually.ts'
import { openRaw, type RawLink } from './testing/raw-client.ts'
import { openSocket } from './testing/socket.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

let rig: LinkRig
beforeEach(async () => {
  rig = await startRig()
  rig.add('ann', 'bob')
})
afterEach(() => rig.close())

/** Bytes of a masked frame that no correct library would write. */
function frameBytes(opcode: number, payload: Buffer, isFinal = true): Buffer {
  const length = payload.length
  const head = length <= 125 ? Buffer.from([0, 0x80 | length]) : Buffer.from([0, 0xfe, length >> 8, length & 0xff])
  head[0] = opcode | (isFinal ? 0x80 : 0)
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

/** A session with raw access to its socket. */
async function session(accid = 'ann'): Promise<{ readonly raw: RawLink; write(bytes: Buffer): void }> {
  const raw = await rig.enter(accid)
  const { _socket: socket } = raw.socket as unknown as { _socket: { write(bytes: Buffer): void } }
  return { raw, write: (bytes) => socket.write(bytes) }
}

describe('a session is closed, and others go on, when it', () => {
  const others = async (): Promise<void> => {
    const bob = await rig.enter('bob')
    await rig.publish('ann', 'bob', 'still here')
    await eventually(() => expect(bob.pushes('message')).toHaveLength(1))
  }

  it('sends a frame of 1 MB', async () => {
    const { raw } = await session()
    raw.socket.send('x'.repeat(1024 * 1024))
    expect((await raw.closed).code).toBe(1009)
    await others()
  })

  it.each([
    ['full', Buffer.from('x')],
    ['empty', Buffer.alloc(0)],
  ])('sends a message in 100,000 %s fragments', async (_what, payload) => {
    const { raw, write } = await session()
    write(frameBytes(1, payload, false))
    const many = Buffer.concat(Array.from({ length: 1000 }, () => frameBytes(0, payload, false)))
    for (let sent = 0; sent < 100_000 && raw.socket.readyState === 1; sent += 1000) write(many)
    expect((await raw.closed).code).not.toBe(1000)
    await others()
  })

  it('sends a message in more than 64 fragments, of which 64 are still taken', async () => {
    const { raw, write } = await session()
    const ping = Buffer.from(JSON.stringify({ t: 'ping', id: 77, pad: 'x'.repeat(100) }))
    const inFragments = (count: number): Buffer =>
      Buffer.concat(
        Array.from({ length: count }, (_, index) =>
          frameBytes(
            index === 0 ? 1 : 0,
            index === count - 1 ? ping.subarray(index) : ping.subarray(index, index + 1),
            index === count - 1,
          ),
        ),
      )
    write(inFragments(64))
    await eventually(() => expect(raw.frames).toContainEqual(expect.objectContaining({ t: 'ok', id: 77 })))
    write(inFragments(65))
    expect((await raw.closed).code).toBe(1008)
    await others()
  })

  it('floods with pings', async () => {
    const { raw, write } = await session()
    write(Buffer.concat(Array.from({ length: 1000 }, () => frameBytes(9, Buffer.from('p')))))
    // 1006 if the library gave up first on too many pending answers.
    expect([4429, 1006]).toContain((await raw.closed).code)
    await others()
  })

  it('floods with answers to pings that nobody sent', async () => {
    const { raw, write } = await session()
    write(Buffer.concat(Array.from({ length: 1000 }, () => frameBytes(10, Buffer.alloc(0)))))
    expect((await raw.closed).code).toBe(4429)
    await others()
  })

  it('sends 1,000 messages a second', async () => {
    const { raw } = await session()
    for (let id = 1000; id < 2000; id++)
      raw.socket.send(JSON.stringify({ t: 'send', id, scene: 'p2p', to: 'bob', type: 0, body: '{"msg":"x"}' }))
    expect((await raw.closed).code).toBe(4429)
    expect(raw.frames.filter(({ t }) => t === 'ok').length).toBeLessThanOrEqual(200)
    await others()
  })

  it('sends text that is not UTF-8', async () => {
    const { raw, write } = await session()
    write(frameBytes(1, Buffer.from([0xc3, 0x28])))
    expect((await raw.closed).code).toBe(1007)
    await others()
  })

  it('sends compressed bytes, which was never agreed', async () => {
    const { raw, write } = await session()
    const bomb = frameBytes(1, Buffer.alloc(100))
    bomb[0] = bomb[0]! | 0x40
    write(bomb)
    expect((await raw.closed).code).toBe(1002)
    await others()
  })

  it('sends binary frames', async () => {
    const { raw } = await session()
    raw.socket.send(Buffer.from('{}'))
    expect((await raw.closed).code).toBe(1003)
    await others()
  })
})

describe('a session', () => {
  it('is answered 414 for what is not a request, and goes on', async () => {
    const { raw } = await session()
    for (const text of [
      '{',
      '[]',
      'null',
      '{"t":"ping"}',
      '{"t":"ping","id":"1"}',
      '['.repeat(30_000),
      '{"__proto__":{"id":1}}',
    ])
      raw.socket.send(text)
    for (const kind of ['nothing', '__proto__', 'constructor', 'toString'])
      raw.socket.send(JSON.stringify({ t: kind, id: 900 }))
    raw.socket.send(JSON.stringify({ t: 'login', id: 901, ...rig.credentials('bob') }))
    raw.socket.send(
      JSON.stringify({ t: 'watch', id: 902, accids: Array.from({ length: 201 }, (_, index) => `a${index}`) }),
    )
    raw.socket.send(JSON.stringify({ t: 'sync', id: 903, after: -1 }))
    await eventually(() =>
      expect(raw.frames.filter(({ t }) => t === 'error').map(({ code }) => code)).toEqual(
        Array.from({ length: 14 }, () => 414),
      ),
    )
    expect(await raw.ask('ping', {})).toMatchObject({ t: 'ok' })
  })

  it('that reads nothing is told to catch up once it reads again, and loses nothing', async () => {
    const { raw } = await session()
    const bob = await rig.enter('bob')
    raw.socket.pause()
    const count = 400
    // The kernel buffers some megabytes first.
    const text = 'x'.repeat(40_000)
    for (let index = 0; index < count; index++) await rig.publish('bob', 'ann', `${index} ${text}`)
    expect(await bob.ask('ping', {})).toMatchObject({ t: 'ok' })
    raw.socket.resume()
    await eventually(() => expect(raw.pushes('more')).toHaveLength(1))
    const seen = raw.pushes('message')
    expect(seen.length).toBeLessThan(count)
    for (let after = raw.pushes('more')[0]!.seq!, more = true; more;) {
      const part = await raw.ask('sync', { after })
      seen.push(...(part['events'] as typeof seen))
      after = part.seq!
      more = part['more'] === true
    }
    const numbers = seen.map(({ body }) => Number((JSON.parse(body as string) as { msg: string }).msg.split(' ')[0]))
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index))
  })
})

describe('the link', () => {
  it('survives a storm of 200 clients that come at once and again, and lets all of them in', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `storm${index}`)
    rig.add(...names)
    const states = new Map<string, LinkState['at']>()
    const clients = names.map((name) =>
      createLinkClient({
        url: rig.url,
        credentials: () => rig.credentials(name),
        open: openSocket,
        later: (ms, call) => {
          const timer = setTimeout(call, ms)
          return () => clearTimeout(timer)
        },
        random: Math.random,
        onPush: () => undefined,
        onState: ({ at }) => states.set(name, at),
      }),
    )
    const allOnline = () => expect([...states.values()].filter((at) => at === 'online')).toHaveLength(200)
    await eventually(allOnline)
    for (const name of names) rig.sessions.kick(7, name, 'closing')
    await eventually(() => expect([...states.values()].filter((at) => at === 'online').length).toBeLessThan(200))
    await eventually(allOnline)
    for (const client of clients) client.close()
    await eventually(() => expect(names.every((name) => rig.sessions.online(7, name).length === 0)).toBe(true))
  })

  it('survives connections that end within the handshake', async () => {
    const head = `GET /link HTTP/1.1\r\nHost: 127.0.0.1:${rig.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    await Promise.all(
      Array.from(
        { length: 200 },
        (_, index) =>
          new Promise<void>((done) => {
            const socket = connect(rig.port, '127.0.0.1', () => {
              socket.write(head.slice(0, index % 2 ? head.length : 60))
              setImmediate(() => socket.destroy())
            })
            socket.on('error', () => undefined)
            socket.on('close', () => done())
          }),
      ),
    )
    await eventually(async () =>
      expect(await (await openRaw(rig.url)).ask('login', rig.credentials('ann'))).toMatchObject({ t: 'ok' }),
    )
  })
})
