import { Agent, get } from 'node:http'
import { setTimeout as later } from 'node:timers/promises'
import { loopback, makeGuest, openLink, type Target } from './attack.ts'

/** Somebody honest who watches. */
export interface HonestViewer {
  readonly kind: 'HTTP-FLV' | 'HLS' | 'newcomer' | 'guest'
  /** The longest time in ms for which the picture stood, a wait that goes on now included; of a guest nothing. */
  readonly stood: () => number
  /** Why it sees nothing any more. */
  readonly fault: () => string | undefined
  /** Texts of the room that it was told. */
  readonly told: readonly string[]
}

/** A reader of HTTP-FLV: media is to come all the time. */
function watchFlv({ service, cid }: Target, from: string, over: AbortSignal): HonestViewer {
  let [longest, fault] = [0, '']
  let last: number | undefined
  const came = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - (last ?? now))
    last = now
  }
  const failed = (why: string): void => void (over.aborted || (fault ||= why))
  const asked = get(
    `${service.mediaUrl}/live/${cid}.flv`,
    { localAddress: from, agent: false, signal: over },
    (answer) => {
      if (answer.statusCode !== 200) failed(`HTTP ${answer.statusCode}`)
      answer.on('data', came)
      answer.on('error', () => failed('cut'))
      answer.on('close', () => failed('ended'))
    },
  )
  asked.on('error', ({ message }) => failed(message))
  const stood = (): number => Math.max(longest, last === undefined ? 0 : performance.now() - last)
  return { kind: 'HTTP-FLV', stood, fault: () => fault || (last === undefined ? 'no media' : undefined), told: [] }
}

const read = (url: string, from: string, agent: Agent | false): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { localAddress: from, agent, signal: AbortSignal.timeout(10_000) }, (answer) => {
      let text = ''
      answer.setEncoding('latin1').on('data', (part: string) => (text += part))
      answer.on('error', reject)
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`HTTP ${answer.statusCode}`)),
      )
    })
    asked.on('error', reject)
  })

/**
 * A reader of HLS: plays what it has fetched, from three segments on, and stands when it has none; asks again after a failure. It keeps its connection
 * as browsers and players do. A newcomer connects for each read, and so waits behind whatever else wants to be let in.
 */
function watchHls(kind: 'HLS' | 'newcomer', { service, cid }: Target, from: string, over: AbortSignal): HonestViewer {
  const agent = kind === 'HLS' && new Agent({ keepAlive: true, maxSockets: 1 })
  const list = `${service.mediaUrl}/live/${cid}/playlist.m3u8`
  const known = new Set<string>()
  let [longest, fault, fetched] = [0, '', 0]
  /** When the media that was fetched ends, by the clock of this process. */
  let ends: number | undefined
  const had = (seconds: number): void => {
    const now = performance.now()
    fetched += 1
    if (ends !== undefined && now > ends) {
      longest = Math.max(longest, now - ends)
      ends = now
    }
    if (fetched >= 3) ends = (ends ?? now + 2 * seconds * 1000) + seconds * 1000
  }
  const follow = async (): Promise<void> => {
    while (!over.aborted) {
      try {
        const lines = (await read(list, from, agent)).split('\n')
        for (const [index, line] of lines.entries()) {
          if (!line || line.startsWith('#') || known.has(line) || over.aborted) continue
          await read(new URL(line, list).href, from, agent)
          known.add(line)
          had(Number(/#EXTINF:([\d.]+)/.exec(lines[index - 1] ?? '')?.[1]))
        }
        fault = ''
      } catch (error) {
        fault = (error as Error).message
      }
      await later(500)
    }
    if (agent) agent.destroy()
  }
  follow().catch((error: unknown) => (fault = String(error)))
  const stood = (): number => Math.max(longest, ends === undefined ? 0 : performance.now() - ends)
  return { kind, stood, fault: () => (ends === undefined ? fault || 'never three segments' : undefined), told: [] }
}

/** A guest in the room. */
async function visit(target: Target, from: string, over: AbortSignal): Promise<HonestViewer> {
  const told: string[] = []
  let fault = ''
  const guest = await makeGuest(target, from)
  const socket =
    typeof guest === 'object' ? await openLink(target, guest, from, (frame) => told.push(frame)) : undefined
  if (socket) {
    socket.once('close', (code) => void (over.aborted || (fault = `cut with ${code}`)))
    over.addEventListener('abort', () => socket.terminate(), { once: true })
    socket.send(JSON.stringify({ t: 'roomEnter', id: 2, roomid: target.roomid, lines: 0 }))
  } else fault = `not let in: ${typeof guest === 'object' ? 'log-in' : guest}`
  return { kind: 'guest', stood: () => 0, fault: () => fault || undefined, told }
}

/** Viewers from addresses of their own: so many of each kind. They go when it is over. */
export async function openViewers(
  target: Target,
  numbers: Readonly<Record<'flv' | 'hls' | 'newcomers' | 'guests', number>>,
  over: AbortSignal,
): Promise<readonly HonestViewer[]> {
  const from = (range: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => loopback(range, index))
  const guests: HonestViewer[] = []
  for (const address of from(22, numbers.guests)) guests.push(await visit(target, address, over))
  return [
    ...from(20, numbers.flv).map((address) => watchFlv(target, address, over)),
    ...from(21, numbers.hls).map((address) => watchHls('HLS', target, address, over)),
    ...from(24, numbers.newcomers).map((address) => watchHls('newcomer', target, address, over)),
    ...guests,
  ]
}
