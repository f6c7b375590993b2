import { ownAuthority } from '../own-authority.ts'
import { PlaceFault } from '../place-fault.ts'
import { isOfCertificate, listeningOf, speaksTls } from '../speaks-tls.ts'

/** How long it may take until it is known whether TLS is spoken, in ms. */
const patience = 1000

/** What a store says of a place that waiting does not mend, by what is to be changed. */
const ofStore: Readonly<Record<string, string>> = {
  NoSuchBucket: 'SIDESTAGE_S3_BUCKET: the object store has no such bucket: make it first',
  InvalidBucketName: 'SIDESTAGE_S3_BUCKET: the object store takes no bucket of that name',
  InvalidAccessKeyId: 'SIDESTAGE_S3_ACCESS_KEY: the object store does not know it',
  SignatureDoesNotMatch: 'SIDESTAGE_S3_SECRET_KEY: the object store does not take it for SIDESTAGE_S3_ACCESS_KEY',
  AuthorizationHeaderMalformed: 'SIDESTAGE_S3_REGION: the object store is of another region',
  PermanentRedirect: 'SIDESTAGE_S3_REGION: the bucket is of another region',
}

/** Of OpenSSL: what answered a beginning of TLS is none. */
const noTls = /wrong version number|packet length too long|record layer failure/

/** Status of an answer of the store; undefined where there was none. */
export const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode

/** What the address of a store has wrong, by the error of the first call to it. */
async function wrongOfEndpoint(error: unknown, endpoint: string): Promise<string | undefined> {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  const { protocol, pathname } = new URL(endpoint)
  if (isOfCertificate(code)) return `the certificate of the object store is not accepted (${code}); ${ownAuthority}`
  if (protocol === 'https:' && noTls.test(message)) return 'no TLS is spoken there: its address begins with http://'
  if (protocol === 'http:' && (await speaksTls(listeningOf(endpoint, 80), AbortSignal.timeout(patience))))
    return 'TLS is spoken there: its address begins with https://'
  const status = statusOf(error)
  if (status === 301 || status === 308) return `what answers there is at another address now (${status})`
  if (status !== 404) return undefined
  return pathname === '/'
    ? 'no object store with such a bucket is at that address (404)'
    : 'nothing is at the path of that address (404): most stores have none, and SIDESTAGE_S3_BUCKET names the bucket'
}

/** Why a store cannot be used, by the error of the first call to it, where waiting does not mend it. */
export async function placeFaultOf(error: unknown, endpoint: string): Promise<PlaceFault | undefined> {
  const said = ofStore[(error as { readonly name?: string }).name ?? '']
  if (said !== undefined) return new PlaceFault(said)
  const wrong = await wrongOfEndpoint(error, endpoint)
  return wrong === undefined ? undefined : new PlaceFault(`SIDESTAGE_S3_ENDPOINT: ${wrong}`)
}
