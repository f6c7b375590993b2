import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../contract/service-process.ts'
import { writeAtomicallyNow } from '../platform/atomic-file.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { clearPlace, missStore, noteStore, setStoreAside } from '../platform/stores.ts'
import { UsageError } from './command-line.ts'
import type { Log } from './log.ts'

const shape = /^[\x21-\x7e]{1,128}$/
/** Shortest AppSecret, in characters: who has one signed call can try all of a shorter one. */
const minSecret = 8

function checked(value: unknown, source: string): Credentials {
  const { appKey, appSecret } = (value ?? {}) as { appKey?: unknown; appSecret?: unknown }
  if (typeof appKey !== 'string' || typeof appSecret !== 'string' || !shape.test(appKey) || !shape.test(appSecret))
    throw new UsageError(`${source} must give an AppKey and an AppSecret of 1 to 128 ASCII characters without spaces.`)
  if (appSecret.length < minSecret)
    throw new UsageError(`${source}: the AppSecret must have at least ${minSecret} characters.`)
  return { appKey, appSecret }
}

function read(path: string): { readonly value: unknown } | { readonly fault: 'damaged' | 'unreadable' } {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))) as unknown }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EACCES' || code === 'EPERM') return { fault: 'unreadable' }
    if (error instanceof SyntaxError || error instanceof TypeError) return { fault: 'damaged' }
    throw error
  }
}

/**
 * Key pair of a stand-alone service (behaviour.md#key-pair-of-this-computer). Throws UsageError, also where services
 * share one (`isShared`) and none is given: one that is made here would be of this service alone.
 */
export function standAloneCredentials(
  dataDir: string,
  environment: NodeJS.ProcessEnv,
  log: Pick<Log, 'info' | 'warn'>,
  isShared = false,
): Credentials {
  const { SIDESTAGE_APP_KEY: appKey, SIDESTAGE_APP_SECRET: appSecret } = environment
  delete environment.SIDESTAGE_APP_SECRET
  if (appKey !== undefined || appSecret !== undefined)
    return checked({ appKey, appSecret }, 'SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET together')
  if (isShared)
    throw new UsageError(
      'SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET are missing: all services of a cluster have the same ones.',
    )

  makeFolder(dataDir)
  const path = join(dataDir, 'credentials.json')
  clearPlace(path)
  if (!existsSync(path)) return make(path, log)
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    chmodSync(path, 0o600)
    log.warn({ file: path }, 'the key pair was readable by others; its mode is 0600 now')
  }
  const found = read(path)
  if ('fault' in found) {
    setStoreAside(path, found.fault, 'the key pair in it cannot be read')
    log.warn(
      { file: path },
      'the key pair could not be read and was set aside in the quarantine; a new one is made, which every caller needs',
    )
    return make(path, log)
  }
  // Valid JSON without a key pair was written by hand: report the error.
  const pair = checked(found.value, path)
  log.info({ file: path }, 'the key pair comes from this file')
  noteStore(path)
  return pair
}

function make(path: string, log: Pick<Log, 'info' | 'warn'>): Credentials {
  const missed = missStore(path)
  const made: Credentials = { appKey: randomBytes(16).toString('hex'), appSecret: randomBytes(20).toString('hex') }
  try {
    writeAtomicallyNow(path, `${JSON.stringify(made, null, 2)}\n`, { exclusive: true })
  } catch (error) {
    // Another service with the same directory was faster.
    if ((error as { code?: unknown }).code === 'EEXIST') return checked(JSON.parse(readFileSync(path, 'utf8')), path)
    throw error
  }
  noteStore(path)
  if (missed) log.warn({ file: path }, 'the key pair was missing; a new one was generated, which every client needs')
  else log.info({ file: path }, 'a key pair was generated and saved in this file')
  return made
}
