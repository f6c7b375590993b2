import { createLinkClient, type LinkClient, type LinkState, type OpenLinkSocket } from '../../contract/link/client.ts'
import { linkClose, type LinkAnswer, type LinkPush } from '../../contract/link/frames.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { later } from '../data/timer.ts'
import type { Person } from './people.ts'
import { root } from './place.ts'
import { randomId } from './random-id.ts'

/** Why one is outside the room, temporarily or for good; `barred`: an account that is blocked, or none gets in. */
export type Outside = 'connecting' | 'reconnecting' | 'refused' | 'barred' | 'ended' | 'elsewhere' | 'closed' | 'banned'

/** Called on changes of a visit. */
export interface VisitEvents {
  /** Called again after each reconnection. */
  entered(answer: LinkAnswer<'roomEnter'>): void
  outside(why: Outside): void
  push(push: LinkPush): void
  moderators(accids: readonly string[]): void
}

/** What one person does in one room, over one session at a time. */
export type Visit = ReturnType<typeof beginVisit>

const maxLines = 50
/** Pushes that wait while those are read; the oldest are dropped. */
const maxPushes = 300

/** In ms, doubled each time: the end of a blacklisting is not reported. */
const bannedFor = { first: 2_500, most: 20_000 }

/** Code of a log-in that is refused whatever its token is: others on the network could read it, or it is blocked. */
const barred = 403

/** For good, or until the blacklisting is lifted. */
const refusals: Readonly<Record<number, Outside>> = { 13002: 'closed', 13003: 'banned' }

const open: OpenLinkSocket = (url, events) => {
  const socket = new WebSocket(url)
  socket.addEventListener('open', () => events.opened())
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') events.text(data)
  })
  socket.addEventListener('close', ({ code }) => events.closed(code))
  return { send: (text) => socket.send(text), close: () => socket.close() }
}

/** Re-enters after failures. The token is used for the log-in only. */
export function beginVisit(options: {
  readonly person: Person
  readonly link: string
  readonly appKey: string
  readonly roomid: number
  readonly nick: string | undefined
  readonly events: VisitEvents
}) {
  const { person, link, appKey, roomid, events } = options
  let { nick } = options
  let isLeft = false
  /** Counts entries, to ignore answers to earlier ones. */
  let entries = 0
  let waiting: LinkPush[] | undefined
  const device = randomId()

  let stopAsking: (() => void) | undefined
  let askIn = bannedFor.first
  const askAgain = (): void => {
    stopAsking?.()
    const wait = askIn
    askIn = Math.min(askIn * 2, bannedFor.most)
    stopAsking = later(wait, () => {
      if (!isLeft && client.state.at === 'online') enter()
    })
  }
  const failed = (error: unknown): void => {
    const outside = error instanceof LinkFailure ? refusals[error.code] : undefined
    if (isLeft) return
    if (outside === 'banned') {
      events.outside('banned')
      askAgain()
    } else if (outside) {
      isLeft = true
      events.outside(outside)
      client.close()
    } else events.outside('ended')
  }
  const readModerators = (): void => {
    client.request('roomMembers', { roomid, type: 0, limit: 100 }).then(
      ({ members }) => events.moderators(members.flatMap(({ accid, type }) => (type === 2 ? [accid] : []))),
      () => undefined,
    )
  }
  /** Reads more lines if an answer was cut short because of its size. */
  const readFurther = async ({
    lines,
    more,
  }: LinkAnswer<'roomHistory'>): Promise<LinkAnswer<'roomHistory'>['lines']> => {
    const read = [...lines]
    try {
      for (let isMore = more; isMore && read.length > 0 && read.length < maxLines && !isLeft;) {
        const part = await client.request('roomHistory', {
          roomid,
          before: Number(read.at(-1)!.msgid),
          limit: maxLines - read.length,
          notices: true,
        })
        read.push(...part.lines)
        isMore = part.more && part.lines.length > 0
      }
    } catch (error) {
      // Disconnected or outside: the next entry reads them again.
      if (!(error instanceof LinkFailure)) throw error
    }
    return read
  }
  const stopReading = (): void => {
    entries += 1
    waiting = undefined
  }
  const enter = (): void => {
    const entry = (entries += 1)
    client
      .request('roomEnter', { roomid, lines: maxLines, notices: true, held: true, ...(nick !== undefined && { nick }) })
      .then(async (answer) => {
        if (isLeft || entry !== entries) return
        if (nick !== undefined && answer.nick !== '') nick = answer.nick
        // Pushes that arrive meanwhile are shown below these lines.
        waiting ??= []
        const lines = await readFurther(answer)
        if (isLeft || entry !== entries) return
        const came = waiting
        waiting = undefined
        askIn = bannedFor.first
        events.entered({ ...answer, lines })
        for (const push of came) events.push(push)
        readModerators()
      }, failed)
  }
  const changed = (state: LinkState): void => {
    if (isLeft) return
    if (state.at === 'online') return enter()
    stopReading()
    if (state.at === 'waiting') return events.outside('reconnecting')
    if (state.at !== 'out') return
    isLeft = true
    const refused = state.refusal === barred ? 'barred' : 'refused'
    events.outside(state.code === linkClose.login ? refused : state.reason === 'elsewhere' ? 'elsewhere' : 'ended')
  }
  events.outside('connecting')
  const client: LinkClient = createLinkClient({
    url: link.startsWith('/')
      ? `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${root}${link}`
      : link,
    credentials: () => ({ appKey, accid: person.accid, token: person.token, device, clientType: 'WEB' }),
    open,
    later,
    random: Math.random,
    onPush(push) {
      if (isLeft) return
      if (push.t === 'roomOut') stopReading()
      if (push.t === 'roomOut' && push.reason === 'blacklisted') askAgain()
      if (!waiting) return events.push(push)
      waiting.push(push)
      if (waiting.length > maxPushes) waiting.shift()
    },
    // The first state comes before `client` is assigned.
    onState: (state) => queueMicrotask(() => changed(state)),
  })

  return {
    person,
    send: (text: string): Promise<LinkAnswer<'roomSend'>> =>
      client.request('roomSend', { roomid, type: 0, attach: text, clientId: randomId() }),
    rename(next: string): void {
      nick = next
      if (client.state.at === 'online') enter()
    },
    /** By another tab: the next entry, as after a break, does not take the name back. */
    renamed(next: string): void {
      if (nick !== undefined) nick = next
    },
    readModerators,
    awake: (): void => client.awake(),
    leave(): void {
      isLeft = true
      stopAsking?.()
      client.close()
    },
  }
}
