import { createHash } from 'node:crypto'
import type http from 'node:http'
import type { Fields } from '../../contract/field.ts'
import type { Answer, Arguments, Operation } from '../../contract/operation.ts'
import { readRefusalReason, reasonHeader } from '../../contract/catalogue/refusal-reasons.ts'
import { checkSumLifetime, signedHeaders } from '../../contract/signing.ts'
import { knownMembers } from '../../contract/known-members.ts'
import { membersFault } from '../../contract/validate.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { reasonInWords } from './foreign-words.ts'
import type { Incoming, Transport } from './transport.ts'

/** A service and its credentials. */
export interface Service {
  readonly liveUrl: string
  readonly messagingUrl: string
  readonly appKey: string
  readonly appSecret: string
}

/** Signed calls of one service. They throw Failure. */
export interface Client {
  call<P extends Fields, A extends Fields>(
    operation: Operation<P, A>,
    args: Arguments<Operation<P, A>>,
  ): Promise<Answer<Operation<P, A>>>
  /** A signed call for the console: arguments and answer are not checked. */
  exchange(operation: Operation, args: Readonly<Record<string, unknown>>): Promise<Exchange>
  /** Opens an operation with an endless body. */
  stream<P extends Fields>(
    operation: Operation<P>,
    args: Arguments<Operation<P>>,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage>
}

/** A request as it went out and what came back. */
interface Exchange {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly answer: Incoming
}

interface ClientPorts {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}

/** Calls of operations by profile. */
export const callsOf =
  (client: (profileId: string) => Promise<Client>) =>
  async <P extends Fields, A extends Fields>(
    profileId: string,
    operation: Operation<P, A>,
    args: Arguments<Operation<P, A>>,
  ): Promise<Answer<Operation<P, A>>> =>
    (await client(profileId)).call(operation, args)

const sha1 = (text: string): string => createHash('sha1').update(text, 'utf8').digest('hex')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Seconds that this computer's clock is ahead of the service's Date header; undefined without one. */
function skewOf(headers: http.IncomingHttpHeaders, now: number): number | undefined {
  const theirs = headers.date === undefined ? Number.NaN : Date.parse(headers.date)
  return Number.isNaN(theirs) ? undefined : Math.round((now - theirs) / 1000)
}

/** Statuses by which a proxy, or a node without its database, says that there is no service for now. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** In seconds: Date has whole seconds, and transfer takes time. */
const slack = 5

/** The sentence of an answer. */
function wordsOf(body: Record<string, unknown>): string {
  const said = body['msg'] ?? body['desc']
  return typeof said === 'string' ? said : ''
}

function refusal(
  operation: Operation,
  body: Record<string, unknown>,
  code: number,
  answer: Incoming,
  now: number,
): Failure {
  const words = wordsOf(body)
  const detail = `${operation.path}: ${code}${words ? ` ${words}` : ''}`
  const live = operation.document === 1 || operation.document === 'local'
  const given = readRefusalReason(answer.headers[reasonHeader])
  const reason = given ?? reasonInWords(code, words, live)
  if (live ? code === 409 : code === 414 && (reason === 'clock' || reason === 'signature')) {
    const skew = skewOf(answer.headers, now)
    if (skew !== undefined && Math.abs(skew) >= checkSumLifetime - slack)
      return new Failure('clock', detail, { code, skewSeconds: skew })
    if (reason === 'clock')
      return new Failure('clock', detail, skew === undefined ? { code } : { code, skewSeconds: skew })
    return new Failure('signature', detail, { code })
  }
  switch (reason) {
    case 'full':
    case 'readOnly':
    case 'broken':
      return new Failure(code === operation.fault ? reason : 'code', detail, { code })
    case 'missing':
    case 'present':
      return new Failure(code === 414 ? reason : 'code', detail, { code })
    default:
      return new Failure('code', detail, { code })
  }
}

/** Reads an answer, or throws its Failure. Members beyond the contract are left out: they reach no page. */
function readAnswer(operation: Operation, answer: Incoming, now: number): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(answer.text)
  } catch {
    if (awayStatuses.has(answer.status)) throw new Failure('away', `${operation.path}: HTTP ${answer.status}`)
    throw new Failure('notOurs', `${operation.path}: HTTP ${answer.status}, not JSON`)
  }
  if (awayStatuses.has(answer.status))
    throw new Failure('away', `${operation.path}: HTTP ${answer.status} ${isObject(body) ? wordsOf(body) : ''}`.trim())
  if (!isObject(body)) throw new Failure('notOurs', `${operation.path}: HTTP ${answer.status}, no result`)
  const code = body['code']
  if (typeof code !== 'number' || !Number.isSafeInteger(code))
    throw new Failure('notOurs', `${operation.path}: HTTP ${answer.status}, no result code`)
  // The rate limit of the listener itself.
  if (answer.status === 429 && code === 429) throw new Failure('code', `${operation.path}: HTTP 429`, { code: 416 })
  // The listener's own 404, 405 and 413 have JSON bodies too (behaviour.md#answers-outside-an-operation).
  if (answer.status !== 200) throw new Failure('notOurs', `${operation.path}: HTTP ${answer.status}`)
  if (code !== 200) throw refusal(operation, body, code, answer, now)
  const fault = membersFault(operation.answer, body, operation.path)
  if (fault !== undefined) throw new Failure('notOurs', fault)
  return { code, ...knownMembers(operation.answer, body) }
}

