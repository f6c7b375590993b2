import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { deliveredStatus } from '../../contract/callbacks/recording.ts'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { Admitted } from './address-guard.ts'

/** How one attempt ended. */
export interface Attempt {
  readonly delivered: boolean
  /** Without secrets and without anything that the receiver wrote. */
  readonly result: ReasonOf<'delivery'>
}

/** What one attempt sends, and where. */
export interface DeliveryRequest {
  readonly target: Admitted
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Ends the attempt: its deadline, or the service closing. */
  readonly signal: AbortSignal
  /** Keeps connections to the target open; without one a connection is made and ended. */
  readonly agent?: Agent | false
  /** Certificate authorities beside the system's; tests have their own. */
  readonly ca?: string | undefined
}

/** Bytes of the reply that are read: enough for an honest one to end, and no more. */
const replyLimit = 4096
/** Bytes of the reply's headers. */
const headerLimit = 8192

const refusals: Readonly<Record<string, ReasonOf<'delivery'>>> = {
  ECONNREFUSED: reasonOf('delivery', 'refused'),
  ECONNRESET: reasonOf('delivery', 'ended'),
  EPIPE: reasonOf('delivery', 'ended'),
  EHOSTUNREACH: reasonOf('delivery', 'hostUnreachable'),
  ENETUNREACH: reasonOf('delivery', 'networkUnreachable'),
  ETIMEDOUT: reasonOf('delivery', 'timedOut'),
  HPE_HEADER_OVERFLOW: reasonOf('delivery', 'headers'),
}

function failureOf(error: unknown): ReasonOf<'delivery'> {
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') return reasonOf('delivery', 'failed')
  if (Object.hasOwn(refusals, code)) return refusals[code]!
  if (code.startsWith('HPE_')) return reasonOf('delivery', 'notHttp')
  // OpenSSL's and Node's names of certificate faults are fixed words.
  return /^[A-Z_0-9]{1,64}$/.test(code)
    ? reasonOf('delivery', 'failedWith', { system: code })
    : reasonOf('delivery', 'failed')
}

/** Answers every question for an address with those that were checked, so that a name cannot mean another place a moment later. */
const pinned = (addresses: readonly string[]): LookupFunction => {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family))
}

/** POSTs once: never follows a redirect, reads at most 4 KiB of the reply. The status alone decides. Never rejects. */
export const deliverOnce = ({ target, body, headers, signal, agent = false, ca }: DeliveryRequest): Promise<Attempt> =>
  new Promise((resolve) => {
    let ended = false
    let request: ClientRequest | undefined
    const end = (attempt: Attempt): void => {
      if (ended) return
      ended = true
      signal.removeEventListener('abort', late)
      request?.destroy()
      resolve(attempt)
    }
    // Once the status has come in time, what is still missing of the body changes nothing.
    let answer: Attempt | undefined
    const late = (): void => end(answer ?? { delivered: false, result: reasonOf('delivery', 'late') })
    if (signal.aborted) return late()
    signal.addEventListener('abort', late, { once: true })

    const answered = (reply: IncomingMessage): void => {
      const status = reply.statusCode ?? 0
      const result = reasonOf('delivery', status >= 300 && status < 400 ? 'redirect' : 'status', {
        status: String(status),
      })
      const attempt = { delivered: status === deliveredStatus, result }
      answer = attempt
      // Bodies of other answers are not always as long as they say: what is left would be read as the next answer.
      const { socket } = reply
      if (!attempt.delivered) reply.on('end', () => socket.destroy())
      let read = 0
      reply.on('data', (part: Buffer) => {
        read += part.length
        if (read >= replyLimit) end(attempt)
      })
      reply.on('close', () => end(attempt))
      reply.on('error', () => end(attempt))
    }
    const send = (over: Agent | false): void => {
      const sent = (target.url.protocol === 'https:' ? httpsRequest : httpRequest)(
        target.url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json;charset=utf-8',
            'content-length': Buffer.byteLength(body),
            ...headers,
          },
          agent: over,
          lookup: pinned(target.addresses),
          maxHeaderSize: headerLimit,
          ...(ca !== undefined && { ca }),
        },
        answered,
      )
      request = sent
      sent.on('error', (error) => {
        // Between two deliveries a receiver may close, or have sent what belongs to neither: that is no answer to this one, which gets its own connection.
        if (over && sent.reusedSocket && !answer && !ended) begin(false)
        else end({ delivered: false, result: failureOf(error) })
      })
      // Also after an answer that is none of ours to take, such as an upgrade.
      sent.on('close', () => {
        if (request === sent) end(answer ?? { delivered: false, result: reasonOf('delivery', 'ended') })
      })
      sent.end(body)
    }
    const begin = (over: Agent | false): void => {
      try {
        send(over)
      } catch (error) {
        end({ delivered: false, result: failureOf(error) })
      }
    }
    begin(agent)
  })
