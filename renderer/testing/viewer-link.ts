import { onTestFinished, vi } from 'vitest'
import type { LinkAnswer, LinkPush, LinkRequestKind } from '../../contract/link/frames.ts'

/** A request as the service gets it. */
export interface LinkRequest {
  readonly t: LinkRequestKind
  readonly id: number
  readonly [member: string]: unknown
}

/** An answer that refuses. */
export interface Refusal {
  readonly refused: number
}

type LinkAnswers = {
  [K in LinkRequestKind]?: (request: LinkRequest) => LinkAnswer<K> | Refusal | Promise<LinkAnswer<K> | Refusal>
}

/** What one is told on entering a room; `change` has what differs. */
export const entry = (change: Partial<LinkAnswer<'roomEnter'>> = {}): LinkAnswer<'roomEnter'> => ({
  room: {
    roomid: 7,
    name: 'Room',
    announcement: '',
    broadcasturl: '',
    ext: '',
    creator: 'host',
    muted: false,
    slow: 0,
  },
  type: 3,
  mutedFor: 0,
  nick: 'Robin',
  online: 1,
  lines: [],
  more: false,
  ...change,
})

/** A line of the room 7. */
export const roomLine = (msgid: number, attach: string, change: Partial<LinkPush<'roomMessage'>> = {}) => ({
  roomid: 7,
  msgid: String(msgid),
  at: msgid,
  from: 'kestrel',
  fromNick: 'Kestrel',
  fromClientType: 'WEB',
  type: 0,
  attach,
  ...change,
})

/** A notice as a line of the room 7. */
export const roomNotice = (msgid: number, id: number, data: Readonly<Record<string, unknown>> = {}) =>
  roomLine(msgid, JSON.stringify({ id, data }), { type: 5 })

/** The client link of a service in memory, which every WebSocket of the page reaches. It ends with the test. */
export function viewerLink(answers: LinkAnswers = {}) {
  const requests: LinkRequest[] = []
  const urls: string[] = []
  let open: LinkSocketDouble[] = []
  const all: LinkAnswers = {
    login: ({ accid }) => ({
      accid: String(accid),
      time: 0,
      seq: 0,
      unread: 0,
      donnop: false,
      others: [],
    }),
    sync: () => ({ events: [], seq: 0, more: false }),
    roomEnter: () => entry(),
    roomMembers: () => ({ members: [] }),
    logout: () => ({}),
    ...answers,
  }

  class LinkSocketDouble extends EventTarget {
    private isOver = false

    constructor(url: string) {
      super()
      urls.push(url)
      queueMicrotask(() => {
        open = [...open, this]
        this.dispatchEvent(new Event('open'))
      })
    }
    send(text: string): void {
      const request = JSON.parse(text) as LinkRequest
      requests.push(request)
      const answer = all[request.t] as ((request: LinkRequest) => object | Promise<object>) | undefined
      Promise.resolve(answer?.(request) ?? {}).then(
        (given) =>
          this.tell(
            'refused' in given
              ? { t: 'error', id: request.id, code: given.refused, desc: 'refused by the test' }
              : { t: 'ok', id: request.id, ...given },
          ),
        () => undefined,
      )
    }
    tell(frame: object): void {
      if (!this.isOver) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
    }
    close(code = 1000): void {
      if (this.isOver) return
      this.isOver = true
      open = open.filter((each) => each !== this)
      this.dispatchEvent(new CloseEvent('close', { code }))
    }
  }
  const { WebSocket } = globalThis
  vi.stubGlobal('WebSocket', LinkSocketDouble)
  onTestFinished(() => {
    vi.stubGlobal('WebSocket', WebSocket)
  })

  return {
    urls,
    /** Requests of one kind, without their numbers. */
    asked: (kind: LinkRequestKind) =>
      requests
        .filter(({ t }) => t === kind)
        .map((request) =>
          Object.fromEntries(Object.entries(request).filter(([name]) => name !== 't' && name !== 'id')),
        ),
    answer: (next: LinkAnswers): void => {
      Object.assign(all, next)
    },
    push: (push: object): void => {
      for (const socket of open) socket.tell(push)
    },
    /** Ends the connections with a close code of the service. */
    drop: (code: number): void => {
      for (const socket of open) socket.close(code)
    },
    get connected() {
      return open.length
    },
  }
}
