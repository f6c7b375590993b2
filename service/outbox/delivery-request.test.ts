import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { startRig, type Rig, type RigOptions } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'
import { eventually } from '../testing/eventually.ts'

let rig: Rig
let receiver: Receiver
let time: ManualClock
const servers: Server[] = []
const begin = async (options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ clock: time, ...options })
}
const settled = (nId: string, attempts: number): Promise<void> =>
  waitFor(`attempt ${attempts}`, async () => (await rig.entry(nId)).attempts === attempts)
const delivered = (nId: string): Promise<void> =>
  waitFor('delivered', async () => (await rig.entry(nId)).state === 'delivered')
const refuse: Receiver['answer'] = (_request, response) => void response.writeHead(500).end('no')

/** A raw TCP receiver, which need not speak HTTP. */
async function rawReceiver(
  answer: (write: (text: string | Buffer) => boolean, end: () => void) => void,
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () =>
      answer(
        (text) => socket.writable && socket.write(text),
        () => socket.end(),
      ),
    )
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

beforeEach(async () => {
  time = manualClock()
  receiver = await startReceiver(time)
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
  for (const server of servers.splice(0)) server.close()
})

describe('what a receiver answers', () => {
  const resultOf = async (address: string): Promise<string | null> => {
    await rig.callbacks.setAddress(rig.uid, address)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    const { state, result } = await rig.entry(nId)
    return `${state}: ${result}`
  }

  it('counts by its status alone: 200 is delivered, anything else is not', async () => {
    await begin()
    for (const status of [200, 201, 202, 204, 400, 404, 500, 503]) {
      receiver.answer = (_request, response) => void response.writeHead(status).end()
      expect(await resultOf(receiver.url)).toBe(`${status === 200 ? 'delivered' : 'waiting'}: HTTP ${status}`)
    }
  })

  it('is never followed elsewhere', async () => {
    await begin()
    const elsewhere = await startReceiver()
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer = (_request, response) => void response.writeHead(status, { location: elsewhere.url }).end()
      expect(await resultOf(receiver.url)).toBe(`waiting: HTTP ${status}, redirects are not followed`)
    }
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it('is read to a few kilobytes however much it is', async () => {
    await begin()
    let written = 0
    let gone = false
    receiver.answer = (_request, response) => {
      const part = Buffer.alloc(16_384)
      const pour = (): void => {
        if (gone) return
        while (written < 1e9 && response.write(part)) written += part.length
      }
      response.on('drain', pour)
      response.on('close', () => (gone = true))
      response.writeHead(200)
      pour()
    }
    expect(await resultOf(receiver.url)).toBe('delivered: HTTP 200')
    await waitFor('the connection to be cut', () => gone)
    // Socket buffers only, not an unread gigabyte.
    expect(written).toBeLessThan(32_000_000)
  })

  it('must begin within 5 s', async () => {
    await begin()
    receiver.answer = () => undefined
    const asked = waitFor('the request', () => receiver.received.length === 1)
    const result = resultOf(receiver.url)
    await asked
    time.advance(deliveryTimeout)
    expect(await result).toBe('waiting: no answer in time')
  })

  it('counts by the status that came in time, whatever is missing of the body', async () => {
    await begin()
    receiver.answer = (_request, response) => {
      response.writeHead(200)
      response.write('{')
    }
    // The clock may move only once the status was received here.
    const { port } = receiver
    const read = Promise.withResolvers<void>()
    const onAnswer = (message: unknown): void => {
      const { request } = message as { request: ClientRequest }
      if (request.getHeader('host') === `127.0.0.1:${port}`) read.resolve()
    }
    subscribe('http.client.response.finish', onAnswer)
    try {
      const result = resultOf(receiver.url)
      await read.promise
      time.advance(deliveryTimeout)
      expect(await result).toBe('delivered: HTTP 200')
    } finally {
      unsubscribe('http.client.response.finish', onAnswer)
    }
  })

  it('may be nothing, no HTTP, headers without end, or a connection that ends', async () => {
    await begin()
    const closed = await rawReceiver(() => undefined)
    servers.pop()!.close()
    expect(await resultOf(closed)).toBe('waiting: connection refused')
    expect(await resultOf(await rawReceiver((_write, end) => end()))).toBe('waiting: connection ended')
    expect(await resultOf(await rawReceiver((write, end) => (write('SSH-2.0-OpenSSH_9.2\r\n'), end())))).toBe(
      'waiting: the reply is not HTTP',
    )
    expect(
      await resultOf(await rawReceiver((write) => write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`))),
    ).toBe('waiting: reply headers too large')
    expect(
      await resultOf(
        await rawReceiver((write) =>
          write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        ),
      ),
    ).toMatch(/^waiting: /)
    expect(
      await resultOf(
        await rawReceiver((write) =>
          write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
        ),
      ),
    ).toBe('delivered: HTTP 200')
  })
})

describe('the address of a delivery', () => {
  it('is resolved and checked at each attempt, and used as it was checked', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']]
    let asked = 0
    await begin({ resolve: () => Promise.resolve(answers[asked++]!) })
    receiver.answer = refuse
    await rig.callbacks.setAddress(rig.uid, `http://rebinding.example:${receiver.port}/`)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect(receiver.received[0]!.headers.host).toBe(`rebinding.example:${receiver.port}`)
    time.advance(5000)
    await settled(nId, 2)
    expect((await rig.entry(nId)).result).toBe('rebinding.example is an address of a metadata service')
    receiver.answer = (_request, response) => void response.end()
    time.advance(30_000)
    await delivered(nId)
    // One look-up per attempt: the connection uses the checked addresses.
    expect(asked).toBe(3)
    expect(receiver.received).toHaveLength(2)
  })

  it('may not be this computer where that is not allowed, also when it was when the address was set', async () => {
    await begin({ local: false })
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect(await rig.entry(nId)).toMatchObject({
      state: 'waiting',
      result:
        '127.0.0.1 is this computer, which is not allowed; `localTargets` of /local/service/updateSettings allows it',
    })
    expect(receiver.received).toEqual([])
  })

  it('may never be a port of the service', async () => {
    await begin({ ownPorts: [receiver.port] })
    await rig.callbacks.setAddress(rig.uid, receiver.url)
    const { nId } = await rig.enqueue()
    await settled(nId, 1)
    expect((await rig.entry(nId)).result).toBe('127.0.0.1 is a port of this service itself')
    expect(receiver.received).toEqual([])
  })

  it('does not hold an attempt beyond its time while a name does not resolve', async () => {
    const asked = vi.fn(() => new Promise<never>(() => undefined))
    await begin({ resolve: asked })
    await rig.callbacks.setAddress(rig.uid, 'http://silent.example/')
    const { nId } = await rig.enqueue()
    await eventually(() => expect(asked).toHaveBeenCalled())
    time.advance(5000)
    await settled(nId, 1)
    expect((await rig.entry(nId)).result).toBe('no answer in time: the name did not resolve')
  })
})

describe('an https address', () => {
  it('is checked against the name that was given, at the address that was checked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sidestage-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=receiver.example', '-addext', 'subjectAltName=DNS:receiver.example']
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
        ...subject,
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'ignore' },
    )
    let asked: unknown
    const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      asked = (request.socket as TLSSocket).servername
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const resultAt = async (address: string, options: RigOptions): Promise<string | null> => {
      await begin({ resolve: () => Promise.resolve(['127.0.0.1']), ...options })
      await rig.callbacks.setAddress(rig.uid, address)
      const { nId } = await rig.enqueue()
      await settled(nId, 1)
      const { result } = await rig.entry(nId)
      await rig.close()
      return result
    }
    const ca = readFileSync(cert, 'utf8')
    const own = 'NODE_EXTRA_CA_CERTS in the environment of the service names an authority of its own'
    expect(await resultAt(`https://receiver.example:${port}/`, { ca })).toBe('HTTP 200')
    expect(asked).toBe('receiver.example')
    expect(await resultAt(`https://receiver.example:${port}/`, {})).toBe(
      `the certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT); ${own}`,
    )
    expect(await resultAt(`https://other.example:${port}/`, { ca })).toBe(
      `the certificate is not accepted (ERR_TLS_CERT_ALTNAME_INVALID); ${own}`,
    )
    await begin()
    server.close()
    rmSync(folder, { recursive: true })
  })
})
