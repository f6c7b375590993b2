import { createLinkClient, type LinkClient, type LinkState, type OpenLinkSocket } from '../../contract/link/client.ts'
import { linkClose, type LinkAnswer, type LinkPush } from '../../contract/link/frames.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { later } from '../data/timer.ts'
import type { Person } from './people.ts'
import { root } from './place.ts'

/** Why one is not in the room: for a while, or for good. */
export type Outside = 'connecting' | 'reconnecting' | 'refused' | 'ended' | 'elsewhere' | 'closed' | 'banned'

/** What a seat tells the chat. */
export interface SeatEvents {
  /** In the room, anew after every break. */
  entered(answer: LinkAnswer<'roomEnter'>): void
  outside(why: Outside): void
  push(push: LinkPush): void
  /** Accounts that lead the room besides its creator. */
  moderators(accids: readonly string[]): void
}

/** One person's place in one room. */
export type Seat = ReturnType<typeof takeSeat>

/** Lines that are read on entering. */
const maxLines = 50
/** Pushes that wait while those are read; the oldest go first. */
const maxPushes = 300

/** Pauses in ms after which a blacklisted person tries to enter again, doubled each time: nobody tells them that it was lifted. */
const bannedFor = { first: 2_500, most: 20_000 }

/** Answers to `roomEnter` after which one is out: for good, or until the blacklisting is lifted. */
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
const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')

/** Takes a seat and comes back to it by itself. The token goes into the log-in frame and nowhere else. */
export function takeSeat(options: {
  readonly person: Person
  /** Where the link is, as the state of the channel names it. */
  readonly link: string
  readonly appKey: string
  readonly roomid: number
  readonly nick: string | undefined
  readonly events: SeatEvents
}) {
  const { person, link, appKey, roomid, events } = options
  let { nick } = options
  let isLeft = false
  /** Entries so far: only the last one is shown. */
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
  /** Lines before those of an answer that was cut because they were long, until there are as many as were asked for. */
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
      // The link broke, or the room was left: the next entry reads them. What is here is shown.
      if (!(error instanceof LinkFailure)) throw error
    }
    return read
  }
  /** Whatever is being read on entering comes too late. */
  const stopReading = (): void => {
    entries += 1
    waiting = undefined
  }
  const enter = (): void => {
    const entry = (entries += 1)
    client
      .request('roomEnter', { roomid, lines: maxLines, notices: true, ...(nick !== undefined && { nick }) })
      .then(async (answer) => {
        if (isLeft || entry !== entries) return
        if (nick !== undefined && answer.nick !== '') nick = answer.nick
        // What comes meanwhile stands below what was said before.
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
    events.outside(state.code === linkClose.login ? 'refused' : state.reason === 'elsewhere' ? 'elsewhere' : 'ended')
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
    // The first state comes before the client is there.
    onState: (state) => queueMicrotask(() => changed(state)),
  })

  return {
    person,
    /** Rejects with `LinkFailure`. */
    send: (text: string): Promise<LinkAnswer<'roomSend'>> =>
      client.request('roomSend', { roomid, type: 0, attach: text, clientId: randomId() }),
    rename(next: string): void {
      nick = next
      if (client.state.at === 'online') enter()
    },
    readModerators,
    leave(): void {
      isLeft = true
      stopAsking?.()
      client.close()
    },
  }
}
