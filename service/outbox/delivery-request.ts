import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { deliveredStatus } from '../../contract/callbacks/recording.ts'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { isCertificateError } from '../../platform/certificate-error.ts'
import type { Admitted } from './address-guard.ts'

/** Result of an attempt. */
export interface Attempt {
  readonly delivered: boolean
  /** Without secrets and without anything that the receiver sent. */
  readonly result: ReasonOf<'delivery'>
}

/** Request of an attempt. */
export interface DeliveryRequest {
  readonly target: Admitted
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Cancels the attempt: deadline, or shutdown. */
  readonly signal: AbortSignal
  /** For kept-alive connections; by default one connection per attempt. */
  readonly agent?: Agent | false
  /** Certificate authorities besides the system's, for tests. */
  readonly ca?: string | undefined
}

/** Bytes read of the reply's body, enough for an honest one. */
const replyLimit = 4096
/** Limit of the reply's headers, in bytes. */
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
  // Error names of OpenSSL and Node are safe to show.
  return /^[A-Z_0-9]{1,64}$/.test(code)
    ? reasonOf('delivery', isCertificateError(code) ? 'certificate' : 'failedWith', { system: code })
    : reasonOf('delivery', 'failed')
}

/** Look-up that returns the checked addresses, against DNS rebinding. */
const pinned = (addresses: readonly string[]): LookupFunction => {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family))
}

/** Sends one POST: no redirects, at most 4 KiB of reply. The status alone decides. Never rejects. */
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
    // After a timely status the rest of the body does not matter.
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
      // Other bodies may have a wrong length; their rest would be read as the next answer.
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
        // A kept connection that was closed, or had stray data, gives no answer: retry on a new one.
        if (over && sent.reusedSocket && !answer && !ended) begin(false)
        else end({ delivered: false, result: failureOf(error) })
      })
      // Also after an unusable answer, such as an upgrade.
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
