import http from 'node:http'
import https from 'node:https'
import { Failure, reasonOf, TimedOut } from '../failure.ts'

interface Outgoing {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Buffer
  readonly signal?: AbortSignal
}

/** An answer read to its end. */
export interface Incoming {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/** Kept-alive connections to services. Failures: `unreachable`, `refused`, `certificate`, `notOurs`. */
export type Transport = ReturnType<typeof createTransport>

interface TransportLimits {
  /** Until the headers, and between two parts of an answer, in ms. */
  readonly patience: number
  /** From the headers to the end of an answer that is read whole, in ms. */
  readonly whole: number
  /** In bytes. */
  readonly answerBytes: number
}

const usual: TransportLimits = { patience: 10_000, whole: 30_000, answerBytes: 8 * 1024 * 1024 }

const certificateCodes =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE|CRL_|ERROR_IN_CERT)/

/** The failure of a network error. */
function networkFailure(error: unknown, url: URL): Failure {
  if (error instanceof Failure) return error
  const code = (error as { code?: unknown }).code
  const named = typeof code === 'string' ? code : ''
  if (certificateCodes.test(named)) return new Failure('certificate', `${url.host}: ${named}`)
  return new Failure(named === 'ECONNREFUSED' ? 'refused' : 'unreachable', `${url.host}: ${named || reasonOf(error)}`)
}

async function readAll(answer: http.IncomingMessage, url: URL, limits: TransportLimits): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  answer.setTimeout(limits.patience, () => {
    answer.destroy(new TimedOut(`${url.host}: the answer stopped`))
  })
  const timer = setTimeout(() => {
    answer.destroy(new TimedOut(`${url.host}: the answer was not whole in ${limits.whole / 1000} s`))
  }, limits.whole)
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length
      if (size > limits.answerBytes) {
        answer.destroy()
        throw new Failure('notOurs', `${url.host}: the answer is larger than ${limits.answerBytes} bytes`)
      }
      parts.push(part)
    }
  } catch (error) {
    throw networkFailure(error, url)
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Creates a transport. `ca`: certificate of a private authority. */
export function createTransport(options: { readonly limits?: Partial<TransportLimits>; readonly ca?: string } = {}) {
  const limits = { ...usual, ...options.limits }
  const pool = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, scheduling: 'lifo' as const, timeout: 0 }
  const plain = new http.Agent(pool)
  const secure = new https.Agent({ ...pool, ...(options.ca === undefined ? {} : { ca: options.ca }) })

  const send = (request: Outgoing, again: boolean): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const secured = request.url.protocol === 'https:'
      const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body
      const sent = (secured ? https : http).request(request.url, {
        method: 'POST',
        agent: secured ? secure : plain,
        ...(request.signal ? { signal: request.signal } : {}),
        headers: { ...request.headers, 'content-length': String(body.length) },
      })
      const timer = setTimeout(() => {
        sent.destroy(new TimedOut(`${request.url.host}: no answer in ${limits.patience / 1000} s`))
      }, limits.patience)
      sent.once('response', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      sent.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        // The service closed a kept-alive connection as it was reused: try once on a new one.
        if (again && sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          resolve(send(request, false))
        else reject(networkFailure(error, request.url))
      })
      sent.end(body)
    })

  return {
    /** A request whose whole answer is read, within the limits. */
    ask: async (request: Outgoing): Promise<Incoming> => {
      const answer = await send(request, true)
      const text = await readAll(answer, request.url, limits)
      return { status: answer.statusCode ?? 0, headers: answer.headers, text }
    },
    /** A request whose body the caller reads and ends by its signal. */
    open: async (
      request: Outgoing,
    ): Promise<{
      readonly status: number
      readonly headers: http.IncomingHttpHeaders
      readonly body: http.IncomingMessage
    }> => {
      const answer = await send(request, true)
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer }
    },
    /** Reads what `open` gave to its end, within the times of `ask`. */
    readText: (body: http.IncomingMessage, url: URL, answerBytes: number): Promise<string> =>
      readAll(body, url, { ...limits, answerBytes }),
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}
