import { hash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Credentials } from '../contract/service-process.ts'
import { signedHeaders } from '../contract/signing.ts'
import { linkLimits } from '../contract/link/frames.ts'
import { messages } from '../contract/operations/index.ts'
import { pause, percentile } from './measurement.ts'
import { clientFrame, openLoadSocket } from './web-socket.ts'

/** Which way messages come in: `send` on the client link, or signed sendMsg. */
export type MessagePath = 'link' | 'api'

/** What the senders do. */
export interface MessageLoad extends Credentials {
  readonly path: MessagePath
  readonly nodes: readonly { readonly link: string; readonly api: string }[]
  /** Sessions of the link, or messages under way at the API, over all nodes. */
  readonly callers: number
  /** Messages that a caller sends before it waits for their answers. */
  readonly burst: number
  readonly seconds: number
}

/**
 * Senders of messages to accounts `r0` … `r99`, in one process that costs little beside the services: frames and
 * requests are made once, but for a number. The argument is a `MessageLoad` as JSON. A session of the link, account
 * `s0`, `s1` …, sends as many frames as the link allows at most. Prints `connected`, `measuring` and `done` events.
 */
const { path, nodes, callers, burst, seconds, appKey, appSecret } = JSON.parse(process.argv[2] ?? '') as MessageLoad
const warmUp = 3000
const receivers = 100
const say = (event: string, more: object = {}): void => console.log(JSON.stringify({ event, ...more }))
const text = JSON.stringify({ msg: 'something that is said in a few words' })

let isCounting = false
let isOver = false
let answered = 0
const waits: number[] = []
const count = (since: number): void => {
  if (!isCounting) return
  answered++
  waits.push(performance.now() - since)
}

/** A session sends a burst, waits for its answers and for what the link allows, and again. */
async function openSession(index: number): Promise<() => Promise<void>> {
  const { link } = nodes[index % nodes.length]!
  // One in twenty less than the limit, as frames may be read closer to each other than they were written.
  const interval = (burst * 10_000) / (linkLimits.framesIn10s * 0.95)
  let answer: () => void = () => undefined
  const socket = await new Promise<Socket>((resolve, reject) => {
    let own: Socket
    let logIn = 0
    openLoadSocket(link, {
      opened(opened) {
        own = opened
        const login = { t: 'login', id: 1, appKey, accid: `s${index}`, token: 'bench', device: 'bench' }
        own.write(clientFrame(JSON.stringify({ ...login, clientType: 'PC' })))
      },
      text(frame) {
        const start = frame.toString('latin1', 0, 12)
        if (start.startsWith('{"t":"error"')) return reject(new Error(frame.toString()))
        if (!start.startsWith('{"t":"ok"')) return
        if (++logIn === 1) own.write(clientFrame(JSON.stringify({ t: 'sync', id: 2, after: Number.MAX_SAFE_INTEGER })))
        else if (logIn === 2) resolve(own)
        else answer()
      },
      failed(error) {
        if (!isOver) reject(error)
      },
    })
  })
  let number = 0
  const frame = (): Buffer => {
    const clientId = `${index}-${number++}`
    const to = `r${(index + number) % receivers}`
    return clientFrame(JSON.stringify({ t: 'send', id: number + 2, scene: 'p2p', to, type: 0, body: text, clientId }))
  }
  return async () => {
    while (!isOver) {
      const begun = performance.now()
      let left = burst
      const { promise, resolve } = Promise.withResolvers<void>()
      answer = () => {
        count(begun)
        if (--left === 0) resolve()
      }
      socket.write(Buffer.concat(Array.from({ length: burst }, frame)))
      await promise
      const rest = interval - (performance.now() - begun)
      if (rest > 0) await pause(rest)
    }
  }
}

/** A connection has so many requests under way, one behind the other. */
async function openConnection(index: number): Promise<() => Promise<void>> {
  const api = new URL(nodes[index % nodes.length]!.api)
  const signed = signedHeaders(
    (value) => hash('sha1', value, 'hex'),
    { appKey, appSecret },
    `bench-${index}`,
    Math.floor(Date.now() / 1000),
  )
  const fields = { from: 's0', ope: '0', to: `r${index % receivers}`, type: '0', body: text }
  const body = new URLSearchParams(fields).toString()
  const head = Object.entries({
    host: api.host,
    ...signed,
    'content-type': 'application/x-www-form-urlencoded;charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  })
  const lines = [
    `POST ${api.pathname}${messages.send.path} HTTP/1.1`,
    ...head.map(([name, value]) => `${name}: ${value}`),
  ]
  const request = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const own = connect(Number(api.port), api.hostname, () => resolve(own))
    own.setNoDelay(true).on('error', reject)
  })
  return () =>
    new Promise((resolve, reject) => {
      const begun: number[] = []
      const send = (): void => {
        for (let number = 0; number < burst; number++) begun.push(performance.now())
        socket.write(Buffer.concat(Array.from({ length: burst }, () => request)))
      }
      let rest = ''
      socket.on('data', (chunk) => {
        rest += chunk.toString('latin1')
        for (;;) {
          const end = rest.indexOf('\r\n\r\n')
          const length = Number(/content-length: (\d+)/i.exec(rest)?.[1])
          if (end < 0 || rest.length < end + 4 + length) return
          const answer = rest.slice(end + 4, end + 4 + length)
          if (!answer.startsWith('{"code":200,')) return reject(new Error(answer))
          rest = rest.slice(end + 4 + length)
          count(begun.shift()!)
          if (begun.length > 0) continue
          if (isOver) return resolve()
          send()
        }
      })
      socket.on('close', () => reject(new Error('a connection was cut')))
      send()
    })
}

const open = path === 'link' ? openSession : openConnection
const total = path === 'link' ? callers : Math.ceil(callers / burst)
const runs: (() => Promise<void>)[] = []
for (let index = 0; index < total; index += 50)
  runs.push(...(await Promise.all(Array.from({ length: Math.min(50, total - index) }, (_, one) => open(index + one)))))
say('connected')
const running = Promise.all(runs.map((run) => run()))
const timed = async (): Promise<void> => {
  await pause(warmUp)
  isCounting = true
  const [cpu, begun] = [process.cpuUsage(), performance.now()]
  say('measuring')
  await pause(seconds * 1000)
  isCounting = false
  const { user, system } = process.cpuUsage(cpu)
  const taken = (performance.now() - begun) / 1000
  say('done', {
    answered,
    seconds: taken,
    cpu: (user + system) / 1e6,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
  })
  isOver = true
}
await Promise.all([timed(), running])
process.exit(0)
