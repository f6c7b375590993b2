import { WebSocket } from 'ws'
import { speakingLimits } from '../../contract/link/rooms.ts'
import type { ServiceReady } from '../../contract/service-process.ts'

/** Accounts that speak in a room over the link, as a program of somebody else would; what they are told is not read. */
export interface Speakers {
  /** Lines that were acknowledged so far. */
  readonly said: () => number
  /** Says so many lines at so many a second, in turn; resolves when the last is acknowledged. Rejects when a line was refused. */
  say(lines: number, perSecond: number): Promise<void>
  close(): void
}

/** What the service takes of one account: more of them speak where more is wanted. */
const each = speakingLimits.account.lines
/** Words of lines, from short to some that break into several rows. */
const words = [
  'hello',
  '晚上好，今天的灯光很好看',
  'what is the name of this track?',
  '🎉🎉🎉',
  'the picture stands still here, is it only me? '.repeat(3),
]

const open = (
  service: ServiceReady,
  accid: string,
  token: string,
  roomid: number,
  told: (frame: string) => void,
): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(service.linkUrl)
    const steps = [
      { t: 'login', id: 1, appKey: service.appKey, accid, token, device: 'soak', clientType: 'PC' },
      { t: 'roomEnter', id: 2, roomid, lines: 0 },
    ]
    const next = (): void => {
      const step = steps.shift()
      if (step) socket.send(JSON.stringify(step))
      else resolve(socket)
    }
    socket.on('open', next)
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`${accid} was cut with ${code}`)))
    socket.on('message', (data) => {
      const text = (data as Buffer).toString('latin1', 0, 40)
      if (text.startsWith('{"t":"roomMessage"')) return
      if (text.startsWith('{"t":"error"')) reject(new Error((data as Buffer).toString()))
      if (
        socket.readyState === WebSocket.OPEN &&
        text.startsWith('{"t":"ok"') &&
        Number(/"id":(\d+)/.exec(text)?.[1]) <= 2
      )
        return next()
      told(text)
    })
  })

/** Signs speakers in and has them enter: as many as are needed for a rate in lines a second. */
export async function openSpeakers(
  service: ServiceReady,
  accounts: readonly { readonly accid: string; readonly token: string }[],
  roomid: number,
): Promise<Speakers> {
  let [said, refused, count] = [0, '', 0]
  const sockets: WebSocket[] = []
  for (const { accid, token } of accounts)
    sockets.push(
      await open(service, accid, token, roomid, (frame) => {
        if (frame.startsWith('{"t":"ok"')) said++
        else if (frame.startsWith('{"t":"error"')) refused = frame
      }),
    )
  return {
    said: () => said,
    async say(lines, perSecond) {
      if (perSecond > sockets.length * each.perSecond && lines > sockets.length * each.atOnce)
        throw new Error(`${sockets.length} speakers cannot say ${lines} lines at ${perSecond} a second`)
      const [begun, before] = [performance.now(), said]
      for (let sent = 0; said - before < lines; await new Promise((resolve) => setTimeout(resolve, 10))) {
        if (refused !== '') throw new Error(refused)
        for (const due = Math.min(lines, ((performance.now() - begun) / 1000) * perSecond); sent < due; sent++) {
          const id = ++count + 2
          const attach = `${id} ${words[id % words.length]!}`
          sockets[id % sockets.length]!.send(
            JSON.stringify({ t: 'roomSend', id, roomid, type: 0, attach, clientId: `soak-${id}` }),
          )
        }
      }
    },
    close() {
      for (const socket of sockets) socket.removeAllListeners('close').terminate()
    },
  }
}
