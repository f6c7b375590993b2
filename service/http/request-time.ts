import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TimeAccount, TimeBudget } from './time-budget.ts'

/** Longest time that a request waits for the time of its address or application, in ms; a longer wait is refused at once. */
const maxWait = 2000
/** Requests that wait for one account; another one is refused. */
const maxWaiting = 32

/** Whose time requests of a listener take. */
export interface ListenerTime {
  readonly budget: TimeBudget
  /** Calls once after ms. */
  readonly after: (ms: number, call: () => void) => () => void
  /** Whether nobody signs them: they take of the account of all strangers too. */
  readonly isUnsigned?: boolean
}

/** Counts what requests of other computers take, and makes them wait where an address or an application has taken its time. */
export interface RequestTime {
  /**
   * Charges a request to an account as well from here on, and calls `go` once that account has time left: at once, or after some ms.
   * `refused` is called instead, with the seconds until it makes sense to come again, when that would be too long or too many wait.
   */
  pass(request: FastifyRequest, account: TimeAccount, go: () => void, refused: (seconds: number) => void): void
  /** The account of an application for this request; undefined when it comes from this computer. */
  ofApplication(request: FastifyRequest, uid: number): TimeAccount | undefined
  /** The account of the address that a request comes from, with that of all strangers where nobody signs; undefined for this computer. */
  ofAddress(request: FastifyRequest): TimeAccount | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose time it takes; undefined for requests of this computer. */
    accounts: TimeAccount[] | undefined
  }
}

/** The times of requests of one listener; called before its routes are made, whose handlers it charges. */
export function createRequestTime(
  app: FastifyInstance,
  { budget, after, isUnsigned = false }: ListenerTime,
): RequestTime {
  const waiting = new WeakMap<TimeAccount, number>()
  app.decorateRequest('accounts', undefined)
  // A handler runs in a later turn than the hooks before it when a body had to come.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      return request.accounts
        ? budget.charged(request.accounts, () => handler.call(this, request, reply))
        : handler.call(this, request, reply)
    }
  })

  return {
    ofAddress: ({ client }) => (isUnsigned ? budget.ofStranger(client.subnet) : budget.ofAddress(client.subnet)),
    ofApplication: ({ accounts }, uid) => (accounts ? budget.ofApplication(uid) : undefined),
    pass(request, account, go, refused) {
      const accounts = (request.accounts ??= [])
      accounts.push(account)
      const until = (left: number): void => {
        const wait = account.wait()
        if (wait === 0) return budget.charged(accounts, go)
        const others = waiting.get(account) ?? 0
        if (wait > left || others >= maxWaiting) return refused(Math.ceil(wait / 1000))
        waiting.set(account, others + 1)
        after(wait, () => {
          waiting.set(account, waiting.get(account)! - 1)
          // Nobody waits for the answer any more.
          if (!request.socket.destroyed) until(left - wait)
        })
      }
      until(maxWait)
    },
  }
}
