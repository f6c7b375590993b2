import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { generate } from 'selfsigned'
import { createHttpListener, type HttpListenerOptions, type ListenerBounds, listenerTimes } from './bounded-listener.ts'
import { createDescriptorBudget } from './descriptors.ts'
import { createHandshakeRate } from './handshake-rate.ts'
import { manualClock } from './testing/manual-clock.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Running {
  readonly port: number
  readonly refusals: string[]
  connect(from?: string): Promise<net.Socket>
  get(from?: string): Promise<number>
  held(): Promise<number>
}

const generous = { all: 100, perAddress: 100, perLoopback: 100 }
async function listen(
  bounds: Partial<ListenerBounds>,
  handler: http.RequestListener = (_request, response) => void response.end('fine'),
  options: HttpListenerOptions = {},
): Promise<Running> {
  const refusals: string[] = []
  const all = {
    places: generous,
    descriptors: createDescriptorBudget(4096).share(1),
    refused: (why: string) => void refusals.push(why),
    ...bounds,
  }
  const server = createHttpListener(all, handler, { ...options, times: { check: 50, ...options.times } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  const sockets: net.Socket[] = []
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    port,
    refusals,
    async connect(from = '127.0.0.1') {
      const socket = net.connect({ host: '127.0.0.1', port, localAddress: from })
      socket.on('error', () => undefined)
      sockets.push(socket)
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()))
      return socket
    },
    get: (from = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        http
          .get({ host: '127.0.0.1', port, localAddress: from, agent: false }, (response) => {
            response.resume()
            response.on('end', () => resolve(response.statusCode ?? 0))
          })
          .on('error', reject)
      }),
    held: () =>
      new Promise((resolve, reject) =>
        server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count))),
      ),
  }
}
const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await what())) await new Promise((resolve) => setImmediate(resolve))
}
const closed = (socket: net.Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.resume().once('close', () => resolve())
  })
