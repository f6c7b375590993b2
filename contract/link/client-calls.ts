import { readRefusalReason, type RefusalReason } from '../catalogue/refusal-reasons.ts'
import type { LinkAnswer, LinkArguments, LinkRequestKind } from './frames.ts'

/** Code of a failure whose answer came, but is not as the contract has it. */
export const wrongAnswer = -1

/** A refused request: a code of the service, 0 for no answer because of the connection, or `wrongAnswer`. */
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

/** Pending requests of a connection. */
export interface Calls {
  call<K extends LinkRequestKind>(kind: K, members: LinkArguments<K>): Promise<LinkAnswer<K>>
  /** Settles the request of an `ok` or `error` frame; ignores others. */
  answered(frame: { readonly t: string; readonly id?: number }): void
  /** Rejects all pending and later requests. */
  end(failure: LinkFailure): void
}

interface Waiting {
  readonly kind: LinkRequestKind
  readonly stop: () => void
  readonly resolve: (answer: never) => void
  readonly reject: (failure: LinkFailure) => void
}

/** Pending requests; the service reads no more at once. */
const maxWaiting = 150
/** Characters that are kept of a refusal's sentence. */
const longestSentence = 500

/** Matches requests and answers by number; `lost` is called when one has no answer within `patience` ms. */
export function createCalls(options: {
  readonly send: (text: string) => void
  readonly later: (ms: number, call: () => void) => () => void
  readonly patience: number
  readonly lost: () => void
  /** Why an answer is not as the contract has it. */
  readonly faultOf: (kind: LinkRequestKind, answer: object) => string | undefined
}): Calls {
  const { send, later, patience, lost, faultOf } = options
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
        waiting.set(id, { kind, stop, resolve, reject })
        send(JSON.stringify({ t: kind, id, ...members }))
      }),
    answered(frame) {
      const found = frame.id === undefined ? undefined : settle(frame.id)
      if (!found) return
      if (frame.t === 'ok') {
        const { t: _t, id: _id, ...answer } = frame
        const fault = faultOf(found.kind, answer)
        if (fault !== undefined) return found.reject(new LinkFailure(wrongAnswer, fault))
        return found.resolve(answer as never)
      }
      const { code, desc, reason } = frame as {
        readonly code?: unknown
        readonly desc?: unknown
        readonly reason?: unknown
      }
      found.reject(
        new LinkFailure(
          typeof code === 'number' ? code : 500,
          typeof desc === 'string' ? desc.slice(0, longestSentence) : 'refused',
          readRefusalReason(reason),
        ),
      )
    },
    end(failure) {
      ended = failure
      for (const id of waiting.keys()) settle(id)?.reject(failure)
    },
  }
}
