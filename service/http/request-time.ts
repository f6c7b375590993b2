import type { Clock } from '../../platform/clock.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TimeAccount, TimeBudget } from './time-budget.ts'

/** Longest delay of a request, in ms; beyond it the request is refused at once. */
const maxWait = 2000
/** Delayed requests per account; further ones are refused. */
const maxWaiting = 32

/** Budget of a listener's requests. */
export interface ListenerTime {
  readonly budget: TimeBudget
  readonly clock: Clock
  /** Unsigned requests also use the account of all strangers. */
  readonly isUnsigned?: boolean
}

/** Measures requests from other computers and delays those of an address or application that has used its time. */
export type RequestTime = ReturnType<typeof createRequestTime>

declare module 'fastify' {
  interface FastifyRequest {
    /** Accounts charged; undefined for this computer. */
    accounts: TimeAccount[] | undefined
  }
}

/** Makes the measurement of a listener; call before its routes are made. */
export function createRequestTime(app: FastifyInstance, { budget, clock, isUnsigned = false }: ListenerTime) {
  const waiting = new WeakMap<TimeAccount, number>()
  app.decorateRequest('accounts', undefined)
  // After a body the handler runs in a later turn than the hooks.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      return request.accounts
        ? budget.charged(request.accounts, () => handler.call(this, request, reply))
        : handler.call(this, request, reply)
    }
  })

  return {
    ofAddress: ({ client }: FastifyRequest): TimeAccount | undefined =>
      isUnsigned ? budget.ofStranger(client.subnet) : budget.ofAddress(client.subnet),
    ofApplication: ({ accounts }: FastifyRequest, uid: number): TimeAccount | undefined =>
      accounts ? budget.ofApplication(uid) : undefined,
    /** Also charges `account`; calls `go` when it has time left, or `refused` with the seconds to wait. */
    pass(request: FastifyRequest, account: TimeAccount, go: () => void, refused: (seconds: number) => void) {
      const accounts = (request.accounts ??= [])
      accounts.push(account)
      const until = (left: number): void => {
        const wait = account.wait()
        if (wait === 0) return budget.charged(accounts, go)
        const others = waiting.get(account) ?? 0
        if (wait > left || others >= maxWaiting) return refused(Math.ceil(wait / 1000))
        waiting.set(account, others + 1)
        clock.after(wait, () => {
          waiting.set(account, waiting.get(account)! - 1)
          // Nobody waits for the answer.
          if (!request.socket.destroyed) until(left - wait)
        })
      }
      until(maxWait)
    },
  }
}
