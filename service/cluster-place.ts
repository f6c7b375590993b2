import { UsageError, type CommandLine } from './command-line.ts'
import type { ClusterPlace } from './engines.ts'
import type { PostgresPlace } from './storage/store-postgres.ts'

const shape = /^[a-z][a-z0-9_]{0,62}$/

/** Where the rows are and where services meet, as the environment says. */
export interface SharedPlaces {
  readonly database?: PostgresPlace
  readonly cluster?: ClusterPlace
}

/** Whether user and password of an address end where they seem to, and can be decoded. */
function isReadable(given: string): boolean {
  const url = URL.parse(given)
  if (!url || `${url.pathname}${url.search}${url.hash}`.includes('@')) return false
  try {
    decodeURIComponent(url.username)
    decodeURIComponent(url.password)
    return true
  } catch {
    return false
  }
}

function address(name: string, given: string, protocols: readonly string[]): string {
  // The address may hold a password, so it is never said.
  if (!protocols.some((each) => given.startsWith(`${each}//`)))
    throw new UsageError(
      `${name} must be an address that begins with ${protocols.map((each) => `${each}//`).join(' or ')}.`,
    )
  if (!isReadable(given))
    throw new UsageError(
      `${name} cannot be read: / # ? @ : and % in its user and password are percent-encoded (%2F %23 %3F %40 %3A %25).`,
    )
  return given
}

/**
 * Reads SIDESTAGE_DATABASE_URL and SIDESTAGE_REDIS_URL, which may hold passwords, so that they are in no command line.
 * They are taken out of the environment, so that no process that is started gets them; the system keeps those with
 * which this one was started, for its own account and root. `node` is the name of this service among those of a
 * cluster. Throws UsageError.
 */
export function sharedPlaces(
  environment: NodeJS.ProcessEnv,
  { node, nodeMedia: media }: Pick<CommandLine, 'node' | 'nodeMedia'>,
): SharedPlaces {
  const {
    SIDESTAGE_DATABASE_URL: url,
    SIDESTAGE_REDIS_URL: redis,
    SIDESTAGE_SCHEMA: schema = 'sidestage',
  } = environment
  delete environment.SIDESTAGE_DATABASE_URL
  delete environment.SIDESTAGE_REDIS_URL
  if (!shape.test(schema))
    throw new UsageError('SIDESTAGE_SCHEMA must be 1 to 63 lower-case letters, digits and _, beginning with a letter.')
  if (media !== undefined && node === undefined) throw new UsageError('--node-media needs --node.')
  if (url === undefined) {
    if (redis !== undefined || node !== undefined)
      throw new UsageError(`${redis === undefined ? '--node' : 'SIDESTAGE_REDIS_URL'} needs SIDESTAGE_DATABASE_URL.`)
    return {}
  }
  const database = { url: address('SIDESTAGE_DATABASE_URL', url, ['postgres:', 'postgresql:']), schema }
  if (redis === undefined) {
    if (node !== undefined) throw new UsageError('--node needs SIDESTAGE_REDIS_URL.')
    return { database }
  }
  if (node === undefined) throw new UsageError('--node NAME is missing: each service of a cluster has another name.')
  return {
    database,
    cluster: {
      redis: { url: address('SIDESTAGE_REDIS_URL', redis, ['redis:', 'rediss:']), prefix: schema },
      node,
      ...(media !== undefined && { media }),
    },
  }
}
