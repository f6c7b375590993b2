import { LinkFailure, type Calls } from './client-calls.ts'
import type { LinkAnswer, LinkArguments } from './frames.ts'

/** Messages on their way, over any number of connections. */
export interface Outgoing {
  /** Puts a message in; rejects at once when 100 wait. */
  send(message: Omit<LinkArguments<'send'>, 'resend'>): Promise<LinkAnswer<'send'>>
  /** Whether a message with this id still waits for its acknowledgement. */
  waits(clientId: string): boolean
  /** Sends over a connection from now on, first what waits; `own` learns the place of every message that is stored. */
  attach(calls: Calls, own: (seq: number) => void): void
  /** The connection is gone: what was not acknowledged waits for the next one. */
  dropped(): void
  /** Rejects everything. */
  end(failure: LinkFailure): void
}

interface Entry {
  readonly message: Omit<LinkArguments<'send'>, 'resend'>
  wasSent: boolean
  isUnderWay: boolean
  readonly resolve: (answer: LinkAnswer<'send'>) => void
  readonly reject: (failure: LinkFailure) => void
}

const maxWaiting = 100

/** Makes the queue. Each message has an id of the client's own, so that the service takes one that is sent again only once. */
export function createOutgoing(random: () => number): Outgoing {
  const entries = new Set<Entry>()
  let over: { readonly calls: Calls; readonly own: (seq: number) => void } | undefined
  const newId = (): string =>
    Array.from({ length: 4 }, () => Math.floor(random() * 0x1_0000_0000).toString(36)).join('')

  const transmit = (entry: Entry, { calls, own }: NonNullable<typeof over>): void => {
    entry.isUnderWay = true
    const again = entry.wasSent
    entry.wasSent = true
    calls.call('send', { ...entry.message, ...(again && { resend: 1 }) }).then(
      (answer) => {
        own(answer.msgid)
        entries.delete(entry)
        entry.resolve(answer)
      },
      (failure: LinkFailure) => {
        // Without an answer nobody knows whether it was stored: it goes again with the same id.
        if (failure.code === 0) return
        entries.delete(entry)
        entry.reject(failure)
      },
    )
  }
  const pump = (): void => {
    if (over) for (const entry of entries) if (!entry.isUnderWay) transmit(entry, over)
  }

  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (entries.size >= maxWaiting) return reject(new LinkFailure(0, 'too many messages wait to be sent'))
        entries.add({
          message: { ...message, clientId: message.clientId ?? newId() },
          wasSent: false,
          isUnderWay: false,
          resolve,
          reject,
        })
        pump()
      }),
    waits: (clientId) => [...entries].some(({ message }) => message.clientId === clientId),
    attach(calls, own) {
      over = { calls, own }
      pump()
    },
    dropped() {
      over = undefined
      for (const entry of entries) entry.isUnderWay = false
    },
    end(failure) {
      over = undefined
      for (const entry of entries) entry.reject(failure)
      entries.clear()
    },
  }
}
