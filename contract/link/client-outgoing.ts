import { LinkFailure, type Calls } from './client-calls.ts'
import type { LinkAnswer, LinkArguments } from './frames.ts'

/** Messages being sent, across reconnections. */
export interface Outgoing {
  /** Queues a message; rejects at once when 100 are pending. */
  send(message: Omit<LinkArguments<'send'>, 'resend'>): Promise<LinkAnswer<'send'>>
  /** Whether this message is still unacknowledged. */
  waits(clientId: string): boolean
  /** Sends over a new connection, pending messages first; `own` gets the position of every stored message. */
  attach(calls: Calls, own: (seq: number) => void): void
  /** The connection ended: unacknowledged messages wait for the next one. */
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

/** Makes the queue. Each message has an idempotency key, so that a resent one is stored once. */
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
        // It may have been stored: resend with the same key.
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
