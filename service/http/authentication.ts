import type { Clock } from '../../platform/clock.ts'
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { checkSum, checkSumLifetime, curTimePattern, maxNonce } from '../../contract/signing.ts'
import { createOneTimeCheckSums, type OneTimeCheckSums } from './one-time-check-sums.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import { createSharedCheckSums, type SharedCheckSums } from './shared-check-sums.ts'

/** What authentication reads of an application. */
export interface Signer {
  readonly uid: number
  readonly appKey: string
  readonly appSecret: string
  readonly settings: { readonly oneTimeCheckSum: boolean }
}

/** Why a request is not authenticated; each document has its own code. */
export interface AuthenticationFault {
  readonly kind: 'noCheckSum' | 'noAppKey' | 'noCurTime' | 'failed' | 'repeated' | 'unknown'
  /** Without secrets; mentions a wrong clock. */
  readonly reason: string
  /** For programs: wrong clock, or wrong credentials. */
  readonly about: 'clock' | 'signature' | 'other'
  /** `desc` of the messaging documents, which clients compare (behaviour.md#codes-of-messaging). */
  readonly desc: string
}

/** Checks the four headers (1-live Authentication; behaviour.md#order-of-checks). */
export interface Authentication<A extends Signer> {
  check(request: Signed): A | AuthenticationFault
  /**
   * Whether the CheckSum of a request, which `check` found right, was used at any node; `unknown` where nobody can
   * tell now. Undefined where `check` alone decides.
   */
  readonly once?: ((application: A, request: Signed) => Promise<AuthenticationFault | undefined>) | undefined
}
type Signed = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

const digestShape = /^[0-9a-f]{40}$/
const printable = /^[\x20-\x7e]+$/
const badHeader = 'bad http header'
const fault = (
  kind: AuthenticationFault['kind'],
  reason: string,
  desc: string,
  about: AuthenticationFault['about'] = 'signature',
): AuthenticationFault => ({ kind, reason, desc, about })

/** Narrows the outcome of a check. */
export const isFault = (outcome: Signer | AuthenticationFault): outcome is AuthenticationFault => 'kind' in outcome

const header = ({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** Node joins repeated headers with a comma. Only a Nonce may contain one; the others then fail by their format. */
const repeats = (rawHeaders: readonly string[], name: string): boolean => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]!.toLowerCase() === name) count++
  return count > 1
}

/** Makes the check for the applications of a service. */
export function createAuthentication<A extends Signer>(options: {
  readonly byKey: (appKey: string) => A | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** CheckSums are remembered there over all nodes of a cluster. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
}): Authentication<A> {
  const { byKey, clock, random, redis } = options
  const shared = redis && createSharedCheckSums({ redis, clock })
  // For unknown AppKeys, so that their answer takes the same time.
  const nobody = random(16).toString('hex')
  const oneTime = new Map<number, OneTimeCheckSums>()
  /** CheckSums before this time (the start, or a last call with the setting off) were not remembered. */
  const began = clock.now()
  const lastOff = new Map<number, number>()
  const sha1 = (text: string): string => hash('sha1', text, 'hex')

  const takeOnce = ({ uid, settings }: A, given: string, curTime: string): AuthenticationFault | undefined => {
    if (!settings.oneTimeCheckSum) {
      oneTime.delete(uid)
      lastOff.set(uid, clock.now())
      return undefined
    }
    let taken = oneTime.get(uid)
    if (!taken) oneTime.set(uid, (taken = createOneTimeCheckSums(clock, lastOff.get(uid) ?? began)))
    return faultOf(taken.take(given, Number(curTime)))
  }
  const faultOf = (taken: Awaited<ReturnType<SharedCheckSums['take']>>): AuthenticationFault | undefined => {
    switch (taken) {
      case 'fresh':
        return undefined
      case 'used':
        return fault('repeated', 'this CheckSum was used before', 'this CheckSum was used before')
      case 'early':
        return fault(
          'repeated',
          'CurTime is before CheckSums were remembered; sign again with the present time',
          'this CheckSum may have been used before',
        )
      case 'full':
        return fault(
          'failed',
          'too many signed calls to remember; one-time CheckSums are on',
          'too many signed calls to remember',
        )
      case 'away':
        return fault(
          'unknown',
          'whether this CheckSum was used before cannot be told now; sign again in a moment',
          'whether this CheckSum was used before cannot be told now',
          'other',
        )
    }
  }

  return {
    check(request) {
      const given = header(request, 'checksum')
      if (!given) return fault('noCheckSum', 'CheckSum is empty', badHeader)
      const appKey = header(request, 'appkey')
      if (!appKey) return fault('noAppKey', 'AppKey is empty', badHeader)
      const curTime = header(request, 'curtime')
      if (!curTime) return fault('noCurTime', 'CurTime is empty', badHeader)
      const nonce = header(request, 'nonce')
      if (!nonce) return fault('failed', 'Nonce is empty', badHeader)
      if (nonce.length > maxNonce) return fault('failed', `Nonce has more than ${maxNonce} characters`, badHeader)
      if (!printable.test(nonce) || (nonce.includes(',') && repeats(request.rawHeaders, 'nonce')))
        return fault('failed', 'Nonce is repeated or not plain ASCII', badHeader)
      if (!curTimePattern.test(curTime)) return fault('failed', 'CurTime is not ten decimal digits', badHeader)
      const skew = Number(curTime) - Math.floor(clock.now() / 1000)
      if (Math.abs(skew) > checkSumLifetime)
        return fault(
          'failed',
          `CurTime is off by ${Math.abs(skew)} s (${skew > 0 ? 'ahead' : 'behind'})`,
          'CurTime is expired',
          'clock',
        )
      if (!digestShape.test(given)) return fault('failed', 'CheckSum is not a lowercase SHA1', 'checksum')
      const application = byKey(appKey)
      const expected = checkSum(sha1, application?.appSecret ?? nobody, nonce, curTime)
      const matches = timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))
      if (!matches || !application)
        return fault(
          'failed',
          'the AppKey is not known or the CheckSum is not right',
          application ? 'checksum' : 'appkey',
        )
      if (!shared) return takeOnce(application, given, curTime) ?? application
      if (!application.settings.oneTimeCheckSum) shared.passed(application.uid)
      return application
    },
    once:
      shared &&
      (async ({ uid, settings }, request) => {
        if (!settings.oneTimeCheckSum) return undefined
        return faultOf(await shared.take(uid, header(request, 'checksum'), Number(header(request, 'curtime'))))
      }),
  }
}
