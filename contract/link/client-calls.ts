import { readRefusalReason, type RefusalReason } from '../refusal-reasons.ts'
import type { LinkAnswer, LinkArguments, LinkRequestKind } from './frames.ts'

/** A request that was refused: a code of the service, or 0 when there was no answer because of the connection. */
export class LinkFailure extends Error {
  readonly code: number
  /** Why, where the code does not tell. */
  readonly reason: RefusalReason

  constructor(code: number, sentence: string, reason: RefusalReason = 'other') {
    super(sentence)
    this.name = 'LinkFailure'
    this.code = code
    this.reason = reason
  }
}

/** Requests of one connection and their answers. */
export interface Calls {
  call<K extends LinkRequestKind>(kind: K, members: LinkArguments<K>): Promise<LinkAnswer<K>>
  /** Settles the request that a frame of kind `ok` or `error` answers; others are left alone. */
  answered(frame: { readonly t: string; readonly id?: number }): void
  /** Rejects everything that waits and what comes later. */
  end(failure: LinkFailure): void
}

interface Waiting {
  readonly stop: () => void
  readonly resolve: (answer: never) => void
  readonly reject: (failure: LinkFailure) => void
}

/** Requests that may wait for an answer; the service does not read more at once. */
const maxWaiting = 150

/** Numbers requests of a connection and finds their answers; `lost` is called when one has none within `patience` ms. */
export function createCalls(options: {
  readonly send: (text: string) => void
  readonly later: (ms: number, call: () => void) => () => void
  readonly patience: number
  readonly lost: () => void
}): Calls {
  const { send, later, patience, lost } = options
  const waiting = new Map<number, Waiting>()
  let last = 0
  let ended: LinkFailure | undefined

  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    found?.stop()
    return found
  }
  return {
    call: (kind, members) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended)
        if (waiting.size >= maxWaiting) return reject(new LinkFailure(0, 'too many requests wait for an answer'))
        const id = ++last
        const stop = later(patience, () => {
          settle(id)?.reject(new LinkFailure(0, 'no answer in time'))
          lost()
        })
        waiting.set(id, { stop, resolve, reject })
        send(JSON.stringify({ t: kind, id, ...members }))
      }),
    answered(frame) {
      const found = frame.id === undefined ? undefined : settle(frame.id)
      if (!found) return
      if (frame.t === 'ok') {
        const { t: _t, id: _id, ...answer } = frame
        return found.resolve(answer as never)
      }
      const { code, desc, reason } = frame as {
        readonly code?: number
        readonly desc?: string
        readonly reason?: unknown
      }
      found.reject(new LinkFailure(code ?? 500, desc ?? 'refused', readRefusalReason(reason)))
    },
    end(failure) {
      ended = failure
      for (const id of waiting.keys()) settle(id)?.reject(failure)
    },
  }
}
