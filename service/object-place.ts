import type { ObjectPlace } from './blobs/blobs.ts'
import { UsageError } from './command-line.ts'

const names = ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY', 'SECRET_KEY'] as const
const bucketShape = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const regionShape = /^[a-z0-9-]{1,64}$/
/** Printable, without blanks. */
const keyShape = /^[!-~]{1,512}$/

/**
 * Reads SIDESTAGE_S3_ENDPOINT, _BUCKET, _REGION, _ACCESS_KEY, _SECRET_KEY and _ADDRESSING, which are no longer in the
 * environment afterwards; undefined without any. `prefix` is the schema of the database, absent without one. Throws
 * UsageError.
 */
export function objectPlace(environment: NodeJS.ProcessEnv, prefix: string | undefined): ObjectPlace | undefined {
  const taken = (name: string): string | undefined => {
    const value = environment[`SIDESTAGE_S3_${name}`]
    delete environment[`SIDESTAGE_S3_${name}`]
    return value === '' ? undefined : value
  }
  const addressing = taken('ADDRESSING')
  const values = names.map(taken)
  if (addressing === undefined && values.every((value) => value === undefined)) return undefined
  const missing = names.filter((_, index) => values[index] === undefined)
  if (missing.length > 0)
    throw new UsageError(`SIDESTAGE_S3_${missing[0]} is missing: an object store needs an address, a bucket and keys.`)
  if (prefix === undefined) throw new UsageError('SIDESTAGE_S3_ENDPOINT needs SIDESTAGE_DATABASE_URL.')
  const [endpoint, bucket, region, accessKey, secretKey] = values as [string, string, string, string, string]
  const address = URL.parse(endpoint)
  // Messages never hold what was given: it may be a key in the wrong place.
  if (!address || !['http:', 'https:'].includes(address.protocol) || address.username !== '' || address.password !== '')
    throw new UsageError('SIDESTAGE_S3_ENDPOINT must be an address that begins with http:// or https://, without keys.')
  if (!bucketShape.test(bucket))
    throw new UsageError(
      'SIDESTAGE_S3_BUCKET must be the name of a bucket: 3 to 63 lower-case letters, digits, . and -.',
    )
  if (!regionShape.test(region))
    throw new UsageError('SIDESTAGE_S3_REGION must be the name of a region, such as us-east-1.')
  for (const [name, key] of [
    ['ACCESS_KEY', accessKey],
    ['SECRET_KEY', secretKey],
  ])
    if (!keyShape.test(key!)) throw new UsageError(`SIDESTAGE_S3_${name} must be printable, without blanks.`)
  if (addressing !== undefined && addressing !== 'path' && addressing !== 'host')
    throw new UsageError('SIDESTAGE_S3_ADDRESSING must be path or host.')
  return { endpoint, bucket, region, accessKey, secretKey, prefix, isPathStyle: addressing !== 'host' }
}