const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('places', () => {
  it('go from the connection that is idle longest to a new one, in all and within an address', async () => {
    const one = await listen({ places: { all: 3, perAddress: 2, perLoopback: 2 } })
    const [first, second] = [await one.connect('127.0.0.2'), await one.connect('127.0.0.2')]
    expect(await one.get('127.0.0.2')).toBe(200)
    await closed(first)
    expect(second.destroyed).toBe(false)
    await one.connect('127.0.0.3')
    await one.connect('127.0.0.4')
    expect(await one.get('127.0.0.5')).toBe(200)
    await closed(second)
    expect(one.refusals).toContain('idle')
  })

  it('are not taken from whoever has a request under way, and who comes then is turned away', async () => {
    const answers: http.ServerResponse[] = []
    const one = await listen({ places: { all: 2, perAddress: 2, perLoopback: 1 } }, (asked, response) => {
      if (asked.url === '/hold') answers.push(response)
      else response.end('fine')
    })
    const hold = request.replace('/', '/hold')
    const busy = await one.connect('127.0.0.2')
    busy.write(hold)
    await until(() => answers.length === 1)
    await closed(await one.connect('127.0.0.2'))
    expect(one.refusals).toEqual(['address'])
    const other = await one.connect('127.0.0.3')
    other.write(hold)
    await until(() => answers.length === 2)
    await closed(await one.connect('127.0.0.4'))
    expect(one.refusals).toEqual(['address', 'full'])
    expect([busy.destroyed, other.destroyed]).toEqual([false, false])
    for (const answer of answers) answer.end('fine')
    expect(await one.get('127.0.0.4')).toBe(200)
  })

  it('are taken from requests whose bodies do not come, and from none whose body is there', async () => {
    const answers: http.ServerResponse[] = []
    const heads: string[] = []
    const one = await listen({ places: { all: 2, perAddress: 2, perLoopback: 2 } }, (incoming, response) => {
      heads.push(incoming.url ?? '')
      incoming.resume()
      if (incoming.url === '/') response.end('fine')
      else answers.push(response)
    })
    const post = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n${body}`
    const whole = await one.connect()
    whole.write(post('/whole', 'x'.repeat(60)))
    const half = await one.connect()
    half.write(post('/half', 'x'))
    await until(() => heads.length === 2)
    expect(await one.get()).toBe(200)
    await closed(half)
    expect(one.refusals).toEqual(['idle'])
    let said = ''
    whole.on('data', (bytes: Buffer) => void (said += bytes.toString()))
    answers[heads.indexOf('/whole')]!.end('whole')
    await until(() => said.endsWith('whole'))
  })

  it('are taken from connections that changed the protocol until it is known whose they are, and from none that did not give it', async () => {
    const keeps: (() => void)[] = []
    const one = await listen({ places: { all: 4, perAddress: 3, perLoopback: 3 } }, undefined, {
      upgrade: {
        accept(_request, socket, _head, keep) {
          cleanups.push(() => socket.destroy())
          keeps.push(keep)
        },
      },
    })
    const upgrade = request.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    const open: net.Socket[] = []
    for (const count of [1, 2, 3]) {
      open.push(await one.connect())
      open.at(-1)!.write(upgrade)
      await until(() => keeps.length === count)
    }
    keeps[0]!()
    expect(await one.get()).toBe(200)
    await closed(open[1]!)
    keeps[2]!()
    expect(open.map(({ destroyed }) => destroyed)).toEqual([false, true, false])
    expect(await one.get()).toBe(200)
    const last = await one.connect()
    last.write(upgrade)
    await until(() => keeps.length === 4)
    keeps[3]!()
    await closed(await one.connect())
    expect(one.refusals).toEqual(['idle', 'address'])
  })

  it('go from the newest of whoever has most at work where nobody is idle', async () => {
    let waiting = 0
    const one = await listen(
      { places: { all: 18, perAddress: 18, perLoopback: 18 }, shared: (address) => address === '127.0.0.2' },
      (incoming, response) => {
        if (incoming.url === '/') response.end('fine')
        else waiting += 1
      },
    )
    const open: net.Socket[] = []
    for (let n = 0; n < 18; n += 1) {
      open.push(await one.connect('127.0.0.2'))
      open[n]!.write(`PROXY TCP4 198.51.100.1 192.0.2.1 ${4000 + n} 80\r\n${request.replace('/', '/hold')}`)
      await until(() => waiting === n + 1)
    }
    expect(await one.get('127.0.0.3')).toBe(200)
    await closed(open[17]!)
    expect(open.filter(({ destroyed }) => destroyed)).toHaveLength(1)
    expect(one.refusals).toEqual(['share'])
  })

  it('count no address that stands for many peers', async () => {
    const one = await listen({
      places: { all: 5, perAddress: 1, perLoopback: 1 },
      shared: (address) => address === '127.0.0.2',
    })
    const many = [await one.connect('127.0.0.2'), await one.connect('127.0.0.2'), await one.connect('127.0.0.2')]
    await until(async () => (await one.held()) === 3)
    expect(many.some((socket) => socket.destroyed)).toBe(false)
  })

  it('cost a descriptor each, which comes back however the connection ends', async () => {
    const descriptors = createDescriptorBudget(8).share(1)
    const one = await listen({ descriptors })
    for (let round = 0; round < 20; round += 1) {
      const socket = await one.connect('127.0.0.2')
      if (round % 2 === 0) socket.destroy()
    }
    expect(await one.get()).toBe(200)
    await until(async () => (await one.held()) <= 6)
    for (const address of ['127.0.0.2', '127.0.0.3']) expect(await one.get(address)).toBe(200)
  })
})

describe('a peer', () => {
  it('that sends many requests at once loses its connection, and the rest of them is not served', async () => {
    let served = 0
    const one = await listen({}, () => void (served += 1))
    const socket = await one.connect()
    socket.write(request.repeat(1600))
    await closed(socket)
    // The first was never answered, so the others did not begin.
    expect(served).toBe(1)
    expect(one.refusals).toEqual(['pipelined'])
  })

  it('that pipelines a few gets every answer', async () => {
    const one = await listen({})
    const socket = await one.connect()
    let said = ''
    socket.setEncoding('latin1').on('data', (part: string) => (said += part))
    socket.write(request.repeat(4))
    await until(() => said.split('fine').length === 5)
    socket.write(request.repeat(4))
    await until(() => said.split('fine').length === 9)
  })

  it('that pipelines requests waits for its turn behind another connection', async () => {
    const order: string[] = []
    const sent = new Int32Array(new SharedArrayBuffer(4))
    let other: Worker | undefined
    const one = await listen({}, ({ url = '' }, response) => {
      order.push(url)
      if (url === '/first') {
        // Another client, from its own thread, asks while this request blocks the loop.
        other?.postMessage('ask')
        Atomics.wait(sent, 0, 0, 30_000)
      }
      response.end('fine')
    })
    other = new Worker(
      `const { parentPort, workerData: { port, sent } } = require('node:worker_threads')
      const socket = require('node:net').connect(port, '127.0.0.1', () => parentPort.postMessage('connected'))
      const done = () => Atomics.notify(sent, 0, Atomics.store(sent, 0, 1))
      parentPort.on('message', () => socket.write('GET /other HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', done))`,
      { eval: true, workerData: { port: one.port, sent } },
    )
    cleanups.push(() => other?.terminate())
    await once(other, 'message')
    await until(async () => (await one.held()) === 1)
    const socket = await one.connect()
    socket.write(['/first', '/second', '/third', '/fourth'].map((url) => request.replace('/', url)).join(''))
    await until(() => order.length === 5)
    expect(order.filter((url) => url !== '/other')).toEqual(['/first', '/second', '/third', '/fourth'])
    expect(order.indexOf('/other')).toBeLessThan(order.indexOf('/fourth'))
  })

  it('that pipelines has no request served before the answer to the one before, nor after its end', async () => {
    const asked: http.ServerResponse[] = []
    const one = await listen({}, (_request, response) => void asked.push(response))
    const socket = await one.connect()
    socket.write(request.repeat(3))
    await until(() => asked.length === 1)
    asked[0]!.end('fine')
    await until(() => asked.length === 2)
    socket.resetAndDestroy()
    await until(async () => (await one.held()) === 0)
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toHaveLength(2)
  })

  it('that does not read its answer is ended, and one that waits for its answer is not', async () => {
    const one = await listen(
      {},
      (asked, response) => {
        if (asked.url === '/slow') setTimeout(() => response.end('late'), 600)
        else response.end(Buffer.alloc(40_000_000))
      },
      { times: { reading: 200 } },
    )
    const deaf = await one.connect()
    deaf.pause().write(request)
    const patient = await one.connect()
    let said = ''
    patient.setEncoding('latin1').on('data', (part: string) => (said += part))
    patient.write(request.replace('/', '/slow'))
    await until(() => one.refusals.includes('unread'))
    await until(() => said.endsWith('late'))
    await closed(deaf)
  })

  it('that pauses between requests keeps its connection for a while only', async () => {
    const one = await listen({}, undefined, { times: { keepAlive: 100 } })
    const socket = await one.connect()
    socket.write(request)
    await closed(socket)
  })
})

describe('under TLS', () => {
  it('who says nothing goes before the handshake, and who shakes hands is served and counted', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
    const one = await listen({ places: { all: 2, perAddress: 2, perLoopback: 2 } }, undefined, {
      tls: { cert, key },
      times: { handshake: 300 },
    })
    await closed(await one.connect('127.0.0.2'))
    const shaken = async (): Promise<tls.TLSSocket> => {
      const socket = tls.connect({ host: '127.0.0.1', port: one.port, rejectUnauthorized: false })
      socket.on('error', () => undefined)
      await once(socket, 'secureConnect')
      return socket
    }
    const [first, second] = [await shaken(), await shaken()]
    let said = ''
    first.on('data', (part) => (said += String(part)))
    first.write(request)
    await until(() => said.includes('fine'))
    // The second is idle longer: the first was answered after it.
    const third = await shaken()
    await closed(second)
    expect([first.destroyed, third.destroyed]).toEqual([false, false])
    first.destroy()
    third.destroy()
  })
})

describe('a request under TLS that comes before the last answer was taken', () => {
  it('is read whole, though its body is in several records', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
    const large = Buffer.alloc(8 * 1024 * 1024)
    const lengths: number[] = []
    // Node reads no further request meanwhile.
    const paused = Promise.withResolvers<void>()
    const handler: http.RequestListener = (request, response) => {
      let length = 0
      request.socket.once('pause', () => paused.resolve())
      request.on('data', (part: Buffer) => (length += part.length))
      request.on('end', () => {
        lengths.push(length)
        response.setHeader('content-length', large.length).end(large)
      })
    }
    const one = await listen({}, handler, { tls: { cert, key } })
    const socket = tls.connect({ host: '127.0.0.1', port: one.port, rejectUnauthorized: false })
    cleanups.push(() => socket.destroy())
    await once(socket, 'secureConnect')
    const body = 'x'.repeat(50_000)
    const post = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    socket.write(post)
    // Not read further: the rest of the first answer waits.
    await once(socket, 'readable')
    socket.write(post)
    await paused.promise
    let read = 0
    socket.on('data', (part: Buffer) => (read += part.length))
    await until(() => read > 2 * large.length || socket.destroyed)
    expect(lengths).toEqual([body.length, body.length])
  })
})

describe('TLS handshakes of an address', () => {
  it('are reset before they begin where there were too many, and counted with those of other listeners', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
    const clock = manualClock()
    const handshakes = createHandshakeRate({ clock, rate: { perSecond: 1, atOnce: 2 }, isFree: () => false })
    const [one, other] = [
      await listen({ handshakes }, undefined, { tls: { cert, key } }),
      await listen({ handshakes }, undefined, { tls: { cert, key } }),
    ]
    const shake = async (port: number): Promise<string> => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      const outcome = await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).then(
        () => 'shaken',
        () => 'reset',
      )
      socket.destroy()
      return outcome
    }
    expect([await shake(one.port), await shake(other.port), await shake(one.port)]).toEqual([
      'shaken',
      'shaken',
      'reset',
    ])
    clock.advance(1_000)
    expect([await shake(other.port), await shake(other.port)]).toEqual(['shaken', 'reset'])
    const plain = await listen({ handshakes })
    expect((await plain.connect()).destroyed).toBe(false)
  })
})

describe('the PROXY header of a trusted proxy', () => {
  const shared = (address: string): boolean => address === '127.0.0.2'
  const text = (address: string): string => `PROXY TCP4 ${address} 127.0.0.1 50000 443\r\n`
  /** Answers with the addresses of the peer. */
  const addresses: http.RequestListener = ({ socket }, response) =>
    void response.end(`${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`)
  const answerTo = (socket: net.Socket): Promise<string> =>
    new Promise((resolve) => {
      let answer = ''
      socket.on('data', (bytes: Buffer) => {
        answer += bytes.toString()
        const body = answer.split('\r\n\r\n')[1]
        if (body) resolve(body)
      })
      socket.once('close', () => resolve('closed'))
    })

  it('gives the connection the address in it, in one packet with the request or byte by byte', async () => {
    const one = await listen({ shared }, addresses)
    const whole = await one.connect('127.0.0.2')
    whole.write(text('203.0.113.9') + request)
    expect(await answerTo(whole)).toContain('203.0.113.9 50000 127.0.0.1')
    const slow = await one.connect('127.0.0.2')
    slow.setNoDelay(true)
    const bytes = Buffer.from(text('203.0.113.8') + request)
    for (const byte of bytes) await new Promise((resolve) => slow.write(Buffer.of(byte), resolve))
    expect(await answerTo(slow)).toContain('203.0.113.8 50000')
  })

  it('may be absent, and a body that comes with the first packet is whole', async () => {
    const bodies: string[] = []
    const one = await listen({ shared }, (incoming, response) => {
      let body = ''
      incoming.on('data', (part: Buffer) => (body += part.toString()))
      incoming.on('end', () => {
        bodies.push(body)
        response.end(incoming.socket.remoteAddress)
      })
    })
    for (const begin of ['', text('203.0.113.9')]) {
      const socket = await one.connect('127.0.0.2')
      socket.write(`${begin}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nfirst`)
      expect(await answerTo(socket)).toBe(begin === '' ? '127.0.0.2' : '203.0.113.9')
    }
    expect(bodies).toEqual(['first', 'first'])
  })

  it('is no request from anybody else', async () => {
    const one = await listen({ shared }, addresses)
    const socket = await one.connect('127.0.0.3')
    socket.write(text('203.0.113.9') + request)
    expect(await answerTo(socket)).not.toContain('203.0.113.9')
  })

  it('counts the connection for the address in it, also when more than that address may have come', async () => {
    const one = await listen({ places: { all: 10, perAddress: 1, perLoopback: 1 }, shared }, () => undefined)
    const [first, second, other] = [
      await one.connect('127.0.0.2'),
      await one.connect('127.0.0.2'),
      await one.connect('127.0.0.2'),
    ]
    first.write(text('203.0.113.9') + request)
    other.write(text('203.0.113.10') + request)
    await until(async () => (await one.held()) === 3)
    second.write(text('203.0.113.9') + request)
    await closed(second)
    expect([first.destroyed, other.destroyed]).toEqual([false, false])
    expect(one.refusals).toEqual(['address'])
  })

  it('ends the connection when it is none, or does not come', async () => {
    const one = await listen({ shared }, addresses, { times: { headers: 100 } })
    const wrong = await one.connect('127.0.0.2')
    wrong.write('PROXY /live HTTP/1.1\r\n')
    await closed(wrong)
    const half = await one.connect('127.0.0.2')
    half.write('PROXY TCP4 ')
    await closed(half)
    expect(one.refusals).toEqual(['proxy', 'proxy'])
    const gone = await one.connect('127.0.0.2')
    gone.end('PROXY ')
    await until(async () => (await one.held()) === 0)
  })
})

it('a peer has 10 s for TLS and for headers, 30 s for a request and to read, and is kept for 65 s', () => {
  expect(listenerTimes).toEqual({
    handshake: 10_000,
    headers: 10_000,
    request: 30_000,
    keepAlive: 65_000,
    reading: 30_000,
    check: 2_000,
  })
})
