import { systemClock, type Clock } from '../../platform/clock.ts'
import { hash, randomBytes } from 'node:crypto'
import type { Answer, Arguments, Operation } from '../../contract/operation.ts'
import { signedHeaders } from '../../contract/signing.ts'
import { answerFault } from '../../contract/validate.ts'
import type { Credentials } from '../../contract/service-process.ts'
import { pathPrefix } from '../http/dispatch.ts'
import { recordCall } from './call-record.ts'
import { httpRequest, type RawAnswer, type RawRequest } from './http-request.ts'
import { unknownMember } from './known-members.ts'

/** An answer in a test: the code, and all possible members. */
export type TestAnswer<O> = { readonly code: number; readonly msg?: string; readonly desc?: string } & Partial<
  Answer<O>
>

/**
 * Calls operations with a valid signature and validates every answer; members that the contract does not describe
 * are refused.
 */
export interface SignedClient {
  /** Calls with typed arguments. */
  call<O extends Operation>(operation: O, args: Arguments<O>): Promise<TestAnswer<O>>
  /** Calls with any body and headers; given headers replace those of the signature. */
  send<O extends Operation>(
    operation: O,
    body: unknown,
    headers?: readonly (readonly [string, string | undefined])[],
  ): Promise<TestAnswer<O>>
  /** The four headers for now, or `skew` seconds later. */
  sign(skew?: number, nonce?: string): Record<string, string>
  /** Sends an unsigned request below the api root. */
  raw(path: string, request?: RawRequest): Promise<RawAnswer>
}

/** A form for the messaging documents: JSON for non-texts, without absent values. */
export const formOf = (args: object): string =>
  new URLSearchParams(
    Object.entries(args).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  ).toString()

/** Makes a client of an api root. */
export function signedClient(
  baseUrl: string,
  credentials: Credentials,
  clock: Pick<Clock, 'now'> = systemClock,
): SignedClient {
  const sign = (skew = 0, nonce = randomBytes(8).toString('hex')): Record<string, string> =>
    signedHeaders((text) => hash('sha1', text, 'hex'), credentials, nonce, Math.floor(clock.now() / 1000) + skew)

  const send = async <O extends Operation>(
    operation: O,
    body: unknown,
    headers: readonly (readonly [string, string | undefined])[] = [],
  ): Promise<TestAnswer<O>> => {
    const replaced = new Set(headers.map(([name]) => name.toLowerCase()))
    const form = operation.encoding !== 'json'
    const type = form ? 'application/x-www-form-urlencoded;charset=utf-8' : 'application/json;charset=utf-8'
    const all = [['content-type', type] as const, ...Object.entries(sign())].filter(
      ([name]) => !replaced.has(name.toLowerCase()),
    )
    for (const [name, value] of headers) if (value !== undefined) all.push([name, value])
    const { status, text } = await httpRequest(baseUrl + pathPrefix(operation) + operation.path, {
      headers: all,
      body:
        typeof body === 'string' || body instanceof Buffer
          ? body
          : form
            ? formOf(body as object)
            : JSON.stringify(body),
    })
    if (status !== 200) throw new Error(`${operation.path}: HTTP ${status}: ${text}`)
    const answer = JSON.parse(text) as TestAnswer<O>
    const fault = answerFault(operation, answer)
    if (fault !== undefined) throw new Error(fault)
    const { code: _code, ...members } = answer
    const unknown = answer.code === 200 ? unknownMember(operation.answer, members) : undefined
    if (unknown !== undefined) throw new Error(`${operation.path}${unknown} is not a member of the contract`)
    recordCall(operation.path, answer.code)
    return answer
  }
  return {
    send,
    call: (operation, args) => send(operation, args),
    sign,
    raw: (path, request) => httpRequest(baseUrl + path, request),
  }
}