/** Of a refusal where a stream was asked for. */
const refusalBytes = 65_536

/** The URL of an operation. */
function addressOf(service: Service, operation: Operation): URL {
  const base = operation.document === 1 || operation.document === 'local' ? service.liveUrl : service.messagingUrl
  return new URL(base.replace(/\/+$/, '') + operation.path)
}

const formValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The file of a form is its `content`, as Base64 (2-messaging fileUpload). */
function multipart(given: readonly (readonly [string, unknown])[], boundary: string): Buffer {
  const parts = given.flatMap(([name, value]) => {
    const file = name === 'content'
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file ? '; filename="file"\r\ncontent-type: application/octet-stream' : ''}\r\n\r\n`
    return [
      Buffer.from(head),
      file ? Buffer.from(formValue(value), 'base64') : Buffer.from(formValue(value)),
      Buffer.from('\r\n'),
    ]
  })
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
}

function encode(operation: Operation, args: object, boundary: string): { type: string; body: string | Buffer } {
  const given = Object.entries(args).filter(([, value]) => value !== undefined)
  if (operation.encoding === 'json')
    return { type: 'application/json;charset=utf-8', body: JSON.stringify(Object.fromEntries(given)) }
  if (operation.encoding === 'multipart')
    return { type: `multipart/form-data; boundary=${boundary}`, body: multipart(given, boundary) }
  const form = new URLSearchParams(given.map(([name, value]): [string, string] => [name, formValue(value)]))
  return { type: 'application/x-www-form-urlencoded;charset=utf-8', body: form.toString() }
}

/** Creates the client of one service. */
export function createClient(service: Service, ports: ClientPorts): Client {
  const request = (operation: Operation, args: object, signal?: AbortSignal): Parameters<Transport['ask']>[0] => {
    const { type, body } = encode(operation, args, `----${ports.random(12).toString('hex')}`)
    const headers = {
      ...signedHeaders(sha1, service, ports.random(16).toString('hex'), Math.floor(ports.clock.now() / 1000)),
      'content-type': type,
      accept: 'application/json',
    }
    return { url: addressOf(service, operation), headers, body, ...(signal ? { signal } : {}) }
  }
  return {
    call: async (operation, args) => {
      const answer = await ports.transport.ask(request(operation, args))
      return readAnswer(operation, answer, ports.clock.now()) as Answer<typeof operation>
    },
    exchange: async (operation, args) => {
      const { url, headers, body } = request(operation, args)
      return { url, headers, body, answer: await ports.transport.ask({ url, headers, body }) }
    },
    stream: async (operation, args, signal) => {
      const asked = request(operation, args, signal)
      const { status, headers, body } = await ports.transport.open(asked)
      // A refusal is one JSON object; streams have another type.
      if (status === 200 && !/^application\/json\b/.test(headers['content-type'] ?? '')) return body
      const text = await ports.transport.readText(body, asked.url, refusalBytes)
      readAnswer(operation, { status, headers, text }, ports.clock.now())
      throw new Failure('notOurs', `${operation.path}: no stream`)
    },
  }
}
