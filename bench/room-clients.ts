import { hash } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { signedHeaders } from '../contract/signing.ts'
import { percentile } from './measurement.ts'
import type { RoomServerKind, ServedRoom } from './room-servers.ts'
import { clientFrame, openLoadSocket } from './web-socket.ts'

/** What the clients do. */
export interface RoomLoad {
  readonly kind: RoomServerKind
  readonly rooms: readonly ServedRoom[]
  /** Listeners of each room. */
  readonly listeners: number
  /** Messages a second over all rooms, in turn. */
  readonly rate: number
  readonly seconds: number
  readonly appKey: string
  readonly appSecret: string
}

/**
 * Listeners of rooms and who speaks there, in one process; the argument is a `RoomLoad` as JSON. Every listener counts the lines that it is pushed, and every
 * twentieth reads how long they took. Ours are accounts `u0`, `u1` … that enter; the line is put in through signed sendMsg. nchan is
 * given by HTTP, the bare broadcast by a WebSocket of its own, what ours would push. Prints `connected`, `measuring` and `done` events.
 */
const { kind, rooms, listeners, rate, seconds, appKey, appSecret } = JSON.parse(process.argv[2] ?? '') as RoomLoad
const isOurs = kind === 'ours' || kind === 'cluster'
const warmUp = 3000
const say = (event: string, more: object = {}): void => console.log(JSON.stringify({ event, ...more }))
const now = (): number => performance.timeOrigin + performance.now()

let counting = false
let pushes = 0
let bytes = 0
let published = 0
const delays: number[] = []
const pushed = Buffer.from('{"t":"roomMessage"')
const spoken = Buffer.from('"from":"speaker"')

function listen({ listen: address, roomid }: ServedRoom, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let socket: Socket
    let answers = 0
    const isSample = index % 20 === 19
    const ask = (t: string, members: object): void =>
      void socket.write(clientFrame(JSON.stringify({ t, id: 1, ...members })))
    openLoadSocket(address[index % address.length]!, {
      opened(own) {
        socket = own
        if (isOurs) ask('login', { appKey, accid: `u${index}`, token: 'bench', device: 'bench', clientType: 'PC' })
        else resolve()
      },
      text(text) {
        if (text.subarray(0, pushed.length).equals(pushed)) {
          // Not who comes and goes.
          if (!counting || !text.subarray(0, 160).includes(spoken)) return
          pushes++
          bytes += text.length
          if (isSample) delays.push(now() - Number(/stamp:([\d.]+)/.exec(text.toString('latin1'))?.[1]))
          return
        }
        if (!isOurs) return
        const type = text.subarray(0, 10).toString('latin1')
        if (type === '{"t":"erro') return reject(new Error(text.toString()))
        // A large room tells how many are in it, also before the answer.
        if (type !== '{"t":"ok",') return
        if (++answers === 1) ask('roomEnter', { roomid, lines: 0 })
        else resolve()
      },
      failed: reject,
    })
  })
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
function post(address: string, headers: Readonly<Record<string, string>>, body: string): void {
  const sent = request(
    address,
    { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
    (reply) => {
      let answer = ''
      reply.on('data', (part: Buffer) => (answer += part.toString()))
      reply.on('end', () => {
        const isGood = isOurs ? answer.includes('"code":200') : (reply.statusCode ?? 500) < 300
        if (!isGood) throw new Error(`${reply.statusCode}: ${answer}`)
        if (counting) published++
      })
    },
  )
  // A server may close an idle connection at the moment it is used again; a line with the same id is not said twice.
  sent.on('error', (error) => {
    if (!sent.reusedSocket) throw error
    post(address, headers, body)
  })
  sent.end(body)
}

const speakers: Socket[] = []
if (kind === 'bare')
  for (const { publish } of rooms)
    speakers.push(
      await new Promise<Socket>((resolve, reject) => {
        openLoadSocket(publish, { opened: resolve, text: () => undefined, failed: reject })
      }),
    )
const padding = 'x'.repeat(80)
let count = 0
function speak(): void {
  const at = count % rooms.length
  const { publish, roomid } = rooms[at]!
  const clientId = `bench-${String(count++).padStart(6, '0')}`
  const attach = JSON.stringify({ msg: `stamp:${now().toFixed(2)} ${padding}` })
  if (isOurs) {
    const signed = signedHeaders(
      (text) => hash('sha1', text, 'hex'),
      { appKey, appSecret },
      clientId,
      Math.floor(Date.now() / 1000),
    )
    const fields = { roomid: String(roomid), msgId: clientId, fromAccid: 'speaker', msgType: '0', attach }
    return post(
      publish,
      { 'content-type': 'application/x-www-form-urlencoded', ...signed },
      new URLSearchParams(fields).toString(),
    )
  }
  const name = { from: 'speaker', fromNick: 'speaker', fromClientType: 'REST' }
  const line = {
    t: 'roomMessage',
    roomid: 1_234_567_890,
    msgid: String(count),
    at: Date.now(),
    ...name,
    type: 0,
    attach,
    clientId,
    resend: 0,
  }
  if (kind === 'nchan') return post(publish, { 'content-type': 'application/json' }, JSON.stringify(line))
  speakers[at]!.write(clientFrame(JSON.stringify(line)))
  if (counting) published++
}

const all = rooms.flatMap((room, place) =>
  Array.from({ length: listeners }, (_, one) => [room, place * listeners + one] as const),
)
for (let from = 0; from < all.length; from += 50)
  await Promise.all(all.slice(from, from + 50).map(([room, index]) => listen(room, index)))
say('connected')

let due = performance.now()
setInterval(() => {
  for (; due <= performance.now(); due += 1000 / rate) speak()
}, 5)
setTimeout(() => {
  counting = true
  say('measuring')
  setTimeout(() => {
    const figures = {
      pushes,
      published,
      bytesEach: bytes / pushes,
      p50: percentile(delays, 0.5),
      p99: percentile(delays, 0.99),
    }
    say('done', figures)
    process.exit(0)
  }, seconds * 1000)
}, warmUp)
