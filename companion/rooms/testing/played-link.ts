import type { OpenLinkSocket } from '../../../contract/link/client.ts'

/** A frame of a client. */
export interface SentFrame {
  readonly t: string
  readonly id: number
  readonly [member: string]: unknown
}

/** A connection whose other end a test plays. */
interface PlayedSocket {
  readonly url: string
  /** Frames of the client, except logout. */
  readonly sent: SentFrame[]
  isClosed: boolean
  push(frame: object): void
  /** Answers a frame that was left without an answer. */
  answer(frame: SentFrame, members: object): void
  drop(code: number): void
}

/** Members of an answer; with `code` a refusal, undefined for none yet. */
type Answers = (frame: SentFrame) => object | undefined

/** Sockets of the link. Log-in and sync are answered unless `answers` does; anything else is answered by it. */
export function playedLink(answers: Answers = () => undefined) {
  const sockets: PlayedSocket[] = []
  const usual: Readonly<Record<string, object>> = {
    login: { accid: '', time: 0, seq: 0, unread: 0, donnop: false, others: [] },
    sync: { events: [], seq: 0, more: false },
  }
  const open: OpenLinkSocket = (url, events) => {
    const push = (frame: object): void => events.text(JSON.stringify(frame))
    const answer = ({ id }: SentFrame, members: object): void =>
      push({ t: 'code' in members ? 'error' : 'ok', id, ...members })
    const socket: PlayedSocket = {
      url,
      sent: [],
      isClosed: false,
      push,
      answer,
      drop: (code) => events.closed(code),
    }
    sockets.push(socket)
    queueMicrotask(() => events.opened())
    return {
      send: (text) => {
        const frame = JSON.parse(text) as SentFrame
        if (frame.t === 'logout') return
        socket.sent.push(frame)
        const members = answers(frame) ?? usual[frame.t]
        if (members) queueMicrotask(() => answer(frame, members))
      },
      close: () => (socket.isClosed = true),
    }
  }
  return { open, sockets, last: (): PlayedSocket => sockets.at(-1)! }
}
