import type { IncomingMessage } from 'node:http'
import type { Clients } from './clients.ts'

/** Header that has the id, in requests of trusted proxies and in every answer. */
export const requestIdHeader = 'x-request-id'

/** What is taken over of a proxy: short, and nothing that a log or a header could read as more than text. */
const givenId = /^[A-Za-z0-9._:/+=-]{1,64}$/

/**
 * Makes ids of requests: that which a trusted proxy gives, else a prefix of the process, then a count. They are in log
 * lines and in every answer.
 */
export function createRequestIds(random: (bytes: number) => Buffer, clients?: Pick<Clients, 'believes'>) {
  const prefix = random(4).toString('hex')
  let count = 0
  return ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
    const given = headers[requestIdHeader]
    if (typeof given === 'string' && clients?.believes(socket) && givenId.test(given)) return given
    return `${prefix}-${(++count).toString(36)}`
  }
}
