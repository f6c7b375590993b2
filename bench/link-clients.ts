import type { Socket } from 'node:net'
import { clientFrame, openLoadSocket } from './web-socket.ts'

/**
 * Many WebSocket clients in one process: `link-clients.ts KIND URL CLIENTS SECONDS APPKEY TEAM`. Ten of them send two messages a second each; the
 * others count pushes, and every twentieth reads how long they took. KIND `ours` logs in first, as `u0`, `u1` and so on; `bare` sends what
 * ours would have pushed. Prints `connected`, `measuring` and `done` events.
 */
const [kind = '', address = '', clients = '1000', seconds = '15', appKey = '', team = ''] = process.argv.slice(2)
const total = Number(clients)
const senders = 10
const perSecond = 20
const warmUp = 4000
const say = (event: string, more: object = {}): void => console.log(JSON.stringify({ event, ...more }))

let counting = false
let pushes = 0
const delays: number[] = []
let acknowledged = 0

const pushed = Buffer.from('{"t":"message"')
const padding = 'x'.repeat(80)
const now = (): number => performance.timeOrigin + performance.now()

function open(index: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let answers = 0
    let socket: Socket
    const isSample = index % 20 === 19
    openLoadSocket(address, {
      opened(own) {
        socket = own
        if (kind === 'bare') return resolve(own)
        own.write(
          clientFrame(
            JSON.stringify({
              t: 'login',
              id: 1,
              appKey,
              accid: `u${index}`,
              token: 'bench',
              device: `d${index}`,
              clientType: 'PC',
            }),
          ),
        )
      },
      text(text) {
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
        if (answers === 1)
          socket.write(clientFrame(JSON.stringify({ t: 'sync', id: 2, after: Number.MAX_SAFE_INTEGER })))
        else if (answers === 2) resolve(socket)
        else acknowledged++
      },
      failed: reject,
    })
  })
}

const sockets: Socket[] = []
for (let index = 0; index < total; index += 50)
  sockets.push(
    ...(await Promise.all(Array.from({ length: Math.min(50, total - index) }, (_, one) => open(index + one)))),
  )
say('connected')

let sent = 0
let next = 3
const send = (): void => {
  const index = sent++ % senders
  const id = next++
  const body = JSON.stringify({ msg: `stamp:${now().toFixed(2)} ${padding}` })
  const clientId = `bench-${id}`
  // The same bytes as ours pushes, which adds seq, at and the sender's name.
  const push = {
    t: 'message',
    scene: 'team',
    from: `u${index}`,
    to: team,
    type: 0,
    body,
    clientId,
    resend: 0,
    fromNick: `user ${index}`,
    fromClientType: 'PC',
  }
  const given = { push: true, badge: true, needPushNick: true, seq: 1_000_000, at: Math.floor(now()) }
  const request = { t: 'send', id, scene: 'team', to: team, type: 0, body, clientId }
  sockets[index]!.write(clientFrame(JSON.stringify(kind === 'bare' ? { ...push, ...given } : request)))
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
      const result = {
        pushes,
        seconds: taken,
        sent: sent - sentBefore,
        acknowledged: acknowledged - acknowledgedBefore,
      }
      delays.sort((a, b) => a - b)
      say('done', {
        ...result,
        p50: delays[Math.floor(delays.length / 2)],
        p99: delays[Math.floor(delays.length * 0.99)],
      })
      clearInterval(timer)
      process.exit(0)
    },
    Number(seconds) * 1000,
  )
}, warmUp)
