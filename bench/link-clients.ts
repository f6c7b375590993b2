import { connect, type Socket } from 'node:net'

/**
 * Many WebSocket clients in one process: `link-clients.ts KIND URL CLIENTS SECONDS APPKEY TEAM`. Ten of them send two messages a second each; the
 * others count pushes, and every twentieth reads how long they took. KIND `ours` logs in first, as `u0`, `u1` and so on; `bare` sends what
 * ours would have pushed. Prints `connected`, `measuring` and `done` events.
 */
const [kind = '', address = '', clients = '1000', seconds = '15', appKey = '', team = ''] = process.argv.slice(2)
const url = new URL(address)
const total = Number(clients)
const senders = 10
const perSecond = 20
const warmUp = 4000
const say = (event: string, more: object = {}): void => console.log(JSON.stringify({ event, ...more }))

let counting = false
let pushes = 0
const delays: number[] = []
let acknowledged = 0

/** A text frame of a client, masked with zeros. */
function textFrame(text: string): Buffer {
  const body = Buffer.from(text)
  const head = body.length <= 125 ? Buffer.from([0x81, 0x80 | body.length]) : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255])
  return Buffer.concat([head, Buffer.alloc(4), body])
}

/** Reads frames of a server; `got` is given the text of each. */
function createReader(got: (text: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (;;) {
      if (bytes.length < 2) break
      const short = bytes[1]! & 0x7f
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length < head) break
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
      if (bytes.length < head + length) break
      if ((bytes[0]! & 0x0f) === 1) got(bytes.subarray(head, head + length))
      bytes = bytes.subarray(head + length)
    }
    rest = bytes.length > 0 ? Buffer.from(bytes) : Buffer.alloc(0)
  }
}

const pushed = Buffer.from('{"t":"message"')
const padding = 'x'.repeat(80)
const now = (): number => performance.timeOrigin + performance.now()

function open(index: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.setNoDelay(true)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`client ${index} was cut`)))
    let answers = 0
    const isSample = index % 20 === 19
    const read = createReader((text) => {
      if (text.subarray(0, pushed.length).equals(pushed)) {
        if (!counting || index < senders) return
        pushes++
        if (isSample) delays.push(now() - Number(/stamp:([\d.]+)/.exec(text.toString('latin1'))?.[1]))
        return
      }
      const answer = text.toString('latin1', 0, 40)
      if (answer.startsWith('{"t":"error"')) return reject(new Error(text.toString()))
      if (!answer.startsWith('{"t":"ok"')) return
      answers++
      // Nothing of what was before the measurement is read.
      if (answers === 1) socket.write(textFrame(JSON.stringify({ t: 'sync', id: 2, after: Number.MAX_SAFE_INTEGER })))
      else if (answers === 2) resolve(socket)
      else acknowledged++
    })
    let isOpen = false
    socket.on('data', (chunk) => {
      if (isOpen) return read(chunk)
      const end = chunk.indexOf('\r\n\r\n')
      isOpen = true
      if (kind === 'bare') resolve(socket)
      else socket.write(textFrame(JSON.stringify({ t: 'login', id: 1, appKey, accid: `u${index}`, token: 'bench', device: `d${index}`, clientType: 'PC' })))
      if (end + 4 < chunk.length) read(chunk.subarray(end + 4))
    })
    socket.write(
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
  })
}

const sockets: Socket[] = []
for (let index = 0; index < total; index += 50)
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, total - index) }, (_, one) => open(index + one)))))
say('connected')

let sent = 0
let next = 3
const send = (): void => {
  const index = sent++ % senders
  const id = next++
  const body = JSON.stringify({ msg: `stamp:${now().toFixed(2)} ${padding}` })
  const clientId = `bench-${id}`
  // The same bytes as ours pushes, which adds seq, at and the sender's name.
  const push = { t: 'message', scene: 'team', from: `u${index}`, to: team, type: 0, body, clientId, resend: 0, fromNick: `user ${index}`, fromClientType: 'PC' }
  const given = { push: true, badge: true, needPushNick: true, seq: 1_000_000, at: Math.floor(now()) }
  const request = { t: 'send', id, scene: 'team', to: team, type: 0, body, clientId }
  sockets[index]!.write(textFrame(JSON.stringify(kind === 'bare' ? { ...push, ...given } : request)))
}
let due = performance.now()
const timer = setInterval(() => {
  for (; due <= performance.now(); due += 1000 / perSecond) send()
}, 5)
setTimeout(() => {
  counting = true
  const [begun, sentBefore, acknowledgedBefore] = [performance.now(), sent, acknowledged]
  say('measuring')
  setTimeout(
    () => {
      const taken = (performance.now() - begun) / 1000
      const result = { pushes, seconds: taken, sent: sent - sentBefore, acknowledged: acknowledged - acknowledgedBefore }
      delays.sort((a, b) => a - b)
      say('done', { ...result, p50: delays[Math.floor(delays.length / 2)], p99: delays[Math.floor(delays.length * 0.99)] })
      clearInterval(timer)
      process.exit(0)
    },
    Number(seconds) * 1000,
  )
}, warmUp)
